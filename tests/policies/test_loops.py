from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.failures.reading import Declared
from proxy.model import Ask, ToolCall, ToolResult
from proxy.policies import loops
from proxy.policies.declared import results_of
from proxy.settings import parse_pack
from proxy.task import Step

ASK = Ask("chat_completions", "m", stream=False, turns=())
PLAIN = lambda _: Declared()  # noqa: E731
TOLD = '{"status":"error","code":"X","suggested_action":"%s"}'
TIMEOUT = "Error: the request timed out"


def call(tool: str, args: str = "{}", **more: Any) -> ToolCall:
    return ToolCall("c", tool, args, tool, args, **more)


def step(calls: str, *results: str | None) -> Step:
    """Calls as `tool` or `tool:value`, with blanks between them; each with its result."""
    made = tuple(call(*one.partition(":")[::2]) for one in calls.split())
    return Step(1, made, tuple(None if one is None else ToolResult("c", (one,)) for one in results))


def key(calls: str, exempt: str = "") -> loops.Key:
    return loops.key(step(calls).calls, ASK, lambda tool: tool == exempt)


def past(*steps: tuple[str, str], exempt: str = "") -> list[loops.Past]:
    made = [step(calls, *[result] * len(calls.split())) for calls, result in steps]
    return [loops.Past(loops.key(step.calls, ASK, lambda tool: tool == exempt), step) for step in made]


def test_a_turn_is_the_set_of_its_calls() -> None:
    assert key("a:1 b:2") == key("b:2 a:1") == key("b:2 a:1 b:2")
    assert key("a:1") != key("a:2")
    assert key("a:1") != key("b:1")
    assert key("a poll", exempt="poll") == key("a")
    assert loops.key((call("web_search", kind="builtin"),), ASK, lambda _: False) == ()


@pytest.mark.parametrize(("outcomes", "row", "same"), [
    ("", 0, 0), ("x", 1, 1), ("xx", 2, 2), ("xy", 2, 1), ("yxx", 3, 2), ("xxy", 3, 1), ("xyx", 3, 1),
])  # fmt: skip
def test_equal_calls_in_a_row(outcomes: str, row: int, same: int) -> None:
    steps = past(("b", "other"), *(("a", one) for one in outcomes))
    assert loops.equal_in_row(steps, key("a")) == (row, same)
    assert loops.equal_in_row(past(("a", "x"), ("b", "x")), key("a")) == (0, 0)


def test_outcomes_are_compared_without_what_changes_by_itself() -> None:
    texts = [
        "found",
        " found\n",
        "found<system-reminder>7 left</system-reminder>",
        "<total_tokens>1</total_tokens>found",
    ]
    assert loops.equal_in_row(past(*(("a", one) for one in texts)), key("a")) == (4, 4)


def test_equal_outcomes_of_one_turn_are_one() -> None:
    one, other = (loops.Past((), made) for made in (step("a a", "x", "x"), step("a", "x")))
    assert one.outcome == other.outcome == ("x",)
    assert loops.Past((), step("a", None)).outcome == ()


@pytest.mark.parametrize(("steps", "rounds"), [
    ("a b", 1), ("a b a b", 2), ("c a b a b", 2), ("a b a", 1), ("a a", 0), ("a", 0), ("b a", 0),
    ("a b c a b c", 2), ("a b c d a b c d a b c d", 3), ("a b c d e a b c d e", 0),
    ("a poll a poll", 0), ("a b poll", 0),
])  # fmt: skip
def test_cycles(steps: str, rounds: int) -> None:
    made = past(*((one, f"result of {one}") for one in steps.split()), exempt="poll")
    assert loops.cycles(made, key("a")) == rounds


def test_a_cycle_with_other_outcomes_is_none() -> None:
    assert loops.cycles(past(("a", "1"), ("b", "x"), ("a", "2"), ("b", "x")), key("a")) == 1


@pytest.mark.parametrize(("steps", "count"), [
    ([("a:1", TIMEOUT), ("a:2", TIMEOUT)], 2),
    ([("a:1", TIMEOUT), ("a:2", "found")], 0),
    ([("a:1", TIMEOUT), ("b:2", TIMEOUT), ("a:3", TIMEOUT)], 1),
    ([("a:1", "Error: 403 Forbidden"), ("a:2", TIMEOUT)], 1),
    ([("a:1 a:2", TIMEOUT), ("a:3", TIMEOUT)], 2),
    ([("a:1", TOLD % "y"), ("a:2", TOLD % "z")], 2),
    ([("a:1", "NAK 7")], 0),
])  # fmt: skip
def test_drift(steps: Sequence[tuple[str, str]], count: int) -> None:
    assert loops.drifting(past(*steps), key("a:9"), PLAIN) == count
    assert loops.drifting(past(*steps), key("a:9 b:9"), PLAIN) == 0


def test_drift_by_what_the_pack_calls_a_failure() -> None:
    pack = parse_pack("tools: {a: {errors: [{pattern: ^NAK}]}}")
    assert loops.drifting(past(("a:1", "NAK 7"), ("a:2", "NAK 8")), key("a:3"), partial(results_of, pack)) == 2


@pytest.mark.parametrize(("steps", "times"), [("a a a", 3), ("a b a", 1), ("a:1 a", 1), ("b", 0), ("", 0)])
def test_times_of_one_call(steps: str, times: int) -> None:
    assert loops.times([step(one, "x") for one in steps.split()], call("a", ""), ASK) == times
    assert loops.times([step("a b", "x", "y")] * 3, call("a", ""), ASK) == 3


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "a b"]), st.sampled_from(["x", "y"])), max_size=12))
def test_counts_are_never_larger_than_what_there_was(steps: list[tuple[str, str]]) -> None:
    made = past(*steps)
    row, same = loops.equal_in_row(made, key("a"))
    assert 0 <= same <= row <= len(made)
    assert loops.cycles(made, key("a")) <= len(made) // 2
    assert loops.drifting(made, key("a"), PLAIN) == 0
