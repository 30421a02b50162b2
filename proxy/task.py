"""Where a task begins in a conversation, what its steps are, and in which language it is told.

A task turn is a user turn that a user wrote, after an assistant turn without calls. Tool results that an agent sends as
text, reminders, and a bare "go on" are none; reminders that stand beside the user's words are not the user's. All of
this is read from the request, never stored.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar

import msgspec
import re2

from proxy.memo import alike
from proxy.model import Memory, ToolCall, ToolResult, Turn

Value = TypeVar("Value")

_RESULT = re.compile(
    r"\s*(?:observation:|<returncode>|<system-reminder>|<tool_(?:result|response|use_error)>|<function_results?>"
    r"|<environment_context>|<output>|\[tool[ _]result|tool (?:result|output|response)\b|(?:call|tool) id:|error:\n"
    r"|calling tools:)",
    re.IGNORECASE,
)
_GO_ON = re.compile(
    r"\W*(?:please\s+)?(?:continue|go(?: on| ahead)?|proceed|carry on|keep going|resume|next|yes|yep|yeah|y|ok|okay"
    r"|sure|do it|confirm(?:ed)?|agreed|correct|sounds good|looks good|of course"
    r"|请?(?:继续|接着|开始)(?:吧|做|执行|进行|下去)?|好|好的|好吧|嗯|对|对的|是|是的|可以|可以的|行|确认|同意|没问题|下一步)"
    r"(?:\W+(?:please|continue|go(?: on| ahead)?|do it|proceed|thanks|吧|谢谢|请?继续(?:吧)?))*\W*",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"<(system-reminder|environment_context|environment_details|total_tokens)>", re.IGNORECASE)
_CJK, _KANA = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[\u3040-\u30ff]")


class _Recent(Generic[Value]):
    """What was found out about the last few conversations: several policies ask the same of the same turns."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: deque[tuple[Sequence[Turn], object, Value]] = deque(maxlen=4)

    def get(self, turns: Sequence[Turn], find: Callable[[Sequence[Turn]], Value], by: object = None) -> Value:
        for known, asker, value in self._known:
            if known is turns and asker is by:
                return value
        value = find(turns)
        if isinstance(turns, tuple):  # anything else may change while it is known
            self._known.appendleft((turns, by, value))
        return value


class Step(msgspec.Struct, frozen=True):
    """One assistant turn with calls, and their results."""

    at: int
    """Index of the assistant turn."""
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult | None, ...]
    """By call; None where no result stands in the request."""


def own_steps(turns: Sequence[Turn], begin: int = 0, memory: Memory | None = None) -> Sequence[Step]:
    """The steps that the agent made: without hidden rounds, and without results that Handrail wrote itself."""
    return _since(_known_steps(memory).get(turns).own, begin)


class Reader(msgspec.Struct, frozen=True):
    """Tells task turns from others, with the patterns that a pack adds."""

    task: tuple[Any, ...] = ()
    result: tuple[Any, ...] = ()

    def is_task(self, turn: Turn, before: Turn | None) -> bool:
        """Whether a turn opens a run; `before` is the turn right before it, system turns left out."""
        text = words(turn) if turn.role == "user" else ""
        if not text:
            return False
        if any(pattern.search(text) for pattern in self.task):
            return True
        if before is not None and (before.role == "tool" or before.calls):
            return False
        if _RESULT.match(text) or any(pattern.search(text) for pattern in self.result):
            return False
        return before is None or not is_go_on(text)

    def last_task(self, turns: Sequence[Turn]) -> int:
        """Index of the last task turn; -1 if none stands in the request."""
        return _tasks.get(turns, self._last_task, self)

    def _last_task(self, turns: Sequence[Turn]) -> int:
        for at in range(len(turns) - 1, -1, -1):
            if turns[at].role != "user":
                continue
            before = next((turn for turn in reversed(turns[:at]) if turn.role != "system"), None)
            if self.is_task(turns[at], before):
                return at
        return -1


_tasks: _Recent[int] = _Recent()


def reader(task: Sequence[str], result: Sequence[str]) -> Reader:
    """A reader with a pack's own patterns (RE2); the same object for the same patterns."""
    return _reader(tuple(task), tuple(result))


@lru_cache(maxsize=64)
def _reader(task: tuple[str, ...], result: tuple[str, ...]) -> Reader:
    return Reader(tuple(map(re2.compile, task)), tuple(map(re2.compile, result)))


