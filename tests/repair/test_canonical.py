import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.canonical import canonical

SCHEMA = {
    "properties": {
        "q": {"type": "string"},
        "page": {"type": "integer", "default": 1},
        "filter": {"type": "object", "properties": {"open": {"type": "boolean", "default": False}}},
    }
}
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a":1,"b":2}', '{ "b": 2, "a": 1 }'),
        ('{"t":"caf\\u00e9"}', '{"t":"café"}'),
        ('{"t":"cafe\u0301"}', '{"t":"café"}'),
        ('{"n":1.0}', '{"n":1}'),
        ('{"n":1e2}', '{"n":100}'),
        ('{"n":-0.0}', '{"n":0}'),
        ('{"u":"\\/x"}', '{"u":"/x"}'),
        ("", "{}"),
        ('{"q":"x"}', '{"q":"x","page":1}'),
        ('{"q":"x","filter":{}}', '{"q":"x","filter":{"open":false}}'),
        ({"q": "x", "page": 1.0}, '{"q":"x"}'),
    ],
)
def test_what_does_the_same_is_equal(one, other):
    assert canonical(one, SCHEMA) == canonical(other, SCHEMA)
    assert canonical(one, json.dumps(SCHEMA).encode()) == canonical(other, SCHEMA)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"t":"A"}', '{"t":"a"}'),
        ('{"l":[1,2]}', '{"l":[2,1]}'),
        ('{"n":"1"}', '{"n":1}'),
        ('{"n":true}', '{"n":1}'),
        ('{"n":null}', "{}"),
        ('{"n":12345678901234567890}', '{"n":12345678901234567891}'),
        ('{"t":"a "}', '{"t":"a"}'),
        ('{"q":"x","page":2}', '{"q":"x"}'),
        ('{"q":"x","filter":{}}', '{"q":"x"}'),
        ("not json", '"not json"'),
        ("not json", "not  json"),
        ('"a"', "a"),
    ],
)
def test_what_may_do_something_else_is_not(one, other):
    assert canonical(one, SCHEMA) != canonical(other, SCHEMA)


@given(JSON)
def test_a_value_and_its_text_in_any_spelling_are_one(value):
    spellings = [json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)]
    assert {canonical(text) for text in spellings} == {
        canonical(value) if not isinstance(value, str) else canonical(spellings[0])
    }


@given(st.text())
def test_no_text_raises(text):
    assert canonical(text, SCHEMA) == canonical(text, SCHEMA)


@pytest.mark.parametrize(
    "schema", [None, b"", b"not json", b'{"default": 1}', {"properties": []}, {"properties": {"a": True}}]
)
def test_a_schema_that_says_nothing_adds_nothing(schema):
    assert canonical('{"b":1}', schema) == b'{"b":1}'


def test_half_characters_are_kept():
    assert canonical('{"a":"\\ud83d"}') == '{"a":"\ud83d"}'.encode("utf-8", "surrogatepass")
    assert canonical("\ud83d{") == b"\x00" + "\ud83d{".encode("utf-8", "surrogatepass")
