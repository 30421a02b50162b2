"""What an exchange remembers: runs and their records, claims on the next ask, answers that are said again."""

import json
from typing import Any

import pytest

from proxy.identity import read_record, run_key
from proxy.recall import ECHO, HALTS
from proxy.verdicts import Send, Settle
from tests.conversation import Conversation, calls, messages, text
from tests.playbook import Answer, World, chat, tool

FIND = tool("find", {"q": {"type": "string"}})
PACK = "policies:\n  gates: {steps: 1}\n"
STEP = [("find", {"q": "x"})]


def halts(conversation: Conversation, times: int) -> None:
    """Tasks that are ended at their second step, each with an answer of its own."""
    for n in range(times):
        conversation.turn(STEP, "found")
        assert text(conversation.ask(STEP, f"Stopped {n}.")) == f"Stopped {n}."
        conversation.user(f"Then do task {n}.")


# ---------------------------------------------------------------- the run of a step


def test_the_latest_call_alone_leads_to_the_run() -> None:
    conversation = Conversation(PACK.replace("1", "9"), FIND)
    runs = {conversation.turn([("find", {"q": q})], "found").headers["x-run-id"] for q in "xyz"}
    conversation.world.looked_up.clear()
    assert {conversation.ask("Done.").headers["x-run-id"]} == runs
    assert len([key for key in conversation.world.looked_up if key.startswith("c:")]) == 1


def test_a_step_whose_call_nobody_knows_belongs_to_the_run_of_the_call_before() -> None:
    conversation = Conversation(PACK.replace("1", "9"), FIND)
    run = conversation.turn(STEP, "found").headers["x-run-id"]
    conversation.step([("find", {"q": "made up by the agent"})], "found")
    assert conversation.ask("Done.").headers["x-run-id"] == run


# ---------------------------------------------------------------- an agent that goes on after halts


def test_after_three_halted_runs_the_last_answer_comes_again() -> None:
    conversation = Conversation(PACK, FIND)
    halts(conversation, HALTS)
    played = conversation.begin().run()
    assert text(played) == f"Stopped {HALTS - 1}."
    assert played.sent == [], "nobody is asked"
    assert played.headers["x-handrail"] == "gates;did=halted;n=1;by=halts"


def test_two_halted_runs_are_nothing() -> None:
    conversation = Conversation(PACK, FIND)
    halts(conversation, HALTS - 1)
    assert calls(conversation.ask(STEP)) == STEP


def test_a_minute_later_there_is_another_try() -> None:
    conversation = Conversation(PACK, FIND)
    halts(conversation, HALTS)
    conversation.world.now += ECHO
    assert calls(conversation.ask(STEP)) == STEP


def test_an_answer_of_the_models_own_ends_the_row() -> None:
    conversation = Conversation(PACK, FIND)
    halts(conversation, HALTS - 1)
    conversation.turn(STEP, "found")
    conversation.ask("Here it is.")
    conversation.user("And another one.")
    halts(conversation, 1)
    assert calls(conversation.ask(STEP)) == STEP


def test_another_conversation_is_not_meant() -> None:
    conversation = Conversation(PACK, FIND)
    halts(conversation, HALTS)
    assert calls(Conversation(conversation.world, FIND).ask(STEP)) == STEP


# ---------------------------------------------------------------- what is kept


def record(world: World, run: str, credential: str = "c1") -> Any:
    return read_record(world.store.get(run_key(credential, run)))


def test_a_run_that_hands_out_calls_is_kept_with_its_beginning() -> None:
    conversation = Conversation(PACK, FIND)
    conversation.world.now = 50.0
    run = conversation.turn(STEP, "found").headers["x-run-id"]
    conversation.world.now = 80.0
    conversation.ask("ok")
    assert record(conversation.world, run).started == 50.0
    assert record(conversation.world, run).root == run


def test_a_run_that_leaves_nothing_behind_is_not_kept() -> None:
    conversation = Conversation(PACK, FIND)
    conversation.ask("ok")
    assert conversation.world.store == {}


def test_each_task_of_a_conversation_shares_the_first_ones_root() -> None:
    conversation = Conversation(PACK, FIND)
    first = conversation.turn(STEP, "found").headers["x-run-id"]
    for n in range(3):
        conversation.ask(f"Answer {n}.")
        conversation.user(f"Then do task {n}.")
        run = conversation.turn(STEP, "found").headers["x-run-id"]
        assert run != first
        assert record(conversation.world, run).root == first


def test_nothing_is_promised_before_it_is_stored() -> None:
    """The calls leave only when the store knows to which run they belong."""
    conversation = Conversation(PACK, FIND)
    running = conversation.begin(STEP)
    running.until(Send)
    stored = False
    while (command := running.step()) is not None:
        stored = stored or (isinstance(command, Settle) and any(put.key.startswith("c:") for put in command.puts))
        assert stored or not running.played.body
    assert calls(running.played) == STEP


def test_a_store_that_is_down_stops_no_exchange() -> None:
    conversation = Conversation(PACK, FIND)
    conversation.world.down = True
    played = conversation.turn(STEP, "found")
    assert calls(played) == STEP
    assert text(conversation.ask("ok")) == "ok"


@pytest.mark.parametrize("value", [b"", b"nonsense", b"\n\n"])
def test_what_cannot_be_read_is_as_if_it_was_not_there(value: bytes) -> None:
    conversation = Conversation(PACK, FIND)
    conversation.turn(STEP, "found")
    conversation.world.store = {
        key: value if key[:4] == "run:" else kept for key, kept in conversation.world.store.items()
    }
    assert text(conversation.ask("ok")) == "ok"


# ---------------------------------------------------------------- observe


def test_who_only_watches_puts_nothing_back() -> None:
    body = Conversation(World(PACK), FIND).body
    world = World("mode: observe\n" + PACK)
    played = world.play(body, [Answer.json(chat("ok"))])
    assert played.sent == [json.dumps(body).encode()]
    assert not world.store


def test_a_request_that_cannot_be_read_is_a_run_of_its_own() -> None:
    world = World(PACK)
    runs = {world.play(b"[]", [Answer([b"{}"])]).headers["x-run-id"] for _ in range(2)}
    assert len(runs) == 2


def test_a_run_of_the_agents_own_naming_counts_its_steps() -> None:
    conversation = Conversation(PACK, FIND)
    mine = {"headers": (("x-run-id", "mine"),)}
    conversation.ask(STEP, **mine)
    conversation.results("found")
    conversation.world.now += 500
    played = conversation.begin(STEP, "Stopped.", **mine).run()
    assert text(played) == "Stopped."
    assert {one.run for one in played.records} == {"mine"}
    assert messages(played)[-1]["content"].startswith("found")
