"""JSON that is edited, not converted: values stay the bytes they were read from.

`msgspec.Raw` is a view on the received bytes; an object becomes a dict of such views, and is joined again after one of
them was replaced. So big numbers, 1.50, escapes and key order survive beside an edit. Knows nothing about any API.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec
import orjson


class UnreadableError(ValueError):
    """The bytes are not what was expected; they pass through unread. The text says what was wrong and where."""


Raw = msgspec.Raw
Bytes = bytes | msgspec.Raw

Read = TypeVar("Read")
_ERRORS = (msgspec.DecodeError, orjson.JSONDecodeError, RecursionError, UnicodeError)
_fields = msgspec.json.Decoder(dict[str, Raw]).decode
_items = msgspec.json.Decoder(list[Raw]).decode

_STYLE = re.compile(rb'\s*[{\[]\s*"(?:[^"\\]|\\.)*"\s*:(\s?)')
_SURROGATE = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


class Style(msgspec.Struct, frozen=True):
    """The separators that the sender used, so that an edited body shares its prefix with an untouched one."""

    comma: bytes = b","
    colon: bytes = b":"


COMPACT = Style()
SPACED = Style(b", ", b": ")


def style_of(body: bytes) -> Style:
    found = _STYLE.match(body)
    return SPACED if found and found[1] == b" " else COMPACT


def fields(raw: Bytes) -> dict[str, Raw]:
    """The members of an object, each as it stands. Raises UnreadableError."""
    try:
        return _fields(raw)
    except _ERRORS as error:
        return _again(_fields, raw, f"not a JSON object: {error}")


def opened(body: bytes) -> tuple[bytes, dict[str, Raw]]:
    """A body and its members; the body is the same object, unless halves of surrogate pairs had to be mended first.

    Looks for these only where the body can't be read as it is: a search costs as much as reading. Raises
    UnreadableError.
    """
    try:
        return body, _fields(body)
    except _ERRORS:
        whole = mended(body)
        return whole, fields(whole)


def items(raw: Bytes) -> list[Raw]:
    """The elements of an array, each as it stands. Raises UnreadableError."""
    try:
        return _items(raw)
    except _ERRORS as error:
        return _again(_items, raw, f"not a JSON array: {error}")


def _again(decode: Callable[[Bytes], Read], raw: Bytes, why: str) -> Read:
    """Once more without halves of surrogate pairs, which is what is wrong with much that models write."""
    body = bytes(raw)
    whole = mended(body)
    if whole is not body:
        try:
            return decode(whole)
        except _ERRORS:
            pass
    raise UnreadableError(why)


def member(members: Mapping[str, Bytes], key: str) -> Bytes:
    """A member that should be an object; an empty one where it is missing or something else."""
    found = members.get(key, b"{}")
    return found if bytes(found).lstrip().startswith(b"{") else b"{}"


def value(raw: Bytes) -> Any:
    """The value of JSON bytes, for reading only. Raises UnreadableError."""
    try:
        return orjson.loads(memoryview(raw))
    except orjson.JSONDecodeError as error:
        return _again(orjson.loads, raw, f"not JSON: {error}")


def dump(data: object) -> bytes:
    """Compact JSON of plain data; integers of any size."""
    try:
        return orjson.dumps(data)
    except TypeError:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def obj(members: Mapping[str, Bytes] | Iterable[tuple[str, Bytes]], style: Style = COMPACT) -> bytes:
    pairs = members.items() if isinstance(members, Mapping) else members
    return b"{" + style.comma.join(dump(key) + style.colon + bytes(raw) for key, raw in pairs) + b"}"


def arr(elements: Iterable[Bytes], style: Style = COMPACT) -> bytes:
    return b"[" + style.comma.join(map(bytes, elements)) + b"]"


def edit(raw: Bytes, changes: Mapping[str, Bytes | None], style: Style = COMPACT) -> bytes:
    """The object with some members replaced in their place, added at the end, or (None) taken out."""
    return changed(fields(raw), changes, style)


def changed(members: Mapping[str, Bytes], changes: Mapping[str, Bytes | None], style: Style = COMPACT) -> bytes:
    """The same, of an object whose members were read already."""
    merged: dict[str, Bytes | None] = {**members, **changes}
    return obj([(key, item) for key, item in merged.items() if item is not None], style)


def mended(body: bytes) -> bytes:
    """The same bytes, but for halves of surrogate pairs, which no strict reader takes: these become U+FFFD."""
    if b"\\ud" not in body and b"\\uD" not in body:
        return body
    fixed = _SURROGATE.sub(lambda found: rb"\ufffd" if len(found[0]) == 6 else found[0], body)
    return body if fixed == body else fixed
