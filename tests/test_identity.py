import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy import identity, task
from proxy.identity import Identity, RunRecord
from proxy.model import Ask, Put, ToolCall, Turn
from proxy.verdicts import Read, Start
from tests.conversation import Conversation
from tests.playbook import Answer, Played, World, chat, tool

PLAIN = task.reader((), ())
FIND = tool("find", {"q": {"type": "string"}})
PACK = "policies:\n  gates: {steps: 100}\n"
STEP = [("find", {"q": "x"})]


def start(body: bytes = b"{}", credential: str = "c1", **headers: str) -> Start:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Start("POST", "/v1/x", named, body, credential, b"\x01" * 32, 5.0, 5.0)


def step(key: str) -> Turn:
    return Turn("assistant", calls=(ToolCall(key, "find", "{}", "find", "{}"),))


def clues(turns: list[Turn], previous: str = "", **more: Any) -> identity.Clues:
    ask = Ask("responses", "m", stream=False, turns=tuple(turns), previous=previous)
    return identity.clues(start(**more), ask, PLAIN, PLAIN.last_task(turns))


ASKED, ANSWERED = Turn("user", ("Find a flight.",)), Turn("assistant", ("90 EUR.",))


def settled(found: identity.Clues, **known: str) -> Identity:
    """`known`: which run is stored under which kind of clue."""
    keys = {"calls": found.calls, "chained": (found.chained,), "retry": (found.retry,), "earlier": found.earlier}
    stored = {
        Read(key, local=kind == "retry"): f"{run}\n7.5".encode() for kind, run in known.items() for key in keys[kind]
    }
    return identity.settle(found, stored, start())


# ---------------------------------------------------------------- the order of clues


def test_the_agents_own_id_comes_first() -> None:
    found = clues([ASKED, step("a")], x_run_id="mine")
    assert settled(found, calls="r1", chained="r2") == Identity("mine", "given")
    assert found.reads == (), "nothing has to be looked up"


@pytest.mark.parametrize("odd", ["", "two words", "a\nb", "é", "x" * 257])
def test_an_id_that_is_none_is_not_taken(odd: str) -> None:
    assert settled(clues([ASKED], x_run_id=odd)).how == "new"


def test_calls_then_chain_then_retry_then_session_then_new() -> None:
    found = clues([step("a")], previous="resp_1", session_id="s")
    assert settled(found, calls="r1", chained="r2") == Identity("r1", "calls", 7.5)
    assert settled(found, chained="r2") == Identity("r2", "chained", 7.5)
    assert settled(clues([ASKED], previous="resp_1"), chained="r2").how == "new", "a task opens a run"
    first = clues([ASKED], session_id="s")
    assert settled(first, retry="r3") == Identity("r3", "retry", 7.5)
    assert settled(first).how == "session"
    assert settled(clues([ASKED])) == Identity("r" + "01" * 10, "new")


def test_only_the_latest_calls_behind_the_task_count() -> None:
    found = clues([ASKED, step("a"), step("b"), step("c")])
    assert found.calls == tuple(identity.call_key("c1", "Find a flight.", key) for key in ("c", "b"))
    assert found.retry == "", "a body with calls is known by these"
    later = clues([ASKED, step("a"), ANSWERED, Turn("user", ("Now to Rome.",))])
    assert later.calls == ()
    assert later.earlier[-1] == identity.call_key("c1", "Find a flight.", "a")


def test_the_run_before_is_that_of_the_latest_calls_whatever_was_said_since() -> None:
    turns = [ASKED, step("a"), ANSWERED]
    for text in ("Thanks. What is a layover?", "And how long is a day?"):
        turns += [Turn("user", (text,)), ANSWERED]
    found = clues([*turns, Turn("user", ("Now to Rome.",))])
    assert settled(found, earlier="r1").before == "r1"
    assert settled(found, earlier="r1").how == "new"


def test_reminders_make_no_other_task() -> None:
    told = Turn("user", ("<system-reminder>5 left</system-reminder>", "Find a flight."))
    assert clues([told, step("a")]).calls == clues([ASKED, step("a")]).calls
    assert clues([told], session_id="s").session == clues([ASKED], session_id="s").session


@pytest.mark.parametrize("header", ["x-claude-code-session-id", "thread-id", "session-id", "x-session-id"])
def test_a_session_has_a_run_for_each_task(header: str) -> None:
    first = clues([ASKED], **{header: "s1"}).session
    assert first
    assert clues([ASKED], **{header: "s2"}).session != first
    assert clues([Turn("user", ("Find a train.",))], **{header: "s1"}).session != first
    assert clues([ASKED, ANSWERED, ASKED], **{header: "s1"}).session != first
    assert clues([ASKED], credential="c2", **{header: "s1"}).session != first


def test_another_caller_shares_no_clue() -> None:
    mine, other = (clues([ASKED, step("a")], previous="resp_1", credential=who) for who in ("c1", "c2"))
    assert not {read.key for read in mine.reads} & {read.key for read in other.reads}
    assert clues([ASKED]).retry != clues([ASKED], credential="c2").retry


# ---------------------------------------------------------------- what is kept


def test_a_record_is_read_as_it_was_written() -> None:
    record = RunRecord(7.5, {"call_1": "r1"}, "r0", 2, 9.0, "Stopped.")
    put = identity.put_record("c1", "r1", record)
    assert put.key == identity.run_key("c1", "r1")
    assert identity.read_record(put.value) == record


@pytest.mark.parametrize("value", [None, b"", b"nonsense", b"[]", b'{"started": "x"}'])
def test_a_record_that_cannot_be_read_is_none(value: bytes | None) -> None:
    assert identity.read_record(value) is None


