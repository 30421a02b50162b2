"""Rows that are lines of text: CSV and TSV, JSONL, Markdown and ASCII tables.

The header is said again on every page, because rows without it mean nothing. A record that is bigger than a page is cut
inside: by its fields in JSONL, else as text. Where fields are quoted a record may have several lines; only then are
the records looked up one by one, and only up to a size.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from proxy.paging import measure, prose
from proxy.paging.body import Body, Rows
from proxy.paging.json_fit import Fit, Place
from proxy.paging.json_parts import BLANKS, Source
from proxy.paging.words import Words

QUOTED_CHARS = 2 << 20
"""Longer texts have a record on each line, whatever is quoted."""

_FIELD = r'(?:"[^"]*+(?:""[^"]*+)*+(?:"|\Z))?+[^{0}\n]*+'
_QUOTED = {
    mark: re.compile(rf"(?=[\s\S]){_FIELD}(?:{{0}}{_FIELD})*+(?:\n|\Z)".format(re.escape(mark)))
    for mark in ("\t", ",", ";", "|")
}
"""A record of a CSV whose quoted fields may hold line ends, by delimiter. Never steps back: linear on any text."""


@dataclass(frozen=True, slots=True)
class Records:
    """The text up to `body` is what stands before the rows; the header, from `header` on, ends it."""

    text: str
    kind: Literal["csv", "table", "jsonl"]
    header: int
    body: int
    words: Words
    starts: Sequence[int] = field(default=(), repr=False)
    """Where each record starts; empty: at each line from `body` on."""
    rowwise: ClassVar[bool] = True

    def show(self, start: int, budget: int) -> Body:
        pieces = [self.text[self.header : self.body]] if start >= self.body else []
        if pieces and measure.size(pieces[0]) > budget // 3:
            pieces = []
        stop = self._fill(pieces, start, budget - sum(map(measure.size, pieces)))
        total = self._begun(len(self.text))
        last = total if stop is None else self._begun(stop)
        return Body("".join(pieces), start, stop, Rows(total, min(self._first(start), last), last))

    def _fill(self, pieces: list[str], start: int, budget: int) -> int | None:
        """Adds records until the budget is used; where the next page starts."""
        text, left, place = self.text, budget, start
        begun = self.kind == "jsonl" and self._start(start) < start
        while place < len(text):
            end = self._end(place)
            need = measure.bounded(text, place, end, budget)
            if need <= left and not (begun and place == start):
                pieces.append(text[place:end])
            elif place > start and (need <= budget or left < budget // 4):
                return place
            else:
                piece, stop = self._broken(place, end, left)
                pieces.append(piece)
                if stop is not None:
                    return stop
                need = measure.size(piece)
            left, place = left - need, end
        return None

    def _end(self, place: int) -> int:
        """Behind the record that holds this place; what stands before the rows is one piece."""
        if place < self.body:
            return self.body
        if self.starts:
            index = bisect_right(self.starts, place)
            return self.starts[index] if index < len(self.starts) else len(self.text)
        return self.text.find("\n", place) + 1 or len(self.text)

    def _start(self, place: int) -> int:
        """The start of the record that holds this place."""
        if place < self.body:
            return 0
        if self.starts:
            return self.starts[bisect_right(self.starts, place) - 1]
        return max(self.text.rfind("\n", self.body, place) + 1, self.body)

    def _begun(self, place: int) -> int:
        """How many rows begin before this place. The lines below the last bar of a table are no rows."""
        if self.starts:
            return bisect_left(self.starts, place)
        last = self.text.rfind("|") if self.kind == "table" else len(self.text.rstrip(BLANKS)) - 1
        place = min(place - 1, last)
        return self.text.count("\n", self.body, place) + 1 if place >= self.body else 0

    def _first(self, start: int) -> int:
        """The row in which a page begins, counted from 0."""
        broken = start > self.body and start < len(self.text) and self._start(start) < start
        return self._begun(start) - broken

    def _broken(self, place: int, end: int, budget: int) -> tuple[str, int | None]:
        """The rest of a record from `place` on, as much as fits, and where it was cut."""
        text, record = self.text, self._start(place)
        if self.kind == "jsonl":
            source, line = Source(text), text[record:end].rstrip(BLANKS)
            start, stop = record + len(line) - len(line.lstrip(BLANKS)), record + len(line)
            if source.parts(start, stop) is not None:
                shown = Fit(source, self.words).value(start, stop, place, budget - 1, Place(inside=True))
                return shown.text + "\n", shown.stop
        total = f"{end - record:,}"
        mark = self.words.value.format(shown=total, total=total)
        cut = prose.reading(text, place, end, budget - measure.size(mark) - 1)
        if cut >= end:
            return text[place:end], None
        return text[place:cut] + self.words.value.format(shown=f"{cut - record:,}", total=total) + "\n", cut


def quoted_starts(text: str, body: int, mark: str) -> Sequence[int]:
    """Where the records of a CSV start that has quotes in it; empty where lines will do."""
    if text.find('"', body) < 0 or len(text) > QUOTED_CHARS:
        return ()
    return [found.start() for found in _QUOTED[mark].finditer(text, body)]
