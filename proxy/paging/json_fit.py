"""Shows a JSON value from a position on, in so many bytes, as valid JSON of the same shape.

Reading goes in the order of the text. What does not fit is cut at the first place where it must be: whole elements or
members where they fit on a page of their own, else inside the one that is too big. A value that is met from its start
also shows what stands behind the cut (the small fields behind a giant one, the fields behind the rows), shortened
where it is big: the model sees the shape at once, and meets these again in their place. Values that can't be taken
apart (deep nesting, giant keys, giant numbers) are shown as strings of their source.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from proxy.paging import json_text, measure
from proxy.paging.body import Rows
from proxy.paging.json_parts import Part, Parts, Source, decoded
from proxy.paging.words import Words

DEPTH = 8
"""Containers around a value are written anew on every page; deeper ones would outweigh what they hold."""
KEY_CHARS = 128
FLOOR = 64
"""Bytes that a value gets at least, so that each page makes progress."""
SHARE = 160
"""An outline in which big values get fewer bytes than this says too little; then members are shown in order."""
MARK = 48
"""Bytes kept for the mark at the end of a cut array or object."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A value, or its rest from a position on. Fields as in `Body`."""

    text: str
    stop: int | None = None
    rows: Rows | None = None
    began: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: how deep, and whether inside a row or behind the cut.

    There the end of a cut array says so itself; for the main rows the frame does.
    """

    depth: int = 0
    inside: bool = False

    def below(self, *, inside: bool = False) -> "Place":
        return Place(self.depth + 1, self.inside or inside)


ROOT = Place()


@dataclass(frozen=True, slots=True)
class Fit:
    """`value` is the way in; the other methods are its cases."""

    source: Source
    words: Words

    def value(self, start: int, end: int, at: int, budget: int, place: Place = ROOT) -> Shown:
        """The value in the span, from the position `at` on (at or before `start`: all of it)."""
        text = self.source.text
        if at <= start and measure.bounded(text, start, end, budget) <= budget:
            return Shown(text[start:end])
        if text[start] == '"':
            return Shown(*json_text.string(text, (start, end), at, budget, self.words.value))
        parts = self.source.parts(start, end) if place.depth < DEPTH else None
        if parts is None:
            return Shown(*json_text.opaque(text, (start, end), at, budget, self.words.value))
        if text[start] == "[":
            return self._array(parts, at, budget, place)
        if max(map(len, parts.names), default=0) > KEY_CHARS:
            return Shown(*json_text.opaque(text, (start, end), at, budget, self.words.value))
        share = self._share(parts, budget - 2) if at <= start else None
        if share is None:
            return self._object(parts, start, at, budget, place)
        return self._outline(parts.each, share, place)

    def _array(self, parts: Parts, at: int, budget: int, place: Place) -> Shown:
        room = budget - MARK if place.inside else budget
        shown = self._sequence(parts.each, at, room, place.below(inside=True))
        items, left = list(shown.items), parts.total - shown.last
        if shown.stop is not None and left and place.inside:
            items.append(f'"{self._more(left)}"')
        return Shown(f"[{','.join(items)}]", shown.stop, Rows(parts.total, shown.first, shown.last), shown.began)

    def _object(self, parts: Parts, start: int, at: int, budget: int, place: Place) -> Shown:
        shown = self._sequence(parts.each, at, budget - MARK, place.below())
        items, left = list(shown.items), parts.total - shown.last
        if shown.stop is not None and left > 0 and (at <= start or not shown.inside):
            items.append(f'"…":"{self._more(left)}"')
        return Shown(f"{{{','.join(items)}}}", shown.stop, shown.rows, shown.began)

    def _more(self, left: int) -> str:
        return self.words.more.format(left=f"{left:,}")

    def _sequence(self, parts: Iterable[Part], at: int, budget: int, place: Place) -> "_Sequence":
        """Parts in order, whole while they fit; one that fits on no page is cut where it stands."""
        text, items, left = self.source.text, list[str](), budget - 2
        first = last = 0
        rows: Rows | None = None
        began: tuple[str, ...] = ()
        for index, part in enumerate(parts):
            if part.end <= at:
                first = last = index + 1
                continue
            need = measure.size(part.key) + 2 + measure.bounded(text, part.start, part.end, budget)
            fits = need <= left and at <= part.start
            if items and not fits and (need <= budget or left < budget // 4):
                return _Sequence(items, first, last, part.at, rows, began)
            room = max(left - measure.size(part.key) - 2, FLOOR)
            child = self.value(part.start, part.end, at, need if fits else room, place)
            items.append(_labelled(part, child.text))
            last = index + 1
            left -= need if fits else measure.size(items[-1]) + 1
            rows = _under(part, child.rows) or rows
            if part.start < at:
                began = (_name(part, index), *child.began)
            if child.stop is not None:
                return _Sequence(items, first, last, child.stop, _under(part, child.rows), began, inside=True)
        return _Sequence(items, first, last, None, rows, began)

    def _share(self, parts: Parts, budget: int) -> int | None:
        """Bytes for each value so that small ones stay whole and big ones share what they leave; None: too few."""
        text = self.source.text
        if parts.total * 4 > budget:
            return None
        room = budget - sum(measure.size(part.key) + 2 for part in parts.each)
        if room < SHARE:
            return None
        sizes = sorted(measure.bounded(text, part.start, part.end, budget) for part in parts.each)
        for index, size in enumerate(sizes):
            share = room // (len(sizes) - index)
            if size > share:
                return share if share >= SHARE else None
            room -= size
        return budget

    def _outline(self, parts: Iterable[Part], share: int, place: Place) -> Shown:
        items, stop = list[str](), None
        rows: Rows | None = None
        for part in parts:
            child = self.value(part.start, part.end, part.start, share, place.below(inside=stop is not None))
            items.append(_labelled(part, child.text))
            if stop is None and child.stop is not None:
                stop, rows = child.stop, _under(part, child.rows)
        return Shown(f"{{{','.join(items)}}}", stop, rows)


@dataclass(frozen=True, slots=True)
class _Sequence:
    items: list[str]
    first: int
    last: int
    stop: int | None
    rows: Rows | None
    began: tuple[str, ...]
    inside: bool = False
    """Whether it stops inside its last item."""


def _labelled(part: Part, value: str) -> str:
    return f"{part.key}:{value}" if part.key else value


def _name(part: Part, index: int) -> str:
    return decoded(part.key) if part.key else f"[{index}]"


def _under(part: Part, rows: Rows | None) -> Rows | None:
    return replace(rows, path=(decoded(part.key), *rows.path)) if rows and part.key else rows
