from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy import task
from proxy.model import Memory, ToolCall, ToolResult, Turn

PLAIN = task.reader((), ())
REMINDER = "<system-reminder>\nToday is Friday. 请注意。\n</system-reminder>"
ASKED = Turn("user", ("Find the cheapest flight to Oslo.",))
ANSWERED = Turn("assistant", ("It costs 90 EUR.",))
CALLED = Turn("assistant", calls=(ToolCall("c1", "find", "{}", "find", "{}"),))
RESULTS = Turn("tool", results=(ToolResult("c1", ("found",)),))
SYSTEM = Turn("system", ("Be brief.",))


def user(*texts: str) -> Turn:
    return Turn("user", texts)


def is_task(text: str, before: Turn | None = ANSWERED, reader: task.Reader = PLAIN) -> bool:
    return reader.is_task(user(text), before)


# ---------------------------------------------------------------- what is a task


@pytest.mark.parametrize("text", [
    "Find the cheapest flight.", "continue with the second file and fix its tests", "继续找下一个航班的价格。",
    "yes, but use the other account", "ok, now book it for Lee", "Next, translate the page.", "确认订单123的状态",
    "What does Observation: mean?", "The tool result was wrong, look again.", "Error handling is missing, add it.",
    "no", "stop", "好的餐厅有哪些?", "Go is a language. Explain it.", "1", "?",
])  # fmt: skip
def test_what_a_user_wrote_is_a_task(text: str) -> None:
    assert is_task(text)
    assert is_task(text, None)


@pytest.mark.parametrize("text", [
    "continue", "Continue.", "please continue", "Yes", "yes, continue", "yes please", "ok!", "OK, go ahead.", "y",
    "Sure, proceed", "go on...", "keep going", "resume", "next", "Yep, do it!", "confirmed",
    "sounds good, go ahead", "ok thanks",
    "继续", "继续。", "请继续", "继续吧", "好的", "好的,继续", "是的", "可以", "可以的", "行", "嗯",
    "没问题,请继续", "继续执行", "确认",
])  # fmt: skip
def test_a_bare_go_on_is_none(text: str) -> None:
    assert not is_task(text)
    assert is_task(text, None), "nothing stands before it that could go on"


@pytest.mark.parametrize("text", [
    "Observation: 3 rows", "observation:\n[1, 2]", "<returncode>0</returncode>\n<output>a.txt</output>",
    "<output>\nok\n</output>", "<tool_result>x</tool_result>", "<tool_response>\n{}</tool_response>",
    "<tool_use_error>no such file</tool_use_error>", "<function_results>1</function_results>",
    "[tool_result] 5", "Tool result for find: 5", "tool output: 5", "Tool response: 5", "Call id: c1\n5",
    "Error:\nno such file",
    "Calling tools:\n[{'id': 'c1'}]", "  \n<returncode>1", REMINDER, REMINDER * 2, "", "  \n",
    "<environment_context>\n<cwd>/work</cwd>\n</environment_context>", "<system-reminder>never closed",
])  # fmt: skip
def test_results_and_reminders_as_text_are_none(text: str) -> None:
    assert not is_task(text)
    assert not is_task(text, None)


@pytest.mark.parametrize(("texts", "expected"), [
    ((REMINDER, "Find a flight."), True),
    (("Find a flight.", REMINDER), True),
    ((REMINDER, REMINDER, "continue"), False),
    ((REMINDER, "Observation: 5"), False),
    (("yes", REMINDER), False),
    (("<environment_details>\nfiles\n</environment_details>", "Fix the bug."), True),
    (("Why does <system-reminder> appear?",), True),
])  # fmt: skip
def test_what_stands_beside_the_users_words_is_not_the_users(texts: tuple[str, ...], expected: bool) -> None:  # noqa: FBT001
    assert PLAIN.is_task(user(*texts), ANSWERED) is expected


@pytest.mark.parametrize("before", [CALLED, RESULTS])
def test_in_the_middle_of_a_run_there_is_no_new_task(before: Turn) -> None:
    assert not is_task("Only direct flights, please.", before)


