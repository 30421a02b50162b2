import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.literals import Num
from proxy.repair.text import (
    MAX_DEPTH,
    NOT_A_NUMBER,
    NOT_AN_OBJECT,
    TOO_DEEP,
    TOO_LONG,
    Mended,
    Parsed,
    Unreadable,
    has_lone_surrogate,
    mend,
    parse,
    read_nested,
    whole_characters,
)


def read(text, **how):
    result = parse(text, **how)
    assert isinstance(result, Parsed)
    return result.value


def mended(text):
    result = mend(text)
    return (result.text, [fix.kind for fix in result.fixes]) if isinstance(result, Mended) else result


def test_strict_json_is_read_with_exact_numbers():
    assert parse('{"n": 123456789012345678901234567890, "f": 1.50}') == Parsed(
        {"n": 123456789012345678901234567890, "f": 1.5}
    )
    exact = read("[1.50]", exact=True)[0]
    assert isinstance(exact, Num)
    assert exact.literal == "1.50"


def test_a_key_that_stands_twice_is_noted_and_the_last_counts():
    assert parse('{"a":1,"b":{"c":1,"c":2},"a":3}') == Parsed({"a": 3, "b": {"c": 2}}, ("c", "a"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":NaN}', NOT_A_NUMBER),
        ("-Infinity", NOT_A_NUMBER),
        ('{"n":' + "9" * 5000 + "}", NOT_A_NUMBER),
        ("[" * 6000 + "]" * 6000, TOO_DEEP),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), TOO_DEEP),
        ("{} {}", "Extra data"),
        ("", "Expecting value"),
    ],
)
def test_what_is_no_json_is_a_value_and_no_exception(text, reason):
    result = parse(text)
    assert isinstance(result, Unreadable)
    assert result.reason == reason
    assert result.said("en")
    assert result.said("zh") != result.said("en")


def test_width_is_not_depth():
    assert isinstance(parse("[" + "[]," * 500 + "[]]"), Parsed)


@given(st.text(st.sampled_from("{}[]:,\"'\\ \n-0.1eNaItruf\ud83d"), max_size=60))
def test_no_text_raises(text):
    parse(text)
    result = mend(text)
    if isinstance(result, Mended):
        assert isinstance(read(result.text, lax=True), dict)
        assert not has_lone_surrogate(result.text)


@pytest.mark.parametrize(
    ("text", "result", "kinds"),
    [
        ("", "{}", ["empty arguments"]),
        (" \n", "{}", ["empty arguments"]),
        ("null", "{}", ["empty arguments"]),
        ('```json\n{"a": 1}\n```', '{"a": 1}', ["code fence"]),
        ('```\n{"a": 1}', '{"a": 1}', ["code fence"]),
        ("```python\n{'a': True}```", '{"a": true}', ["code fence", "python literals"]),
        ('"{\\"city\\":\\"Turin\\"}"', '{"city":"Turin"}', ["double encoding"]),
        ('"{\\"a\\":[1,],}"', '{"a":[1]}', ["double encoding", "trailing comma"]),
        ("{'a': [1, 2", None, None),
        ("{'a': [1, 2]", '{"a": [1, 2]}', ["closed brackets", "python literals"]),
        (
            '{a: "x\ny",}<|end|>',
            '{"a": "x\\ny"}',
            ["trailing text", "unquoted key", "trailing comma", "control characters"],
        ),
        ('\ufeff{"a":1}', '{"a":1}', ["byte order mark"]),
        ('{"a":"\\ud83d x"}', '{"a":"\\ufffd x"}', ["lone surrogate"]),
        ('{"a":"\ud83d x"}', '{"a":"� x"}', ["lone surrogate"]),
        ('{"a":"\ud83c\udf78"}', '{"a":"🍸"}', ["lone surrogate"]),
        ('{"a":"\\ud83c\\udf78",}', '{"a":"\\ud83c\\udf78"}', ["trailing comma"]),
    ],
)
def test_known_kinds_of_damage_are_undone_and_named(text, result, kinds):
    found = mended(text)
    assert isinstance(found, Unreadable) if result is None else found == (result, kinds)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1, 2]", NOT_AN_OBJECT),
        ('"\\"{}\\""', NOT_AN_OBJECT),
        ("5", NOT_AN_OBJECT),
        ('Here: {"a":1}', "Expecting value"),
        ('{"a":"b', "Unterminated string starting at"),
        ("{'q': 'what's on'}", "Expecting property name enclosed in double quotes"),
        ('{"path":"C:\\Users"}', "Invalid \\escape"),
        ('{"a":1}{"b":2}', "Extra data"),
        ("```\nprose\n```", "Expecting value"),
        ('{"a":1}' + "," * 5000, TOO_LONG),
        ('{"a":' * 200, "Expecting value"),
        ('{"a":' * 6000, TOO_DEEP),
    ],
)
def test_what_is_not_certain_is_left_with_the_reason(text, reason):
    assert mended(text).reason == reason


def test_nan_is_read_but_not_settled_here():
    result = mend('{"a":NaN,"b":-Infinity}')
    assert isinstance(result, Mended)
    assert math.isnan(result.value["a"])
    assert result.fixes == ()


def test_escapes_of_escapes_are_no_surrogates():
    assert not has_lone_surrogate('{"a":"\\\\ud83d"}')
    assert not has_lone_surrogate('{"a":"\\ud83c\\udf78é"}')
    assert has_lone_surrogate('{"a":"\\udf78\\ud83c"}')
    assert whole_characters("\\\\ud83d\\ud83d") == "\\\\ud83d\\ufffd"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["a","b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        (' {"k": [1,2]} ', {"k": [1, 2]}),
        ("{a: 1,}", {"a": 1}),
        ("[1, 2", None),
        ("[1] and [2]", None),
        ("[NaN]", None),
        ("a, b", None),
        ("5", None),
        ("", None),
    ],
)
def test_a_string_may_hold_an_array_or_object(text, value):
    assert read_nested(text) == value
