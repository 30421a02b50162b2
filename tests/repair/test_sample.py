import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.sample import sample


@pytest.mark.parametrize(
    "pattern",
    [
        "^u-[0-9]+$", r"^[A-Z]{3}-\d{4}$", "^(?:a|b)+c?$", "^[^a]+$", "^(a+)+$", r"^[\w.-]+@x\.y$", "^[]a]$",
        "^.{3,5}$",
        r"^(?P<x>ab)\s$", "^$", "a|b", r"^\S+\W\D$", r"^\[x\]$", r"^[^\d\s]{2}$",
    ],
)  # fmt: skip
def test_the_sample_matches(pattern):
    text = sample(pattern)
    assert text is not None
    assert re.search(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=x)",
        r"\p{L}",
        "[",
        "(",
        "a)",
        "[a",
        "\\",
        r"(a)\1",
        "a{300}",
        "a{150}b{150}",
        "(?<!x)",
        r"[^\s\S]",
        "(" * 5000,
    ],
)
def test_what_is_not_read_gives_none(pattern):
    assert sample(pattern) is None


@given(st.text(st.sampled_from("ab01[](){}|*+?^$.\\-,:dws<>P"), max_size=20))
def test_no_pattern_raises(pattern):
    sample(pattern)