@pytest.mark.parametrize("turn", [ANSWERED, RESULTS, SYSTEM])
def test_only_users_have_tasks(turn: Turn) -> None:
    assert not PLAIN.is_task(turn, None)


def test_the_pack_has_patterns_of_its_own() -> None:
    reader = task.reader((r"^NEW JOB",), (r"^\[exec\] ", r"exit status \d+$"))
    assert is_task("NEW JOB 7", CALLED, reader)
    assert is_task("NEW JOB 7: Observation: none", ANSWERED, reader)
    assert not is_task("[exec] ls", ANSWERED, reader)
    assert not is_task("done, exit status 0", ANSWERED, reader)
    assert is_task("ls", ANSWERED, reader)


# ---------------------------------------------------------------- the last task


@pytest.mark.parametrize(("turns", "at"), [
    ([], -1),
    ([SYSTEM], -1),
    ([SYSTEM, ASKED], 1),
    ([SYSTEM, ASKED, CALLED, RESULTS], 1),
    ([ASKED, CALLED, RESULTS, user("Hurry up, please.")], 0),
    ([ASKED, CALLED, RESULTS, ANSWERED, user("yes")], 0),
    ([ASKED, CALLED, RESULTS, ANSWERED, user("Now to Rome."), CALLED, RESULTS], 4),
    ([ASKED, ANSWERED, SYSTEM, user("Now to Rome.")], 3),
    ([ASKED, CALLED, RESULTS, SYSTEM, user("Go on, then look at Rome.")], 0),
    ([user(REMINDER), ASKED, CALLED, RESULTS], 1),
    ([user("continue"), CALLED, RESULTS], 0),
    ([CALLED, RESULTS], -1),
    ([ASKED, user("And to Rome.")], 1),
    ([ASKED, ANSWERED, user("Observation: 5"), ANSWERED, user("continue")], 0),
])  # fmt: skip
def test_the_last_task(turns: list[Turn], at: int) -> None:
    assert PLAIN.last_task(turns) == at


TURNS = st.lists(st.sampled_from([ASKED, ANSWERED, CALLED, RESULTS, SYSTEM, user("yes"), user(REMINDER)]), max_size=12)


@given(TURNS)
def test_what_comes_within_a_run_moves_no_task(turns: list[Turn]) -> None:
    at = PLAIN.last_task(turns)
    assert at == -1 or turns[at] == ASKED or at == 0 or turns[at].text == "yes"
    assert PLAIN.last_task([*turns, CALLED, RESULTS, user("More, please.")]) == at


# ---------------------------------------------------------------- steps


def call(key: str) -> ToolCall:
    return ToolCall(key, "find", "{}", "find", "{}")


def result(key: str, **more: Any) -> ToolResult:
    return ToolResult(key, (f"found {key}",), **more)


def test_a_step_is_a_turn_with_calls_and_their_results() -> None:
    two = Turn("assistant", calls=(call("a"), call("b")))
    turns = [ASKED, two, Turn("tool", results=(result("b"),)), Turn("user", results=(result("a"),)), ANSWERED]
    (step,) = task.steps(turns)
    assert (step.at, [one.call_id for one in step.results if one]) == (1, ["a", "b"])


def test_a_call_without_its_result_has_none() -> None:
    turns = [Turn("assistant", calls=(call("a"),)), ANSWERED, Turn("tool", results=(result("a"),))]
    (step,) = task.steps(turns)
    assert step.results == (None,)


def test_the_same_id_in_two_steps_is_two_results() -> None:
    first, second = result("a"), ToolResult("a", ("again",))
    turn = Turn("assistant", calls=(call("a"),))
    steps = list(task.steps([turn, Turn("tool", results=(first,)), turn, Turn("tool", results=(second,))]))
    assert [step.results for step in steps] == [(first,), (second,)]


@pytest.mark.parametrize(("begin", "count"), [(0, 2), (1, 1), (2, 1), (3, 0), (-1, 2), (99, 0)])
def test_steps_from_somewhere_on(begin: int, count: int) -> None:
    turns = [CALLED, RESULTS, CALLED, RESULTS]
    assert len(list(task.steps(turns, begin))) == count


