from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects import sse

STREAM = 'data: {"a":1}\r\n\r\n: note\n\nevent: x\ndata:one\rdata: two\r\rid: 3\ndata: 工😀\n\n'.encode()


def _events(stream: bytes, cuts: list[int]) -> list[bytes]:
    splitter = sse.Splitter()
    places = [0, *sorted(cuts), len(stream)]
    events = [event for a, b in pairwise(places) for event in splitter.feed(stream[a:b])]
    return [*events, splitter.rest()]


@given(st.lists(st.integers(0, len(STREAM))))
def test_any_cutting_gives_the_same_events(cuts: list[int]) -> None:
    events = _events(STREAM, cuts)
    assert b"".join(events) == STREAM
    assert [sse.data(event) for event in events] == [b'{"a":1}', None, b"one\ntwo", "工😀".encode(), None]


def test_an_event_without_its_blank_line_is_kept_to_the_end() -> None:
    splitter = sse.Splitter()
    assert splitter.feed(b"data: a\n\ndata: b\n") == [b"data: a\n\n"]
    assert splitter.rest() == b"data: b\n"
    assert splitter.rest() == b""


def test_names_and_written_events() -> None:
    event = sse.event(b"{}", b"response.created")
    assert sse.name(event) == b"response.created"
    assert sse.data(event) == b"{}"
    assert sse.name(sse.comment("two\nlines")) is None
    assert sse.comment("two\nlines") == b": two lines\n\n"
