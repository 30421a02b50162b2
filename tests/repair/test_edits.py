import json

import pytest

from proxy.repair.edits import PROPOSALS, Case, Edit, Repair
from proxy.repair.schema import compile_schema


def proposed(schema, value, base=()):
    checker = compile_schema(json.dumps(schema).encode())
    (found,) = checker.check(value).violations
    edit = PROPOSALS[found.keyword](Case(found, value, checker.root, base, 0))
    return edit and (edit.applied(value), edit.repairs)


PROPERTY = {"type": "object", "properties": {"a": {}}}


@pytest.mark.parametrize(
    ("schema", "value", "result", "repair"),
    [
        ({"a": {"type": "integer"}}, "5", 5, Repair("/a", "string to number", "5", 5)),
        ({"a": {"enum": ["Open"]}}, "OPEN", "Open", Repair("/a", "enum spelling", "OPEN", "Open")),
        ({"a": {"const": "Open"}}, "open", "Open", Repair("/a", "enum spelling", "open", "Open")),
        ({"a": {"format": "date"}}, "2024/3/5", "2024-03-05", Repair("/a", "date format", "2024/3/5", "2024-03-05")),
        ({"a": {"format": "email"}}, " a@b ", "a@b", Repair("/a", "outer blanks", " a@b ", "a@b")),
        ({"a": {"pattern": "^[a-z]$"}}, "x\n", "x", Repair("/a", "outer blanks", "x\n", "x")),
    ],
)
def test_each_keyword_proposes_its_own_edit(schema, value, result, repair):
    assert proposed({"properties": schema}, {"a": value}) == ({"a": result}, (repair,))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, "five"),
        ({"enum": ["Open", "Closed"]}, "ajar"),
        ({"format": "date"}, "03/04/2026"),
        ({"format": "email"}, "nobody"),
        ({"pattern": "^[a-z]$"}, " xy "),
    ],
)
def test_a_keyword_that_sees_no_one_reading_proposes_nothing(schema, value):
    assert proposed({"properties": {"a": schema}}, {"a": value}) is None


def test_names_are_changed_by_what_refuses_them():
    closed = {"properties": {"recipient": {}}, "additionalProperties": False}
    repair = Repair("/x/recipent", "property name", "recipent", "recipient")
    assert proposed(closed, {"recipent": 1}, base=("x",)) == ({"recipient": 1}, (repair,))
    missing = {"properties": {"order_id": {}}, "required": ["order_id"]}
    assert proposed(missing, {"orderId": 1})[0] == {"order_id": 1}
    assert proposed(missing, {"other": 1}) is None
    assert proposed(closed, {"zzz": 1}) is None


def test_an_edit_can_leave_a_property_out():
    assert Edit(("a",), "drop", None, ()).applied({"a": 1, "b": 2}) == {"b": 2}


def test_bounds_have_no_proposal():
    assert not {"minimum", "maxLength", "not", "uniqueItems"} & PROPOSALS.keys()
