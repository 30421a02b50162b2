"""One value in the JSON type that its schema wants, where nothing is lost and only one reading is possible.

The table at the end has one small function per wanted type. They look at a value that has already been found invalid,
so an exact type match has already won; and they only propose, since values.py checks what becomes of it.

A number becomes a string only where something says that these strings are made of digits (a pattern, or a name such as
order_id or zip): a recipient of 9 is a mistake of the model and not a spelling of one.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from proxy.repair.closeness import is_placeholder, words
from proxy.repair.dates import READERS
from proxy.repair.literals import Num, write
from proxy.repair.nodes import same_json
from proxy.repair.numbers import read_number
from proxy.repair.text import read_nested
from proxy.repair.units import declared


@dataclass(frozen=True, slots=True)
class Reading:
    """What a value was meant to be, and the kind of change that makes it so."""

    value: Any
    kind: str


# A text with one of these may be several values.
_SEVERAL = re.compile(r"[,;|\n、，；/&+]|\b(?:and|or)\b|[和与及或]", re.IGNORECASE)
_OF_DIGITS = """id ids code codes number numbers no num nr zip zipcode postcode postal phone tel telephone mobile fax
    sku isbn ean upc ssn iban account ref reference version serial pin year issue pr ticket order invoice extension ext
    build revision barcode digits house room flight gate"""
_DIGIT_NAMES = frozenset(_OF_DIGITS.split())


def coerced(value: Any, schema: Mapping[str, Any], name: str) -> Reading | None:
    """The one reading of `value` in a type of `schema`; `name` is the property's, for its unit."""
    if isinstance(value, str) and is_placeholder(value):
        return None
    types = schema.get("type", ())
    readings: list[Reading] = []
    for wanted in [types] if isinstance(types, str) else types:
        reading = _TO[wanted](value, schema, name) if wanted in _TO else None
        if reading is not None and not any(same_json(reading.value, other.value) for other in readings):
            readings.append(reading)
    return readings[0] if len(readings) == 1 else None


def _to_number(value: Any, schema: Mapping[str, Any], name: str, *, integer: bool = False) -> Reading | None:
    if not isinstance(value, str):
        return None
    number = read_number(value, integer=integer, unit=declared(schema, name))
    if number is None:
        return None
    bare = re.fullmatch(r"\s*[+-]?[\d.,]+(?:[eE][+-]?\d+)?\s*", value)
    return Reading(number, "string to number" if bare else "number out of text")


def _to_integer(value: Any, schema: Mapping[str, Any], name: str) -> Reading | None:
    return _to_number(value, schema, name, integer=True)


def _to_boolean(value: Any, _: Mapping[str, Any], __: str) -> Reading | None:
    words_for = {"true": True, "false": False}
    meant = words_for.get(value.strip().lower()) if isinstance(value, str) else None
    return None if meant is None else Reading(meant, "string to boolean")


def _to_object(value: Any, _: Mapping[str, Any], __: str) -> Reading | None:
    nested = read_nested(value) if isinstance(value, str) else None
    return Reading(nested, "stringified object") if isinstance(nested, dict) else None


def _to_array(value: Any, _: Mapping[str, Any], __: str) -> Reading | None:
    """The array that a string holds, or the single value as an array of one, if it is one value."""
    if isinstance(value, str):
        nested = read_nested(value)
        if isinstance(nested, list):
            return Reading(nested, "stringified array")
        if not value.strip() or value.lstrip().startswith(("[", "{")) or _SEVERAL.search(value):
            return None
    return None if value is None or isinstance(value, list) else Reading([value], "single value to array")


def _to_string(value: Any, schema: Mapping[str, Any], name: str) -> Reading | None:
    if isinstance(value, bool) or not isinstance(value, int | Num):
        return None
    text = write(value)
    pattern = schema.get("pattern")
    if pattern is not None and not pattern.found(text):
        return None
    reader = READERS.get(schema.get("format", ""))
    if reader is not None:
        read = reader(text)
        return None if read is None else Reading(read, "date format")
    if pattern is None and not _DIGIT_NAMES.intersection(words(name)):
        return None
    return Reading(text, "number to string")


_TO: Mapping[str, Callable[[Any, Mapping[str, Any], str], Reading | None]] = {
    "string": _to_string,
    "number": _to_number,
    "integer": _to_integer,
    "boolean": _to_boolean,
    "array": _to_array,
    "object": _to_object,
}
