"""Playbooks: what comes in, what must go out. No sockets, no clock."""

import json
from typing import Any

import pytest

from proxy.exchange import exchange
from proxy.verdicts import ClientGone, Emit, Record, Settle, Start
from tests.playbook import Answer, Played, World, call, chat, chunk, tool

REPAIR = "policies:\n  repair_arguments: {max_reasks: 2}\n"
BOOK = tool("book", {"room": {"type": "integer"}}, ["room"])
MAIL = tool("mail", {"to": {"type": "string"}}, ["to"])
WRONG = ("c1", "book", {"room": "blue"})
RIGHT = ("c2", "book", {"room": 4})


def _ask(*tools: Any, text: str = "Book a room", **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], "tools": list(tools), **more}


def _stream(*calls: tuple[str, str, Any], text: str = "") -> Answer:
    events: list[Any] = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": text})] if text else []
    events += [chunk({"tool_calls": [{"index": at, **call(*one)}]}) for at, one in enumerate(calls)]
    return Answer.sse(*events, chunk({}, "tool_calls" if calls else "stop"))


def _calls(body: Any) -> list[tuple[str, Any]]:
    listed = body["choices"][0]["message"].get("tool_calls") or []
    return [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in listed]


# ---------------------------------------------------------------- nothing to do


@pytest.mark.parametrize("body", [_ask(BOOK), _ask(), b'{"messages": 1}', b"\xff not JSON", b"[]"])
def test_what_needs_nothing_passes_as_the_received_bytes(body: Any) -> None:
    world = World(REPAIR)
    answer = Answer.json(chat("hello"))
    played = world.play(body, [answer])
    assert played.sent == [body if isinstance(body, bytes) else json.dumps(body).encode()]
    assert played.body == answer.chunks[0]
    assert played.headers["x-handrail"] == "none"
    assert played.headers["x-run-id"]


def test_what_is_not_read_is_noted() -> None:
    played = World(REPAIR).play(b'{"messages": [{"role": "wizard"}]}', [Answer.json(chat("x"))])
    assert "wizard" in played.records[0].fields["unread"]


@pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
def test_errors_of_the_provider_pass_as_they_are(status: int) -> None:
    headers = (("content-type", "text/html"), ("retry-after", "7"))
    played = World(REPAIR).play(_ask(BOOK), [Answer([b"<h1>no</h1>"], status, headers)])
    assert (played.status, played.body, played.headers["retry-after"]) == (status, b"<h1>no</h1>", "7")


def test_an_answer_that_cannot_be_read_passes() -> None:
    played = World(REPAIR).play(_ask(BOOK), [Answer([b'{"choices": "none"}'])])
    assert played.body == b'{"choices": "none"}'


def test_blanks_before_the_json_keep_the_agent_alive() -> None:
    body = json.dumps(chat("hi")).encode()
    played = World(REPAIR).play(_ask(BOOK), [Answer([b"\n  ", 3.0, b"  ", body])])
    assert played.emits[0] == b"\n  "
    assert played.body == b"\n    " + body


# ---------------------------------------------------------------- repair and asking again


def test_a_repaired_reply_ends_with_tool_calls() -> None:
    played = World(REPAIR).play(_ask(BOOK), [Answer.json(chat("ok", [("c1", "book", '{"room": "4"}')], finish="stop"))])
    assert _calls(played.json) == [("book", {"room": 4})]
    assert played.json["choices"][0]["finish_reason"] == "tool_calls"
    assert played.headers["x-handrail"] == "repair_arguments;did=repaired;n=1"
    repair = played.notes("repaired")[0]["detail"]["repairs"][0]
    assert (repair["path"], repair["before"], repair["after"]) == ("/room", "4", 4)


def test_a_wrong_call_is_asked_again_unseen() -> None:
    played = World(REPAIR).play(_ask(BOOK), [Answer.json(chat(calls=[WRONG])), Answer.json(chat(calls=[RIGHT]))])
    assert _calls(played.json) == [("book", {"room": 4})]
    told = json.loads(played.asks[1]["messages"][-1]["content"])
    assert told["problems"][0]["path"] == "/room"
    assert "integer" in told["problems"][0]["problem"]
    assert played.asks[1]["tools"] == [BOOK]
    usage = played.json["usage"]
    assert usage["prompt_tokens"] == 50
    assert usage["handrail"]["hidden_prompt_tokens"] == 50


