"""Text and logs: parts that end with a paragraph, a line, a sentence or a word.

A log is first shown from both ends, because what went wrong stands at the end; reading on then goes through the middle
to the end. Nothing here looks at the text as a whole: 50 MB cost what their pages cost.
"""

from dataclasses import dataclass
from typing import ClassVar

from proxy.paging import measure
from proxy.paging.body import Body


@dataclass(frozen=True, slots=True)
class Prose:
    """Any text; also code, and what is too big to be taken apart."""

    text: str
    kind: ClassVar[str] = "text"
    rowwise: ClassVar[bool] = False

    def show(self, start: int, budget: int) -> Body:
        stop = reading(self.text, start, len(self.text), budget)
        return Body(self.text[start:stop], start, None if stop >= len(self.text) else stop)


@dataclass(frozen=True, slots=True)
class Log:
    """Many lines that belong together in time."""

    text: str
    kind: ClassVar[str] = "log"
    rowwise: ClassVar[bool] = False

    def show(self, start: int, budget: int) -> Body:
        if start > 0:
            return Prose(self.text).show(start, budget)
        stop = _line_end(self.text, 0, budget * 2 // 5)
        begin = _line_start(self.text, stop, budget - measure.size(self.text[:stop]))
        if begin <= stop:
            return Prose(self.text).show(0, budget)
        return Body(self.text[:stop], 0, stop, after=self.text[begin:])


def reading(text: str, start: int, end: int, budget: int) -> int:
    """Where a part of at most `budget` bytes ends, at the best place; `end` if all fits; always behind `start`."""
    furthest = measure.reach(text, start, end, max(budget, 4))
    return end if furthest >= end else measure.pleasant(text, start, furthest)


def _line_end(text: str, start: int, budget: int) -> int:
    furthest = measure.reach(text, start, len(text), max(budget, 4))
    line = text.rfind("\n", start + (furthest - start) // 2, furthest)
    return line + 1 if line >= 0 else measure.pleasant(text, start, furthest)


def _line_start(text: str, stop: int, budget: int) -> int:
    """Where the last lines begin that have at most `budget` bytes."""
    earliest = measure.reach_back(text, stop, budget)
    line = text.find("\n", earliest, earliest + (len(text) - earliest) // 2)
    return line + 1 if line >= 0 else measure.whole(text, stop, earliest)
