import json

import pytest

from proxy.repair.advice import MAX_TOLD, RAW_SHOWN, advise, not_executed
from proxy.repair.arguments import Rejected, repair
from proxy.repair.schema import compile_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "status": {"enum": ["Open", "Closed"]},
        "when": {"type": "string", "format": "date-time", "description": "Pickup"},
        "amount": {"type": "integer"},
    },
    "required": ["status"],
    "additionalProperties": False,
}


def told(text, lang="en", schema=SCHEMA):
    checker = compile_schema(json.dumps(schema).encode())
    verdict = repair(text, checker)
    assert isinstance(verdict, Rejected)
    return json.loads(advise("book", text, verdict.problems, checker, lang))


def test_every_problem_is_told_with_what_is_allowed_and_a_valid_example():
    advice = told('{"status":"ajar","when":"2026-03-05 10:00","amount":"10-15","zzz":1}')
    assert (advice["status"], advice["code"], advice["type"]) == ("error", "INVALID_ARGUMENTS", "validation")
    assert (advice["retryable"], advice["retry"]) == (True, "with_changes")
    problems = {problem["path"]: problem for problem in advice["problems"]}
    assert problems["/status"]["allowed"] == ["Open", "Closed"]
    assert "UTC offset" in problems["/when"]["problem"]
    assert problems["/when"]["allowed"] == "Pickup"
    assert '"10-15"' in problems["/amount"]["problem"]
    assert problems["/zzz"]["allowed"] == ["status", "when", "amount"]
    assert advice["example"] == {"status": "Open", "when": "2024-01-31T09:30:00Z", "amount": 1}
    assert "book" in advice["message"]
    assert "book" in advice["suggested_action"]
    assert "received" not in advice


@pytest.mark.parametrize("text", ['{"status": "Op', "[1]", "", '{"status": "a"} {"status": "b"}'])
def test_text_that_is_no_object_is_quoted_once(text):
    advice = told(text)
    assert advice["received"] == text
    assert advice["example"] == {"status": "Open"}


def test_the_example_keeps_what_was_right():
    """A made-up value in its place would only be copied."""
    schema = json.loads(json.dumps(SCHEMA))
    schema["properties"]["note"] = {"type": "string"}
    right = {"note": "for Ms Wu", "status": "Closed"}
    example = told(json.dumps({**right, "amount": "10-15"}), schema=schema)["example"]
    assert example == {**right, "amount": 1}
    long = told(json.dumps({"note": "x" * 5000, "status": "Closed", "amount": "10-15"}), schema=schema)["example"]
    assert long == {"status": "Open", "amount": 1}, "not at any length"


def test_a_long_text_is_quoted_shortened():
    assert len(told('{"status": "' + "x" * 5000)["received"]) < RAW_SHOWN + 50


def test_chinese_is_spoken_where_it_is_asked_for():
    advice = told('{"status":"ajar","when":"now"}', "zh")
    assert all("\u4e00" <= advice[key][-2] <= "\u9fff" for key in ("message", "suggested_action"))
    assert all("收到的是" in problem["problem"] for problem in advice["problems"])
    assert "字符串没有结束" in told('{"status": "Op', "zh")["problems"][0]["problem"]
    assert "不是对象" in told("[1]", "zh")["problems"][0]["problem"]


@pytest.mark.parametrize(("lang", "word"), [("en", "cut off by the output limit"), ("zh", "截断")])
def test_a_cut_reply_hears_of_the_limit_and_not_of_json(lang, word):
    text = advise("write", '{"content":"set -e', (), None, lang, cut=True)
    assert word in json.loads(text)["message"]
    assert json.loads(text)["code"] == "OUTPUT_CUT"
    assert "JSON" not in text
    assert "set -e" not in text


def test_an_unknown_tool_hears_what_there_is():
    advice = json.loads(advise("searchDoc", "{}", (), None, offered=["search_docs", "pay"]))
    assert advice["code"] == "UNKNOWN_TOOL"
    assert advice["available_tools"] == ["search_docs", "pay"]
    assert advice["did_you_mean"] == ["search_docs"]
    assert "did_you_mean" not in json.loads(advise("zzz", "{}", (), None, "zh", offered=["pay"]))


@pytest.mark.parametrize(("lang", "word"), [("en", "unchanged"), ("zh", "原样")])
def test_a_valid_sibling_is_told_to_come_again(lang, word):
    text = json.loads(not_executed(lang))
    assert word in text["suggested_action"]
    assert (text["retry"], text["retryable"]) == ("as_is", True)


def test_many_problems_are_counted_and_not_all_told():
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    advice = told(json.dumps({"a": ["x"] * 30}), schema=schema)
    assert len(advice["problems"]) == MAX_TOLD
    assert advice["more_problems"] == 10


def test_half_characters_do_not_reach_the_wire():
    text = advise("t\ud83d", '{"a":"\ud83d', (), None)
    assert text.encode()
