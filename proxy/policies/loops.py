"""Whether a run goes in circles: equal calls in a row, cycles, drifting arguments with one failure. Pure, no policy.

Calls are compared in canonical form, as a set per turn (equal calls in one turn are one step). An outcome counts as
equal without what agents append to it and change each time.
"""

import re
from collections.abc import Callable, Sequence

import msgspec

from proxy.failures.reading import Declared
from proxy.model import Ask, ToolCall
from proxy.outcomes import failure
from proxy.policies.declared import form
from proxy.task import Step

Key = tuple[tuple[str, bytes], ...]

_CHANGING = re.compile(r"<system-reminder>.*?</system-reminder>|<total_tokens>.*?</total_tokens>", re.DOTALL)
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

    def failure(self, declared: Callable[[str], Declared]) -> tuple[str, ...]:
        """The codes of what failed; empty: something did not fail."""
        pairs = zip(self.step.calls, self.step.results, strict=True)
        failures = [failure(call, result, declared(call.tool)) for call, result in pairs if result]
        return () if None in failures else tuple(sorted({one.code for one in failures if one}))


def key(calls: Sequence[ToolCall], ask: Ask, exempt: Callable[[str], bool]) -> Key:
    """The calls of a turn in canonical form, each once, without tools that may repeat."""
    found = {(call.tool, form(call, ask)) for call in calls if call.kind != "builtin" and not exempt(call.tool)}
    return tuple(sorted(found)) if len(found) > 1 else tuple(found)


def _plain(text: str) -> str:
    return _CHANGING.sub("", text).strip() if "<system-reminder>" in text or "<total_tokens>" in text else text.strip()


def equal_in_row(steps: Sequence[Past], new: Key) -> tuple[int, int]:
    """How many of the last steps called just this, and how many of the last of these had one outcome."""
    row = same = 0
    latest: tuple[str, ...] = ()
    for step in reversed(steps):
        if step.key != new:
            break
        latest = latest if row else step.outcome
        same += same == row and step.outcome == latest
        row += 1
    return row, same


def times(steps: Sequence[Step], call: ToolCall, ask: Ask) -> int:
    """How many of the last steps made this very call, whatever else they called."""
    wanted = form(call, ask)
    count = 0
    for step in reversed(steps):
        if not any(one.tool == call.tool and form(one, ask) == wanted for one in step.calls):
            break
        count += 1
    return count


def cycles(steps: Sequence[Past], new: Key) -> int:
    """How often a cycle of two to four different calls has come round with equal outcomes, if `new` begins it anew.

    One in which nothing but tools that may repeat are called waits for something, and is none.
    """
    most = 0
    for length in range(2, _LONGEST + 1):
        block = steps[-length:]
        keys = {step.key for step in block}
        if len(block) < length or block[0].key != new or len(keys) < 2 or () in keys:
            continue
        count, end = 1, len(steps) - length
        while end >= length and all(
            old.key == one.key and old.outcome == one.outcome
            for old, one in zip(steps[end - length : end], block, strict=True)
        ):
            count, end = count + 1, end - length
        most = max(most, count)
    return most


def drifting(steps: Sequence[Past], new: Key, declared: Callable[[str], Declared]) -> int:
    """How many of the last steps called the one tool of `new` and failed alike, whatever the arguments.

    `declared`: what the pack says about the results of a tool.
    """
    tools = {tool for tool, _ in new}
    if len(tools) != 1:
        return 0
    count = 0
    latest: tuple[str, ...] = ()
    for step in reversed(steps):
        failed = step.failure(declared) if {tool for tool, _ in step.key} == tools else ()
        if not failed or (latest and failed != latest):
            break
        latest = failed
        count += 1
    return count
