import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.paging import cursors
from proxy.paging.cursors import Invalid, check, make, ref

SECRET = b"s" * 32
names = st.text(max_size=90)
offsets = st.integers(0, cursors.MAX_OFFSET)


@given(st.binary(max_size=80), names, names, offsets, names)
def test_what_was_made_is_accepted(secret, run, call, offset, credential):
    cursor = make(secret, run, call, offset, credential)
    assert check(secret, cursor, run, credential) == (ref(call), offset)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", cursor)
    assert len(cursor) <= cursors.MAX_LENGTH


@given(names, st.integers(0, 10**9), st.data())
def test_whatever_is_altered_is_refused(call, offset, data):
    cursor = make(SECRET, "run", call, offset, "cred")
    place = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.sampled_from("ABCxyz019_-=! é").filter(lambda char: char != cursor[place]))
    assert isinstance(check(SECRET, cursor[:place] + other + cursor[place + 1 :], "run", "cred"), Invalid)
    assert isinstance(check(SECRET, cursor[:place], "run", "cred"), Invalid)
    assert isinstance(check(SECRET, cursor + other, "run", "cred"), Invalid)


def test_another_run_caller_or_secret_is_refused_and_looks_like_an_altered_one():
    cursor = make(SECRET, "run", "call", 7, "cred")
    assert check(SECRET, cursor, "other", "cred") == Invalid("foreign")
    assert check(SECRET, cursor, "run", "other") == Invalid("foreign")
    assert check(b"other", cursor, "run", "cred") == Invalid("foreign")
    assert check(SECRET, make(SECRET, "ru", "call", 7, "ncred"), "run", "cred") == Invalid("foreign")


@given(st.text(max_size=200))
def test_anything_else_is_refused_without_an_exception(text):
    assert isinstance(check(SECRET, text, "run", "cred"), Invalid)


@pytest.mark.parametrize("text", ["", "=", "A", "A" * 16, "A" * 100_000, "\ud800", "call_1:7"])
def test_what_is_not_of_the_form_says_so(text):
    assert check(SECRET, text, "run", "cred") == Invalid("malformed")


def test_cursors_are_compact_and_always_the_same():
    call = "call_0123456789abcdefghijklmn"
    assert len(make(SECRET, "run", call, 123_456, "cred")) < 64
    assert make(SECRET, "run", call, 5, "cred") == make(SECRET, "run", call, 5, "cred")
    assert make(SECRET, "run", call, 5, "cred") != make(SECRET, "run", call, 6, "cred")


def test_long_ids_go_by_their_digest():
    first, second = "x" * 65, "x" * 64 + "y"
    assert ref("x" * 64) == "x" * 64
    assert len({ref(first), ref(second), first, second}) == 4
    assert len(ref("x" * 10_000)) < 64


def test_offsets_are_positions():
    for offset in (-1, cursors.MAX_OFFSET + 1):
        with pytest.raises(ValueError, match="offset"):
            make(SECRET, "run", "call", offset, "cred")
