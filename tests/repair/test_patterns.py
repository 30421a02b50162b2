import pytest

from proxy.repair.patterns import MAX_PATTERN, compiled


def pattern_of(text):
    pattern = compiled(text)
    assert pattern is not None
    return pattern


@pytest.mark.parametrize(
    ("pattern", "found", "missed"),
    [
        ("^u-[0-9]+$", "u-7", "u-7\n"),
        ("b", "abc", "ac"),
        (r"^[\u4e00-\u9fa5]+$", "订单", "order"),
        (r"\\u0041", r"\u0041", "A"),
        (r"^\d{4}\/\d{2}$", "2024/03", "2024-03"),
        ("^.$", "é", "éé"),
    ],
)
def test_patterns_search_as_the_standard_says(pattern, found, missed):
    assert pattern_of(pattern).found(found)
    assert not pattern_of(pattern).found(missed)
    assert pattern_of(pattern).text == pattern


def test_a_pattern_that_hangs_other_engines_is_answered():
    assert not pattern_of("^(a+)+$").found("a" * 5000 + "!")


@pytest.mark.parametrize("pattern", [r"(?=x)", r"(a)\1", "(", "a" * (MAX_PATTERN + 1), "\ud83d"])
def test_what_the_engine_does_not_know_is_not_compiled(pattern):
    assert compiled(pattern) is None


def test_half_a_character_matches_nothing_and_breaks_nothing():
    assert not pattern_of("^[a-z]+$").found("\ud83d")
