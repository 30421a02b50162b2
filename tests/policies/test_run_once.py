"""Side effects: what becomes of an equal call. How claims are made is in a file of its own."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apis import CHAINED, Call, Results, Said, User
from tests.apis import Tool as ApiTool
from tests.conversation import Conversation, calls, contents, messages, raw_calls, said, text
from tests.playbook import Answer, World, tool

MAIL = tool("send_email", {"to": {"type": "string"}, "copies": {"type": "integer", "default": 1}}, ["to"])
LOOK = tool("look", {"at": {"type": "string"}})
EFFECTS = "tools:\n  send_*: {side_effect: true}\n"
PACK = "policies:\n  run_once: {expires_s: 3600}\n" + EFFECTS
FOLDING = PACK.replace("run_once", "fold_history: {keep_steps: 1, batch: 1}\n  run_once")
TO_LEE = ("send_email", {"to": "lee@x.org"})
TO_KIM = ("send_email", {"to": "kim@x.org"})
TIMEOUT = "Error: the request timed out after 30 s"
REFUSED = "Error: 550 mailbox lee@x.org does not exist"


def talk(pack: str = PACK, **more: Any) -> Conversation:
    return Conversation(pack, MAIL, LOOK, **more)


def told(conversation: Conversation, *says: Any) -> dict[str, Any]:
    """What the model is told in place of its call."""
    played = conversation.begin(*says, "Done.").run()
    assert not calls(played)
    answer: dict[str, Any] = json.loads(contents(messages(played))[-1])
    return answer


# ---------------------------------------------------------------- a result is known


@pytest.mark.parametrize("again", [
    {"to": "lee@x.org"}, '{"copies": 1, "to": "lee@x.org"}', '{"to": "lee@x.org", "copies": 1.0}',
])  # fmt: skip
def test_an_equal_call_is_answered_with_the_first_result(again: Any) -> None:
    conversation = talk()
    conversation.turn([TO_LEE], "sent as m-77")
    answer = told(conversation, [("send_email", again)])
    assert answer["status"] == "ok"
    assert answer["replayed"] is True
    assert answer["result"] == "sent as m-77"


@pytest.mark.parametrize("other", [TO_KIM, ("send_email", {"to": "lee@x.org", "copies": 2}), ("look", {"at": "x"})])
def test_another_call_is_made(other: Any) -> None:
    conversation = talk()
    conversation.turn([TO_LEE], "sent")
    assert calls(conversation.ask([other])) == [other]


def test_tools_without_side_effects_may_be_called_again() -> None:
    conversation = talk()
    conversation.turn([("look", {"at": "x"})], "a cat")
    assert calls(conversation.ask([("look", {"at": "x"})])) == [("look", {"at": "x"})]


def test_another_run_and_another_caller_may_do_it_again() -> None:
    world = World(PACK)
    Conversation(world, MAIL).turn([TO_LEE], "sent")
    assert calls(Conversation(world, MAIL).ask([TO_LEE])) == [TO_LEE]
    conversation = Conversation(world, MAIL)
    conversation.turn([TO_LEE], "sent")
    conversation.ask("It is sent.")
    conversation.user("Send it once more.")
    assert calls(conversation.ask([TO_LEE])) == [TO_LEE]
    given_id = {"headers": (("x-run-id", "mine"),)}
    Conversation(world, MAIL).ask([TO_LEE], **given_id)
    assert not calls(Conversation(world, MAIL).ask([TO_LEE], "ok", **given_id))
    assert calls(Conversation(world, MAIL).ask([TO_LEE], credential="c2", **given_id)) == [TO_LEE]


def test_a_replay_stands_beside_new_calls_and_in_later_asks() -> None:
    conversation = talk()
    conversation.turn([TO_LEE], "sent as m-77")
    played = conversation.ask([TO_LEE, TO_KIM, ("look", {"at": "x"})])
    assert calls(played) == [TO_KIM, ("look", {"at": "x"})]
    conversation.results("sent as m-78", "a cat")
    later = messages(conversation.ask([TO_LEE, TO_KIM], "Both are sent."))
    asked = [one["function"]["arguments"] for one in later[3]["tool_calls"]]
    assert [json.loads(one)["to"] for one in asked[:2]] == ["lee@x.org", "kim@x.org"]
    results = contents(later)
    assert json.loads(results[1])["result"] == "sent as m-77"
    assert results[2:4] == ["sent as m-78", "a cat"]
    assert [json.loads(one)["result"] for one in results[4:]] == ["sent as m-77", "sent as m-78"], (
        "no replay of a replay"
    )
    assert "call_" not in json.loads(results[4])["result"]


def test_two_equal_calls_in_one_turn_leave_as_one() -> None:
    conversation = talk()
    played = conversation.ask([TO_LEE, ("send_email", '{"copies": 1, "to": "lee@x.org"}')])
    assert calls(played) == [TO_LEE]
    first = raw_calls(played)[0]["id"]
    conversation.results("sent as m-77")
    later = conversation.ask([TO_LEE], "It is sent.")
    sent = messages(later, 0)
    assert len(sent[1]["tool_calls"]) == 2
    assert contents(sent)[0] == "sent as m-77"
    assert first in json.loads(contents(sent)[1])["note"]
    assert json.loads(contents(messages(later))[-1])["result"] == "sent as m-77"


# ---------------------------------------------------------------- no result, or a bad one


def test_a_failure_is_no_result() -> None:
    conversation = talk()
    for _ in range(3):
        conversation.turn([TO_LEE], REFUSED)
    conversation.turn([TO_LEE], "sent as m-77")
    assert told(conversation, [TO_LEE])["result"] == "sent as m-77"


def test_an_unknown_outcome_is_said_to_be_unknown_and_stays_so() -> None:
    conversation = talk()
    conversation.turn([TO_LEE], TIMEOUT)
    answer = told(conversation, [TO_LEE])
    assert (answer["code"], answer["type"], answer["retryable"]) == ("OUTCOME_UNKNOWN", "conflict", False)
    conversation.turn([TO_LEE, ("look", {"at": "outbox"})], "empty")
    assert told(conversation, [TO_LEE])["code"] == "OUTCOME_UNKNOWN", "what Handrail said itself is no outcome"
    conversation.world.store.clear()
    assert told(conversation, [TO_LEE])["code"] == "OUTCOME_UNKNOWN", "the history still knows"


def test_a_lost_answer_is_unknown() -> None:
    conversation = talk()
    conversation.ask([TO_LEE])
    conversation.messages.pop()
    given_id = {"headers": (("x-run-id", "mine"),)}
    conversation.ask([TO_KIM], **given_id)
    conversation.messages.pop()
    played = conversation.begin([TO_KIM], "I can't tell.", **given_id).run()
    assert text(played) == "I can't tell."
    assert json.loads(contents(messages(played))[-1])["code"] == "OUTCOME_UNKNOWN"


def test_the_pack_says_what_a_failure_looks_like() -> None:
    pack = PACK + '  send_fax: {side_effect: true, errors: [{pattern: "^NAK", type: conflict}]}\n'
    conversation = Conversation(pack, tool("send_fax", {"to": {"type": "string"}}))
    conversation.turn([("send_fax", {"to": "1"})], "NAK 7")
    assert calls(conversation.ask([("send_fax", {"to": "1"})])) == [("send_fax", {"to": "1"})]


@pytest.mark.parametrize("where", ["world", "tool"])
def test_outcomes_are_forgotten(where: str) -> None:
    pack = PACK if where == "world" else PACK.replace("true}", "true, expires_s: 60}")
    conversation = talk(pack)
    conversation.turn([TO_LEE], "sent")
    conversation.turn([("look", {})], "a cat")
    conversation.world.now += 50 if where == "tool" else 3000
    assert told(conversation, [TO_LEE])["replayed"]
    conversation.world.now += 50 if where == "tool" else 3000
    assert calls(conversation.ask([TO_LEE])) == [TO_LEE]


def test_a_store_that_forgot_is_helped_by_the_history() -> None:
    conversation = talk()
    conversation.turn([TO_LEE], "sent as m-77")
    conversation.turn([("look", {})], "a cat")
    conversation.world.store.clear()
    assert told(conversation, [TO_LEE])["result"] == "sent as m-77"


def test_folding_hides_no_side_effect() -> None:
    conversation = talk(FOLDING)
    conversation.turn([TO_LEE], "sent as m-77")
    for n in range(3):
        conversation.turn([("look", {"at": str(n)})], f"cat {n}")
    conversation.world.store.clear()
    assert told(conversation, [TO_LEE])["result"] == "sent as m-77"


def test_chinese_tasks_are_told_in_chinese() -> None:
    conversation = talk(task="请给李发送一封邮件,谢谢。")
    conversation.turn([TO_LEE], "已发送")
    assert "已执行过" in told(conversation, [TO_LEE])["note"]


# ---------------------------------------------------------------- idempotency keys

KEYED = tool("pay", {"to": {"type": "string"}, "key": {"type": "string"}}, ["to", "key"])
KEYS = FOLDING + "  pay: {side_effect: true, idempotency_key: %s}\n"
PAY = ("pay", {"to": "lee"})


def key_of(played: Any) -> str:
    ((_, arguments),) = calls(played)
    assert set(arguments) == {"to", "key"}
    return str(arguments["key"])


def test_a_key_is_written_and_never_seen_by_the_model() -> None:
    conversation = Conversation(KEYS % "key", KEYED)
    played = conversation.ask([PAY])
    assert len(key_of(played)) == 35
    conversation.results(REFUSED)
    played = conversation.ask([PAY])
    shown = played.asks[0]["tools"][0]["function"]["parameters"]
    assert (list(shown["properties"]), shown["required"]) == (["to"], ["to"])
    assert json.loads(messages(played)[1]["tool_calls"][0]["function"]["arguments"]) == {"to": "lee"}
    assert b"hr_" not in played.sent[0]
    assert key_of(played)


def test_a_key_of_a_run_is_the_same_for_equal_calls() -> None:
    world = World(KEYS % "key")
    conversation = Conversation(world, KEYED)
    first = key_of(conversation.ask([PAY]))
    conversation.results(REFUSED)
    world.restart()
    assert key_of(conversation.ask([("pay", '{ "to":"lee", "key": "made up"}')])) == first
    other = Conversation(world, KEYED)
    assert key_of(other.ask([PAY])) != first
    other.results(REFUSED)
    assert key_of(other.ask([("pay", {"to": "kim"})])) != first


def test_a_key_of_a_step_is_another_in_each_step_of_a_thread() -> None:
    conversation = Conversation(KEYS % "{argument: key, form: step}", KEYED)
    keys = []
    for _ in range(5):
        keys.append(key_of(conversation.ask([PAY])))
        conversation.results(REFUSED)
    conversation.ask("I can't pay.")
    conversation.user("Try again, please do.")
    keys.append(key_of(conversation.ask([PAY])))
    assert len(set(keys)) == 6


def test_calls_that_differ_in_made_up_keys_only_are_equal() -> None:
    conversation = Conversation(KEYS % "key", KEYED)
    assert len(calls(conversation.ask([("pay", {"to": "lee", "key": "a"}), ("pay", {"to": "lee", "key": "b"})]))) == 1


@pytest.mark.parametrize("parameters", [{"properties": 5}, {"required": "key"}, {}])
def test_an_odd_schema_is_left_as_it_is_and_the_key_is_written_all_the_same(parameters: Any) -> None:
    odd = {"type": "function", "function": {"name": "pay", "parameters": parameters}}
    played = Conversation(KEYS % "key", odd).ask([PAY])
    assert played.asks[0]["tools"] == [odd]
    assert key_of(played)


@pytest.mark.parametrize("args", ["not JSON", "[]", '{"to": "le'])
def test_arguments_that_are_no_object_leave_as_they_are_and_once(args: str) -> None:
    conversation = Conversation(KEYS % "key", KEYED)
    played = conversation.ask([("pay", args)])
    assert raw_calls(played)[0]["function"]["arguments"] == args
    conversation.results("paid")
    assert not raw_calls(conversation.ask([("pay", args)], "It is paid."))


@given(st.dictionaries(st.sampled_from("abc"), st.integers() | st.text(max_size=3), min_size=1), st.randoms())
def test_order_of_keys_makes_no_other_call(args: dict[str, Any], dice: Any) -> None:
    shuffled = list(args.items())
    dice.shuffle(shuffled)
    conversation = talk()
    conversation.turn([("send_email", args)], "sent")
    assert told(conversation, [("send_email", dict(shuffled))])["replayed"]


# ---------------------------------------------------------------- conversations that stay at the provider


@pytest.mark.parametrize(("result", "told"), [
    ("sent as m-77", "m-77"), (TIMEOUT, "OUTCOME_UNKNOWN"), (REFUSED, ""),
])  # fmt: skip
def test_what_was_done_is_known_where_the_steps_are_not_on_the_wire(result: str, told: str) -> None:
    world, mail = World(PACK), ApiTool("send_email", {"to": {"type": "string"}}, ["to"])
    calls = [Said("", (Call(f"call_{n}xyz", "send_email", {"to": "lee@x.org"}),)) for n in range(3)]
    answers = [Answer([CHAINED.answer(one, n)]) for n, one in enumerate([*calls, Said("Done.")], 1)]
    first = CHAINED.read_answer(
        world.play(CHAINED.ask([User("Send it.")], [mail]), answers[:1], path=CHAINED.path).body
    )
    turns: list[Any] = [User("Send it."), calls[0], Results({"call_0xyz": result})]
    world.restart()
    played = world.play(CHAINED.ask(turns, [mail], previous=first.id), [answers[1], answers[3]], path=CHAINED.path)
    seen = CHAINED.read_answer(played.body)
    assert bool(seen.calls) is (not told)
    if told:
        assert told in CHAINED.read_ask(played.sent[1]).results["call_1xyz"]


# ---------------------------------------------------------------- what is left alone


def test_without_declared_effects_nothing_is_touched() -> None:
    conversation = talk("policies:\n  run_once: {}\n")
    for _ in range(2):
        answer = said([TO_LEE])
        played = conversation.ask(answer)
        assert played.body == answer.chunks[0]
        conversation.results("sent")


def test_observing_takes_no_claim_and_changes_nothing() -> None:
    conversation = talk("mode: observe\n" + PACK)
    for _ in range(2):
        played = conversation.turn([TO_LEE], "sent")
        assert calls(played) == [TO_LEE]
    assert not [key for key in conversation.world.store if key.startswith("once:")]
