"""Which of the allowed values a value was meant to be: by its JSON type, by spelling, or as a typo (closeness.py).

"3" for 3 and 3 for "3" are the same value in another type; "CONNECTED " is "Connected". Anything that could be two of
them, or the opposite of one, is none of them.
"""

from collections.abc import Sequence
from typing import Any

from proxy.repair.closeness import nearest
from proxy.repair.literals import write

MAX_ALLOWED = 500


def read_enum(value: Any, allowed: Sequence[Any]) -> list[Any]:
    """The one allowed value that is meant, in a list, or an empty list (null may be an allowed value)."""
    if len(allowed) > MAX_ALLOWED or isinstance(value, dict | list) or value is None:
        return []
    strings = [word for word in allowed if isinstance(word, str)]
    if not isinstance(value, str):
        return [word for word in strings if word == write(value)]
    spelled = [word for word in allowed if _is_scalar(word) and write(word) == value.strip().lower()]
    word = nearest(value, strings)
    found = [*spelled, *([] if word is None else [word])]
    return found if len(found) == 1 else []


def _is_scalar(value: Any) -> bool:
    """A number or a boolean; the word "null" is read elsewhere, because it may also mean nothing."""
    return isinstance(value, bool | int | float)
