import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model import Ask, ToolCall, ToolResult, Turn
from proxy.policies import partial
from proxy.settings.policies import GatesSettings
from proxy.task import steps

NAMES = [name for name in GatesSettings.model_fields if name not in ("mode", "fail", "grace_seconds", "nudge")]


def ask(*results: str) -> Ask:
    turns = [Turn("user", ("Find it.",))]
    for n, text in enumerate(results):
        call = ToolCall(f"c{n}", "find", "{}", "find", f'{{"q":{n}}}')
        turns += [Turn("assistant", calls=(call,)), Turn("tool", results=(ToolResult(f"c{n}", (text,), "find"),))]
    return Ask("chat_completions", "m", stream=False, turns=tuple(turns))


def answer(*results: str, call: str = "", language: str = "en") -> str:
    asked = ask(*results)
    return partial.answer(asked, list(steps(asked.turns)), "it was late", language, call)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", [*NAMES, "polling"])
def test_every_limit_has_its_words(name: str, language: str) -> None:
    why = partial.why(name, "7", language)
    assert "{" not in why
    assert ("7" in why) is (name != "polling")
    assert why in partial.closing(why, language)
    assert (re.search(r"[\u4e00-\u9fff]", why) is not None) is (language == "zh")


def test_it_says_what_was_found_what_is_missing_and_what_to_do() -> None:
    lines = answer("shelf 7", "shelf 9", call='look({"at":"shelf 7"})').split("\n")
    assert lines == [
        "This task was stopped before it was finished: it was late.",
        "What was found so far:",
        '- find({"q":0}) → shelf 7',
        '- find({"q":1}) → shelf 9',
        'What is missing: the task itself is not completed; the next step would have been look({"at":"shelf 7"}).',
        "What to do: check the results above, then ask again with a narrower task, or have a person look at it.",
    ]


def test_without_results_it_claims_none() -> None:
    assert "Nothing was found yet." in answer()
    assert "What was found" not in answer()
    assert "目前还没有得到任何结果。" in answer(language="zh")


def test_the_latest_steps_are_told_each_once() -> None:
    told = answer(*(f"shelf {n}" for n in range(20)))
    assert [int(n) for n in re.findall(r"shelf (\d+)", told)] == [14, 15, 16, 17, 18, 19]
    asked = ask("nothing")
    again = [*steps(asked.turns)] * 5
    assert partial.answer(asked, again, "it was late", "en").count("nothing") == 1


@given(st.lists(st.text(max_size=60).map(lambda text: text * 200), max_size=30), st.text(max_size=4000))
def test_it_stays_readable(results: list[str], call: str) -> None:
    told = answer(*results, call=call)
    assert len(told) < 6 * 620 + 900
    assert told.startswith("This task was stopped")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_nudge_is_a_remark_in_brackets(language: str) -> None:
    nudge = partial.nudge(language)
    assert (nudge[0], nudge[-1]) == ("[", "]")
    assert len(nudge) < 250
