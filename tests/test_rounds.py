"""One upstream call: what passes as it comes, what is held to be read, what is told of it."""

import json
from typing import Any

import pytest

from proxy import rounds
from proxy.verdicts import Begin, Chunk, Drop, Emit, End, Head, Receive, Record, Send
from tests.conversation import Conversation, calls, said, text
from tests.playbook import JSON, SSE, Answer, Played, World, call, chat, chunk, tool

FIND = tool("find", {"q": {"type": "integer"}}, ["q"])
GUARD = "policies:\n  repair_arguments: {}\n"
PASSING = "policies:\n  explain_errors: {}\n"
BODY = json.dumps(chat("hello")).encode()
WRONG, RIGHT = [("find", {"q": "red"})], [("find", {"q": 5})]


def play(answer: Answer, pack: str = GUARD, *more: Answer, **kinds: Any) -> Played:
    return World(pack).play(Conversation(World(pack), FIND, **kinds).body, [answer, *more])


def reply_line(played: Played, number: int = 0) -> dict[str, Any]:
    return dict([one for one in played.records if one.kind == "reply"][number].fields)


# ---------------------------------------------------------------- what passes


@pytest.mark.parametrize("pack", [GUARD, PASSING])
@pytest.mark.parametrize(("status", "headers"), [
    (404, JSON), (503, SSE), (302, (("location", "/x"),)), (200, (("content-type", "text/plain"),)),
])  # fmt: skip
def test_what_is_not_ours_to_read_passes_as_it_came(pack: str, status: int, headers: Any) -> None:
    played = play(Answer([b"<h1>", b"\xff\x00</h1>"], status, headers), pack)
    assert (played.status, played.body) == (status, b"<h1>\xff\x00</h1>")
    assert all(played.headers[name] == value for name, value in headers)


def test_headers_of_the_provider_are_kept_beside_our_own() -> None:
    headers = (*JSON, ("x-request-id", "7"), ("retry-after", "3"), ("content-length", str(len(BODY))))
    played = play(Answer([BODY], headers=headers))
    assert set(played.headers) == {"content-type", "x-request-id", "retry-after", "x-run-id", "x-handrail"}
    assert played.body == BODY


@pytest.mark.parametrize("pack", [GUARD, PASSING])
def test_text_of_a_stream_leaves_as_it_comes(pack: str) -> None:
    answer = Answer.sse(chunk({"content": "a"}), 3.0, chunk({"content": "b"}), chunk({}, "stop"))
    played = play(answer, pack, stream=True)
    assert played.emits[:2] == [one for one in answer.chunks if isinstance(one, bytes)][:2]
    assert b"".join(played.emits) == b"".join(one for one in answer.chunks if isinstance(one, bytes))


def test_a_json_answer_to_a_stream_is_no_trouble() -> None:
    played = play(Answer([BODY]), stream=True)
    assert played.body == BODY


def test_a_stream_is_cut_in_any_way() -> None:
    whole = b"".join(
        one for one in Answer.sse(chunk({"content": "界"}), chunk({}, "stop")).chunks if isinstance(one, bytes)
    )
    for size in (1, 2, 3, 7):
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert play(Answer(pieces, headers=SSE), stream=True).body == whole


def test_a_last_event_without_its_blank_line_is_kept() -> None:
    event = b"data: " + json.dumps(chunk({"content": "a"}, "stop")).encode()
    assert play(Answer([event + b"\n"], headers=SSE), stream=True).body == event + b"\n"


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize("pack", [GUARD, "mode: observe\n" + GUARD])
def test_an_answer_that_is_too_large_to_be_held_passes_unread(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "_LARGEST", 50)
    body = json.dumps(chat(calls=[("call_1xyz", *WRONG[0])])).encode()
    pieces = [body[at : at + 30] for at in range(0, len(body), 30)]
    played = play(Answer(pieces), pack)
    assert played.body == body
    assert len(played.sent) == 1
    assert play(Answer(pieces[:4], fails="reset"), pack).aborted


# ---------------------------------------------------------------- signs of life


def test_an_unstreamed_answer_is_kept_alive_by_blanks_while_it_is_asked_again() -> None:
    again = Answer([12.0, json.dumps(chat(calls=[("call_2xyz", *RIGHT[0])])).encode()])
    played = play(said(WRONG), GUARD, again)
    assert played.body.startswith(b"  {"), "one each five seconds"
    assert calls(played) == RIGHT


def test_the_first_answer_is_waited_for_in_silence() -> None:
    played = play(Answer([60.0, BODY]))
    assert played.emits == [BODY]


def test_a_stream_that_holds_a_call_is_kept_alive_by_comments() -> None:
    held = chunk({"tool_calls": [{"index": 0, **call("call_1xyz", "find", {"q": 5})}]})
    played = play(Answer.sse(held, 11.0, chunk({}, "tool_calls")), stream=True)
    assert played.body.count(b": keep-alive\n\n") == 2
    quick = play(Answer.sse(held, 4.0, chunk({}, "tool_calls")), stream=True)
    assert b"keep-alive" not in quick.body


# ---------------------------------------------------------------- hidden rounds


