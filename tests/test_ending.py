"""Answers of Handrail's own: honest ends, errors in each API's shape, broken connections."""

import json
from typing import Any

import pytest

from proxy.policies.repair_arguments import RepairArguments
from proxy.verdicts import Send
from tests.apis import APIS, Api, Call, Results, Said, User
from tests.apis import Tool as ApiTool
from tests.conversation import Conversation, calls, said, text
from tests.playbook import JSON, SSE, Answer, Played, World, chunk, tool

FIND = tool("find", {"q": {"type": "string"}})
GATES = "policies:\n  gates: {steps: 1}\n"
STEP = Said("", (Call("call_2xyz", "find", {"q": "y"}),))
SUMMARY = Said("I found one of two.")


def ended(api: Api, closing: Answer, *, stream: bool, pack: str = GATES, first: Said = STEP) -> Played:
    """A run whose second step is stopped."""
    turns = [User("Find both."), Said("", (Call("call_1xyz", "find", {"q": "x"}),)), Results({"call_1xyz": "shelf 7"})]
    body = api.ask(turns, [ApiTool("find", {"q": {"type": "string"}})], stream=stream)  # type: ignore[arg-type]
    return World(pack).play(body, [_answer(api, first, stream=stream), closing], path=api.path)


def _answer(api: Api, what: Said, number: int = 1, *, stream: bool) -> Answer:
    return Answer(api.events(what, number), headers=SSE) if stream else Answer([api.answer(what, number)], headers=JSON)


def seen(api: Api, played: Played, *, stream: bool) -> Any:
    return api.read_stream(played.body) if stream else api.read_answer(played.body)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_a_halted_run_has_a_whole_answer_on_each_api(api: Api, stream: bool) -> None:  # noqa: FBT001
    played = ended(api, _answer(api, SUMMARY, 2, stream=stream), stream=stream)
    answer = seen(api, played, stream=stream)
    assert (played.status, answer.said.text, answer.calls, answer.said.ending) == (200, SUMMARY.text, [], "stop")
    closing = api.read_ask(played.sent[1])
    assert closing.choice == "none"
    assert list(closing.tools) == ["find"]
    assert "shelf 7" in closing.results["call_1xyz"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
@pytest.mark.parametrize("fails", ["connect", "timeout", "status", "calls", "cut"])
def test_without_a_summary_there_is_the_truth(api: Api, stream: bool, fails: str) -> None:  # noqa: FBT001
    closing = {
        "status": Answer([b'{"error": {"message": "busy"}}'], 529),
        "calls": _answer(api, STEP, 2, stream=stream),
        "cut": _answer(api, Said("I found on", finish="length"), 2, stream=stream),
    }.get(fails, Answer([], fails=fails))
    played = ended(api, closing, stream=stream)
    answer = seen(api, played, stream=stream)
    assert played.status == 200
    assert "shelf 7" in answer.said.text
    assert answer.calls == []
    assert not played.aborted


def test_what_was_said_before_goes_on_as_one_stream() -> None:
    for api in APIS:
        first = Said("Let me look once more.", STEP.calls)
        played = ended(api, _answer(api, SUMMARY, 2, stream=True), stream=True, first=first)
        told = seen(api, played, stream=True).said.text
        assert told.startswith("Let me look once more.")
        assert told.endswith(SUMMARY.text)


def test_the_tokens_of_a_summary_are_told() -> None:
    conversation = Conversation(GATES, FIND)
    conversation.step([("find", {"q": "x"})], "shelf 7")
    played = conversation.ask([("find", {"q": "y"})], "Summary.")
    assert played.json["usage"]["handrail"]["hidden_prompt_tokens"] == 100
    end = played.records[-1].fields
    assert end["how"] == "halted: steps"
    assert end["hidden"]["tokens"] == 120


def test_a_summary_has_its_own_time() -> None:
    conversation = Conversation(GATES.replace("1}", "1, grace_seconds: 7}"), FIND)
    conversation.step([("find", {"q": "x"})], "shelf 7")
    running = conversation.begin([("find", {"q": "y"})], "Summary.")
    seconds = [command.seconds for command in iter(running.step, None) if isinstance(command, Send)]
    assert seconds == [None, 7]


def test_a_human_is_told() -> None:
    conversation = Conversation(GATES, FIND)
    conversation.step([("find", {"q": "x"})], "shelf 7")
    (alert,) = conversation.ask([("find", {"q": "y"})], "Summary.").alerts
    assert (alert["by"], alert["limit"], alert["model"]) == ("steps", 1, "m")
    assert "shelf 7" in alert["text"]


# ---------------------------------------------------------------- failures of the upstream


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
@pytest.mark.parametrize(("kind", "status"), [("connect", 502), ("timeout", 504), ("reset", 502), ("open", 503)])
def test_an_upstream_that_fails_is_an_error_that_nobody_tries_again(api: Api, kind: str, status: int) -> None:
    body = api.ask([User("Find it.")], [ApiTool("find", {})])
    played = World(GATES).play(body, [Answer([], fails=kind)], path=api.path)
    assert played.status == status
    assert played.headers["x-should-retry"] == "false"
    assert played.headers["x-run-id"]
    assert played.json["error"]["message"] == "scripted"
    assert played.records[-1].fields["how"] == f"upstream failed: {kind}"


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_a_stream_that_dies_ends_in_an_error_and_a_broken_connection(api: Api) -> None:
    body = api.ask([User("Find it.")], [ApiTool("find", {})], stream=True)
    events = api.events(Said("Let me look.", STEP.calls))
    played = World(GATES).play(body, [Answer(events[:4], headers=SSE, fails="reset")], path=api.path)
    assert played.aborted
    assert b"scripted" in played.body
    assert b"call_2xyz" not in played.body, "no half call leaves"
    with pytest.raises((AssertionError, KeyError, IndexError, TypeError, ValueError)):
        api.read_stream(played.body)


def test_without_a_policy_that_could_hold_it_a_dead_stream_is_passed_on_as_it_is() -> None:
    conversation = Conversation("policies:\n  explain_errors: {}\n", FIND, stream=True)
    dead = Answer.sse(chunk({"content": "Let"}), done=False, fails="reset")
    played = conversation.begin(dead).run()
    assert played.aborted
    assert played.body == dead.chunks[0]


# ---------------------------------------------------------------- a policy that must not fail


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_fail_closed_is_an_error(api: Api, stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(RepairArguments, "on_reply", broken)
    body = api.ask([User("Find it.")], [ApiTool("find", {"q": {"type": "string"}})], stream=stream)
    pack = "policies:\n  repair_arguments: {fail: closed}\n"
    played = World(pack).play(body, [_answer(api, Said("Well.", STEP.calls), stream=stream)], path=api.path)
    assert b"repair_arguments failed" in played.body
    assert b"call_2xyz" not in played.body
    if stream:
        assert played.aborted
    else:
        assert (played.status, played.headers["x-should-retry"]) == (500, "false")
        assert json.loads(played.body)["error"]


def test_an_answer_is_never_empty() -> None:
    for pack in (GATES, "policies:\n  gates: {tokens: 1}\n"):
        world = World(pack)
        for _ in range(3):
            played = Conversation(world, FIND).begin(said("ok"), "ok").run()
            assert played.status == 200
            assert text(played) or calls(played)
