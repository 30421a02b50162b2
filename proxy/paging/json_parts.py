"""Where the elements and members of a JSON text stand, without building them.

A row that the model reads must be the row that the tool wrote: 1.50 stays 1.50, a 30-digit id keeps its digits, escapes
stay as they are. So nothing here decodes values; they are spans of the source. msgspec finds the ends (0.5 ms for
200 KB); what it refuses but Python's `json.dumps` writes (NaN, lone surrogates), and objects with a key twice, go
through the standard library's scanner, up to a size.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

BLANKS = " \t\r\n"
SLOW_CHARS = 1 << 20
"""The standard library's scanner is ten times slower; longer texts are not given to it."""

FEW = 256
"""Members that are walked at once, because they are looked at more than once."""

_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_SCANNER = json.JSONDecoder(parse_int=str, parse_float=str)
_REFUSED = (ValueError, RecursionError)
"""msgspec.DecodeError, json.JSONDecodeError and both Unicode errors are ValueErrors."""
_KEY = re.compile(r'[ \t\r\n]*+("(?:[^"\\]|\\.)*+")[ \t\r\n]*+:[ \t\r\n]*+', re.DOTALL)
_NEXT_KEY = re.compile(rf"[ \t\r\n]*+,{_KEY.pattern}", re.DOTALL)
_SKIP = re.compile(r"[ \t\r\n]*+")
_COMMA = re.compile(r"[ \t\r\n]*+,[ \t\r\n]*+")


class Part(NamedTuple):
    """One element of an array (`key` is empty) or member of an object."""

    key: str
    """The key as it is written, with its quotes."""
    at: int
    """Where the part begins: the key of a member, the value of an element."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one container; iterating is lazy, because mostly only the first rows are needed."""

    total: int
    """A key that stands twice may be counted once."""
    each: Iterable[Part]
    names: Collection[str] = ()
    """The keys of an object, decoded."""


class _Elements:
    """Walks an array along the values that msgspec found."""

    def __init__(self, text: str, start: int, raws: list[msgspec.Raw]) -> None:
        self.text, self.start, self.raws = text, start, raws

    def __iter__(self) -> Iterator[Part]:
        text, plain = self.text, self.text.isascii()
        place = _end(_SKIP.match(text, self.start + 1))
        for raw in self.raws:
            end = place + (len(memoryview(raw)) if plain else len(bytes(raw).decode()))
            yield Part("", place, place, end)
            comma = _COMMA.match(text, end)
            place = comma.end() if comma else end


class _Members:
    """Walks an object along the values that msgspec found; from a key that stands twice on, the slow way."""

    def __init__(self, text: str, start: int, end: int, raws: dict[str, msgspec.Raw]) -> None:
        self.text, self.start, self.end, self.raws = text, start, end, raws

    def __iter__(self) -> Iterator[Part]:
        text, key = self.text, _KEY.match(self.text, self.start + 1)
        for raw in self.raws.values():
            value = bytes(raw).decode()
            if key is None or not text.startswith(value, key.end()):
                break
            end = key.end() + len(value)
            following = _NEXT_KEY.match(text, end)
            if following is None and _end(_SKIP.match(text, end)) != self.end - 1:
                break
            yield Part(key[1], key.start(1), key.end(), end)
            key = following
        if key is not None:
            yield from _scan(text, key.start(1), self.end, keyed=True)


@dataclass(frozen=True, slots=True)
class Source:
    """A JSON text; remembers the containers it has looked into."""

    text: str
    _seen: dict[tuple[int, int], Parts | None] = field(default_factory=dict, repr=False, compare=False)

    def span(self) -> tuple[int, int]:
        """The text without blanks around it."""
        start = len(self.text) - len(self.text.lstrip(BLANKS))
        return start, max(len(self.text.rstrip(BLANKS)), start)

    def parts(self, start: int, end: int) -> Parts | None:
        """The parts of the array or object in this span; None if there is none."""
        if (start, end) not in self._seen:
            self._seen[start, end] = _parts(self.text, start, end)
        return self._seen[start, end]


def decoded(source: str) -> str:
    """The characters of a JSON string literal."""
    if "\\" not in source:
        return source[1:-1]
    try:
        return str(msgspec.json.decode(source, type=str))
    except _REFUSED:
        return str(json.loads(source))


def _end(found: "re.Match[str] | None") -> int:
    return found.end() if found else 0


def _parts(text: str, start: int, end: int) -> Parts | None:
    ends = text[start : start + 1] + text[end - 1 : end]
    if end - start < 2 or ends not in {"[]", "{}"}:
        return None
    whole = text if (start, end) == (0, len(text)) else text[start:end]
    try:
        if ends == "[]":
            raws = _ARRAY.decode(whole)
            return Parts(len(raws), _Elements(text, start, raws))
        members = _OBJECT.decode(whole)
        walk = _Members(text, start, end, members)
        return Parts(len(members), list(walk) if len(members) <= FEW else walk, members.keys())
    except _REFUSED:
        pass
    if end - start > SLOW_CHARS:
        return None
    try:
        slow = list(_scan(text, _end(_SKIP.match(text, start + 1)), end, keyed=ends == "{}"))
    except _REFUSED:
        return None
    return Parts(len(slow), slow, {decoded(part.key) for part in slow if part.key})


def _scan(text: str, place: int, end: int, *, keyed: bool) -> Iterator[Part]:
    """The slow way, from the first part at `place` to the bracket before `end`; raises what `_REFUSED` names."""
    while place < end - 1:
        key = _KEY.match(text, place) if keyed else None
        if keyed and key is None:
            raise ValueError("no key")
        value = key.end() if key else place
        stop = _value_end(text, value)
        yield Part(key[1] if key else "", place, value, stop)
        comma = _COMMA.match(text, stop)
        place = comma.end() if comma else _end(_SKIP.match(text, stop))
        if (comma is not None) == (place >= end - 1):
            raise ValueError("no value behind a comma, or no comma between values")
    if place != end - 1:
        raise ValueError("runs over its end")


def _value_end(text: str, start: int) -> int:
    value: tuple[Any, int] = _SCANNER.raw_decode(text, start)
    return value[1]
