import json

import pytest

from proxy.repair.coerce import Reading, coerced
from proxy.repair.literals import Num
from proxy.repair.schema import compile_schema


def read(value, schema, name="x"):
    reading = coerced(value, compile_schema(json.dumps(schema).encode()).root, name)
    return reading and (reading.value, reading.kind)


@pytest.mark.parametrize(
    ("value", "schema", "name", "reading"),
    [
        ("42", {"type": "integer"}, "x", (42, "string to number")),
        ("42 USD", {"type": "integer"}, "amount_usd", (42, "number out of text")),
        ("5 min", {"type": "integer", "x-unit": "ms"}, "x", (300000, "number out of text")),
        (" True", {"type": "boolean"}, "x", (True, "string to boolean")),
        ('["a"]', {"type": "array"}, "x", (["a"], "stringified array")),
        ("{'a': 1}", {"type": "object"}, "x", ({"a": 1}, "stringified object")),
        ("urgent", {"type": "array"}, "x", (["urgent"], "single value to array")),
        (5, {"type": "array"}, "x", ([5], "single value to array")),
        ({"a": 1}, {"type": "array"}, "x", ([{"a": 1}], "single value to array")),
        (12345, {"type": "string"}, "zip_code", ("12345", "number to string")),
        (Num("1.10"), {"type": "string"}, "version", ("1.10", "number to string")),
        (7, {"type": "string", "pattern": "^[0-9]+$"}, "x", ("7", "number to string")),
        (20240305, {"type": "string", "format": "date"}, "x", ("2024-03-05", "date format")),
        ("5", {"type": ["integer", "number"]}, "x", (5, "string to number")),
    ],
)
def test_a_value_is_read_in_the_type_that_is_wanted(value, schema, name, reading):
    assert read(value, schema, name) == reading


@pytest.mark.parametrize(
    ("value", "schema", "name"),
    [
        ("3.14", {"type": "integer"}, "x"),
        ("42 USD", {"type": "integer"}, "amount"),
        ("yes", {"type": "boolean"}, "x"),
        (1, {"type": "boolean"}, "x"),
        (True, {"type": "integer"}, "x"),
        (3.8, {"type": "integer"}, "x"),
        ("a, b", {"type": "array"}, "x"),
        ("red and blue", {"type": "array"}, "x"),
        ("红和蓝", {"type": "array"}, "x"),
        ("[1, 2", {"type": "array"}, "x"),
        ("", {"type": "array"}, "x"),
        ("text", {"type": "object"}, "x"),
        (9, {"type": "string"}, "to"),
        (True, {"type": "string"}, "order_id"),
        (7, {"type": "string", "pattern": "^[a-z]+$"}, "order_id"),
        (20241305, {"type": "string", "format": "date"}, "x"),
        ("<UNKNOWN>", {"type": "array"}, "x"),
        ("5", {"type": ["integer", "array"]}, "x"),
        (None, {"type": "array"}, "x"),
        ("x", {}, "x"),
    ],
)
def test_what_is_not_certain_is_not_read(value, schema, name):
    assert read(value, schema, name) is None


def test_a_reading_is_a_value_with_a_kind():
    assert Reading(1, "x") == Reading(1, "x")
