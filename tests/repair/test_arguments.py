"""The verdict on a call, from text to text."""

import csv
import json
from pathlib import Path

import msgspec
import pytest

from proxy.repair.arguments import MAX_TEXT, RAW_SHOWN, Fine, Rejected, Repair, Repaired, repair
from proxy.repair.schema import compile_schema

SHARED = Path(__file__).parents[3] / "shared"


def checker(schema):
    return compile_schema(json.dumps(schema).encode())


def objects(required=(), **properties):
    return {"type": "object", "properties": properties, "required": list(required)}


def repaired(text, schema):
    verdict = repair(text, schema)
    assert isinstance(verdict, Repaired)
    return verdict


def rejected(text, schema):
    verdict = repair(text, schema)
    assert isinstance(verdict, Rejected)
    return verdict


def notes(text, schema):
    verdict = repair(text, schema)
    assert isinstance(verdict, Fine)
    return verdict.notes


TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
CITY = checker(objects(["city"], city=TEXT))


def test_valid_arguments_leave_byte_for_byte():
    text = '{ "q": "what\'s on at Anna\'s? \\u00e9 \\/ ok", "n": 1.50 }'
    assert repair(text, checker(objects(q=TEXT))) == Fine()


def test_a_key_that_stands_twice_is_noted_and_left():
    assert repair('{"city":"a","city":"b"}', CITY) == Fine(("duplicate key: city",))


@pytest.mark.parametrize(
    ("schema", "text", "result", "kinds"),
    [
        (objects(city=TEXT), '"{\\"city\\":\\"Turin\\"}"', '{"city":"Turin"}', ["double encoding"]),
        (objects(city=TEXT), '{"city":"Oulu"}<|call|>commentary', '{"city":"Oulu"}', ["trailing text"]),
        (objects(), '{"items":[{"sku":"A}1","qty":2}', '{"items":[{"sku":"A}1","qty":2}]}', ["closed brackets"]),
        (objects(t=TEXT), '{"t":"\\ud83c\\udf78",}', '{"t":"\\ud83c\\udf78"}', ["trailing comma"]),
        (objects(t=TEXT), '{"t":"\\ud83c x"}', '{"t":"\\ufffd x"}', ["lone surrogate"]),
        (objects(), "", "{}", ["empty arguments"]),
        (objects(a={"type": ["number", "null"]}), '{"a":NaN}', '{"a":null}', ["NaN to null"]),
        (objects(a=NUMBER), "{'a': '3', 'f': 1.50}", '{"a":3,"f":1.50}', ["python literals", "string to number"]),
        (objects(a={"type": "boolean"}), '{"a": "True"}', '{"a":true}', ["string to boolean"]),
        (objects(version=TEXT), '{"version": 1.10}', '{"version":"1.10"}', ["number to string"]),
        (objects(id=TEXT), '{"id": 12345678901234567890}', '{"id":"12345678901234567890"}', ["number to string"]),
        (objects(id=NUMBER, pos={"type": "object"}), '{"id":4,"pos":null}', '{"id":4}', ["null left out"]),
        (objects(amount_usd=NUMBER), '{"amount_usd":"42 USD"}', '{"amount_usd":42}', ["number out of text"]),
        (objects(timeout_ms=NUMBER), '{"timeout_ms":"5 min"}', '{"timeout_ms":300000}', ["number out of text"]),
    ],
)  # fmt: skip
def test_what_is_certain_is_repaired_and_recorded(schema, text, result, kinds):
    verdict = repaired(text, checker(schema))
    assert (verdict.text, [one.kind for one in verdict.repairs]) == (result, kinds)
    assert repair(verdict.text, checker(schema)) == Fine()
    assert msgspec.json.encode(verdict)


def test_a_stringified_array_is_one_repair_and_a_text_that_looks_like_one_is_left():
    schema = checker(objects(["tags", "body"], tags={"type": "array", "items": TEXT}, body=TEXT))
    verdict = repaired('{"tags":"[\\"a\\",\\"b\\"]","body":"{\\"k\\": [1,2]}"}', schema)
    assert verdict.repairs == (Repair("/tags", "stringified array", '["a","b"]', ["a", "b"]),)
    assert json.loads(verdict.text) == {"tags": ["a", "b"], "body": '{"k": [1,2]}'}


def test_the_dropped_tail_is_in_the_record():
    assert repaired('{"city":"Oulu"}<|call|>commentary', CITY).repairs[0].before == "<|call|>commentary"


