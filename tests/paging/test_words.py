"""Both languages say the same things about the same numbers."""

from dataclasses import fields
from string import Formatter

import pytest

from proxy.paging.words import WORDS, Words


@pytest.mark.parametrize("name", [field.name for field in fields(Words)])
def test_both_languages_give_the_same_facts(name):
    english, chinese = (
        {key for _, key, _, _ in Formatter().parse(getattr(WORDS[lang], name)) if key} for lang in ("en", "zh")
    )
    assert english == chinese


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_only_what_offers_the_next_part_names_tool_and_cursor(lang):
    for field in fields(Words):
        text = getattr(WORDS[lang], field.name)
        assert ("{tool}" in text) is field.name.endswith("_next")
        assert field.name.endswith("_next") or "cursor" not in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_stands_inside_json_strings_needs_no_escape(lang):
    for name in ("value", "more"):
        assert not {'"', "\\", "\n"} & set(getattr(WORDS[lang], name))
