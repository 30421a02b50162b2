"""Looks for what is really the result when a wrapper stands around it.

`{"stdout": "…", "exit_code": 0}`, MCP's `{"content": [{"type": "text", "text": "{…}"}]}`, JSON written as a JSON
string, `Found 300 rows:` before JSON. The first part is put back into the wrapper, which is small and shown whole;
later parts show what it holds. A wrapper is seen only where it is small beside what it holds, and only one is taken
off.
"""

import json
from dataclasses import dataclass
from typing import Literal

import msgspec

from proxy.paging.json_form import text_part
from proxy.paging.json_parts import Part, Source, decoded

MAX_WRAPPER = 1024
"""Characters around what is held."""
_LEVELS = 6
_STREAMS = frozenset({"stdout", "stderr", "output", "log", "logs", "console", "transcript"})
"""Keys under which tools put what a command printed."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """`before` and `after` are the source around the held text (quotes included where it is a JSON string)."""

    held: str
    before: str
    after: str
    root: Literal["object", "array", "string", "text"]
    """What the whole is: a JSON object or array with a string in it, one JSON string, or text around JSON."""
    command: bool = False
    """The held text is what a command printed."""
    escaped: bool = False
    """The source writes characters beyond ASCII as escapes."""

    def around(self, text: str) -> str:
        """The wrapper with `text` in place of what it holds."""
        if self.root == "text":
            return self.before + text + self.after
        return self.before + json.dumps(text, ensure_ascii=self.escaped)[1:-1] + self.after


def unwrap(source: Source) -> Envelope | None:
    """The envelope, or None: the text is the result itself."""
    text = source.text
    start, end = source.span()
    if text[start : start + 1] == '"':
        return _held(source, Part("", start, start, end), "string", "")
    if source.parts(start, end) is not None:
        return _inside(source, start, end)
    return _amid(text)


def _inside(source: Source, start: int, end: int) -> Envelope | None:
    """Goes down to a string that carries the weight: through objects, and through arrays of content parts."""
    text, root, key = source.text, source.text[start], ""
    for _ in range(_LEVELS):
        parts = source.parts(start, end)
        if parts is None or parts.total > 64:
            return None
        heavy = max(parts.each, key=lambda part: part.end - part.start, default=None)
        if heavy is None or end - start - (heavy.end - heavy.start) > MAX_WRAPPER:
            return None
        key = decoded(heavy.key) if heavy.key else key
        if text[start] == "[" and (inner := text_part(source, heavy)) is not None:
            heavy = inner
        elif text[start] == "[":
            return None
        if text[heavy.start] == '"':
            return _held(source, heavy, "object" if root == "{" else "array", key)
        start, end = heavy.start, heavy.end
    return None


def _held(source: Source, part: Part, root: Literal["object", "array", "string"], key: str) -> Envelope | None:
    text, begin, close = source.text, part.start + 1, part.end - 1
    if begin + len(text) - close > MAX_WRAPPER or (close - begin) * 4 < len(text) * 3:
        return None
    try:
        held = msgspec.json.decode(text[part.start : part.end], type=str)
    except ValueError:
        return None
    escaped = text.isascii() and not held.isascii()
    return Envelope(held, text[:begin], text[close:], root, key.lower() in _STREAMS, escaped)


def _amid(text: str) -> Envelope | None:
    """JSON with a little text before or behind it."""
    end = max(text.rfind("}"), text.rfind("]")) + 1
    if len(text) - end > MAX_WRAPPER // 2:
        return None
    for opening in "{[":
        start = text.find(opening, 0, MAX_WRAPPER // 2)
        held = text[start:end]
        if start < 0 or len(held) * 4 < len(text) * 3:
            continue
        if Source(held).parts(0, len(held)) is not None:
            return Envelope(held, text[:start], text[end:], "text")
    return None
