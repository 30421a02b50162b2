"""Our evaluation agrees with jsonschema's own, wherever jsonschema's is right."""

import json

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from proxy.repair.literals import Num
from proxy.repair.nodes import Exhausted, Meter, Node, admits_type, known, same_json
from proxy.repair.schema import compile_schema

KEYS = st.sampled_from(["a", "b", "c", "x1"])
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 9), st.sampled_from([0.5, 2.0, -1.5]), st.text("ab1", max_size=3)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
COUNTS = st.integers(0, 3)


def schemas(tuples):
    def wider(inner):
        several = st.lists(inner, min_size=1, max_size=2)
        named = st.dictionaries(KEYS, inner, max_size=2)
        keywords = {
            "type": st.one_of(TYPES, st.lists(TYPES, min_size=1, max_size=2, unique=True)),
            "enum": st.lists(JSON, min_size=1, max_size=3),
            "const": JSON,
            "minimum": st.integers(-2, 5),
            "exclusiveMaximum": st.integers(-2, 5),
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "minLength": COUNTS,
            "maxLength": COUNTS,
            "pattern": st.sampled_from(["^a", "b$", "1"]),
            "minItems": COUNTS,
            "maxItems": COUNTS,
            "uniqueItems": st.booleans(),
            "contains": inner,
            "properties": named,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "1$"]), inner, max_size=1),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "required": st.lists(KEYS, max_size=2, unique=True),
            "minProperties": COUNTS,
            "propertyNames": inner,
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            **tuples(inner, several),
        }
        return st.lists(st.sampled_from(sorted(keywords)), max_size=3, unique=True).flatmap(
            lambda chosen: st.fixed_dictionaries({name: keywords[name] for name in chosen})
        )

    return st.recursive(st.one_of(st.booleans(), st.builds(dict)), wider, max_leaves=6)


NEW = schemas(
    lambda inner, several: {
        "prefixItems": several,
        "items": inner,
        "dependentRequired": st.dictionaries(KEYS, st.lists(KEYS, max_size=2, unique=True), max_size=2),
        "dependentSchemas": st.dictionaries(KEYS, inner, max_size=1),
    }
)
OLD = schemas(
    lambda inner, several: {
        "items": st.one_of(inner, several),
        "additionalItems": inner,
        "dependencies": st.dictionaries(KEYS, st.one_of(inner, st.lists(KEYS, max_size=2, unique=True)), max_size=1),
    }
)


def judged(schema, value):
    checker = compile_schema(json.dumps(schema).encode())
    assert checker.usable, checker.findings
    return not checker.problems(value)


@settings(max_examples=500, deadline=None)
@given(schema=NEW, value=JSON)
def test_the_new_draft_is_judged_as_jsonschema_judges_it(schema, value):
    assert judged(schema, value) == Draft202012Validator(schema).is_valid(value)


@settings(max_examples=300, deadline=None)
@given(schema=OLD, value=JSON)
def test_draft_07_is_judged_as_jsonschema_judges_it(schema, value):
    if isinstance(schema, dict):
        schema = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    verdict = judged(schema, value)
    try:
        expected = Draft7Validator(schema).is_valid(value)
    except TypeError:  # jsonschema takes the length of a boolean `items` that stands beside `additionalItems`
        reject()
    assert verdict == expected


def test_a_boolean_for_all_items_leaves_nothing_to_additional_ones():
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "items": False, "additionalItems": {}}
    assert judged(schema, [])
    assert not judged(schema, [1])
    assert judged({**schema, "items": True, "additionalItems": False}, [1])


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"multipleOf": 0.01}, 19.99, True),
        ({"multipleOf": 0.1}, 0.35, False),
        ({"multipleOf": 3}, Num("1e999"), True),
        ({"type": "number"}, float("nan"), False),
        ({"type": "number"}, float("inf"), False),
        ({"type": "number"}, Num("1e999"), True),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, True, False),
        ({"type": "integer"}, 10**40, True),
        ({"uniqueItems": True}, [1, True, 0, False, "1"], True),
        ({"uniqueItems": True}, [{"a": 1}, {"a": 1.0}], False),
    ],
)
def test_numbers_and_equality_are_those_of_json(schema, value, valid):
    assert judged(schema, value) is valid


def test_a_meter_ends_a_check():
    meter = Meter()
    node = Node(meter)
    node["type"] = "string"
    meter.left = 1
    assert node.takes("x")
    with pytest.raises(Exhausted):
        list(node.errors(1))


def test_an_unchecked_pattern_may_know_any_property():
    node = Node(Meter())
    node["properties"] = {"a": Node(node.meter)}
    assert known(node, "a")
    assert not known(node, "b")
    node["patternProperties"] = [(None, Node(node.meter))]
    assert known(node, "b")


@pytest.mark.parametrize(
    ("schema", "value", "admitted"),
    [
        ({"type": ["string", "null"]}, None, True),
        ({"enum": ["a", 1]}, "z", True),
        ({"enum": ["a"]}, 1, False),
        ({"const": 1}, True, False),
        ({"$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}}, 1, False),
        ({"$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}, "nullable": True}, None, True),
        ({"allOf": [{"type": "string"}, {}]}, 1, False),
        ({"minimum": 3}, "x", True),
    ],
)
def test_a_node_says_which_types_it_takes_at_all(schema, value, admitted):
    assert admits_type(compile_schema(json.dumps(schema).encode()).root, value) is admitted


def test_equal_json_values_are_the_same():
    assert same_json({"a": [1, 2.0]}, {"a": [1.0, 2]})
    assert not same_json([True], [1])
    assert not same_json("1", 1)
