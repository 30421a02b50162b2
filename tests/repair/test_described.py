"""What a pack knows, written into the schema that the model sees."""

import json

import pytest

from proxy.repair.described import described, spoken
from proxy.settings.tools import ParameterFacts

SCHEMA = (
    b'{"type":"object", "properties":{"timeout":{"type":"integer","description":"How long to wait","x":1.50},'
    b'"since":{"type":"string"}}}'
)


def told(facts, schema=SCHEMA, language="en"):
    return described(schema, {name: ParameterFacts(**one) for name, one in facts.items()}, language)


def property_of(facts, name="timeout", **options):
    return json.loads(told({name: facts}, **options))["properties"][name]


def test_units_reasons_and_examples_are_said_behind_the_description():
    found = property_of({"unit": "ms", "reason": "the job may hang", "example": 500, "examples": (800,)})
    assert found["description"] == ("How long to wait. Unit: ms. Needed because: the job may hang. Example: 500, 800.")
    found = property_of({"unit": "ms", "reason": "作业可能挂起", "example": 500}, language="zh")
    assert found["description"] == "How long to wait。单位：ms。用途：作业可能挂起。示例：500。"
    assert property_of({"unit": "EUR"}, name="since")["description"] == "Unit: EUR."


def test_bounds_formats_and_values_become_keywords():
    found = property_of({"min": 100, "max": 2.5e3})
    assert (found["minimum"], found["maximum"]) == (100, 2500)
    assert property_of({"format": "date", "enum": ("2024-01-01",)}, name="since") == {
        "type": "string",
        "format": "date",
        "enum": ["2024-01-01"],
    }


def test_a_description_of_the_packs_own_takes_the_place_of_the_tools():
    assert property_of({"description": "Patience.", "unit": "s"})["description"] == "Patience. Unit: s."


def test_a_unit_that_is_told_already_is_not_told_twice():
    schema = b'{"properties":{"timeout_ms":{"type":"integer"},"wait":{"type":"integer","description":"in seconds"}}}'
    facts = {"timeout_ms": {"unit": "ms"}, "wait": {"unit": "s"}}
    assert told(facts, schema) == schema
    assert b"Unit: s." in told({"timeout_ms": {"unit": "s"}}, schema)


def test_what_is_not_touched_stays_the_bytes_that_it_was():
    made = told({"since": {"reason": "cut by day"}})
    assert b'{"type":"integer","description":"How long to wait","x":1.50}' in made
    assert told({"gone": {"unit": "s"}, "since": {}}) == SCHEMA
    assert told({"timeout": {"description": "How long to wait"}}) == SCHEMA
    assert made == told({"since": {"reason": "cut by day"}}), "the same each time"


@pytest.mark.parametrize("schema", [b"", b"{", b"[]", b"null", b'{"properties":[]}', b'{"properties":{"since":true}}'])
def test_what_cannot_be_read_stays(schema):
    assert told({"since": {"unit": "s"}}, schema) == schema


def test_the_language_is_that_of_the_tools_own_words():
    assert spoken("Get the weather", SCHEMA) == "en"
    assert spoken("查询天气", b"{}") == "zh"
    assert spoken("", json.dumps({"properties": {"a": {"description": "要查询的城市"}}}).encode()) == "zh"
    assert spoken("", b"{") == "en"
