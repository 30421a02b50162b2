import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy import rawjson
from proxy.rawjson import COMPACT, SPACED, UnreadableError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def test_an_edit_leaves_all_else_as_it_was_written() -> None:
    body = rb'{"n": 123456789012345678901234567890, "f": 1.50, "s": "\u00e9\/", "x": 1}'
    edited = rawjson.edit(body, {"x": b"2", "new": b"[]"}, rawjson.style_of(body))
    assert edited == rb'{"n": 123456789012345678901234567890, "f": 1.50, "s": "\u00e9\/", "x": 2, "new": []}'
    assert rawjson.edit(body, {"n": None, "f": None, "s": None}) == b'{"x":1}'


def test_the_senders_separators_are_told() -> None:
    assert rawjson.style_of(b'{"a": 1}') is SPACED
    assert rawjson.style_of(b'{"a":1}') is COMPACT
    assert rawjson.style_of(b"[]") is COMPACT


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=6))
def test_an_object_joined_again_means_the_same(value: dict[str, object]) -> None:
    raw = json.dumps(value).encode()
    assert json.loads(rawjson.obj(rawjson.fields(raw))) == value


@pytest.mark.parametrize("bad", [b"", b"[1", b"null", b'{"a":NaN}', b"[" * 5000, b'{"a":\xff}'])
def test_what_is_no_object_is_unreadable(bad: bytes) -> None:
    with pytest.raises(UnreadableError):
        rawjson.value(rawjson.fields(bad)["a"])


@pytest.mark.parametrize(
    ("body", "mended"),
    [
        (rb'"bin \ud83d end"', rb'"bin \ufffd end"'),
        (rb'"\ud83c\udf78"', rb'"\ud83c\udf78"'),
        (rb'"\\ud83d"', rb'"\\ud83d"'),
        (rb'"\udf78\ud83c"', rb'"\ufffd\ufffd"'),
        (rb'"\uD83D\uDE00 \uD83D"', rb'"\uD83D\uDE00 \ufffd"'),
    ],
)
def test_halves_of_surrogate_pairs_are_mended(body: bytes, mended: bytes) -> None:
    assert rawjson.mended(body) == mended
    json.loads(rawjson.mended(body)).encode()


def test_a_sound_body_is_the_same_object() -> None:
    body = b'{"a":"b"}'
    assert rawjson.mended(body) is body


def test_integers_of_any_size_are_written() -> None:
    assert rawjson.dump({"n": 10**30}) == b'{"n":1000000000000000000000000000000}'