def test_a_right_sibling_is_handed_out_once_whether_it_is_repeated_or_not() -> None:
    mail = ("m1", "mail", {"to": "a@b.c"})
    for second in ([RIGHT], [RIGHT, ("m2", "mail", {"to": "a@b.c"})]):
        first = Answer.json(chat(calls=[mail, WRONG]))
        played = World(REPAIR).play(_ask(BOOK, MAIL), [first, Answer.json(chat(calls=second))])
        assert sorted(_calls(played.json)) == [("book", {"room": 4}), ("mail", {"to": "a@b.c"})]


def _given_up(played: Played) -> list[str]:
    """What the log says of why nobody was asked again."""
    return [note["detail"]["given_up"] for note in played.notes("found") if "given_up" in note["detail"]]


@pytest.mark.parametrize("pack", [REPAIR, REPAIR.replace("2}", "2, exhausted: answer}")])
def test_attempts_end(pack: str) -> None:
    played = World(pack).play(_ask(BOOK), [Answer.json(chat(calls=[WRONG]))] * 3)
    assert len(played.sent) == 3
    assert _given_up(played) == ["2 attempts"]
    message = played.json["choices"][0]["message"]
    if "answer" in pack:
        assert not message.get("tool_calls")
        assert "book" in message["content"]
        assert played.json["choices"][0]["finish_reason"] == "stop"
    else:
        assert _calls(played.json) == [("book", {"room": "blue"})]


@pytest.mark.parametrize(
    "second",
    [
        Answer.json({"error": {"message": "no"}}, 500),
        Answer([], fails="connect"),
        Answer([b'{"choi'], fails="reset"),
        Answer([b"nonsense"]),
    ],
)
def test_a_hidden_round_that_fails_never_reaches_the_agent(second: Answer) -> None:
    played = World(REPAIR).play(_ask(BOOK), [Answer.json(chat(calls=[WRONG])), second])
    assert played.status == 200
    assert _calls(played.json) == [("book", {"room": "blue"})]
    (why,) = _given_up(played)
    assert why.startswith("the hidden round failed: ")


def test_a_cut_call_is_not_repaired_and_never_leaves() -> None:
    cut = chat(calls=[("c1", "mail", '{"to": "a@b')], finish="length")
    played = World(REPAIR).play(_ask(MAIL), [Answer.json(cut)] * 3)
    message = played.json["choices"][0]["message"]
    assert not message.get("tool_calls")
    assert message["content"]
    assert json.loads(played.asks[1]["messages"][-1]["content"])["code"] == "OUTPUT_CUT"
    assert json.loads(played.asks[1]["messages"][-2]["tool_calls"][0]["function"]["arguments"]) == {}


def test_several_choices_are_repaired_by_themselves_and_not_asked_again() -> None:
    body = chat(calls=[("c1", "book", '{"room": "4"}')])
    body["choices"].append({**chat(calls=[("c2", "book", {"room": "blue"})])["choices"][0], "index": 1})
    played = World(REPAIR).play(_ask(BOOK, n=2), [Answer.json(body)])
    args = [json.loads(c["message"]["tool_calls"][0]["function"]["arguments"]) for c in played.json["choices"]]
    assert args == [{"room": 4}, {"room": "blue"}]


def test_a_call_in_an_answer_to_an_ask_without_tools_is_asked_again() -> None:
    first, second = chat(calls=[("c1", "extract", {"a": 1})]), chat('{"a": 1}')
    played = World(REPAIR).play({"model": "m", "messages": [{"role": "user", "content": "Extract"}]}, [
        Answer.json(first), Answer.json(second),
    ])  # fmt: skip
    assert played.json["choices"][0]["message"]["content"] == '{"a": 1}'
    assert "tools" not in played.asks[1]


