"""How one body stands in the run log: whole, or as what differs from an earlier one.

A line is a JSON object that begins with `stored`, the body's key. Text stands as text, so that a log can be searched
with any tool; what is no UTF-8 stands as base64. Pure.
"""

import base64
from typing import Any

import msgspec
import orjson

STORED = b'{"stored":'
"""The beginning of each such line, and of no other."""


class Entry(msgspec.Struct, frozen=True):
    """`middle` stands between the first `prefix` and the last `suffix` bytes of the body `base`; "": there is none."""

    middle: bytes
    base: str = ""
    prefix: int = 0
    suffix: int = 0

    def applied(self, base: bytes) -> bytes:
        """The body itself."""
        return b"".join((base[: self.prefix], self.middle, base[len(base) - self.suffix :]))


def body_key(digest: str) -> str:
    """The name of a body, by the hexadecimal SHA-256 of what is stored of it."""
    return "sha256:" + digest


def encode_entry(key: str, entry: Entry) -> bytes:
    """A line, with its end."""
    line: dict[str, Any] = {"stored": key}
    if entry.base:
        line |= {"base": entry.base, "prefix": entry.prefix, "suffix": entry.suffix}
    try:
        return orjson.dumps(line | {"text": entry.middle.decode()}, option=orjson.OPT_APPEND_NEWLINE)
    except UnicodeDecodeError:
        text = base64.b64encode(entry.middle).decode()
        return orjson.dumps(line | {"base64": text}, option=orjson.OPT_APPEND_NEWLINE)


def decode_entry(raw: bytes) -> tuple[str, Entry] | None:
    """Key and entry of a line; None if it is no whole one."""
    try:
        line = orjson.loads(raw)
        text = line.get("text")
        middle = text.encode() if text is not None else base64.b64decode(line["base64"], validate=True)
        return line["stored"], Entry(middle, line.get("base", ""), line.get("prefix", 0), line.get("suffix", 0))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
