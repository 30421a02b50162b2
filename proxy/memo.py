"""Work on texts that was done before is not done again: an agent sends its whole history with every request.

Bounded. A `Memo` is keyed by a text's length and hash rather than by the text, so it never keeps results alive; what
goes `along` with a conversation lives as long as that is remembered. Pure: what is remembered follows from what was
given alone.
"""

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from operator import is_, is_not
from typing import Any, Generic, TypeVar

from proxy.model import Memory

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


class ById(Generic[Value]):
    """Values of things that live long and are costly to compare (what a pack says of a tool), by which thing it is."""

    __slots__ = ("_known", "_most")

    def __init__(self, most: int = 1024) -> None:
        self._known: dict[int, tuple[object, Value]] = {}
        self._most = most

    def get(self, thing: object, make: Callable[[], Value]) -> Value:
        found = self._known.get(id(thing))
        if found is None:  # as long as a thing is known it lives, so no other has its identity
            if len(self._known) >= self._most:
                self._known.clear()
            found = self._known[id(thing)] = thing, make()
        return found[1]


class Latest(Generic[Value]):
    """The last few values, by keys that are long and mostly equal (a tools array): compared, which takes no hash."""

    __slots__ = ("_known", "_longest")

    def __init__(self, most: int = 16, longest: int = 256 * 1024) -> None:
        """What is made of more than `longest` bytes is not kept."""
        self._known: deque[tuple[object, Value]] = deque(maxlen=most)
        self._longest = longest

    def get(self, key: object, size: int, make: Callable[[], Value]) -> Value:
        """`size` of the key in bytes."""
        for known, value in self._known:
            if known == key:
                return value
        value = make()
        if size <= self._longest:
            self._known.appendleft((key, value))
        return value


def along(
    memory: Memory | None, who: object, items: Sequence[Any], make: Callable[[int], Value], by: object = None
) -> Sequence[Value]:
    """A value for each item of a conversation that grows, given its index.

    A value may depend on its item, on those before it, and on `by`. Where the last times it was asked for by `who` the
    items were the same objects, it is not made again.
    """
    found: list[tuple[Sequence[Any], object, list[Value]]] = memory.setdefault(who, []) if memory is not None else []
    best: list[Value] = []
    same = 0
    for known, asker, values in found:
        if asker is by or asker == by:
            common = alike(known, items)
            if common == len(items) == len(known):
                return values
            if common > same:
                best, same = values, common
    made = [*best[:same], *map(make, range(same, len(items)))]
    found.insert(0, (tuple(items), by, made))
    del found[_VARIANTS:]
    return made


def steady(
    memory: Memory | None, who: object, items: tuple[Value, ...], given: Sequence[Value] = ()
) -> tuple[Value, ...]:
    """The items; where one is equal to what stood there the last times, the object of then.

    So what was made anew of the same parts is known again by whoever asks `along`. What is one of those `given` is no
    such thing, and stays.
    """
    if memory is None:
        return items
    before: list[tuple[Value, ...]] = memory.setdefault((steady, who), [])
    stays = set(map(id, given))
    for old in before:
        pairs = zip(old, items, strict=False)
        same = [now if was is now or id(now) in stays or was != now else was for was, now in pairs]
        if any(map(is_not, same, items)):
            items = (*same, *items[len(same) :])
    before.insert(0, items)
    del before[_VARIANTS:]
    return items


_VARIANTS = 2
"""Forms of one conversation that are remembered: what really leaves, and what would if watching policies acted."""


def alike(known: Sequence[Any], items: Sequence[Any]) -> int:
    """Items at the beginning that are the same objects."""
    if len(known) <= len(items) and all(map(is_, known, items)):
        return len(known)
    pairs = enumerate(zip(known, items, strict=False))
    return next((at for at, (old, new) in pairs if old is not new), min(len(known), len(items)))
