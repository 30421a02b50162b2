import json

import msgspec
import pytest

from proxy.repair.problems import made
from proxy.repair.schema import compile_schema


def problems(schema, value):
    return compile_schema(json.dumps(schema).encode()).problems(value)


@pytest.mark.parametrize(
    ("schema", "value", "expected", "allowed"),
    [
        ({"enum": ["a", "b"]}, 1, ["a", "b"], ["a", "b"]),
        ({"pattern": "^a$", "description": "An a"}, "b", "^a$", "An a"),
        (
            {"anyOf": [{"type": "integer"}, {"type": "string", "format": "date"}]},
            [],
            ["integer", "string (date)"],
            None,
        ),
        ({"properties": {"a": {"type": "string", "description": "Who"}}, "required": ["a"]}, {}, "a", "string: Who"),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, "b", ["a"]),
        ({"not": {"type": "object"}}, {}, None, None),
        ({"contains": {"type": "integer"}}, [], None, None),
        ({"minItems": 2}, [], 2, None),
    ],
)
def test_a_problem_is_plain_data(schema, value, expected, allowed):
    (found,) = problems(schema, value)
    assert (found.expected, found.allowed) == (expected, allowed)
    assert msgspec.json.encode(found)


def test_circular_schemas_are_plain_too():
    schema = {
        "$defs": {"n": {"anyOf": [{"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]}, {"type": "string"}]}}
    }
    (found,) = problems({**schema, "$ref": "#/$defs/n"}, {})
    assert msgspec.json.encode(found)


def test_a_long_value_is_shown_shortened():
    (found,) = problems({"type": "integer"}, "x" * 10_000)
    assert len(found.got) < 200
    assert len(found.message) < 300


def test_the_whole_is_called_arguments():
    assert made("", "minItems", 3).message == "arguments: must have at least 3 items"
