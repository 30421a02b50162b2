import json

import pytest

from proxy.repair.normalise import MAX_DEPTH
from proxy.repair.schema import compile_schema


def compiled(schema):
    return compile_schema(json.dumps(schema).encode())


def valid(schema, value):
    checker = compiled(schema)
    assert checker.usable, checker.findings
    return not checker.problems(value)


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"items": [{"type": "number"}, {"type": "string"}], "additionalItems": False}, [1.5, "kg"], [1.5, "kg", 1]),
        ({"prefixItems": [{"type": "number"}], "items": {"type": "string"}}, [1, "a"], [1, 2]),
        ({"type": "string", "nullable": True}, None, 1),
        ({"enum": ["a"], "nullable": True}, None, "b"),
        ({"type": ["string"], "nullable": True}, None, 1),
        ({"$ref": "#/$defs/s", "nullable": True, "$defs": {"s": {"type": "string"}}}, None, 1),
        ({"anyOf": [{"type": "string"}], "nullable": True}, None, 1),
        ({"exclusiveMinimum": True, "minimum": 3}, 4, 3),
        ({"exclusiveMinimum": 3}, 4, 3),
        ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, {"a": 1, "b": 1}, {"c": 1}),
        ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"a": 1}, {"b": 1}),
        ({"definitions": {"p": {"type": "string"}}, "$ref": "#/definitions/p"}, "x", 1),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {}, {"a": 1}),
        ({"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}, "required": ["v"]}}, "$ref": "#/$defs/n"},
         {"v": 1, "next": {"v": 2}}, {"v": 1, "next": {}}),
        ({"unevaluatedProperties": True, "required": ["a"]}, {"a": 1}, {}),
        (True, 1, None),
        (False, None, 1),
    ],
)  # fmt: skip
def test_drafts_and_dialects_are_read_alike(schema, right, wrong):
    if schema is not False:
        assert valid(schema, right)
    if schema is not True:
        assert not valid(schema, wrong)


def test_an_old_draft_says_that_a_reference_silences_its_siblings():
    schema = {"$ref": "#/definitions/s", "minLength": 3, "definitions": {"s": {"type": "string"}}}
    assert not valid(schema, "a")
    assert valid({"$schema": "http://json-schema.org/draft-07/schema#", **schema}, "a")


@pytest.mark.parametrize(
    "schema",
    [
        [],
        "string",
        {"type": "str"},
        {"type": []},
        {"type": {"a": 1}},
        {"properties": []},
        {"properties": {"a": "string"}},
        {"required": "a"},
        {"required": [1]},
        {"minimum": "3"},
        {"minimum": True},
        {"minLength": -1},
        {"multipleOf": 0},
        {"pattern": 3},
        {"enum": "a"},
        {"anyOf": {"type": "string"}},
        {"$ref": 3},
        {"format": 3},
        {"uniqueItems": "yes"},
        {"dependencies": {"a": [1]}},
        {"dependentRequired": []},
        {"patternProperties": []},
        {"items": 3},
        {"exclusiveMaximum": "3"},
        {"maximum": float("inf")},
    ],
)
def test_a_bad_schema_switches_checking_off_and_says_where(schema):
    checker = compiled(schema)
    assert not checker.usable
    assert checker.problems({"anything": "goes"}) == ()
    (finding,) = checker.findings
    assert finding.kind == "bad_schema"
    assert finding.message


@pytest.mark.parametrize(
    ("schema", "kind", "path"),
    [
        ({"properties": {"a": {"$ref": "#/$defs/Gone"}}}, "unresolved_ref", "/properties/a/$ref"),
        ({"properties": {"a": {"$ref": "https://example.test/s.json"}}}, "unresolved_ref", "/properties/a/$ref"),
        ({"properties": {"a": {"pattern": "(?!x)"}}}, "pattern_not_checked", "/properties/a/pattern"),
        ({"patternProperties": {"(?!x)": {}}}, "pattern_not_checked", "/patternProperties"),
        ({"properties": {"a": {"enum": []}}}, "ignored_keyword", "/properties/a/enum"),
        ({"properties": {"a": {"required": True}}}, "ignored_keyword", "/properties/a/required"),
        ({"properties": {"a": {"anyOf": []}}}, "ignored_keyword", "/properties/a/anyOf"),
        ({"description": None, "items": None}, "ignored_keyword", "/items"),
        ({"allOf": [{}], "unevaluatedProperties": False}, "not_checked", "/unevaluatedProperties"),
    ],
)
def test_what_cannot_be_checked_is_let_pass_and_reported_once(schema, kind, path):
    checker = compiled(schema)
    assert checker.usable
    assert [(finding.kind, finding.path) for finding in checker.findings] == [(kind, path)]
    assert checker.problems({"a": {"b": [1]}}) == ()


def test_an_unresolvable_reference_leaves_the_rest_checked():
    schema = {"properties": {"m": {"$ref": "#/$defs/Gone"}, "n": {"type": "integer"}}}
    assert [problem.path for problem in compiled(schema).problems({"m": 1, "n": "2"})] == ["/n"]


def test_a_reference_to_nested_definitions_is_used_and_reported():
    nested = {"$defs": {"M": {"type": "object"}}, "properties": {"m": {"$ref": "#/$defs/M"}}}
    checker = compiled({"properties": {"request": nested}})
    (finding,) = checker.findings
    assert "#/$defs/M" in finding.message
    assert [problem.path for problem in checker.problems({"request": {"m": 3}})] == ["/request/m"]


def test_references_that_only_go_round_say_nothing():
    assert valid({"$ref": "#"}, {"a": 1})
    assert valid({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}, 5)


def test_nesting_has_a_limit_and_a_chain_of_references_is_no_nesting():
    deep: dict = {}
    for _ in range(MAX_DEPTH + 2):
        deep = {"properties": {"a": deep}}
    assert [finding.kind for finding in compiled(deep).findings] == ["too_deep"]
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(300)}
    assert not valid({"$ref": "#/$defs/d0", "$defs": {**chain, "d300": {"type": "string"}}}, 1)


def test_size_has_a_limit():
    wide = {"properties": {f"p{n}": {"title": "x"} for n in range(20_001)}}
    checker = compiled(wide)
    assert ([finding.kind for finding in checker.findings], checker.usable) == (["too_large"], False)
