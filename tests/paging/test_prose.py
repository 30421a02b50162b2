from hypothesis import given
from hypothesis import strategies as st

from proxy.paging.prose import Log, Prose, reading

LINES = "".join(f"line {n}\n" for n in range(500))


@given(st.text("ab \n.é界", min_size=1, max_size=300), st.integers(-5, 80))
def test_reading_always_gets_further(text, budget):
    place = 0
    while place < len(text):
        stop = reading(text, place, len(text), budget)
        assert place < stop
        assert len(text[place:stop].encode()) <= max(budget, 4)
        place = stop


def test_text_is_shown_by_lines():
    body = Prose(LINES).show(0, 1000)
    assert body.text.endswith("\n")
    assert body.text == LINES[: body.stop]
    assert body.stop
    assert 700 < len(body.text) <= 1000
    assert Prose(LINES).show(body.stop, 100_000).stop is None


def test_a_log_shows_its_end_at_first_and_its_middle_later():
    body = Log(LINES).show(0, 1000)
    assert body.text == LINES[: body.stop]
    assert body.text.endswith("\n")
    assert LINES.endswith("\n" + body.after)
    assert len(body.after) > len(body.text) > 200
    assert len(body.text) + len(body.after) <= 1000
    assert body.stop
    later = Log(LINES).show(body.stop, 1000)
    assert (later.after, later.start) == ("", body.stop)


def test_a_log_whose_ends_meet_is_read_from_its_start():
    assert Log("x" * 90).show(0, 4000).after == ""
    assert Log("x" * 90).show(0, 4000).stop is None


def test_lines_without_end_are_cut_inside():
    body = Log("x" * 5000).show(0, 1000)
    assert len(body.text) == 400
    assert len(body.after) == 600
