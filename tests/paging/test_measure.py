import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.paging import measure

mixed = st.text(st.sampled_from("ab\r\n é界👍🏽\u0301\u200d🇩🇪\ud800.,"), max_size=80)


def encoded(text):
    return text.encode("utf-8", "surrogatepass")


@given(mixed, st.integers(0, 80), st.integers(0, 80), st.integers(-2, 200))
def test_reach_takes_as_much_as_fits_and_no_half_character(text, start, end, budget):
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    stop = measure.reach(text, start, end, budget)
    assert start <= stop <= end
    assert len(encoded(text[start:stop])) <= max(budget, 0)
    assert stop == end or len(encoded(text[start : stop + 1])) > budget


@given(mixed, st.integers(0, 80), st.integers(0, 200))
def test_reach_back_takes_as_much_of_the_end_as_fits(text, start, budget):
    start = min(start, len(text))
    begin = measure.reach_back(text, start, budget)
    assert start <= begin <= len(text)
    assert len(encoded(text[begin:])) <= budget
    assert begin == start or len(encoded(text[begin - 1 :])) > budget


@given(mixed, st.integers(0, 60), st.integers(0, 80), st.integers(0, 300))
def test_bounded_is_exact_up_to_the_bound(text, start, end, most):
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    exact = len(encoded(text[start:end]))
    found = measure.bounded(text, start, end, most)
    assert found == exact if exact <= most else found > most


@pytest.mark.parametrize("cluster", ["e\u0301", "👍🏽", "👩\u200d👩\u200d👧", "🇩🇪", "\r\n", "☺\ufe0f", "कि"])
def test_whole_keeps_together_what_is_seen_as_one(cluster):
    text = f"ab{cluster}cd"
    for cut in range(3, 2 + len(cluster)):
        assert measure.whole(text, 0, cut) == 2
    assert measure.whole(text, 0, 2) == 2
    assert measure.whole(text, 0, 2 + len(cluster)) == 2 + len(cluster)


def test_whole_gives_up_on_clusters_without_end():
    text = "a" + "\u0301" * 500
    assert measure.whole(text, 0, 300) == 300


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("one two three four.\n\nfive\nsix seven", "one two three four.\n\n"),
        ("aaaa bbbb cccc dddd\nee ff gg", "aaaa bbbb cccc dddd\n"),
        ("aaaa bbbb cccc dddd eeee. ff gg", "aaaa bbbb cccc dddd eeee. "),
        ("一二三四五六七八九十。一二三四", "一二三四五六七八九十。"),
        ("aaaa bbbb cccc dddd eeee ffff", "aaaa bbbb cccc dddd eeee "),
        ("a" * 29, "a" * 27),
    ],
)
def test_pleasant_prefers_paragraphs_then_lines_then_sentences_then_words(text, kept):
    assert text[: measure.pleasant(text, 0, len(text) - 2)] == kept


@given(mixed, st.integers(0, 80), st.integers(1, 80))
def test_pleasant_stays_behind_the_start(text, start, length):
    start = min(start, len(text))
    cut = min(start + length, len(text))
    if cut > start:
        assert start < measure.pleasant(text, start, cut) <= cut
