"""The list of codes: a promise to packs and people."""

import re

from proxy.failures import codes


def test_every_code_is_screaming_snake_and_stands_once():
    names = [code.name for code in codes.ALL]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", name) for name in names)


def test_every_code_says_what_it_means_in_one_line_and_both_languages():
    for code in codes.ALL:
        assert code.en
        assert re.search(r"[\u4e00-\u9fff]", code.zh)
        assert not code.en.endswith(".")


def test_types_and_retries_are_of_the_lists():
    types = {
        "validation", "rate_limit", "timeout", "communication", "unavailable", "auth", "not_found", "conflict",
        "business_rejection", "resource", "bug",
    }  # fmt: skip
    assert {code.type for code in codes.ALL} == types
    assert {code.retry for code in codes.ALL} == {"as_is", "with_changes", "no"}


def test_the_documentation_lists_every_code_in_a_table():
    lines = codes.documented().splitlines()
    assert len(lines) == len(codes.ALL) + 2
    assert all(line.count("|") == 5 for line in lines)
    assert any(line.startswith("| `UNKNOWN_COLUMN` | validation | with_changes |") for line in lines)
