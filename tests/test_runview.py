"""What a person reads of a run: everything that happened, in words, and nothing hidden."""

import pytest

from proxy.runfile import Absent
from proxy.runview import brief, exchanges, moment, rows, story, summarise

START = 1_800_000_000.0


def line(kind, after=0.0, exchange="e1", **fields):
    return {"v": 1, "run": "r", "exchange": exchange, "round": 1, "at": START + after, "kind": kind, **fields}


LINES = [
    line("start", method="POST", path="/v1/x", model="m1", stream=True, identity="given", agent="codex", headers={}),
    line("ask", 0.1, body="sha256:ask", bytes={"body": 1234}, masked=2),
    line("verdict", 0.2, policy="pin_task", did="observed", mode="observe", would="rewrote", detail={"step": 3}),
    line("send", 0.3, policies=["fold_history"], body="sha256:gone", bytes={"body": 99}),
    line(
        "reply",
        1.5,
        status=200,
        ms=1200,
        chunks=[[0, 400], [9, 500]],
        finish=["tool_calls"],
        usage={"input": 1000, "output": 20, "cached": 900, "basis": "provider"},
        left_out=["body"],
        bytes={"body": 70_000},
    ),
    line(
        "verdict",
        1.6,
        policy="repair_arguments",
        did="repaired",
        mode="enforce",
        detail={
            "tool": "look",
            "repairs": [{"path": "/n", "kind": "number", "before": "42 USD", "after": 42}],
            "name": {"before": "lok", "after": "look"},
            "before": None,
            "after": {"a": 1},
        },
    ),
    line("answer", 1.7, status=200, x_handrail="repair_arguments;did=repaired;n=1"),
    line(
        "end", 1.8, how="done", seconds=1.8, usage={"input": 5, "output": 1, "basis": "estimated"}, hidden={"input": 7}
    ),
]


def body(key):
    return b'{"messages": [{"role": "user", "content": "the task"}]}' if key == "sha256:ask" else Absent("swept")


def told(lines=LINES):
    return list(story(list(enumerate(exchanges(lines), 1)), body))


def test_a_round_that_the_breaker_held_back_is_not_told_as_sent():
    lines = [line("reply", 1.0, round=1, ms=0, failure={"kind": "open", "message": "up kept failing"})]
    assert any("round 1 was not sent: up kept failing" in one for one in told(lines))
    assert not any("came back" in one for one in told(lines))


@pytest.mark.parametrize(
    "words",
    [
        "run r  2027-01-15 08:00:00 UTC  1 exchanges, 1 rounds, 1,000 tokens in, 20 out",
        "exchange 1  (e1)",
        "   0.000 s  agent asks: POST /v1/x  m1, streamed",
        "run found by: given",
        "agent: codex",
        "1,234 bytes: 1 items; user: the task",
        "blacked out in it: 2",
        "pin_task: observed (would have: rewrote) [observe]",
        "step: 3",
        "round 1 goes up, changed by fold_history",
        "99 bytes: (swept)",
        "   1.500 s  round 1 came back: 200 after 1,200 ms in 2 pieces, the first at 400 ms",
        "tokens: 1,000 in (900 cached), 20 out",
        "70,000 bytes: left out, there was no room in the queue",
        "repair_arguments: repaired",
        'repairs: path=/n kind=number "42 USD" → 42',
        'name: "lok" → "look"',
        'null → {"a": 1}',
        "agent gets: 200, x-handrail: repair_arguments;did=repaired;n=1",
        "end: done after 1.800 s",
        "tokens: about 5 in, 1 out",
        "hidden tokens: 7 in, 0 out",
    ],
)
def test_everything_that_happened_is_told(words):
    assert any(words in text for text in told()), "\n".join(told())


def test_what_it_has_no_words_for_is_shown_as_it_is():
    text = "\n".join(told([line("novelty", shape={"a": [1, 2]}), line("end", how="done", colour="red")]))
    assert "novelty" in text
    assert 'shape: {"a": [1, 2]}' in text
    assert "colour: red" in text


def test_odd_details_are_shown_too():
    text = "\n".join(told([line("verdict", policy="p", did="found", detail=value) for value in ("a text", None, [1])]))
    assert "a text" in text
    assert "[1]" in text


def test_a_summary():
    one = summarise(LINES)
    assert (one.started, one.ended) == (START, START + 1.8)
    assert (one.exchanges, one.rounds, one.model, one.agent) == (1, 1, "m1", "codex")
    assert (one.input, one.output, one.estimated, one.how) == (1000, 20, False, "done")
    assert one.did == {"pin_task observed": 1, "repair_arguments repaired": 1}
    assert not one.escalated


def test_a_run_with_an_open_exchange_has_not_ended():
    assert summarise([*LINES, line("start", exchange="e2")]).how == ""
    assert summarise([line("verdict")]).how == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"did": "halted"},
        {"did": "found", "detail": {"alert": {"by": "steps"}}},
        {"alert": {"a": 1}},
        {"escalated": True},
    ],
)
def test_a_run_of_which_a_human_was_told(fields):
    assert summarise([line("verdict", policy="gates", **fields)]).escalated
    assert not summarise([line("verdict", policy="gates", did="observed", would="halted")]).escalated


def test_exchanges_are_told_apart():
    mixed = [line("start", exchange="a"), line("start", exchange="b"), line("end", exchange="a")]
    assert [[one["kind"] for one in group] for group in exchanges(mixed)] == [["start", "end"], ["start"]]
    unnamed = [line(kind, exchange="") for kind in ("start", "end", "start", "send", "end")]
    assert [len(group) for group in exchanges(unnamed)] == [2, 3]


def test_rows_are_a_table():
    header, row = rows([summarise(LINES)])
    assert row.startswith("2027-01-15 08:00:00  r ")
    assert "1,020" in row
    assert row.endswith("pin_task observed, repair_arguments repaired")
    assert header.index("what was done") == row.index("pin_task")


def test_small_words():
    assert moment(0) == "1970-01-01 00:00:00"
    assert brief("text") == "text"
    assert brief({"a": "\ud800"}) == '{"a": "?"}'