def test_the_agents_own_steps_are_without_what_handrail_answered() -> None:
    hidden = Turn("assistant", calls=(call("h"),), kept=True)
    mixed = Turn("assistant", calls=(call("a"), call("w")))
    withheld = Turn("assistant", calls=(call("w"),))
    turns = [
        ASKED,
        hidden,
        Turn("tool", results=(result("h"),)),
        mixed,
        Turn("tool", results=(result("a"), result("w", kept=True))),
        withheld,
        Turn("tool", results=(result("w", kept=True),)),
        CALLED,
    ]
    assert [[one.id for one in step.calls] for step in task.steps(turns)] == [["h"], ["a", "w"], ["w"], ["c1"]]
    assert [[one.id for one in step.calls] for step in task.own_steps(turns)] == [["a"], ["c1"]]


_TURNS = (ASKED, ANSWERED, CALLED, RESULTS, Turn("tool", results=(result("a", kept=True),)))
_MIXED = Turn("assistant", calls=(call("a"), call("c1")))
_HIDDEN = Turn("assistant", calls=(call("a"),), kept=True)


@given(st.lists(st.tuples(st.integers(0, 12), st.lists(st.sampled_from((*_TURNS, _MIXED, _HIDDEN)))), max_size=6))
def test_steps_of_a_conversation_that_grows_and_forks_are_those_of_its_turns(changes: list[Any]) -> None:
    memory: Memory = {}
    turns: tuple[Turn, ...] = ()
    for kept, new in changes:
        turns = (*turns[:kept], *new)
        assert task.steps(turns, memory=memory) == task.steps(turns, memory={})
        assert task.own_steps(turns, memory=memory) == task.own_steps(turns, memory={})


def test_steps_found_before_are_the_same_objects_however_many_others_were_looked_at() -> None:
    memory: Memory = {}
    before = task.steps((ASKED, CALLED, RESULTS, CALLED, RESULTS), memory=memory)
    for number in range(100):
        task.steps((ASKED, Turn("assistant", calls=(call(f"c{number}"),)), RESULTS), memory={})
    now = task.steps((ASKED, CALLED, RESULTS, CALLED, RESULTS, CALLED), memory=memory)
    assert [step.at for step in now] == [1, 3, 5]
    assert now[0] is before[0]


# ---------------------------------------------------------------- words and language


@given(st.text(), st.text())
def test_words_are_what_is_left(one: str, other: str) -> None:
    assert task.words(user(one + REMINDER + other)) == (one + other).strip() or "<" in one + other


@pytest.mark.parametrize(("text", "left"), [
    ("a <environment_context>x</environment_context> b", "a  b"),
    ("<system-reminder>x", "<system-reminder>x"),
    ("<b>bold</b>", "<b>bold</b>"),
    ("<system-reminder>a</system-reminder><total_tokens>5 left</total_tokens>c", "c"),
])  # fmt: skip
def test_words(text: str, left: str) -> None:
    assert task.words(user(text)) == left


@pytest.mark.parametrize(("text", "language"), [
    ("Find a flight.", "en"), ("请帮我查找航班。", "zh"), ("请用 search_flights 查一下 AMS 到 OSL 的航班", "zh"),
    ("Translate 你好 into English, please, and say where it comes from.", "en"), ("", "en"), ("123", "en"),
    ("東京からオスロまでの便を探してください。", "en"), ("오슬로행 항공편을 찾아줘", "en"),
    (REMINDER + "Find a flight.", "en"),
    ("<system-reminder>" + "Be brief. " * 300 + "</system-reminder>请帮我查找航班。", "zh"),
])  # fmt: skip
def test_the_language_of_the_task(text: str, language: str) -> None:
    assert task.language([user(text), CALLED, RESULTS], 0) == language


def test_without_a_task_the_latest_user_is_heard() -> None:
    assert task.language([user("请帮我。"), ANSWERED, user("In English, please.")], -1) == "en"
    assert task.language([CALLED], -1) == "en"
