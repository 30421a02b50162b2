"""Responses for tests: builds what agents and providers send, reads what they get.

`Responses(chained=True)` is an agent that lets the provider keep the conversation: it sends what is new and the id of
the last response.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proxy.dialects import sse
from tests.apis.neutral import Asked, Call, Results, Said, Seen, System, Tool, Turn, User
from tests.dialects import responses_sample as sample


class Responses:
    """`/v1/responses`."""

    path = "/v1/responses"

    def __init__(self, *, chained: bool = False) -> None:
        self.chained = chained
        self.name = "responses, chained" if chained else "responses"

    def ask(self, turns: Sequence[Turn], tools: Sequence[Tool] = (), **more: Any) -> dict[str, Any]:
        body: dict[str, Any] = {"model": "m"}
        said = [at for at, turn in enumerate(turns) if isinstance(turn, Said)]
        if self.chained and said:
            turns = turns[said[-1] + 1 :]
            body["previous_response_id"] = more.pop("previous")
        body["input"] = [item for turn in turns for item in _items(turn)]
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if choice := more.pop("choice", ""):
            body["tool_choice"] = {"type": "function", "name": choice[1:]} if choice.startswith("=") else choice
        if limit := more.pop("limit", 0):
            body["max_output_tokens"] = limit
        return body | more

    def answer(self, said: Said, number: int = 1) -> bytes:
        status, more = _status(said)
        return json.dumps(sample.response(_output(said, number), number, status, **more)).encode()

    def events(self, said: Said, number: int = 1) -> list[bytes]:
        status, more = _status(said)
        return sse.Splitter().feed(sample.stream(_output(said, number), number, status, **more))

    def read_ask(self, body: bytes) -> Asked:
        asked = json.loads(body)
        listed = asked["input"]
        if isinstance(listed, str):
            listed = [{"role": "user", "content": listed}]
        tools = {tool["name"]: tool for tool in asked.get("tools", ())}
        choice = asked.get("tool_choice", "")
        given = choice if isinstance(choice, str) else "=" + choice["name"]
        previous = asked.get("previous_response_id", "")
        return Asked(_turns(listed, begun=bool(previous)), tools, given, previous)

    def read_answer(self, body: bytes) -> Seen:
        return _seen(json.loads(body))

    def read_stream(self, body: bytes) -> Seen:
        return _seen(sample.legal(body))


def _tool(tool: Tool) -> dict[str, Any]:
    known = {"type": "function", "name": tool.name, "description": f"The tool {tool.name}."}
    return {**known, "parameters": tool.schema, "strict": False}


def _items(turn: Turn) -> list[dict[str, Any]]:
    match turn:
        case System():
            return [{"role": "developer", "content": turn.text}]
        case User():
            return [{"role": "user", "content": turn.text}]
        case Results():
            known = {"type": "function_call_output"}
            return [{**known, "call_id": key, "output": text} for key, text in turn.texts.items()]
        case Said():
            return _output(turn, 0)


def _output(said: Said, number: int) -> list[dict[str, Any]]:
    items = [sample.message(said.text, number)] if said.text else []
    whole = "incomplete" if said.ending == "length" else "completed"
    for at, call in enumerate(said.calls):
        known = sample.call(call.tool, call.text, 100 * number + at, call_id=call.id)
        items.append({**known, "status": whole if at == len(said.calls) - 1 else "completed"})
    return items


def _status(said: Said) -> tuple[str, dict[str, Any]]:
    if said.ending == "length":
        return "incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}
    return "completed", {}


def _seen(response: Mapping[str, Any]) -> Seen:
    texts = [part["text"] for item in response["output"] if item["type"] == "message" for part in item["content"]]
    calls = tuple(
        Call(item["call_id"], item["name"], item[sample.KEYS[item["type"]]])
        for item in response["output"]
        if item["type"] in sample.KEYS
    )
    assert all(call.id for call in calls)
    ending = "length" if response["status"] == "incomplete" else "tool_calls" if calls else "stop"
    return Seen(Said("".join(texts), calls, ending), response["usage"], response["id"])


def _turns(items: Sequence[Mapping[str, Any]], *, begun: bool) -> tuple[Turn, ...]:
    """What follows each other of one side is one turn. `begun`: the first outputs may answer calls that are elsewhere.

    Every other output must answer a call before it, once, and every call must be answered before anybody speaks.
    """
    turns: list[Turn] = []
    wanted: set[str] = set()
    for item in items:
        kind = item.get("type", "message")
        last = turns[-1] if turns else None
        if kind == "function_call_output":
            if item["call_id"] in wanted or not begun:
                wanted.remove(item["call_id"])
            before = turns.pop().texts if isinstance(last, Results) else {}  # type: ignore[union-attr]
            turns.append(Results({**before, item["call_id"]: _text(item["output"])}))
        elif kind == "function_call":
            call = Call(item["call_id"], item["name"], item["arguments"])
            wanted.add(call.id)
            said = turns.pop() if isinstance(last, Said) else Said()
            assert isinstance(said, Said)
            turns.append(Said(said.text, (*said.calls, call)))
        elif item["role"] == "assistant":
            turns.append(Said(_text(item["content"])))
        else:
            assert not wanted, "a call without its result"
            turns.append(User(_text(item["content"])) if item["role"] == "user" else System(_text(item["content"])))
    assert not wanted, "a call without its result"
    return tuple(turns)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n\n".join(part["text"] for part in content)
