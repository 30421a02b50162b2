import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.paging import json_parts
from proxy.paging.json_parts import Source, decoded

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=8,
)


def parts(text):
    source = Source(text)
    found = source.parts(*source.span())
    assert found is not None
    return found


def sources(text):
    """(key, source of the value) of each part."""
    return [(part.key, text[part.start : part.end]) for part in parts(text).each]


@given(st.lists(values, max_size=8), st.booleans(), st.sampled_from([None, 1]), st.sampled_from([", ", ",", " ,\n\t"]))
def test_elements_are_found_as_they_are_written(elements, plain, indent, comma):
    written = [json.dumps(value, ensure_ascii=plain, indent=indent) for value in elements]
    assert sources(" [ " + comma.join(written) + "\n] ") == [("", text) for text in written]


@given(st.lists(st.tuples(st.text(max_size=6), values), max_size=8), st.booleans(), st.sampled_from([":", " : "]))
def test_members_are_found_as_they_are_written_also_twice(members, plain, colon):
    written = [(json.dumps(key, ensure_ascii=plain), json.dumps(value)) for key, value in members]
    text = "{" + ", ".join(key + colon + value for key, value in written) + "}"
    assert sources(text) == written
    assert set(parts(text).names) == {key for key, _ in members}


@pytest.mark.parametrize(
    "text",
    ['{"a":12,"b":0,"a":1}', '{"a":1,"a":12,"a":123}', '{"a":1,"b":2,"a":"x"}', '{"a":1,"a":1}', '{"\\u0061":1,"a":2}'],
)
def test_keys_that_stand_twice_in_ways_that_could_mislead(text):
    assert [value for _, value in sources(text)] == [
        json.dumps(value) for _, value in json.loads(text, object_pairs_hook=list)
    ]


def test_many_members_are_walked_lazily_and_alike():
    pairs = {f"k{n}": n for n in range(json_parts.FEW + 1)}
    assert sources(json.dumps(pairs)) == [(f'"{key}"', str(n)) for key, n in pairs.items()]


@pytest.mark.parametrize(
    "text",
    [
        "", "[", "]", "[1", "[1,]", "[1 2]", "[,]", "[1]]", '{"a"}', '{"a":}', '{"a":1,}', "{1:2}", "[1} ", '["a\nb"]',
        "[01]", "1", '"a"', "null", "[NaN,]", "[NaN NaN]", '{"a":NaN,}', "['a']", "[" * 9000 + "]" * 9000,
    ],
)  # fmt: skip
def test_what_is_no_container_has_no_parts(text):
    source = Source(text)
    assert source.parts(*source.span()) is None


def test_what_python_writes_is_read_too():
    assert sources('[NaN,-Infinity,"\\ud800","\ud800"]') == [
        ("", text) for text in ("NaN", "-Infinity", '"\\ud800"', '"\ud800"')
    ]


@given(st.text())
def test_decoded_gives_the_characters(text):
    assert decoded(json.dumps(text)) == text
    assert decoded(json.dumps(text, ensure_ascii=False)) == text


def test_decoded_takes_half_a_pair():
    assert decoded('"a\\ud800"') == "a\ud800"
