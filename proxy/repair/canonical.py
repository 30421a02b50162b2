"""The form of arguments in which two calls that do the same are equal, as bytes.

Key order, blanks, escapes, 1.0 or 1, a default written out or left out, and the composition of Unicode characters do
not matter. Text case, the order of an array, and "1" or 1 do: to fold those as well would take real work for a repeat.
Text that is no JSON stands for itself. Used for every call of a history, so it only walks the value once.
"""

import json
import math
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from proxy.repair.text import Parsed, parse

MAX_DEPTH = 8
_UNREAD = b"\x00"
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))

Defaults = Mapping[str, tuple[bool, Any]]
"""By property: true and its default, or false and the defaults inside it."""


def canonical(arguments: Any, schema: bytes | Mapping[str, Any] | None = None) -> bytes:
    """The canonical bytes of arguments, given as JSON text or as a value.

    `schema`, the tool's parameters as JSON bytes or parsed, supplies the defaults.
    """
    value = arguments
    if isinstance(arguments, str):
        parsed = parse(arguments) if arguments.strip() else Parsed({})
        if not isinstance(parsed, Parsed):
            return _UNREAD + arguments.encode("utf-8", "surrogatepass")
        value = parsed.value
    defaults = _defaults_of(schema) if isinstance(schema, bytes) else _defaults(schema, MAX_DEPTH)
    if defaults:
        value = _completed(value, defaults)
    return _ENCODER.encode(_plain(value)).encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else value
    if isinstance(value, dict):
        return {_plain(name): _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


@lru_cache(maxsize=512)
def _defaults_of(schema: bytes) -> Defaults:
    if b'"default"' not in schema:
        return {}
    parsed = parse(schema.decode("utf-8", "replace"))
    return _defaults(parsed.value, MAX_DEPTH) if isinstance(parsed, Parsed) else {}


def _defaults(schema: Any, depth: int) -> Defaults:
    declared = schema.get("properties") if isinstance(schema, Mapping) else None
    found: dict[str, tuple[bool, Any]] = {}
    for name, part in declared.items() if depth and isinstance(declared, Mapping) else ():
        if isinstance(part, Mapping) and part.get("default") is not None:
            found[name] = (True, part["default"])
        elif inside := _defaults(part, depth - 1):
            found[name] = (False, inside)
    return found


def _completed(value: Any, defaults: Defaults) -> Any:
    """The value with the defaults of what it leaves out, inside the objects that it has."""
    if not isinstance(value, dict):
        return value
    completed = dict(value)
    for name, (is_default, found) in defaults.items():
        if name not in completed and is_default:
            completed[name] = found
        elif name in completed and not is_default:
            completed[name] = _completed(completed[name], found)
    return completed
