"""Coded bodies are read, and nothing else is taken for one."""

import gzip
import zlib

import brotli
import pytest
import zstandard

from proxy.decoding import decoded

TEXT = b'{"error": {"message": "Incorrect API key provided"}}' * 4


@pytest.mark.parametrize("code", [gzip.compress, zlib.compress, zstandard.compress, brotli.compress])
def test_the_text_under_a_coding(code):
    assert decoded(code(TEXT)) == TEXT


@pytest.mark.parametrize(
    "body",
    [b"", TEXT, b"data: {}\n\n", "中文".encode(), b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8, b"\x1f\x8bno gzip"],
)
def test_what_is_in_no_coding(body):
    assert decoded(body) is None


def test_a_cut_answer_is_read_as_far_as_it_came():
    coded = gzip.compress(bytes(range(256)) * 400)
    assert (decoded(coded[:-20]) or b"").startswith(bytes(range(256)))


def test_a_bomb_is_read_to_the_bound_only():
    assert len(decoded(gzip.compress(bytes(50_000_000))) or b"") == 8 * 1024 * 1024


def test_a_bomb_of_brotli_too():
    assert len(decoded(brotli.compress(bytes(50_000_000))) or b"") <= 8 * 1024 * 1024