@pytest.mark.parametrize(
    ("schema", "text", "paths", "is_object"),
    [
        (objects(amount=NUMBER), '{"amount":"3.14"}', ["/amount"], True),
        (objects(amount=NUMBER), '{"amount":"-1,250 EUR"}', ["/amount"], True),
        (objects(["city"], city=TEXT), "", ["/city"], False),
        (objects(["city"], city=TEXT), "{}", ["/city"], True),
        (objects(), "[1, 2]", [""], False),
        (objects(), '{"a":1}{"b":2}', [""], False),
        (objects(n=NUMBER), '{"n":' + "9" * 5000 + "}", [""], False),
        (objects(n=NUMBER), "[" * 6000 + "]" * 6000, [""], False),
        (objects(n=NUMBER), '{"n":NaN}', ["/n", "/n"], False),
        (objects(["to"], to=TEXT), '{"to":9}', ["/to"], True),
        (objects(n={"type": "integer", "minimum": 1}), '{"n":"0"}', ["/n", "/n"], True),
        (objects(t={"type": "string", "format": "date-time"}), '{"t":"2026-03-05 10:00"}', ["/t"], True),
        ({**objects(a=TEXT), "additionalProperties": False}, '{"zzz":1}', ["/zzz"], True),
    ],
)
def test_what_is_not_certain_is_rejected_with_its_place(schema, text, paths, is_object):
    verdict = rejected(text, checker(schema))
    assert ([problem.path for problem in verdict.problems], verdict.is_object) == (paths, is_object)
    assert msgspec.json.encode(verdict)


def test_a_rejection_tells_what_would_have_been_repaired():
    verdict = rejected('{"a":"1","b":"x"}', checker(objects(a=NUMBER, b=NUMBER)))
    assert verdict.partial == (Repair("/a", "string to number", "1", 1),)


def test_a_cut_reply_is_judged_and_never_repaired():
    schema = checker(objects(path=TEXT, n=NUMBER))
    assert repair('{"path":"run.sh","n":1}', schema, cut=True) == Fine()
    for text in ('{"path":"run.sh"', '{"n":"1"}', "", '{"path":"a\\ud83d"}'):
        assert isinstance(repair(text, schema, cut=True), Rejected)


def test_without_a_usable_schema_only_the_text_is_repaired():
    bad = checker({"type": "object", "properties": {"n": {"type": "int"}}, "required": ["n"]})
    assert repair('{"n":"5"}', bad) == Fine()
    assert repaired('{"n":"5",}', bad).text == '{"n":"5"}'
    assert isinstance(repair("", bad), Rejected)
    assert isinstance(repair('{"n":NaN}', bad), Rejected)
    assert isinstance(repair("prose", bad), Rejected)
    assert repaired("", checker({"type": "obj"})).text == "{}"


def test_a_tool_that_declares_nothing_takes_empty_arguments():
    assert repaired("", compile_schema(b"")).text == "{}"


def test_nan_becomes_null_only_where_null_is_allowed():
    schema = checker(objects(a={"type": ["number", "null"]}, b={}))
    assert repaired('{"a":NaN,"b":[Infinity]}', schema).text == '{"a":null,"b":[null]}'
    assert isinstance(repair('{"a":NaN}', checker(objects(a={"type": "number"}))), Rejected)


def test_size_is_looked_at_first():
    (note,) = notes('{"city":"' + "x" * MAX_TEXT + '"}', CITY)
    assert "not checked" in note
    rows = checker(objects(rows={"type": "array", "items": objects(a=NUMBER)}))
    (note,) = notes(json.dumps({"rows": [{"a": 1}] * 4000}), rows)
    assert "not checked whole" in note
    assert isinstance(repair(json.dumps({"rows": [{"a": "1"}] * 4000}), rows), Rejected)


def test_long_values_are_shortened_in_the_record_only():
    verdict = repaired(json.dumps({"tags": json.dumps(["x" * 50] * 40)}), checker(objects(tags={"type": "array"})))
    assert len(json.loads(verdict.text)["tags"]) == 40
    assert all(len(msgspec.json.encode(one)) < 900 for one in verdict.repairs)
    assert len(rejected("x" * 10_000, CITY).raw) < RAW_SHOWN + 50


def recorded():
    csv.field_size_limit(1 << 20)
    with (SHARED / "recordings" / "invalid_calls.tsv").open(newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="the recordings are not beside the checkout")
def test_no_recorded_cut_reply_is_completed():
    cut = [
        row for row in recorded() if "length" in row["finish"] + row["native_finish"] or "max_" in row["native_finish"]
    ]
    assert len(cut) > 20
    anything = compile_schema(b'{"type": "object"}')
    for row in cut:
        text = row["arguments"] or ""
        assert isinstance(repair(text, anything, cut=True), Rejected)
        if text:
            assert isinstance(repair(text, anything), Rejected), "even if nobody said that it was cut"


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="the recordings are not beside the checkout")
def test_recorded_arguments_that_are_nothing_are_no_arguments():
    nothing = [row for row in recorded() if row["kind"] in ("null", "empty string") and "length" not in row["finish"]]
    assert nothing
    assert {repaired(row["arguments"] or "", compile_schema(b"{}")).text for row in nothing} == {"{}"}
