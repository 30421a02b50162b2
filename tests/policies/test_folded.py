import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model import ToolCall, ToolResult, Turn
from proxy.policies.folded import facts, line, short
from proxy.task import Step


def told(
    result: str | None, *more: str | None, text: str = "", user: tuple[str, ...] = (), args: str = '{"q":"x"}'
) -> str:
    calls = tuple(ToolCall(f"c{n}", "find", args, "find", args) for n in range(1 + len(more)))
    results = tuple(None if one is None else ToolResult("c", (one,)) for one in (result, *more))
    turn = Turn("assistant", (text,) if text else (), calls)
    return line(turn, Step(1, calls, results), Turn("tool", user), "en")


def outcome(result: str) -> str:
    return told(result).removeprefix('find({"q":"x"}) → ')


def test_a_short_result_is_kept_whole() -> None:
    assert told("found 3") == 'find({"q":"x"}) → found 3'
    assert outcome("  two\n  lines \t here ") == "two lines here"
    assert outcome("") == "(empty)"


def test_parallel_calls_stand_in_one_line() -> None:
    assert told("a", "b") == 'find({"q":"x"}) → a | find({"q":"x"}) → b'
    assert told("a", None) == 'find({"q":"x"}) → a', "no result, no claim"


def test_what_was_said_beside_it_is_kept() -> None:
    reminder = "<system-reminder>Be brief.</system-reminder>"
    assert told("a", text="I look.\nThen I think.").startswith('"I look." find(')
    assert told("a", user=(reminder, "Only blue ones!")).endswith("→ a | user said: Only blue ones!")
    assert outcome(f"found 3\n{reminder}") == "found 3"
    zh = line(Turn("assistant"), Step(0, (), ()), Turn("tool", ("快点",)), "zh")
    assert zh.endswith("用户说: 快点")


def test_long_arguments_are_cut() -> None:
    assert len(told("a", args=json.dumps({"text": "word " * 500}))) < 300


LONG = "x" * 400


@pytest.mark.parametrize(("value", "kept"), [
    ({"order_id": "A-77", "status": "paid", "note": LONG}, ["order_id=A-77", "status=paid"]),
    ({"orderId": 5, "unitPrice": 9.5, "pad": LONG}, ["orderId=5", "unitPrice=9.5"]),
    ([{"id": n, "pad": LONG} for n in range(9)], ["rows n=9", "0.id=0", "2.id=2"]),
    ({"data": {"rows": [{"sku": "S1"}], "total": 1}, "pad": LONG}, ["data.total=1", "data.rows n=1", "rows.0.sku=S1"]),
    ({"colour": "blue", "pad": LONG}, ["colour=blue"]),
    ([1, 2, LONG], ["rows n=3", "0=1"]),
    ({"error": "no such room", "pad": LONG}, ["error=no such room"]),
])  # fmt: skip
def test_of_a_long_result_the_facts_are_kept(value: Any, kept: list[str]) -> None:
    told = outcome(json.dumps(value))
    assert all(one in told for one in kept), told
    assert told.endswith(f"({len(json.dumps(value))} characters)")
    assert len(told) < 700


def test_of_a_long_text_both_ends_are_kept() -> None:
    text = "\n".join(["First line.", *[f"line {n} {LONG}" for n in range(5)], "Last line."])
    assert outcome(text) == f"First line. … Last line. (7 lines, {len(text)} characters)"
    assert outcome(LONG) == f"{'x' * 159}… (1 lines, 400 characters)"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@given(JSON | st.text().map(lambda text: text * 50))
def test_any_result_is_one_line_of_bounded_length(value: Any) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    first, second = outcome(text), outcome(text)
    assert first == second
    assert "\n" not in first
    assert len(first) < 750


@given(JSON)
def test_facts_are_in_the_value(value: Any) -> None:
    assert all(isinstance(one, str) for one in facts(value))


@pytest.mark.parametrize(("room", "shown"), [(3, "ab…"), (4, "abcd"), (9, "abcd")])
def test_short(room: int, shown: str) -> None:
    assert short("abcd", room) == shown
