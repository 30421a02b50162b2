"""A fold that does not pay is not done: the bill of a run is never higher for it, wherever the run ends."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model import Ask, Tool, ToolCall, ToolResult, Turn
from proxy.policies.billing import SHARE, Folding, cost, sizes

LINE = 200
HEAD = 4000


def folding(direct: list[int], through: list[int], keep: int = 4, batch: int = 3, tool: int = 0) -> Folding:
    """A run: a task of `HEAD` characters, then steps of these sizes; `tool` characters of a tool that was added."""
    steps = [(1 + 2 * at, 3 + 2 * at) for at in range(len(direct))]

    def up_to(each: list[int], tools: int) -> list[int]:
        halves = [half for size in each for half in (size // 4, size - size // 4)]
        return list(accumulate([HEAD, *halves], initial=tools))

    return Folding(up_to(direct, 100), up_to(through, 100 + tool), steps, [LINE] * len(direct), keep, batch)


def bills(direct: list[int], through: list[int]) -> list[tuple[float, float]]:
    """Bill of the run after each request, as the agent sent it and as it went up, pins included, played one by one."""
    out = []
    sent = went = 0.0
    before = before_up = folded = 0
    for number in range(1, len(direct) + 1):
        now = folding(direct[:number], through[:number]).worth()
        size = 100 + HEAD + sum(direct[:number])
        up = 100 + HEAD + LINE * now + sum(through[now:number])
        common = 100 + HEAD + LINE * folded if now != folded else before_up
        sent += cost(size, before)
        went += cost(up, min(common, before_up)) + SHARE * max(size - up, 0)  # as much as a pin may cost
        before, before_up, folded = size, up, now
        out.append((sent, went))
    return out


def test_a_cached_prefix_counts_a_tenth_if_it_is_long_enough() -> None:
    assert cost(10_000, 0) == 10_000
    assert cost(10_000, 5_000) == pytest.approx(5_500)
    assert cost(10_000, 1_000) == 10_000


def test_where_nothing_was_saved_a_fold_waits_until_it_costs_nothing() -> None:
    """A line costs its full price once, and what is kept is read anew."""
    assert folding([900] * 40, [900] * 40).worth() == 0
    long_first = [60_000, 60_000, 60_000, *[400] * 10]
    counts = [folding(long_first[:number], long_first[:number]).worth() for number in range(1, 14)]
    assert counts[6] == 3


def test_what_cutting_saved_pays_for_folding() -> None:
    assert folding([60_000] * 12, [4_000] * 12).worth() == 6


def test_what_a_fold_can_not_bring_back_is_not_spent() -> None:
    """At seven steps, three folded ones bring too little for the four that must be read anew."""
    assert folding([60_000] * 7, [4_000] * 7).worth() == 0


def test_a_tool_that_was_added_is_reckoned_with() -> None:
    """It stands in front of everything: all is read anew once, and paid for each time."""
    direct = [3_000, 3_000, 3_000, 9_000, *[4_500] * 30]
    through = [min(size, 4_096) for size in direct]
    counts = [folding(direct[:number], through[:number], tool=500).worth() for number in range(1, len(direct) + 1)]
    plain = [folding(direct[:number], through[:number]).worth() for number in range(1, len(direct) + 1)]
    assert sum(counts) < sum(plain)


STEPS = st.lists(st.sampled_from([60, 400, 900, 4_000, 9_000, 70_000]), min_size=1, max_size=60)


@given(STEPS, st.sampled_from([500, 4_096, 100_000]))
def test_no_run_is_dearer_for_it_wherever_it_ends(direct: list[int], limit: int) -> None:
    for sent, went in bills(direct, [min(size, limit) for size in direct]):
        assert went <= sent * 1.0001 + 1


@given(STEPS)
def test_what_was_folded_stays_folded(direct: list[int]) -> None:
    through = [min(size, 4_096) for size in direct]
    counts = [folding(direct[:number], through[:number]).worth() for number in range(1, len(direct) + 1)]
    assert counts == sorted(counts)
    assert all(count % 3 == 0 and count <= max(number - 4, 0) for number, count in enumerate(counts, 1))


def test_sizes_are_those_of_tools_texts_calls_and_results() -> None:
    call = ToolCall("1", "t", "x" * 100, "t", "x" * 100)
    turns = (
        Turn("user", ("x" * 1000,)),
        Turn("assistant", calls=(call,)),
        Turn("tool", results=(ToolResult("1", ("x" * 2000,)),), appended=("x" * 500,)),
    )
    found = sizes(Ask("d", "m", stream=False, turns=turns, tools=(Tool("t", schema=b"x" * 300),)), "who")
    grown = [new - old for old, new in pairwise(found)]
    assert [round(one, -2) for one in (found[0], *grown)] == [400, 1100, 200, 2600]
