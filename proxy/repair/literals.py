"""Numbers that remember how they were written, and the writer that puts a JSON value back as text.

A repair must not change what it does not repair: 1.10 as a version, 0.1000 as an amount or a 30-digit id would come
out of Python's json as other text. `Num` is a float that keeps its literal; integers are exact anyway. Nothing here
knows a schema.
"""

import json
import math
from typing import Any, Self

_quoted = json.JSONEncoder(ensure_ascii=False).encode


class Num(float):
    """A float with the JSON literal it was read from."""

    __slots__ = ("literal",)
    literal: str

    def __new__(cls, literal: str) -> Self:
        number = super().__new__(cls, literal)
        number.literal = literal
        return number

    def __str__(self) -> str:
        return self.literal

    def __repr__(self) -> str:
        return self.literal


def write(value: Any) -> str:
    """Compact JSON text of a value; non-ASCII stays as it is, and numbers as they were written."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quoted(name)}:{write(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    if isinstance(value, Num):
        return value.literal
    return json.dumps(value, allow_nan=False)


def is_not_finite(value: Any) -> bool:
    """Whether a value is NaN or an infinity, for which JSON has no literal."""
    return isinstance(value, float) and not isinstance(value, Num) and not math.isfinite(value)
