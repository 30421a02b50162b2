"""An agent on Chat Completions in a playbook: it keeps its messages, sends them all, and answers the calls it gets.

What the model says is written as a text, or as a list of calls `(tool, arguments)` with an id of their own each; as a
whole `Answer` where it matters how it comes; or as a function of the ask, for a model that reads what it gets.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from tests.playbook import Answer, Played, Playing, World, call, chat

Saying = str | Sequence[tuple[str, Any]] | Answer
Says = Saying | Callable[[Any], Saying]
_ids = count(0xA0000)


def said(what: Saying) -> Answer:
    """What the model says, as an unstreamed answer."""
    if isinstance(what, Answer):
        return what
    if isinstance(what, str):
        return Answer.json(chat(what))
    return Answer.json(chat(calls=[(f"call_{next(_ids):x}", tool, args) for tool, args in what]))


class Conversation:
    """One agent's conversation. `more`: further members of each request; `path` and such go to the playbook."""

    def __init__(
        self, world: World | str, *tools: Any, task: str = "Do the task, please.", system: str = "", **more: Any
    ) -> None:
        self.world = World(world) if isinstance(world, str) else world
        self.tools = list(tools)
        self.more = more
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        self.user(task)

    @property
    def body(self) -> dict[str, Any]:
        tools = {"tools": self.tools} if self.tools else {}
        return {"model": "m", "messages": self.messages, **tools, **self.more}

    # ------------------------------------------------------------ what the agent has already

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def step(self, calls: Sequence[tuple[str, Any]], *results: str) -> list[str]:
        """A step as it stands in the agent's messages; the ids of its calls."""
        ids = [f"call_{next(_ids):x}" for _ in calls]
        made = [call(key, tool, args) for key, (tool, args) in zip(ids, calls, strict=True)]
        self.messages.append({"role": "assistant", "content": None, "tool_calls": made})
        self.results(*results)
        return ids

    def results(self, *texts: str) -> None:
        """Answers the calls of the last message."""
        calls = self.messages[-1]["tool_calls"]
        self.messages += [
            {"role": "tool", "tool_call_id": one["id"], "content": text} for one, text in zip(calls, texts, strict=True)
        ]

    def answer(self, text: str) -> None:
        self.messages.append({"role": "assistant", "content": text})

    # ------------------------------------------------------------ what goes through Handrail

    def begin(self, *says: Says, **more: Any) -> Playing:
        """An exchange that is not played yet."""

        def script() -> Iterator[Answer]:
            for one in says:
                yield said(one(json.loads(running.played.sent[-1])) if callable(one) else one)

        running = self.world.begin(self.body, script(), **more)
        return running

    def ask(self, *says: Says, **more: Any) -> Played:
        """Asks; the answer joins the messages."""
        return self.take(self.begin(*says, **more).run())

    def take(self, played: Played) -> Played:
        """Puts the answer that was got behind the messages, as agents do."""
        message = played.json["choices"][0]["message"]
        self.messages.append({key: value for key, value in message.items() if value is not None or key == "content"})
        return played

    def turn(self, says: Says, *results: str) -> Played:
        """One whole step: the model says something, its calls are answered."""
        played = self.ask(says)
        self.results(*results)
        return played


def calls(played: Played) -> list[tuple[str, Any]]:
    """The calls that the agent got: tool and arguments."""
    return [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in raw_calls(played)]


def reading_on(sent: Any) -> Saying:
    """A model that reads a cut result to its end, with the tool that it is told of."""
    told = contents(sent["messages"])[-1]
    cursors = re.findall(r'cursor\\?"?[=:] ?\\?"([\w-]+)', told)
    names = [tool["function"]["name"] for tool in sent["tools"]]
    return [(names[-1], {"cursor": cursors[-1]})] if cursors else "I have read it all."


def raw_calls(played: Played) -> list[Any]:
    return played.json["choices"][0]["message"].get("tool_calls") or []


def text(played: Played) -> str:
    """The text that the agent got."""
    return played.json["choices"][0]["message"]["content"] or ""


def messages(played: Played, number: int = -1) -> list[dict[str, Any]]:
    """The messages of the last ask that went upstream (or of another)."""
    sent: list[dict[str, Any]] = played.asks[number]["messages"]
    return sent


def contents(sent: Sequence[Mapping[str, Any]], role: str = "tool") -> list[str]:
    """The texts of all messages of one role."""
    return [one["content"] for one in sent if one["role"] == role]
