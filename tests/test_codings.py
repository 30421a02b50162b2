import gzip
import zlib
from itertools import pairwise

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from proxy import codings
from proxy.codings import CodingError, decode, decoder, names, narrowed


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACK = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("coding", PACK)
@given(data=st.binary(max_size=3000), cuts=st.lists(st.integers(0, 3000), max_size=5))
def test_any_cutting_gives_the_same_body(coding, data, cuts):
    packed = PACK[coding](data)
    taken = decoder([coding])
    assert taken
    edges = [0, *sorted(min(cut, len(packed)) for cut in cuts), len(packed)]
    pieces = [packed[a:b] for a, b in pairwise(edges)]
    assert b"".join(out for piece in pieces for out in taken.feed(piece)) == data
    assert taken.finished()


@pytest.mark.parametrize("coding", PACK)
def test_cut_off_shows(coding):
    packed = PACK[coding](bytes(range(256)) * 40)
    with pytest.raises(CodingError, match="cut off"):
        decode(packed[:-9], coding)


@pytest.mark.parametrize("coding", PACK)
def test_garbage_is_an_error(coding):
    with pytest.raises(CodingError):
        decode(b"\xff\x13{not coded at all}" * 20, coding)


@pytest.mark.parametrize("coding", PACK)
def test_bombs_are_bounded(coding, monkeypatch):
    monkeypatch.setattr(codings, "LIMIT", 5_000_000)
    packed = PACK[coding](bytes(40_000_000))
    taken = decoder([coding])
    assert taken
    sizes: list[int] = []
    with pytest.raises(CodingError, match="256 MiB"):
        sizes.extend(len(piece) for piece in taken.feed(packed))
    assert sum(sizes) <= 5_000_000


def test_deflate_with_and_without_its_wrapper():
    assert decode(raw_deflate(b"x" * 99), "deflate") == b"x" * 99


def test_members_and_frames_follow_each_other():
    assert decode(gzip.compress(b"a") + gzip.compress(b"b") + bytes(8), "gzip") == b"ab"
    assert decode(PACK["zstd"](b"a") + PACK["zstd"](b"b"), "zstd") == b"ab"


def test_stacked_codings_come_off_in_reverse():
    assert decode(brotli.compress(gzip.compress(b"x")), "gzip, br") == b"x"


def test_unknown_and_none():
    assert decode(b"x", "dcz") is None
    assert decode(b"x", "gzip, gzip, gzip, gzip") is None
    assert decode(b"x", "Identity") == b"x"
    assert decode(b"", "gzip") == b""
    assert names(" GZIP , identity,br") == ["gzip", "br"]


@pytest.mark.parametrize(
    ("accept", "kept"),
    [
        ("gzip, deflate, br, zstd", "gzip, deflate, br, zstd"),
        ("dcz, gzip;q=0.5", "gzip;q=0.5"),
        ("*;q=0.1", "gzip;q=0.1, deflate;q=0.1, br;q=0.1, zstd;q=0.1"),
        ("identity", "identity"),
        ("dcz", "identity"),
        ("", "identity"),
    ],
)
def test_only_what_can_be_read_is_asked_for(accept, kept):
    assert narrowed(accept) == kept
