import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.journal import Journal, estimate, tokens, usage_fields
from proxy.model import Note, Usage

REPAIRED = Note("repair_arguments", "repaired", {"call": "a"})
HALTED = Note("gates", "halted", {"by": "steps"})


def test_nothing_done_is_none() -> None:
    journal = Journal("r1")
    assert journal.header() == "none"
    assert not journal.acted
    journal.notes([Note("repair_arguments", "found", {"lint": "x"})], 1, "enforce")
    assert journal.header() == "none", "what was only found is no act"


def test_acts_are_counted_by_policy() -> None:
    journal = Journal("r1")
    journal.notes([REPAIRED, REPAIRED], 1, "enforce")
    journal.notes([HALTED], 2, "enforce")
    journal.notes([REPAIRED], 3, "enforce")
    assert journal.header() == "repair_arguments;did=repaired;n=3, gates;did=halted;n=1;by=steps"
    assert journal.acted


def test_each_limit_is_told_apart() -> None:
    journal = Journal("r1")
    halts = [Note("gates", "observed", {"by": by, "would": "halted"}) for by in ("steps", "repeats", "steps")]
    nudge = Note("gates", "rewrote", {"by": "nudge"})
    records = journal.notes([nudge, *halts], 1, "observe")
    told = "gates;did=observed;n=1;by=nudge, gates;did=observed;n=2;by=steps, gates;did=observed;n=1;by=repeats"
    assert journal.header() == told
    assert [record.fields["would"] for record in records] == ["rewrote", "halted", "halted", "halted"]


def test_what_is_only_watched_is_observed() -> None:
    journal = Journal("r1")
    (record,) = journal.notes([HALTED], 1, "observe")
    assert journal.header() == "gates;did=observed;n=1;by=steps"
    assert not journal.acted
    assert record.fields == {
        "policy": "gates",
        "did": "observed",
        "mode": "observe",
        "would": "halted",
        "detail": {"by": "steps"},
    }


def test_a_line_names_run_kind_and_round() -> None:
    record = Journal("r1").line("send", 2, {"a": 1}, {"body": b"x"})
    assert (record.run, record.kind, record.round, record.fields, record.bodies) == (
        "r1",
        "send",
        2,
        {"a": 1},
        {"body": b"x"},
    )
    assert Journal("r1").line("end", 1, {}).bodies == {}


NAMES = st.sampled_from(["gates", "run_once", "tool_health"])
DID = st.sampled_from(["rewrote", "repaired", "reasked", "replayed", "halted", "observed", "failed", "found"])


@given(st.lists(st.tuples(NAMES, DID, st.sampled_from(["enforce", "observe"])), max_size=12))
def test_a_header_is_a_list_of_rfc_9651(acts: list[tuple[str, str, str]]) -> None:
    journal = Journal("r1")
    for policy, did, mode in acts:
        journal.notes([Note(policy, did)], 1, mode)
    item = r"[a-z_]+;did=[a-z]+;n=\d+(;by=[a-z_]+)?"
    assert re.fullmatch(rf"none|{item}(, {item})*", journal.header())


def test_usage_says_who_counted() -> None:
    assert usage_fields(None) is None
    counted = usage_fields(Usage(10, 5, 3))
    assert counted == {"input": 10, "output": 5, "cached": 3, "tokens": 15, "basis": "provider"}
    reckoned = usage_fields(estimate(b"x" * 30, b"y" * 9))
    assert reckoned == {"input": 10, "output": 3, "cached": 0, "tokens": 13, "basis": "estimated"}


@pytest.mark.parametrize(("text", "least", "most"), [("", 1, 1), ("word " * 100, 125, 200), ("汉字" * 100, 100, 220)])
def test_tokens_are_estimated_on_the_high_side(text: str, least: int, most: int) -> None:
    assert least <= tokens(text.encode()) <= most


@given(st.binary(), st.binary())
def test_more_is_never_fewer_tokens(one: bytes, other: bytes) -> None:
    assert tokens(one + other) >= tokens(one) >= 1
