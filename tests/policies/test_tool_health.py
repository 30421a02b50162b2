import json
from typing import Any

import pytest

from proxy.verdicts import Send
from tests.conversation import Conversation, calls, contents, messages, said, text
from tests.playbook import Answer, World, chat, tool

FIND = tool("find", {"q": {"type": "string"}}, ["q"])
SEEK = tool("seek", {"query": {"type": "string", "minLength": 2}}, ["query"])
LOOK = tool("look", {})
PACK = "policies:\n  tool_health: {failures: 3, reset_seconds: 30}\n"
DOWN = "Error: connection refused"
ASKED = [("find", {"q": "xyz"})]


def talk(pack: str = PACK, *tools: Any) -> Conversation:
    return Conversation(pack, *(tools or (FIND, SEEK, LOOK)))


def failing(conversation: Conversation, times: int = 3, result: str = DOWN) -> Conversation:
    for n in range(times):
        conversation.turn([("find", {"q": f"{n}"})], result)
    conversation.begin("Wait.").run()
    return conversation


def told(conversation: Conversation) -> dict[str, Any]:
    """What the model is told in place of its call; empty: the call was handed out."""
    played = conversation.begin(ASKED, "I can't find it.").run()
    if calls(played):
        assert calls(played) == ASKED
        return {}
    assert text(played) == "I can't find it."
    answer: dict[str, Any] = json.loads(contents(messages(played))[-1])
    return answer


# ---------------------------------------------------------------- open


def test_a_tool_that_keeps_failing_is_not_called() -> None:
    conversation = failing(talk(), 2)
    assert told(conversation) == {}
    failing(conversation, 1)
    error = told(conversation)
    assert (error["code"], error["type"]) == ("TOOL_UNAVAILABLE", "unavailable")
    assert (error["retry"], error["retry_after_s"]) == ("as_is", 30)
    conversation.world.now += 10
    assert told(conversation)["retry_after_s"] == 20


def test_the_tools_stay_and_other_tools_are_called() -> None:
    conversation = failing(talk())
    played = conversation.ask([*ASKED, ("look", {})])
    assert calls(played) == [("look", {})]
    conversation.results("a cat")
    later = conversation.ask("It is a cat.")
    assert later.asks[0]["tools"] == [FIND, SEEK, LOOK]
    results = contents(messages(later))
    assert json.loads(results[-2])["code"] == "TOOL_UNAVAILABLE"
    assert results[-1] == "a cat"


@pytest.mark.parametrize("result", [DOWN, "Error: the request timed out after 30 s", "Error: 503 Service Unavailable"])
def test_faults_of_the_tool_count(result: str) -> None:
    assert told(failing(talk(), result=result))


@pytest.mark.parametrize("result", [
    "Error: invalid argument: q must be longer", "Error: 401 Unauthorized", "Error: file x does not exist",
    "Error: the order was rejected: insufficient funds", '{"rows": []}',
])  # fmt: skip
def test_faults_of_the_caller_and_of_the_business_do_not_count(result: str) -> None:
    assert told(failing(talk(), 6, result)) == {}


def test_a_success_in_between_counts() -> None:
    conversation = failing(talk(), 2)
    conversation.turn([("find", {"q": "a"})], "found")
    assert told(failing(conversation, 2)) == {}


def test_a_success_rate_in_a_window() -> None:
    conversation = talk("policies:\n  tool_health: {success_rate: 0.5, min_calls: 4, window_seconds: 60}\n")
    conversation.turn([("find", {"q": "a"})], "found")
    failing(conversation, 2)
    assert told(conversation) == {}, "too few calls"
    failing(conversation, 1)
    assert told(conversation)
    other = talk("policies:\n  tool_health: {success_rate: 0.5, min_calls: 4, window_seconds: 60}\n")
    failing(other, 3)
    other.world.now += 61
    failing(other, 1)
    assert told(other) == {}, "too long ago"


def test_a_result_counts_once_however_often_it_is_sent() -> None:
    conversation = failing(talk(), 2)
    for _ in range(4):
        conversation.begin("Wait.").run()
    assert told(conversation) == {}


def test_what_handrail_says_itself_is_no_failure_of_the_tool() -> None:
    conversation = failing(talk())
    conversation.world.now += 31
    conversation.ask(ASKED)
    conversation.results("found")
    conversation.turn([("look", {})], "a cat")
    assert told(failing(conversation, 2)) == {}
    conversation = failing(talk())
    for _ in range(4):
        conversation.turn([*ASKED, ("look", {})], "a cat")
    conversation.world.now += 31
    conversation.turn(ASKED, "found")
    assert told(failing(conversation, 2)) == {}


def test_a_breaker_is_for_one_caller_and_all_its_runs() -> None:
    world = World(PACK)
    failing(Conversation(world, FIND))
    other = Conversation(world, FIND)
    assert not calls(other.begin(ASKED, "ok").run())
    assert calls(other.begin(ASKED, credential="c2").run()) == ASKED


# ---------------------------------------------------------------- half open