def test_what_was_handed_out_leads_back_to_its_run() -> None:
    run = Identity("r1", "new", 7.5)
    puts: list[Put] = [
        *identity.handed_out(run, "c1", "Find a flight.", ["a", "b"]),
        *identity.chained(run, "c1", "resp_1"),
    ]
    known = {Read(put.key): put.value for put in puts}
    found = clues([ASKED, step("b")], previous="resp_1")
    assert identity.settle(found, known, start()) == Identity("r1", "calls", 7.5)
    assert identity.settle(clues([Turn("user", ("go on",))], previous="resp_1"), known, start()).how == "chained"
    anew = identity.settle(clues([ASKED], previous="resp_1"), known, start())
    assert (anew.how, anew.before) == ("new", "r1"), "a new task in the same conversation"


@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_no_joining_confuses_a_digest(one: list[str], other: list[str]) -> None:
    assert (identity.digest(*one) == identity.digest(*other)) is (one == other)
    assert len(identity.digest(*one)) == 24


def test_half_characters_are_digested() -> None:
    assert identity.digest("\ud83d") != identity.digest("?")


# ---------------------------------------------------------------- played


def run(played: Played) -> str:
    return played.headers["x-run-id"]


def test_equal_tasks_at_once_are_runs_of_their_own() -> None:
    world = World(PACK)
    one, two = Conversation(world, FIND), Conversation(world, FIND)
    runs = [(run(one.turn(STEP, "found")), run(two.turn(STEP, "found"))) for _ in range(3)]
    assert len(set(runs)) == 1
    assert len(set(runs[0])) == 2


def test_a_run_outlives_the_process_and_a_trimmed_history() -> None:
    conversation = Conversation(PACK, FIND)
    first = run(conversation.turn(STEP, "found"))
    for _ in range(4):
        conversation.turn(STEP, "found")
    conversation.messages = [conversation.messages[0], *conversation.messages[-2:]]
    conversation.world.restart()
    assert run(conversation.ask("ok")) == first


def test_arguments_that_an_agent_writes_anew_make_no_other_run() -> None:
    conversation = Conversation(PACK, FIND)
    first = run(conversation.turn(STEP, "found"))
    function = conversation.messages[1]["tool_calls"][0]["function"]
    function["arguments"] = json.dumps(json.loads(function["arguments"]), indent=4)
    assert run(conversation.ask("ok")) == first


@pytest.mark.parametrize("answer", [
    Answer.json({"error": {}}, 500), Answer.json({"error": {}}, 429), Answer([], fails="timeout"),
    Answer([b"{"], fails="reset"),
])  # fmt: skip
def test_the_same_body_after_an_answer_that_did_not_arrive_is_the_same_run(answer: Answer) -> None:
    world = World(PACK)
    body = Conversation(world, FIND).body
    first = run(world.play(body, [answer]))
    world.now += 300
    assert run(world.play(body, [Answer.json(chat("ok"))])) == first
    world.now += 601
    assert run(world.play(body, [Answer.json(chat("ok"))])) != first, "that was long ago"


def test_an_agent_that_left_may_come_again() -> None:
    world = World(PACK)
    playing = world.begin(Conversation(world, FIND).body, [Answer.json(chat("ok"))])
    while not playing.played.sent:
        playing.step()
    left = playing.leave().records[-1].run
    assert run(Conversation(world, FIND).ask("ok")) == left


def test_sub_agents_under_one_key_and_side_requests_are_runs_of_their_own() -> None:
    world = World(PACK)
    main = Conversation(world, FIND)
    first = run(main.turn(STEP, "found"))
    sub = Conversation(world, FIND, task="Look into the second file.", system="You are a sub-agent.")
    assert run(sub.turn(STEP, "found")) != first
    assert run(Conversation(world, task="Write a title for: Do the task, please.").ask("A title")) != first
    assert run(main.ask("ok")) == first


def test_each_task_of_a_session_is_a_run_and_they_share_a_thread() -> None:
    session = {"headers": (("session-id", "s1"),)}
    conversation = Conversation(PACK, FIND)
    first = run(conversation.ask(STEP, **session))
    conversation.results("found")
    assert run(conversation.ask("ok", **session)) == first
    conversation.user("Now find something else.")
    assert run(conversation.begin("ok", **session).run()) != first
    assert run(Conversation(conversation.world, FIND).ask("ok", **session)) == first, (
        "the same task of the same session"
    )


# ---------------------------------------------------------------- requests that are sent again


def test_the_clients_own_word_of_a_retry_is_taken() -> None:
    first = clues([ASKED], x_stainless_retry_count="0")
    again = clues([ASKED], x_stainless_retry_count="1")
    assert first.again == ()
    assert first.marks == again.again
    known = {Read(key, local=True): b"r1\n7.5" for key in first.marks}
    assert identity.settle(again, known, start()) == Identity("r1", "retry", 7.5)
    assert identity.settle(first, known, start()).how == "new", "a counter of 0 is another request"
    other = clues([ASKED], x_stainless_retry_count="1", credential="c2")
    assert identity.settle(other, known, start()).how == "new"


def test_an_idempotency_key_is_one_request_however_often_it_is_sent() -> None:
    first = clues([ASKED], idempotency_key="k1")
    known = {Read(key, local=True): b"r1\n7.5" for key in first.marks}
    assert identity.settle(clues([ASKED], idempotency_key="k1"), known, start()).run == "r1"
    assert identity.settle(clues([ASKED], idempotency_key="k2"), known, start()).how == "new"
