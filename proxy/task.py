"""Where a task begins in a conversation, what its steps are, and in which language it is told.

A task turn is a user turn that a user wrote, after an assistant turn without calls. Tool results that an agent sends as
text, reminders, and a bare "go on" are none. All of this is read from the request, never stored.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
import re2

from proxy.model import ToolCall, ToolResult, Turn

_RESULT = re.compile(
    r"\s*(?:observation:|<returncode>|<system-reminder>|<tool_(?:result|response|use_error)>|<function_results?>"
    r"|<environment_context>|<output>|\[tool[ _]result|tool (?:result|output|response)\b|(?:call|tool) id:|error:\n"
    r"|calling tools:)",
    re.IGNORECASE,
)
_GO_ON = re.compile(
    r"\W*(?:please\s+)?(?:continue|go on|go ahead|proceed|carry on|keep going|resume|next|yes|yep|yeah|y|ok|okay|sure"
    r"|do it|继续|请继续|接着|好|好的|是|是的|可以|行|下一步)"
    r"(?:\W+(?:please|continue|go on|go ahead|do it|proceed|吧|继续))*\W*",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3400-\u9fff]")


class Step(msgspec.Struct, frozen=True):
    """One assistant turn with calls, and their results."""

    at: int
    """Index of the assistant turn."""
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult | None, ...]
    """By call; None where no result stands in the request."""


def own_steps(turns: Sequence[Turn], begin: int = 0) -> Iterator[Step]:
    """The steps that the agent made: without hidden rounds, and without results that Handrail wrote itself."""
    for step in steps(turns, begin):
        if turns[step.at].kept:
            continue
        pairs = zip(step.calls, step.results, strict=True)
        made = [(call, result) for call, result in pairs if result is None or not result.kept]
        if len(made) == len(step.calls):
            yield step
        elif made:
            yield Step(step.at, tuple(call for call, _ in made), tuple(result for _, result in made))


class Reader(msgspec.Struct, frozen=True):
    """Tells task turns from others, with the patterns that a pack adds."""

    task: tuple[Any, ...] = ()
    result: tuple[Any, ...] = ()

    def is_task(self, turn: Turn, before: Turn | None) -> bool:
        """Whether a turn opens a run; `before` is the turn right before it, system turns left out."""
        if turn.role != "user" or not turn.text.strip():
            return False
        text = turn.text
        if any(pattern.search(text) for pattern in self.task):
            return True
        if before is not None and (before.role == "tool" or before.calls):
            return False
        if _RESULT.match(text) or any(pattern.search(text) for pattern in self.result):
            return False
        return before is None or not _GO_ON.fullmatch(text)

    def last_task(self, turns: Sequence[Turn]) -> int:
        """Index of the last task turn; -1 if none stands in the request."""
        for at in range(len(turns) - 1, -1, -1):
            if turns[at].role != "user":
                continue
            before = next((turn for turn in reversed(turns[:at]) if turn.role != "system"), None)
            if self.is_task(turns[at], before):
                return at
        return -1


def reader(task: Sequence[str], result: Sequence[str]) -> Reader:
    """A reader with a pack's own patterns (RE2)."""
    return Reader(tuple(map(re2.compile, task)), tuple(map(re2.compile, result)))


def steps(turns: Sequence[Turn], begin: int = 0) -> Iterator[Step]:
    """The steps from `begin` on. Results are matched within the turns up to the next assistant turn."""
    at = max(begin, 0)
    while at < len(turns):
        turn = turns[at]
        at += 1
        if turn.role != "assistant" or not turn.calls:
            continue
        answers: dict[str, ToolResult] = {}
        for later in turns[at:]:
            if later.role == "assistant":
                break
            answers.update((result.call_id, result) for result in later.results)
        yield Step(at - 1, turn.calls, tuple(answers.get(call.id) for call in turn.calls))


def language(turns: Sequence[Turn], begin: int) -> Literal["en", "zh"]:
    """The language of the task, else of the latest user turn."""
    text = turns[begin].text if begin >= 0 else next((t.text for t in reversed(turns) if t.role == "user"), "")
    head = text[:2000]
    return "zh" if len(_CJK.findall(head)) * 8 > len(head) else "en"