def test_a_history_that_strict_providers_refuse_is_mended() -> None:
    body = _ask(BOOK)
    body["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [call("c1", "book", "{not json")]},
        {"role": "tool", "tool_call_id": "c1", "content": "Error: invalid"},
    ]
    played = World(REPAIR).play(body, [Answer.json(chat("ok"))])
    sent = played.asks[0]["messages"]
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert sent[2] == body["messages"][2]


# ---------------------------------------------------------------- streams


def test_a_stream_asked_again_is_one_stream() -> None:
    first, second = _stream(WRONG, text="Let me check."), _stream(RIGHT, text="Sorry.")
    played = World(REPAIR).play(_ask(BOOK, stream=True), [first, second])
    assert played.body.count(b"[DONE]") == 1
    assert b"blue" not in played.body
    assert b"Sorry" not in played.body
    assert b": handrail repair_arguments;did=reasked;n=1\n\n" in played.body


def test_the_agent_gets_signs_of_life_while_it_waits() -> None:
    first = _stream(WRONG)
    second = _stream(RIGHT)
    second.chunks = [12.0, *second.chunks]
    played = World(REPAIR).play(_ask(BOOK, stream=True), [first, second])
    assert played.body.count(b": keep-alive\n\n") == 2
    plain = World(REPAIR).play(_ask(BOOK), [
        Answer.json(chat(calls=[WRONG])), Answer([7.0, json.dumps(chat(calls=[RIGHT])).encode()]),
    ])  # fmt: skip
    assert plain.json, "blanks before the JSON, if any, are no harm"


def test_a_stream_that_dies_ends_in_an_error_and_a_broken_connection() -> None:
    dead = Answer.sse(chunk({"tool_calls": [{"index": 0, **call(*RIGHT)}]}), done=False, fails="reset")
    played = World(REPAIR).play(_ask(BOOK, stream=True), [dead])
    assert played.aborted
    assert b"tool_calls" not in played.body
    assert json.loads(played.body.removeprefix(b"data: "))["error"]["message"]


@pytest.mark.parametrize(("kind", "status"), [("connect", 502), ("timeout", 504)])
def test_an_upstream_that_does_not_answer_is_an_error_in_the_apis_shape(kind: str, status: int) -> None:
    played = World(REPAIR).play(_ask(BOOK), [Answer([], fails=kind)])
    assert played.status == status
    assert played.json["error"]["code"] == kind
    assert played.headers["x-should-retry"] == "false"


def test_malformed_fragments_are_written_anew() -> None:
    events = [chunk({"tool_calls": [{"index": 0, **call(f"c{n}", "book", {"room": n})}]}) for n in (1, 2)]
    played = World(REPAIR).play(_ask(BOOK, stream=True), [Answer.sse(*events, chunk({}, "tool_calls"))])
    assert b'"index":1' in played.body
    assert played.notes("rewrote")


# ---------------------------------------------------------------- observe


def test_observing_changes_no_byte_and_tells_what_it_would_do() -> None:
    world = World("mode: observe\n" + REPAIR)
    for answers in ([Answer.json(chat(calls=[WRONG]))], [_stream(WRONG)]):
        body = _ask(BOOK, stream=answers[0].headers[0][1] != "application/json")
        played = world.play(body, answers)
        assert played.body == b"".join(answers[0].chunks)  # type: ignore[arg-type]
        assert played.sent == [json.dumps(body).encode()]
        assert {note["would"] for note in played.notes("observed")} >= {"would_reask"}


# ---------------------------------------------------------------- what goes wrong inside


def test_a_policy_that_raises_is_skipped_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(REPAIR)

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("proxy.policies.repair_arguments.RepairArguments.on_reply", broken)
    played = world.play(_ask(BOOK), [Answer.json(chat(calls=[WRONG]))])
    assert _calls(played.json) == [("book", {"room": "blue"})]
    assert played.headers["x-handrail"] == "repair_arguments;did=failed;n=1"
    closed = World(REPAIR.replace("2}", "2, fail: closed}"))
    refused = closed.play(_ask(BOOK), [Answer.json(chat(calls=[WRONG]))])
    assert refused.status == 500
    assert "repair_arguments" in refused.json["error"]["message"]


def test_an_agent_that_leaves_ends_the_exchange_as_such() -> None:
    plan = World(REPAIR).plans.find("POST", "/v1/chat/completions", "")
    assert plan is not None
    start = Start("POST", "/v1/chat/completions", (), json.dumps(_ask(BOOK)).encode(), "c", b"r" * 32, 1.0, 1.0)
    running = exchange(start, plan)
    command = next(running)
    while isinstance(command, Settle | Record):
        command = running.send(_answers(command))
    records = []
    try:
        command = running.throw(ClientGone())
        while True:
            records += [command] if isinstance(command, Record) else []
            command = running.send(_answers(command))
    except ClientGone:
        pass
    assert records[-1].kind == "end"
    assert records[-1].fields["how"] == "client gone"


def _answers(command: Any) -> Any:
    from proxy.verdicts import Answers  # noqa: PLC0415

    return Answers(dict.fromkeys(command.requests), 1.0, 1.0) if isinstance(command, Settle) else None


@pytest.mark.parametrize("pack", [REPAIR, "mode: observe\n" + REPAIR])
def test_an_agent_that_leaves_with_its_whole_answer_has_got_it(pack: str) -> None:
    """Clients that close their connection at the last byte leave while Handrail still books what was used."""
    pack += "  gates: {tokens: {limit: 100000, mode: observe}}\n"
    for further in range(1, 12):
        playing = World(pack).begin(_ask(BOOK), [Answer.json(chat(calls=[RIGHT]))])
        playing.until(Emit)
        for _ in range(further):
            playing.step()
        records = playing.leave().records
        assert [record.kind for record in records][-2:] == ["answer", "end"], further
        assert records[-1].fields["how"] == "done", further


# ---------------------------------------------------------------- which run


def _after(ask: dict[str, Any], answer: dict[str, Any], result: str) -> dict[str, Any]:
    message = answer["choices"][0]["message"]
    results = [{"role": "tool", "tool_call_id": one["id"], "content": result} for one in message["tool_calls"]]
    return {**ask, "messages": [*ask["messages"], message, *results]}


def test_a_run_is_known_by_the_calls_that_were_handed_out() -> None:
    world = World(REPAIR)
    ask = _ask(BOOK)
    first = world.play(ask, [Answer.json(chat(calls=[RIGHT]))])
    second = world.play(_after(ask, first.json, "booked"), [Answer.json(chat("done"))])
    assert second.headers["x-run-id"] == first.headers["x-run-id"]
    equal = world.play(ask, [Answer.json(chat(calls=[RIGHT]))])
    assert equal.headers["x-run-id"] != first.headers["x-run-id"], "two equal tasks are two runs"
    other = world.play(_after(ask, first.json, "booked"), [Answer.json(chat("done"))], credential="c2")
    assert other.headers["x-run-id"] != first.headers["x-run-id"], "another caller's run is another"


def test_a_retry_after_a_failure_is_the_same_run() -> None:
    world = World(REPAIR)
    failed = world.play(_ask(BOOK), [Answer.json({"error": {}}, 500)])
    again = world.play(_ask(BOOK), [Answer.json(chat("ok"))])
    assert failed.headers["x-run-id"] == again.headers["x-run-id"]


def test_the_agents_own_run_id_is_used() -> None:
    played = World(REPAIR).play(_ask(BOOK), [Answer.json(chat("ok"))], headers=(("x-run-id", "mine-1"),))
    assert played.headers["x-run-id"] == "mine-1"
    assert {record.run for record in played.records} == {"mine-1"}


def test_an_agent_that_goes_on_after_three_halted_runs_gets_the_last_answer_again() -> None:
    world = World("policies:\n  gates: {steps: 1}\n")
    messages: list[Any] = []
    for number in range(4):
        messages.append({"role": "user", "content": f"Task {number}"})
        first = {"model": "m", "messages": list(messages), "tools": [BOOK]}
        if number == 3:
            again = world.play(first, [])
            assert again.sent == []
            assert again.json["choices"][0]["message"]["content"] == f"not finished {number - 1}"
            world.now += 61
            later = world.play(first, [Answer.json(chat("back to work"))])
            assert later.json["choices"][0]["message"]["content"] == "back to work"
            return
        started = world.play(first, [Answer.json(chat(calls=[(f"c{number}", "book", {"room": number})]))])
        messages += _after(first, started.json, "booked")["messages"][-2:]
        ended = world.play(
            {**first, "messages": list(messages)},
            [Answer.json(chat(calls=[("x", "book", {"room": 9})])), Answer.json(chat(f"not finished {number}"))],
        )
        messages.append(ended.json["choices"][0]["message"])


def test_a_request_that_an_sdk_sends_again_stays_in_its_run() -> None:
    world = World(REPAIR)
    once = (("x-stainless-retry-count", "0"),)
    first = world.play(_ask(BOOK), [Answer.json(chat(calls=[RIGHT]))], headers=once)
    again = world.play(_ask(BOOK), [Answer.json(chat(calls=[RIGHT]))], headers=(("x-stainless-retry-count", "1"),))
    other = world.play(_ask(BOOK), [Answer.json(chat(calls=[RIGHT]))], headers=once)
    assert again.headers["x-run-id"] == first.headers["x-run-id"]
    assert other.headers["x-run-id"] != first.headers["x-run-id"], "two equal tasks are two runs"
