"""Server-sent events, framed on bytes: whole events come out as they went in, delimiters included.

An event is decoded only when it is whole, so a character split over two packets is never seen in halves. Knows no API.
"""

import re

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n|\r\n\r(?!\n)|\n\r(?!\n)")
_LINE = re.compile(rb"\r\n|\n|\r")


class Splitter:
    """Cuts a byte stream into events. Any cutting of the input gives the same events."""

    __slots__ = ("_buffer", "_searched")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Whole events (each with its blank line) that end within the data so far."""
        buffer = self._buffer
        buffer += data
        events: list[bytes] = []
        start, search = 0, max(self._searched - 3, 0)
        while found := _END.search(buffer, search):
            end = found.end()
            if end == len(buffer) and buffer[-1] == 13:  # \r: a \n may still belong to it
                break
            events.append(bytes(buffer[start:end]))
            start = search = end
        del buffer[:start]
        self._searched = len(buffer)
        return events

    def rest(self) -> bytes:
        """What came after the last whole event; the splitter is empty then."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        return rest


def data(event: bytes) -> bytes | None:
    """The event's data, its lines joined by a newline; None if it has none (a comment, a blank)."""
    if event.startswith(b"data: ") and event.find(b"\n") == len(event) - 2 and event.endswith(b"\n\n"):
        return event[6:-2]
    found = [
        line[6:] if line.startswith(b"data: ") else line[5:] for line in _LINE.split(event) if line.startswith(b"data:")
    ]
    return b"\n".join(found) if found else None


def name(event: bytes) -> bytes | None:
    """The event's `event:` field."""
    for line in _LINE.split(event):
        if line.startswith(b"event:"):
            return line[6:].strip()
    return None


def event(payload: bytes, kind: bytes | None = None) -> bytes:
    """An event as bytes."""
    return (b"event: " + kind + b"\n" if kind else b"") + b"data: " + payload + b"\n\n"


def comment(text: str) -> bytes:
    return b": " + text.replace("\n", " ").encode() + b"\n\n"
