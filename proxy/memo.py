"""Work on texts that was done before is not done again: an agent sends its whole history with every request.

Bounded, and keyed by a text's length and hash rather than by the text, so that a memo never keeps results alive. Pure:
what is remembered follows from the text alone.
"""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """Values by key; when it is full, it begins anew."""

    __slots__ = ("_known", "_most")

    def __init__(self, most: int = 4096) -> None:
        self._known: dict[Hashable, Value] = {}
        self._most = most

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        try:
            return self._known[key]
        except KeyError:
            if len(self._known) >= self._most:
                self._known.clear()
            value = self._known[key] = make()
            return value


def mark(text: str) -> tuple[int, int]:
    """What a text is known by."""
    return len(text), hash(text)


class Latest(Generic[Value]):
    """The last few values, by keys that are long and mostly equal (a tools array): compared, which takes no hash."""

    __slots__ = ("_known",)

    def __init__(self, most: int = 16) -> None:
        self._known: deque[tuple[object, Value]] = deque(maxlen=most)

    def get(self, key: object, make: Callable[[], Value]) -> Value:
        for known, value in self._known:
            if known == key:
                return value
        value = make()
        self._known.appendleft((key, value))
        return value
