import math

import pytest

from proxy.repair.nodes import KEYWORDS
from proxy.repair.patterns import compiled
from proxy.repair.wording import form, got, sentence, shown, values


@pytest.mark.parametrize("keyword", sorted({*KEYWORDS, "json", "number", "somethingNew"}))
@pytest.mark.parametrize("expected", [None, "date", 3, ["a", 1], {"a": ["b"]}])
def test_every_keyword_has_a_sentence_in_both_languages(keyword, expected):
    english, chinese = (sentence(keyword, expected, "{x} (string)", ["a"], lang) for lang in ("en", "zh"))
    assert english.isascii()
    assert any("\u4e00" <= character <= "\u9fff" for character in chinese)


def test_a_sentence_says_what_came_and_what_is_right():
    assert sentence("enum", ["Open", 3], '"x" (string)') == 'must be one of "Open", 3, got "x" (string)'
    assert sentence("type", ["integer", "null"], "[] (array)", lang="zh") == "应为 integer 或 null，收到的是 [] (array)"
    assert "2024-01-31T09:30:00Z" in sentence("format", "date-time", '"now" (string)')
    assert sentence("format", "odd", "1 (integer)") == "must be odd, got 1 (integer)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true (boolean)"),
        (3, "3 (integer)"),
        (0.5, "0.5 (number)"),
        (math.nan, "nan (number)"),
        ("a", '"a" (string)'),
        ([1], "[1] (array)"),
        ({"a": 1}, '{"a":1} (object)'),
        (list(range(11)), "[… (11) (array)"),
    ],
)
def test_a_value_is_shown_with_its_type(value, text):
    assert got(value) == text


def test_long_values_and_lists_are_shortened():
    assert shown("x" * 500).endswith("… (500)")
    assert len(shown(["x" * 100] * 10)) < 150
    assert values(list(range(60))).endswith("49 … (60)")


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"enum": ["a"]}, 'one of "a"'),
        ({"const": 1}, "1"),
        ({"$ref": {"type": "string"}}, "string"),
        ({"unlessNull": {"type": "string", "format": "date"}}, "string (date) or null"),
        ({"type": ["string", "null"], "pattern": compiled("^a$")}, "string or null matching ^a$"),
        ({"type": "object", "required": ["a", "b"]}, "object with a, b"),
        ({}, "value"),
    ],
)
def test_a_schema_is_told_in_a_few_words(schema, text):
    assert form(schema) == text