@pytest.mark.parametrize("second", [
    Answer.sse(chunk({"content": "x"}), chunk({}, "stop")), Answer([BODY], 500), Answer([b"<html>"]),
    Answer([BODY], 301),
])  # fmt: skip
def test_a_hidden_round_of_another_shape_has_failed(second: Answer) -> None:
    played = play(said(WRONG), GUARD.replace("{}", "{max_reasks: 1}"), second)
    assert calls(played) == WRONG
    assert (played.status, played.headers["content-type"]) == (200, "application/json")


def test_a_hidden_stream_that_ends_too_early_has_failed() -> None:
    wrong = chunk({"tool_calls": [{"index": 0, **call("call_1xyz", "find", {"q": "red"})}]})
    half = Answer([b"data: " + json.dumps(chunk({"content": "I"})).encode() + b"\n\n"], headers=SSE)
    played = play(Answer.sse(wrong, chunk({}, "tool_calls")), GUARD.replace("{}", "{max_reasks: 1}"), half, stream=True)
    assert b"red" in played.body
    assert played.body.count(b"[DONE]") == 1
    assert not played.aborted


def test_each_round_has_the_time_that_is_left() -> None:
    world = World(GUARD + "upstream: {step: 60}\n")
    slow = said(WRONG)
    slow.chunks = [20.0, *slow.chunks]
    running = world.begin(Conversation(world, FIND).body, [said(WRONG), slow, said(RIGHT)])
    seconds = [command.seconds for command in iter(running.step, None) if isinstance(command, Send)]
    assert seconds == [None, 60.0, 40.0]


def test_no_round_begins_when_the_time_is_over() -> None:
    world = World(GUARD + "upstream: {step: 60}\n")
    slow = said(WRONG)
    slow.chunks = [61.0, *slow.chunks]
    played = world.play(Conversation(world, FIND).body, [said(WRONG), slow])
    assert len(played.sent) == 2
    assert calls(played) == WRONG


def test_the_rounds_of_an_exchange_are_counted_together() -> None:
    world = World(GUARD.replace("{}", "{max_reasks: 99}") + "upstream: {rounds: 3}\n")
    played = world.play(Conversation(world, FIND).body, [said(WRONG)] * 3)
    assert len(played.sent) == 3


# ---------------------------------------------------------------- the record


def test_what_came_is_told_with_its_times() -> None:
    answer = Answer([BODY[:10], 0.25, BODY[10:]])
    played = play(answer)
    line = reply_line(played)
    assert line["status"] == 200
    assert line["chunks"] == [(0, 0), (10, 250)]
    assert line["ms"] == 250
    assert line["usage"] == {"input": 50, "output": 10, "cached": 0, "tokens": 60, "basis": "provider"}
    assert line["finish"] == ["stop"]
    assert [one.kind for one in played.records] == ["start", "send", "reply", "answer", "end"]


def test_a_failure_is_told() -> None:
    line = reply_line(play(Answer([BODY[:20]], fails="reset")))
    assert line["failure"] == {"kind": "reset", "message": "scripted"}
    assert reply_line(play(Answer([], fails="connect")))["failure"]["kind"] == "connect"


def test_tokens_that_nobody_counted_are_estimated() -> None:
    body = {key: value for key, value in chat("hello").items() if key != "usage"}
    usage = reply_line(play(Answer.json(body)))["usage"]
    assert usage["basis"] == "estimated"
    assert usage["input"] > 0


def test_the_end_of_a_stream_that_was_seen_is_let_go() -> None:
    answer = Answer.sse(chunk({"content": "a"}), chunk({}, "stop"))
    answer.chunks = [*answer.chunks, 500.0, b": late\n\n"]
    world = World(GUARD)
    running = world.begin(Conversation(world, FIND, stream=True).body, [answer])
    kinds = [type(command) for command in iter(running.step, None)]
    assert Drop in kinds
    assert world.now < 1_800_000_400
    assert kinds.count(Begin) == 1
    assert {Emit, Receive, Record} <= set(kinds)


def test_a_coding_that_is_not_known_passes_as_it_came() -> None:
    world = World(GUARD)
    running = world.begin(Conversation(world, FIND).body, [Answer([b"x"])])
    running.until(Send)
    running._events[:] = [
        lambda now: Head(200, (*JSON, ("content-encoding", "odd")), now, now, coded=True, readable=False),
        lambda now: Chunk(b"\x01\x02", now, now),
        lambda now: End(now, now),
    ]
    played = running.run()
    assert (played.body, played.headers["content-encoding"]) == (b"\x01\x02", "odd")


def test_a_coding_that_was_taken_off_is_kept_where_nothing_is_changed() -> None:
    world = World(GUARD)
    running = world.begin(Conversation(world, FIND).body, [Answer([b"x"])])
    running.until(Send)
    running._events[:] = [
        lambda now: Head(200, (*JSON, ("content-encoding", "gzip")), now, now, coded=True),
        lambda now: Chunk(BODY, now, now, b"zipped"),
        lambda now: End(now, now),
    ]
    played = running.run()
    assert (played.body, played.headers["content-encoding"]) == (b"zipped", "gzip")


def test_the_answer_of_an_ask_without_policies_is_not_looked_at() -> None:
    played = World("policies: {}\n").play(Conversation(World(GUARD), FIND).body, [Answer([BODY])])
    assert text(played) == "hello"
    assert [one.kind for one in played.records] == ["start", "send", "reply", "answer", "end"]
