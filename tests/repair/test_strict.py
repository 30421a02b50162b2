"""Schemas in the subset that providers decode under, and that nothing is lost on the way there and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from proxy.repair.nulls import without_nulls
from proxy.repair.schema import compile_schema
from proxy.repair.strict import MAX_SCHEMA, Carried, Uncarried, carried


def made(schema, *, checked=True):
    found = carried(json.dumps(schema).encode(), checked=checked)
    assert isinstance(found, Carried), found
    return json.loads(found.schema)


def lost(schema, *, checked=True):
    found = carried(json.dumps(schema).encode(), checked=checked)
    assert isinstance(found, Uncarried), found
    return found


def one(schema, *, required=True, **more):
    return {"type": "object", "properties": {"x": schema}, "required": ["x"] if required else [], **more}


def carried_one(schema, **options):
    return made(one(schema, **options))["properties"]["x"]


def test_every_property_is_required_and_none_beside_them():
    assert made(one({"type": "string"})) == {
        "type": "object",
        "properties": {"x": {"type": "string"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert made({"type": "object", "properties": {}})["required"] == []


@pytest.mark.parametrize(
    ("schema", "nullable"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
        ({"enum": ["a", "b"]}, {"type": ["string", "null"], "enum": ["a", "b", None]}),
        ({"const": 3}, {"type": ["integer", "null"], "enum": [3, None]}),
        (
            {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
            {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "null"}]},
        ),
        (
            {"type": "array", "items": {"type": "string"}, "description": "names"},
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "description": "names"},
        ),
        ({"type": "string", "nullable": True, "default": None}, {"type": ["string", "null"]}),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
    ],
)
def test_what_may_be_left_out_may_be_null(schema, nullable):
    assert carried_one(schema, required=False) == nullable


def test_null_that_means_something_else_than_left_out_cannot_be_carried():
    assert lost(one({"type": ["string", "null"]}, required=False)).path == "/properties/x"
    assert carried_one({"type": ["string", "null"]}) == {"type": ["string", "null"]}


def test_what_no_decoder_knows_is_told_in_words():
    told = carried_one({"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9, "default": 3})
    assert told == {"type": "integer", "description": "How many. (minimum: 1, maximum: 9, default: 3)"}
    assert carried_one({"type": "string", "format": "uri", "pattern": "^h"}) == {
        "type": "string",
        "description": "(format: uri, pattern: ^h)",
    }
    assert carried_one({"type": "string", "format": "date"}) == {"type": "string", "format": "date"}
    assert carried_one({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}) == {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "description": "(maxItems: 2)",
    }


def test_a_bound_is_left_to_words_only_where_it_is_checked_afterwards():
    assert lost(one({"type": "integer", "minimum": 1}), checked=False).path == "/properties/x/minimum"
    assert "nothing checks" in lost(one({"type": "string", "pattern": "(?=a)"})).why
    assert lost(one({"oneOf": [{"type": "string"}, {"type": "integer"}]}), checked=False).path == "/properties/x/oneOf"
    # a default and an unknown format bind nobody
    assert made(one({"type": "integer", "default": 1, "format": "int32"}), checked=False)


def test_references_and_single_parts_are_written_out():
    colour = {"type": "string", "enum": ["red", "blue"], "description": "any"}
    for reference in ({"$ref": "#/$defs/C"}, {"allOf": [{"$ref": "#/$defs/C"}]}):
        schema = one({**reference, "description": "of the car"}, **{"$defs": {"C": colour}})
        assert made(schema)["properties"]["x"] == {**colour, "description": "of the car"}
    narrowed = one({"$ref": "#/$defs/C", "enum": ["red", "green"]}, **{"$defs": {"C": colour}})
    assert made(narrowed)["properties"]["x"]["enum"] == ["red"]
    assert "$defs" not in made(narrowed)


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({}, "/properties/x"),
        (True, "/properties/x"),
        ({"type": "object"}, "/properties/x"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "/properties/x"),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}, "/properties/x"),
        (
            {"type": "object", "properties": {}, "required": ["a"], "additionalProperties": False},
            "/properties/x/required",
        ),
        ({"type": "array"}, "/properties/x"),
        ({"type": "array", "items": [{"type": "string"}]}, "/properties/x"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "/properties/x/prefixItems"),
        ({"not": {"type": "string"}}, "/properties/x/not"),
        ({"type": "string", "if": {"const": "a"}}, "/properties/x/if"),
        ({"allOf": [{"type": "string"}, {"minLength": 1}]}, "/properties/x/allOf"),
        ({"anyOf": [{"type": "string"}], "type": "string"}, "/properties/x/anyOf"),
        ({"anyOf": [{"type": "string"}], "oneOf": [{"type": "string"}]}, "/properties/x/anyOf"),
        ({"type": "string", "enum": [1]}, "/properties/x/enum"),
        ({"enum": [{"a": 1}]}, "/properties/x"),
        ({"$ref": "#/$defs/gone"}, "/properties/x/$ref"),
        ({"$ref": "#/$defs/A", "allOf": [{"minLength": 1}]}, "/properties/x/allOf"),
        ({"$ref": "#/$defs/A", "type": "integer"}, "/properties/x/type"),
        ({"$ref": "#/$defs/Self"}, "/properties/x/properties/next/items"),
        ({"type": "strin"}, "/properties/x"),
    ],
)
def test_what_words_cannot_tell_leaves_the_schema_as_it_is(schema, path):
    itself = {"type": "object", "properties": {"next": {"type": "array", "items": {"$ref": "#/$defs/Self"}}}}
    assert lost(one(schema, **{"$defs": {"A": {"type": "string"}, "Self": itself}})).path == path


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"null", b'{"type":"array"}', b'{"type":"object"}', b"[" * 9999])
def test_what_is_no_schema_of_an_object_is_said_to_be_none(raw):
    assert isinstance(carried(raw, checked=True), Uncarried)


def test_work_is_bounded():
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(12):
        deep = {"type": "array", "items": deep}
    assert "deeper" in lost(one(deep)).why
    assert "bytes" in lost(one({"type": "string", "description": "x" * MAX_SCHEMA})).why
    assert "values" in lost(one({"enum": [str(n) for n in range(1001)]})).why
    twice = {f"d{n}": one({"$ref": f"#/$defs/d{n + 1}"}, required=True) for n in range(9)}
    for schema in twice.values():
        schema["properties"]["y"] = schema["properties"]["x"]
        schema["required"] = ["x", "y"]
    huge = {**twice["d0"], "$defs": {**twice, "d9": {"type": "string", "description": "x" * 200}}}
    assert lost(huge).why


# ---------------------------------------------------------------- laws

NAMES = st.sampled_from(["a", "b", "c"])
LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "boolean"},
        {"enum": ["x", "y", 3]},
        {"type": ["string", "integer"]},
        {"type": ["integer", "null"], "default": None},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    ]
)


def objects(inner):
    return st.builds(
        lambda properties, required: {
            "type": "object",
            "properties": properties,
            "required": sorted(required & properties.keys()),
            "additionalProperties": False,
        },
        st.dictionaries(NAMES, inner, max_size=3),
        st.sets(NAMES),
    )


PARTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        objects(inner),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda one, other: {"anyOf": [one, other]}, objects(inner), objects(inner)),
    ),
    max_leaves=5,
)
SCHEMAS = objects(PARTS)


def instances(schema):
    """Values that are valid under a schema of the kinds above."""
    if "anyOf" in schema:
        return st.one_of([instances(branch) for branch in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of([_of_kind(kind, schema) for kind in kinds])


def _of_kind(kind, schema):
    if kind == "object":
        members = {name: instances(part) for name, part in schema["properties"].items()}
        needed = {name: members[name] for name in schema["required"]}
        return st.fixed_dictionaries(needed, optional={n: v for n, v in members.items() if n not in needed})
    if kind == "array":
        return st.lists(instances(schema["items"]), max_size=2)
    simple = {"string": st.text(max_size=3), "integer": st.integers(), "boolean": st.booleans(), "null": st.none()}
    return simple[kind]


SUBSET = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "format", "minItems"}


def in_subset(schema):
    assert schema.keys() <= SUBSET | {"title", "description"}
    if "properties" in schema:
        assert list(schema["properties"]) == schema["required"]
        assert schema["additionalProperties"] is False
    for part in (
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", ()),
        *filter(None, [schema.get("items")]),
    ):
        in_subset(part)


@given(st.data(), SCHEMAS)
def test_what_is_decoded_under_it_is_right_by_the_agents_schema(data, schema):
    raw = json.dumps(schema).encode()
    found = carried(raw, checked=False)
    if isinstance(found, Uncarried):
        assert found.why
        return
    strict = json.loads(found.schema)
    in_subset(strict)
    decoded = data.draw(instances(strict))
    text = without_nulls(json.dumps(decoded), compile_schema(raw))
    assert Draft202012Validator(schema).is_valid(json.loads(text))
    assert without_nulls(text, compile_schema(raw)) == text


@given(st.data(), SCHEMAS)
def test_whatever_is_right_by_the_agents_schema_can_still_be_said(data, schema):
    found = carried(json.dumps(schema).encode(), checked=False)
    if isinstance(found, Uncarried):
        return
    wanted = data.draw(instances(schema))
    strict = Draft202012Validator(json.loads(found.schema))
    assert strict.is_valid(filled(wanted, json.loads(found.schema)))


def filled(value, strict):
    """A value with null for what it leaves out, as a decoder writes it."""
    if "anyOf" in strict:
        tries = [filled(value, branch) for branch in strict["anyOf"]]
        fits = [
            one
            for one, branch in zip(tries, strict["anyOf"], strict=True)
            if Draft202012Validator(branch).is_valid(one)
        ]
        return fits[0] if fits else value
    if isinstance(value, dict) and "properties" in strict:
        more = {name: None for name in strict["properties"] if name not in value}
        return {name: filled(item, strict["properties"].get(name, {})) for name, item in {**value, **more}.items()}
    if isinstance(value, list) and "items" in strict:
        return [filled(item, strict["items"]) for item in value]
    return value
