"""Which nulls go: only those that the agent's schema does not take, and that stood for "left out"."""

import json

import pytest

from proxy.repair.nulls import without_nulls
from proxy.repair.schema import compile_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "q": {"type": "string"},
        "n": {"type": "integer"},
        "free": {"type": ["string", "null"]},
        "any": {},
        "list": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "either": {
            "anyOf": [
                {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
                {"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": False},
            ]
        },
    },
    "required": ["q"],
    "$defs": {"Item": {"type": "object", "properties": {"d": {"type": "number"}, "e": {"type": "string"}}}},
}
CHECKER = compile_schema(json.dumps(SCHEMA).encode())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"q":"a","n":null}', '{"q":"a"}'),
        ('{"q": "a", "list": [{"d": 1.50, "e": null}, {"e": "x"}]}', '{"q":"a","list":[{"d":1.50},{"e":"x"}]}'),
        ('{"q":"a","either":{"b":null}}', '{"q":"a","either":{}}'),
    ],
)
def test_a_null_for_what_may_be_left_out_goes(text, left):
    assert without_nulls(text, CHECKER) == left


@pytest.mark.parametrize(
    "text",
    [
        '{"q": "null", "n": 1}',
        '{"q": null}',
        '{"q": "a", "free": null}',
        '{"q": "a", "any": null}',
        '{"q": "a", "unknown": null}',
        '{"q": "a", "either": {"a": null}}',
        '{"q": "a", "n": null, "n": 1}',
        '{"q": "a", "n": null',
        "[null]",
        "null",
        "",
        "[" * 5000 + "null",
    ],
)
def test_all_else_stays_to_the_byte(text):
    assert without_nulls(text, CHECKER) == text


def test_without_a_usable_schema_nothing_goes():
    assert without_nulls('{"n":null}', compile_schema(b"{")) == '{"n":null}'
    assert without_nulls('{"n":null}', compile_schema(b"")) == '{"n":null}'


def test_parts_of_a_schema_are_read_together():
    whole = {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]}
    assert without_nulls('{"a":null,"b":null,"c":null}', compile_schema(json.dumps(whole).encode())) == '{"c":null}'
    loop = {"$ref": "#/$defs/A", "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}}
    assert without_nulls('{"a":null}', compile_schema(json.dumps(loop).encode())) == '{"a":null}'


def test_places_of_a_tuple_are_left_alone():
    pair = {"type": "array", "prefixItems": [{"type": "null"}], "items": {"properties": {"a": {"type": "string"}}}}
    checker = compile_schema(json.dumps({"properties": {"p": pair}}).encode())
    assert without_nulls('{"p":[null,{"a":null}]}', checker) == '{"p":[null,{}]}'
