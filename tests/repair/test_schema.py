import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.schema import BUDGET, MAX_SCHEMA, MAX_VIOLATIONS, compile_schema

KEYWORDS = "type properties items required enum anyOf $ref $defs nullable pattern minimum const not if format default x"
WORDS = st.sampled_from(KEYWORDS.split())
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4), WORDS, st.just("#/$defs/x")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=20,
)


def compiled(schema):
    return compile_schema(json.dumps(schema).encode())


@given(schema=ANYTHING, value=ANYTHING)
def test_no_schema_and_no_value_ever_raise(schema, value):
    checker = compiled(schema)
    problems = checker.problems(value)
    assert checker.usable or not problems


def test_a_schema_is_compiled_once():
    raw = json.dumps({"type": "object", "title": "once"}).encode()
    assert compile_schema(raw) is compile_schema(bytes(raw))


@pytest.mark.parametrize("raw", [b"", b"null", b"{}", b"true"])
def test_a_tool_without_parameters_takes_any_object(raw):
    checker = compile_schema(raw)
    assert (checker.usable, checker.findings, checker.problems({"a": 1})) == (True, (), ())


@pytest.mark.parametrize("raw", [b"{", b"\xff", b'{"minimum": NaN}', b"[" * 100_000, b'"' + b"x" * MAX_SCHEMA + b'"'])
def test_bytes_that_are_no_schema_switch_checking_off(raw):
    checker = compile_schema(raw)
    assert not checker.usable
    assert len(checker.findings) == 1


def test_a_problem_stands_for_itself():
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "How many"}},
        "required": ["n", "m"],
    }
    wrong_type, missing = compiled(schema).problems({"n": "x"})
    assert (wrong_type.path, wrong_type.keyword, wrong_type.expected) == ("/n", "type", "integer")
    assert (wrong_type.message, wrong_type.allowed) == ('/n: expected integer, got "x" (string)', "How many")
    assert (missing.path, missing.keyword, missing.expected) == ("/m", "required", "m")


def test_the_number_of_problems_is_bounded():
    assert len(compiled({"items": {"type": "string"}}).problems(list(range(1000)))) == MAX_VIOLATIONS


def test_a_check_ends_and_says_that_it_is_not_complete():
    rows = {"items": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    assert compiled(rows).check([{"a": 1}] * 10).complete
    assert not compiled(rows).check([{"a": 1}] * (BUDGET + 1)).complete


def test_a_check_that_explodes_ends_too():
    several = {"anyOf": [{"properties": {"x": {"$ref": "#/$defs/n"}}, "required": [name]} for name in "abc"]}
    value: dict = {}
    for _ in range(60):
        value = {"x": value}
    assert not compiled({"$defs": {"n": several}, "$ref": "#/$defs/n"}).check(value).complete


def test_values_deeper_than_the_stack_are_not_complete():
    value: list = []
    for _ in range(5000):
        value = [value]
    assert not compiled({"items": {"$ref": "#"}, "type": "array"}).check(value).complete
