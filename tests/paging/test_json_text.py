import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.paging.json_text import opaque, string
from proxy.paging.words import WORDS

MARK = WORDS["en"].value
sources = st.builds(
    lambda text, plain: json.dumps(text, ensure_ascii=plain),
    st.text(st.sampled_from('ab "\\\n/é界👍🏽\u0301\ud800'), max_size=200),
    st.booleans(),
)


def read(cutter, text, start, end, budget):
    """All pieces, and what each is marked with."""
    place, pieces, marks = start, [], []
    while place is not None:
        shown, stop = cutter(text, (start, end), place, budget, MARK)
        value = json.loads(shown)
        piece, *mark = re.split(r"…\[cut: (?=[\d,]+ of [\d,]+ char)", value)
        assert bool(mark) is (stop is not None)
        assert stop is None or stop > place
        assert len(shown.encode("utf-8", "surrogatepass")) <= max(budget, 90)
        pieces.append(piece)
        marks += mark
        place = stop
    return pieces, marks


@given(sources, st.integers(0, 3), st.integers(0, 200))
def test_the_pieces_of_a_string_are_the_string(source, before, budget):
    text = " " * before + source + ",1"
    pieces, marks = read(string, text, before, before + len(source), budget)
    value = json.loads(source)
    assert "".join(pieces) == value
    done = 0
    for piece, mark in zip(pieces, marks, strict=False):
        done += len(piece)
        assert mark == f"{done:,} of {len(value):,} characters up to here]"


@given(sources, st.integers(0, 200))
def test_the_pieces_of_a_source_are_the_source(source, budget):
    pieces, _ = read(opaque, source, 0, len(source), budget)
    assert "".join(pieces) == source


@pytest.mark.parametrize("unit", ["\\ud83d\\ude00", "\\\\", "\\u00e9", "\\n", '\\"', "\\ud800", "\\\\ud83d\\udc00"])
def test_no_escape_is_cut(unit):
    text = f'"{unit * 60}"'
    for budget in range(60, 90):
        pieces, _ = read(string, text, 0, len(text), budget)
        assert "".join(pieces) == json.loads(text)
        assert len(pieces) > 1
        assert unit != "\\ud83d\\ude00" or all(piece.encode() for piece in pieces)


def test_a_place_inside_an_escape_is_moved_to_its_edge():
    shown, stop = string('"ab\\u00e9cd"', (0, 12), 6, 100, MARK)
    assert (json.loads(shown), stop) == ("écd", None)
