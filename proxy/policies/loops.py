"""Whether a run goes in circles: equal calls in a row, cycles, drifting arguments with one failure. Pure, no policy.

Calls are compared in canonical form, as a set per turn (equal calls in one turn are one step). An outcome counts as
equal without what agents append to it and change each time.
"""

import re
from collections.abc import Callable, Sequence

import msgspec
import orjson

from proxy.model import Ask, ToolCall, ToolResult
from proxy.policies.declared import form
from proxy.task import Step

Key = tuple[tuple[str, bytes], ...]

_CHANGING = re.compile(r"<system-reminder>.*?</system-reminder>|<total_tokens>.*?</total_tokens>", re.DOTALL)
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\d+")
_FAILED = re.compile(r"\s*(?:error|exception|traceback|failed|failure|invalid|错误|失败)\b", re.IGNORECASE)
_LONGEST = 4
"""Calls in one cycle."""


class Past(msgspec.Struct, frozen=True):
    """One earlier step: what was called, and what came of it (read only when that matters)."""

    key: Key
    step: Step

    @property
    def outcome(self) -> tuple[str, ...]:
        """The different results, without what agents append."""
        return tuple(sorted({_plain(result.text) for result in self.step.results if result}))

    @property
    def failure(self) -> tuple[str, ...]:
        """What failed, without the values that vary; empty: something did not fail."""
        failures = {_failure(result) for result in self.step.results if result}
        return () if "" in failures else tuple(sorted(failures))


def key(calls: Sequence[ToolCall], ask: Ask, exempt: Callable[[str], bool]) -> Key:
    """The calls of a turn in canonical form, each once, without tools that may repeat."""
    found = {(call.tool, form(call, ask)) for call in calls if call.kind != "builtin" and not exempt(call.tool)}
    return tuple(sorted(found)) if len(found) > 1 else tuple(found)


def past(steps: Sequence[Step], ask: Ask, exempt: Callable[[str], bool]) -> list[Past]:
    """The steps as they are compared, oldest first."""
    return [Past(key(step.calls, ask, exempt), step) for step in steps]


def _plain(text: str) -> str:
    return _CHANGING.sub("", text).strip() if "<system-reminder>" in text or "<total_tokens>" in text else text.strip()


def _failure(result: ToolResult) -> str:
    """What a result says failed, in a form that two failures of one kind share; empty: it is none."""
    text = result.text
    if text.startswith("{"):
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            value = None
        if isinstance(value, dict) and value.get("status") == "error":
            return str(value.get("code") or value.get("type") or "error")
    if result.is_error or _FAILED.match(text):
        return _VARIABLE.sub("…", text)[:400]
    return ""


def equal_in_row(steps: Sequence[Past], new: Key) -> tuple[int, bool]:
    """How many of the last steps called just this, and whether all of them had one outcome."""
    row = []
    for step in reversed(steps):
        if step.key != new:
            break
        row.append(step.outcome)
    return len(row), len(set(row)) <= 1


def cycles(steps: Sequence[Past], new: Key) -> int:
    """How often a cycle of two to four different calls has come round with equal outcomes, if `new` begins it anew."""
    most = 0
    for length in range(2, _LONGEST + 1):
        block = steps[-length:]
        if len(block) < length or block[0].key != new or len({step.key for step in block}) < 2:
            continue
        count, end = 1, len(steps) - length
        while end >= length and all(
            old.key == one.key and old.outcome == one.outcome
            for old, one in zip(steps[end - length : end], block, strict=True)
        ):
            count, end = count + 1, end - length
        most = max(most, count)
    return most


def drifting(steps: Sequence[Past], new: Key) -> int:
    """How many of the last steps called the one tool of `new` and failed alike."""
    tools = {tool for tool, _ in new}
    if len(tools) != 1:
        return 0
    count = 0
    failure: tuple[str, ...] = ()
    for step in reversed(steps):
        if {tool for tool, _ in step.key} != tools or not step.failure:
            break
        if failure and step.failure != failure:
            break
        failure = step.failure
        count += 1
    return count