def test_one_probe_decides() -> None:
    conversation = failing(talk())
    world = conversation.world
    world.now += 31
    rivals = [Conversation(world, FIND) for _ in range(3)]
    assert calls(conversation.ask(ASKED)) == ASKED
    assert [calls(one.begin(ASKED, "ok").run()) for one in rivals] == [[], [], []]
    conversation.results(DOWN)
    assert told(conversation)["retry_after_s"] == 30
    world.now += 31
    conversation.turn(ASKED, "found")
    conversation.ask("Found it.")
    assert [calls(one.begin(ASKED).run()) for one in rivals] == [ASKED] * 3


def test_a_probe_whose_result_never_comes_is_not_missed_for_ever() -> None:
    conversation = failing(talk())
    conversation.world.now += 31
    conversation.begin(ASKED).run()
    assert told(conversation)
    conversation.world.now += 31
    assert told(conversation) == {}


def test_an_agent_that_leaves_takes_no_probe_for_ever() -> None:
    conversation = failing(talk())
    conversation.world.now += 31
    running = conversation.begin(ASKED)
    running.until(Send)
    running.leave()
    assert told(conversation) == {}


# ---------------------------------------------------------------- what is said instead


def test_the_last_answer_of_the_same_call_with_its_age() -> None:
    conversation = talk(PACK + "tools: {find: {when_open: cached}}\n")
    conversation.turn([("find", '{"q": "xyz"}')], "shelf 7")
    failing(conversation)
    conversation.world.now += 20
    answer = told(conversation)
    assert (answer["cached"], answer["age_s"], answer["result"]) == (True, 20, "shelf 7")
    played = conversation.begin([("find", {"q": "other"})], "ok").run()
    assert json.loads(contents(messages(played))[-1])["code"] == "TOOL_UNAVAILABLE", "another call has no answer"


def test_a_failure_is_no_answer() -> None:
    conversation = talk(PACK + "tools: {find: {when_open: cached}}\n")
    for _ in range(3):
        conversation.turn(ASKED, DOWN)
    assert told(conversation)["code"] == "TOOL_UNAVAILABLE"


INSTEAD = PACK + "tools: {find: {instead: {tool: seek, arguments: {q: query}}}}\n"


def test_the_alternate_tool_with_its_own_arguments() -> None:
    conversation = failing(talk(INSTEAD))
    played = conversation.ask(ASKED)
    assert calls(played) == [("seek", {"query": "xyz"})]
    assert "tool_health;did=repaired" in played.headers["x-handrail"]
    conversation.results("shelf 7")
    assert text(conversation.ask("On shelf 7.")) == "On shelf 7."


@pytest.mark.parametrize("args", [{"q": "x"}, "not JSON", "[]"])
def test_an_alternate_that_does_not_take_the_arguments_is_not_called(args: Any) -> None:
    played = failing(talk(INSTEAD)).begin([("find", args)], "ok").run()
    assert not calls(played)


def test_an_alternate_that_is_not_offered_or_out_itself_is_not_called() -> None:
    assert told(failing(talk(INSTEAD, FIND)))["code"] == "TOOL_UNAVAILABLE"
    conversation = failing(talk(INSTEAD))
    for _ in range(3):
        conversation.turn([("seek", {"query": "xyz"})], DOWN)
    assert told(conversation)["code"] == "TOOL_UNAVAILABLE"


def test_a_chinese_task_is_told_in_chinese() -> None:
    conversation = Conversation(PACK, FIND, task="请帮我查找这本书。")
    assert "暂停调用" in told(failing(conversation))["message"]


# ---------------------------------------------------------------- what is left alone


def test_observing_hands_out_all_calls_and_takes_no_probe() -> None:
    conversation = failing(talk("mode: observe\n" + PACK))
    answer = said(ASKED)
    played = conversation.begin(answer).run()
    assert played.body == answer.chunks[0]
    assert [note["would"] for note in played.notes("observed")] == ["replayed"]
    conversation.world.now += 31
    assert [conversation.begin(ASKED).run().notes() for _ in range(2)] == [[], []]


def test_a_store_that_is_down_stops_no_call() -> None:
    conversation = failing(talk())
    conversation.world.down = True
    played = conversation.begin(ASKED).run()
    assert calls(played) == ASKED


def test_a_result_that_took_far_longer_than_its_tools_others_is_noted() -> None:
    world = World("policies: {tool_health: {failures: 3}}")
    messages: list[Any] = [{"role": "user", "content": "Ask the weather again and again"}]
    tools = [tool("weather", {"n": {"type": "integer"}})]
    noted: list[Any] = []
    for number in range(205):
        ask = {"model": "m", "messages": list(messages), "tools": tools}
        played = world.play(ask, [Answer.json(chat(calls=[(f"c{number}", "weather", {"n": number})]))])
        noted += [note["detail"] for note in played.notes("found")]
        message = played.json["choices"][0]["message"]
        messages += [message, {"role": "tool", "tool_call_id": f"c{number}", "content": "sunny"}]
        world.now += 1.0 if number < 203 else 30.0
    assert [note["slow"]["tool"] for note in noted] == ["weather"]
    assert noted[0]["slow"]["seconds"] == pytest.approx(30.0, abs=0.1)
