"""Gates over steps, time and loops. Budgets have a file of their own."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conversation import Conversation, Says, calls, contents, messages, said, text
from tests.playbook import Answer, World, chunk, tool

FIND = tool("find", {"q": {"type": "string"}, "page": {"type": "integer", "default": 1}}, ["q"])
LOOK = tool("look", {"at": {"type": "string"}})
POLL = tool("job_status", {"job": {"type": "string"}})
TOOLS = (FIND, LOOK, POLL)
CLOSING = "I found three of five. Two are missing."


def pack(limits: str, more: str = "") -> str:
    return f"policies:\n  gates: {{{limits}}}\n{more}"


def talk(limits: str, more: str = "", **kinds: Any) -> Conversation:
    return Conversation(pack(limits, more), *TOOLS, **kinds)


def halted(conversation: Conversation, says: Says, closing: str = CLOSING) -> str:
    """The gate that ended the run at this step; empty: the step was handed out."""
    played = conversation.begin(says, closing).run()
    if not played.notes("halted"):
        assert len(played.sent) == 1
        return ""
    assert played.status == 200
    assert not calls(played)
    assert played.json["choices"][0]["finish_reason"] == "stop"
    return str(played.notes("halted")[0]["detail"]["by"])


def same(conversation: Conversation, times: int, result: str = "nothing") -> None:
    for _ in range(times):
        conversation.step([("find", {"q": "x"})], result)


# ---------------------------------------------------------------- steps and time


@pytest.mark.parametrize(("done", "by"), [(3, ""), (4, "steps"), (9, "steps")])
def test_a_run_has_so_many_steps(done: int, by: str) -> None:
    conversation = talk("steps: 4")
    for n in range(done):
        conversation.step([("find", {"q": str(n)})], f"found {n}")
    assert halted(conversation, [("look", {"at": "last"})]) == by


def test_equal_calls_in_one_turn_are_one_step() -> None:
    conversation = talk("steps: 3, repeats: 2")
    for n in range(2):
        conversation.step([("find", {"q": str(n)})] * 3, "a", "a", "a")
    assert halted(conversation, [("look", {})]) == ""


def test_steps_count_from_the_last_task() -> None:
    conversation = talk("steps: 2")
    same(conversation, 3)
    conversation.answer("Here you are.")
    conversation.user("Now find something else.")
    assert halted(conversation, [("look", {})]) == ""
    conversation.answer("Shall I go on?")
    conversation.user("yes, continue")
    same(conversation, 2)
    assert halted(conversation, [("look", {})]) == "steps", "a bare go-on is no task"


def test_folding_hides_no_step() -> None:
    conversation = Conversation(pack("steps: 8", "  fold_history: {keep_steps: 2, batch: 2}\n"), *TOOLS)
    for n in range(8):
        conversation.step([("find", {"q": str(n)})], f"found {n}")
    assert halted(conversation, [("look", {})]) == "steps"


def test_time_counts_from_the_first_ask_to_the_reply() -> None:
    conversation = talk("seconds: 90")
    conversation.turn([("find", {"q": "a"})], "a")
    conversation.world.now += 89
    assert halted(conversation, [("look", {})]) == ""
    slow = said([("look", {})])
    slow.chunks = [2.0, *slow.chunks]
    assert halted(conversation, slow) == "seconds", "the model's own time counts"


def test_a_finished_answer_is_never_replaced() -> None:
    conversation = talk("steps: 1, seconds: 1, repeats: 1")
    same(conversation, 5)
    conversation.world.now += 1000
    assert text(conversation.ask("All done.")) == "All done."


# ---------------------------------------------------------------- loops


@pytest.mark.parametrize(("results", "by"), [
    (["nothing"], ""),
    (["nothing", "nothing"], "repeats"),
    (["one", "two"], ""),
    (["one", "two", "three", "four"], "varied_repeats"),
    (["starting", "nothing", "nothing"], "repeats"),
    (["nothing", "nothing", "one"], ""),
])  # fmt: skip
def test_the_third_equal_call_with_the_same_outcome_is_stopped(results: list[str], by: str) -> None:
    conversation = talk("repeats: 3, varied_repeats: 5")
    for result in results:
        conversation.step([("find", {"q": "x"})], result)
    assert halted(conversation, [("find", {"q": "x"})]) == by
    assert halted(conversation, [("find", {"q": "y"})]) == "", "another call is another call"


@pytest.mark.parametrize("args", ['{"page": 1, "q": "x"}', '{"q": "x", "page": 1.0}', '{ "q":"\\u0078" }'])
def test_equal_is_what_does_the_same(args: str) -> None:
    conversation = talk("repeats: 3")
    same(conversation, 2)
    assert halted(conversation, [("find", args)]) == "repeats"


@pytest.mark.parametrize("reminder", [
    "<system-reminder>Turn {n}: stay on task.</system-reminder>", "<total_tokens>{n} left</total_tokens>",
])  # fmt: skip
def test_what_an_agent_appends_makes_no_other_outcome(reminder: str) -> None:
    conversation = talk("repeats: 3")
    for n in range(2):
        same(conversation, 1, "nothing\n" + reminder.format(n=n))
    assert halted(conversation, [("find", {"q": "x"})]) == "repeats"


def test_counters_of_explained_errors_make_no_other_outcome() -> None:
    conversation = Conversation(pack("repeats: 3", "  explain_errors: {}\n"), *TOOLS)
    for _ in range(2):
        conversation.world.now += 7
        conversation.turn([("find", {"q": "x"})], "Error: connection refused")
    assert '"attempts":2' in contents(messages(conversation.begin("ok").run()))[-1]
    assert halted(conversation, [("find", {"q": "x"})]) == "repeats"


@pytest.mark.parametrize(("rounds", "differs", "by"), [(1, False, ""), (2, False, "cycles"), (2, True, "")])
def test_a_cycle_is_stopped_when_its_outcomes_are_the_same(rounds: int, differs: bool, by: str) -> None:  # noqa: FBT001
    conversation = talk("cycles: 3")
    for n in range(rounds):
        conversation.step([("find", {"q": "x"})], f"found {n}" if differs else "found")
        conversation.step([("look", {"at": "x"})], "nothing")
    assert halted(conversation, [("find", {"q": "x"})]) == by


def test_a_tool_that_fails_alike_whatever_the_arguments_is_stopped() -> None:
    conversation = talk("drift: 4, repeats: 3")
    for n in range(3):
        conversation.step([("find", {"q": f"t{n}"})], f'psycopg.errors.UndefinedColumn: column "c{n}" does not exist')
    assert halted(conversation, [("look", {"at": "x"})]) == ""
    assert halted(conversation, [("find", {"q": "t9"})]) == "drift"
    conversation.step([("find", {"q": "t4"})], "3 rows")
    assert halted(conversation, [("find", {"q": "t9"})]) == "", "it worked in between"


def test_the_pack_says_what_a_failure_looks_like() -> None:
    conversation = talk("drift: 3", "tools: {find: {errors: [{pattern: '^none of', code: NO_MATCH}]}}\n")
    for n in range(2):
        conversation.step([("find", {"q": f"t{n}"})], f"none of {n}")
    assert halted(conversation, [("find", {"q": "t9"})]) == "drift"


# ---------------------------------------------------------------- polling


def test_polling_is_meant() -> None:
    conversation = talk("repeats: 3, varied_repeats: 3, cycles: 2, drift: 2", "tools: {job_*: {polling: true}}\n")
    for _ in range(6):
        conversation.step([("look", {"at": "clock"})], "12:00")
        conversation.step([("job_status", {"job": "1"})], "running")
    for _ in range(6):
        conversation.step([("job_status", {"job": "1"})], "running")
    assert halted(conversation, [("job_status", {"job": "1"})]) == ""


def test_polling_has_limits_of_its_own() -> None:
    conversation = talk("repeats: 3", "tools: {job_status: {polling: {repeats: 5}}}\n")
    for _ in range(4):
        conversation.step([("job_status", {"job": "1"})], "running")
    assert halted(conversation, [("job_status", {"job": "1"})]) == ""
    conversation.step([("job_status", {"job": "1"})], "running")
    assert halted(conversation, [("job_status", {"job": "2"})]) == ""
    assert halted(conversation, [("job_status", {"job": "1"})]) == "polling"


def test_polling_may_take_so_long() -> None:
    conversation = talk("repeats: 3", "tools: {job_status: {polling: {seconds: 60}}}\n")
    for _ in range(3):
        conversation.turn([("job_status", {"job": "1"})], "running")
        conversation.world.now += 19
    conversation.world.restart()
    assert halted(conversation, [("job_status", {"job": "1"})]) == ""
    conversation.world.now += 4
    assert halted(conversation, [("job_status", {"job": "2"})]) == ""
    assert halted(conversation, [("job_status", {"job": "1"})]) == "polling"


# ---------------------------------------------------------------- nudge


def test_a_nudge_comes_at_the_second_equal_call_and_stays() -> None:
    conversation = talk("repeats: 3")
    same(conversation, 1)
    assert conversation.begin("ok").run().sent == [json.dumps(conversation.body).encode()]
    same(conversation, 1)
    nudged = contents(messages(conversation.begin("ok").run()))
    assert nudged[0] == "nothing"
    assert nudged[1].startswith("nothing\n\n[")
    conversation.step([("look", {})], "a cat")
    conversation.answer("A cat.")
    conversation.user("现在请你再找一找其他的东西。")
    conversation.step([("find", {"q": "x"})], "nothing")
    later = messages(conversation.begin("ok").run())
    assert contents(later)[:2] == nudged, "in another task, in another language"
    assert contents(later)[2:] == ["a cat", "nothing"], "a new task begins anew"


def test_a_nudge_can_be_off() -> None:
    conversation = talk("repeats: 3, nudge: false")
    same(conversation, 2)
    assert conversation.begin("ok").run().sent == [json.dumps(conversation.body).encode()]


@given(st.lists(st.tuples(st.sampled_from(["x", "y"]), st.sampled_from(["a", "b"])), max_size=8))
def test_what_was_sent_once_is_sent_again(steps: list[tuple[str, str]]) -> None:
    conversation = talk("repeats: 3")
    before: list[Any] = []
    for query, result in steps:
        conversation.step([("find", {"q": query})], result)
        sent = messages(conversation.begin("ok").run())
        assert sent[: len(before)] == before
        before = sent


# ---------------------------------------------------------------- the end of a run


def test_the_model_sums_up_with_its_tools_in_place() -> None:
    conversation = talk("repeats: 3", tool_choice="required")
    same(conversation, 2)
    played = conversation.begin([("find", {"q": "x"})], CLOSING).run()
    assert text(played) == CLOSING
    closing = played.asks[1]
    assert closing["tools"] == list(TOOLS)
    assert closing["tool_choice"] == "none"
    assert "stopped" in closing["messages"][-1]["content"]
    assert [one["role"] for one in closing["messages"]] == ["user", "assistant", "tool", "assistant", "tool"]
    assert played.headers["x-handrail"] == "gates;did=rewrote;n=1;by=nudge, gates;did=halted;n=1;by=repeats"
    assert played.alerts[0]["by"] == "repeats"


@pytest.mark.parametrize("fails", [
    Answer.json({"error": {}}, 500), Answer([], fails="timeout"), said([("find", {"q": "z"})]), said(""),
])  # fmt: skip
def test_without_a_summary_the_truth_is_made_of_the_results(fails: Answer) -> None:
    conversation = talk("repeats: 3")
    conversation.step([("look", {"at": "shelf"})], '{"book": "Emma", "id": 77}')
    same(conversation, 2)
    played = conversation.begin([("find", {"q": "x"})], fails).run()
    assert played.status == 200
    for part in ("stopped", "Emma", "missing", "What to do", 'find({"q": "x"})'):
        assert part in text(played)


def test_a_stream_ends_as_one() -> None:
    conversation = talk("steps: 1", stream=True)
    same(conversation, 1)
    step = chunk({"tool_calls": [{"index": 0, **said_call()}]})
    closing = Answer.sse(chunk({"role": "assistant", "content": CLOSING}), chunk({}, "stop"))
    first = Answer.sse(chunk({"role": "assistant", "content": "Once more."}), step, chunk({}, "tool_calls"))
    played = conversation.begin(first, closing).run()
    assert played.body.count(b"[DONE]") == 1
    assert b"tool_calls" not in played.body
    assert CLOSING.encode() in played.body


def said_call() -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"q":"x"}'}}


def test_an_agent_that_ends_through_a_tool_gets_the_answer_as_that_call() -> None:
    final = tool("final_answer", {"answer": {"type": "string"}}, ["answer"])
    end = "end_with: {tool: final_answer, argument: answer}\n"
    conversation = Conversation(pack("steps: 2", end), *TOOLS, final)
    same(conversation, 2)
    played = conversation.begin([("find", {"q": "x"})], CLOSING).run()
    assert calls(played) == [("final_answer", {"answer": CLOSING})]
    assert calls(conversation.begin([("final_answer", {"answer": "42"})]).run()) == [("final_answer", {"answer": "42"})]
    other = talk("steps: 2", end)
    same(other, 2)
    assert halted(other, [("find", {"q": "x"})]) == "steps", "a tool that is not offered is not called"


def test_an_observed_limit_only_tells() -> None:
    conversation = talk("steps: {limit: 1, mode: observe}, repeats: {limit: 3, mode: observe}")
    same(conversation, 2)
    played = conversation.begin([("find", {"q": "x"})]).run()
    assert calls(played) == [("find", {"q": "x"})]
    assert [note["detail"]["by"] for note in played.notes("observed")] == ["steps", "repeats"]
    assert played.sent == [json.dumps(conversation.body).encode()]
    assert not played.alerts


def test_a_chinese_task_gets_a_chinese_answer() -> None:
    conversation = talk("steps: 1", task="请帮我查找这本书的库存情况。")
    same(conversation, 1, "库存 3")
    assert "任务在完成之前被停止" in text(conversation.begin([("look", {})], Answer([], fails="reset")).run())


# ---------------------------------------------------------------- honest work


def test_twelve_honest_steps_pass_the_default_pack_as_they_are() -> None:
    default = Path(__file__).parents[2] / "policies" / "default.yaml"
    conversation = Conversation(World(default.read_text()), *TOOLS)
    for n in range(12):
        answer = said([("find", {"q": f"part {n}"})])
        played = conversation.ask(answer)
        assert played.sent == [json.dumps({**conversation.body, "messages": conversation.messages[:-1]}).encode()]
        assert played.body == answer.chunks[0]
        conversation.results(f"part {n} costs {n} EUR")
        conversation.world.now += 5
    last = said("They cost 66 EUR.")
    assert conversation.begin(last).run().body == last.chunks[0]


def test_a_model_that_costs_nothing_breaks_no_budget() -> None:
    """Reserving nothing is asked for all the same, on a run's first request too."""
    pack = "policies:\n  gates: {money: 1}\nprices: {m: {input: 0, output: 0}}\n"
    played = Conversation(pack, tool("find", {})).begin("ok").run()
    assert played.status == 200
    assert not played.notes("failed")
