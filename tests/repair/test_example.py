import json

import pytest

from proxy.repair.example import example
from proxy.repair.schema import compile_schema


def shown(schema, *paths):
    return example(compile_schema(json.dumps(schema).encode()), paths)


def required(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "minLength": 6}, "texttt"),
        ({"type": "string", "maxLength": 2}, "a"),
        ({"type": "string", "format": "date"}, "2024-01-31"),
        ({"type": "string", "pattern": "^u-[0-9]+$"}, "u-0"),
        ({"type": "string", "pattern": r"^\p{Lu}\d$", "description": "Such as Z3."}, None),
        ({"type": "string", "pattern": r"^\p{Lu}\d$", "description": "Such as Z3 or so"}, "Z3"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 10}, 10),
        ({"type": "integer", "exclusiveMinimum": 10}, 11),
        ({"type": "integer", "maximum": -4}, -4),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}, 0.5),
        ({"type": "integer", "multipleOf": 5, "minimum": 3}, 5),
        ({"type": "boolean"}, True),
        ({"type": ["null", "string"]}, "text"),
        ({"enum": [None, "Open"]}, "Open"),
        ({"const": "fixed"}, "fixed"),
        ({"type": "string", "default": "en"}, "en"),
        ({"type": "string", "examples": ["Oslo"]}, "Oslo"),
        ({"type": "integer", "default": "wrong"}, 1),
        ({"type": "array", "items": {"type": "string"}}, ["text"]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, [1, "text"]),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, 1),
        ({"allOf": [required(a={"type": "integer"}), required(b={"type": "string"})]}, {"a": 1, "b": "text"}),
        ({"$ref": "#/$defs/n", "nullable": True, "$defs": {"n": {"type": "integer"}}}, 1),
        (required(c={"type": "integer"}), {"c": 1}),
    ],
)  # fmt: skip
def test_the_smallest_valid_value_is_built_from_what_the_schema_says(schema, value):
    definitions = schema.pop("$defs", {})
    built = shown({**required(x=schema), "$defs": definitions})
    assert built == (None if value is None else {"x": value})


def test_optional_properties_are_shown_where_they_are_asked_for():
    schema = {
        **required(a={"type": "string"}),
        "properties": {"a": {"type": "string"}, "when": {"format": "date", "type": "string"}},
    }
    assert shown(schema) == {"a": "text"}
    assert shown(schema, ("when",), ("nonsense", "x")) == {"a": "text", "when": "2024-01-31"}


def test_an_optional_property_that_cannot_be_shown_is_left_out():
    schema = {**required(a={"type": "string"}), "properties": {"a": {"type": "string"}, "b": {"not": {}}}}
    assert shown(schema, ("b",)) == {"a": "text"}


def test_what_cannot_be_valid_has_no_example():
    assert shown(required(a={"type": "string", "minLength": 500})) is None
    assert shown({"type": "str"}) is None
    assert shown({**required(n={"$ref": "#"})}) is None