def steps(turns: Sequence[Turn], begin: int = 0, memory: Memory | None = None) -> Sequence[Step]:
    """The steps from `begin` on. Results are matched within the turns up to the next assistant turn.

    `memory` of the conversation: steps that were found in it before are found no more, and are the same objects.
    """
    return _since(_known_steps(memory).get(turns).every, begin)


def _since(steps: Sequence[Step], begin: int) -> Sequence[Step]:
    return steps if not steps or steps[0].at >= begin else [step for step in steps if step.at >= begin]


class _Found(msgspec.Struct, frozen=True):
    """The steps of a conversation."""

    turns: Sequence[Turn]
    every: list[Step]
    own: list[Step]
    """Those that the agent made."""


class _Steps:
    """The steps of some conversations, or of one in several forms; of what has grown, only the new ones are looked for.

    Those of turns that stood there before are the same objects again.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: deque[_Found] = deque(maxlen=8)

    def get(self, turns: Sequence[Turn]) -> _Found:
        for known in self._known:
            if known.turns is turns:
                return known
        found = self._grown(turns)
        if isinstance(turns, tuple):  # anything else may change while it is known
            self._known.appendleft(found)
        return found

    def _grown(self, turns: Sequence[Turn]) -> _Found:
        begin = 0
        every: list[Step] = []
        own: list[Step] = []
        for known in self._known:
            # the last step that both have may have more results now
            last = _last(known.every, alike(known.turns, turns))
            if last > begin:
                begin = last
                every = [step for step in known.every if step.at < begin]
                own = [step for step in known.own if step.at < begin]
        for step in _all_steps(turns, begin):
            every.append(step)
            if (made := _own(step, turns)) is not None:
                own.append(made)
        return _Found(turns, every, own)


def _last(every: Sequence[Step], before: int) -> int:
    """Where the last of these steps that stands before this turn begins; 0: there is none."""
    return next((step.at for step in reversed(every) if step.at < before), 0)


_lately = _Steps()


def _known_steps(memory: Memory | None) -> _Steps:
    if memory is None:
        return _lately
    found = memory.get(_Steps)
    if not isinstance(found, _Steps):
        found = memory[_Steps] = _Steps()
    return found


def _all_steps(turns: Sequence[Turn], begin: int) -> Iterator[Step]:
    for at in range(begin, len(turns)):
        turn = turns[at]
        if turn.role != "assistant" or not turn.calls:
            continue
        answers: dict[str, ToolResult] = {}
        for behind in range(at + 1, len(turns)):
            later = turns[behind]
            if later.role == "assistant":
                break
            answers.update((result.call_id, result) for result in later.results)
        yield Step(at, turn.calls, tuple(answers.get(call.id) for call in turn.calls))


def _own(step: Step, turns: Sequence[Turn]) -> Step | None:
    """What of a step the agent made; None: nothing."""
    if turns[step.at].kept:
        return None
    pairs = zip(step.calls, step.results, strict=True)
    made = [(call, result) for call, result in pairs if result is None or not result.kept]
    if len(made) == len(step.calls):
        return step
    return Step(step.at, tuple(call for call, _ in made), tuple(result for _, result in made)) if made else None


def is_go_on(text: str) -> bool:
    """Whether a user only says that the work should go on."""
    return _GO_ON.fullmatch(text) is not None


def words(turn: Turn) -> str:
    """What the user wrote in a turn, without what an agent put beside it."""
    text = turn.text
    kept: list[str] = []
    at = 0
    for found in _BESIDE.finditer(text) if "<" in text else ():
        if found.start() < at:
            continue
        end = text.find(f"</{found[1]}>", found.end())
        if end < 0:
            break
        kept.append(text[at : found.start()])
        at = end + len(found[0]) + 1
    return "".join((*kept, text[at:])).strip()


def language(turns: Sequence[Turn], begin: int) -> Literal["en", "zh"]:
    """The language of the task, else of the latest user turn."""
    text = words(turns[begin]) if begin >= 0 else next((words(t) for t in reversed(turns) if t.role == "user"), "")
    head = text[:2000]
    if head.isascii():
        return "en"
    chinese = len(_CJK.findall(head))
    return "zh" if chinese * 8 > len(head) and len(_KANA.findall(head)) * 4 < chinese else "en"
