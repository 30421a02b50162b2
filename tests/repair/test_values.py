import json

import pytest

from proxy.repair.edits import Repair
from proxy.repair.schema import MAX_VIOLATIONS, compile_schema
from proxy.repair.values import BUDGET, Mender


def mended(schema, value):
    outcome = Mender(compile_schema(json.dumps(schema).encode())).mend(value)
    return outcome.value if outcome.report.clean else None


def prop(schema, **more):
    return {"type": "object", "properties": {"a": schema, **more}}


@pytest.mark.parametrize(
    ("schema", "value", "result"),
    [
        # unions: an exact type beats a coercion, and one result beats two
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "5", 5),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "5", "5"),
        ({"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "integer"}]}, "5", 5),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "5", 5),
        ({"oneOf": [{"type": "boolean"}, {"type": "integer"}]}, "true", True),
        ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, '["a"]', ["a"]),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "2024/3/5", "2024-03-05"),
        (
            {"oneOf": [
                {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
                {"properties": {"kind": {"const": "square"}, "w": {"type": "number"}}, "required": ["kind", "w"]},
            ]},
            {"kind": "Circle", "r": "2"},
            {"kind": "circle", "r": 2},
        ),
        # null
        ({"anyOf": [{"type": "string", "pattern": "^u-"}, {"type": "null"}]}, "null", None),
        ({"type": ["integer", "null"]}, "None", None),
        ({"type": "integer", "nullable": True}, "none", None),
        ({"enum": ["none", "all"]}, "None", "none"),
        ({"anyOf": [{"enum": ["none", "all"]}, {"type": "null"}]}, "None", "none"),
        # several rounds
        ({"type": "array", "items": {"type": "integer"}}, "5", [5]),
        ({"type": "array", "items": {"type": "integer"}}, "['1', '2']", [1, 2]),
        ({"type": "object", "properties": {"b": {"enum": ["Open"]}}}, '{"b": "open"}', {"b": "Open"}),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, "5", 5),
    ],
)  # fmt: skip
def test_a_value_is_brought_to_its_one_valid_form(schema, value, result):
    definitions = schema.get("$defs", {})
    assert mended({**prop(schema), "required": ["a"], "$defs": definitions}, {"a": value}) == {"a": result}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "integer"}]}, "5"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "5"),
        ({"type": "integer", "minimum": 10}, "5"),
        ({"type": "integer"}, "null"),
        ({"type": "integer"}, "<UNKNOWN>"),
        ({"type": "integer"}, None),
        ({"enum": ["a", 1]}, None),
        ({"type": "array", "items": {"type": "integer"}}, "x"),
        ({"not": {"type": "string"}}, "5"),
        ({"anyOf": [{"type": "string", "pattern": "^u-"}, {"type": "null"}]}, "<UNKNOWN>"),
    ],
)
def test_what_stays_invalid_or_could_be_two_is_not_clean(schema, value):
    assert mended({**prop(schema), "required": ["a"]}, {"a": value}) is None


def test_null_is_left_out_only_where_nothing_needs_it():
    schema = {**prop({"type": "integer"}, b={"type": ["string", "null"]}, c={"type": "object"}), "required": ["b"]}
    assert mended(schema, {"a": None, "b": None, "c": None}) == {"b": None}
    assert mended({**schema, "required": ["a", "b"]}, {"a": None, "b": None}) is None
    assert mended({**prop({"type": "array", "items": {"type": "integer"}})}, {"a": [1, None]}) is None


def test_a_null_that_something_depends_on_stays():
    schema = {**prop({"type": "integer"}, b={}), "dependentRequired": {"b": ["a"]}}
    assert mended(schema, {"a": None, "b": 1}) is None


def test_names_of_properties_are_never_taken_for_their_values():
    assert mended({"type": "object", "propertyNames": {"pattern": "^[a-z]$"}}, {" a ": 1}) is None


def test_every_repair_is_recorded_at_its_place_in_the_arguments():
    schema = prop({"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}})
    outcome = Mender(compile_schema(json.dumps(schema).encode())).mend({"a": "[1, '2']"})
    assert outcome.value == {"a": [1, 2]}
    assert outcome.repairs == (
        Repair("/a", "stringified array", "[1, '2']", [1, "2"]),
        Repair("/a/1", "string to number", "2", 2),
    )


def test_a_valid_value_is_returned_as_the_same_object():
    value = {"a": "5"}
    assert Mender(compile_schema(json.dumps(prop({"type": "string"})).encode())).mend(value).value is value


def test_many_wrong_values_are_mended_and_too_many_are_given_up():
    schema = prop({"type": "array", "items": {"type": "integer"}})
    some = [str(n) for n in range(MAX_VIOLATIONS + 10)]
    assert mended(schema, {"a": some}) == {"a": list(map(int, some))}
    assert mended(schema, {"a": [str(n) for n in range(4 * MAX_VIOLATIONS)]}) is None


def test_unions_inside_unions_are_followed_to_a_depth():
    def nested(depth):
        return {"anyOf": [nested(depth - 1), {"type": "null"}]} if depth else {"type": "integer"}

    assert mended(prop(nested(3)), {"a": "5"}) == {"a": 5}
    assert mended(prop(nested(9)), {"a": "5"}) is None


def test_nothing_is_mended_without_a_budget():
    mender = Mender(compile_schema(json.dumps(prop({"type": "integer"})).encode()), left=2)
    assert not mender.mend({"a": "5"}).report.clean


def test_work_is_bounded_even_where_unions_multiply():
    inner = {"type": "object", "properties": {"x": {"$ref": "#/$defs/n"}, "y": {"type": "integer"}}}
    schema = {
        "$defs": {"n": {"anyOf": [{**inner, "required": [name]} for name in "pqrs"]}},
        **prop({"$ref": "#/$defs/n"}),
    }
    value: object = "z"
    for _ in range(40):
        value = {"x": value, "y": "1"}
    mender = Mender(compile_schema(json.dumps(schema).encode()))
    assert not mender.mend({"a": value}).report.clean
    assert mender.left > -BUDGET
