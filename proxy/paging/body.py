"""The values that pass between the parts of paging: limits, a page, and what a form shows before it is framed.

Positions are character indexes into the text that is paged (the tool's text, or the text that its envelope
holds). The one law that all forms keep: a page that starts at `start` and stops at `stop` shows everything between
the two, so that pages put end to end are the whole. What stands behind `stop` may be shown early (`after`, later
fields of a big row) and is shown again in its place: so a position means the same under any limits, and a pack that
is reloaded in the middle of a run can't open a gap.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

Lang = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes of UTF-8. `bytes` is for rows (JSON arrays, JSONL, CSV, tables), `text_bytes` for all else."""

    bytes: int
    text_bytes: int


@dataclass(frozen=True, slots=True)
class Page:
    """One part of a result, as the model reads it."""

    text: str
    next: int | None
    """Position of the next part; None: nothing is left."""
    kind: str
    """json_rows, json, jsonl, csv, table, log or text."""
    total_rows: int | None
    """Rows in the whole, where it has rows."""
    shown_from: int
    """First row shown, counted from 0; without rows the first character."""
    shown_to: int
    """Behind the last row (a row that is shown in part counts) or character that is shown."""
    original_bytes: int
    """Size of the whole result in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows a page shows: `first` up to but not `last`, counted from 0."""

    total: int
    first: int
    last: int
    path: tuple[str, ...] = ()
    """Keys that lead to the array; empty: the rows are the whole."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a form shows of its text, before anybody says that it was cut."""

    text: str
    start: int
    stop: int | None
    """First position that is not shown yet; None: all is shown."""
    rows: Rows | None = None
    after: str = ""
    """The end of the text, shown early: it belongs behind the mark of the cut."""
    began: tuple[str, ...] = ()
    """Keys and indexes that lead to the value in whose middle the page starts."""


class Form(Protocol):
    """A way to read a text in parts."""

    @property
    def text(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def rowwise(self) -> bool:
        """Whether `Limits.bytes` counts, and not `Limits.text_bytes`."""
        ...

    def show(self, start: int, budget: int) -> Body:
        """The part from `start` on in about `budget` bytes; always at least one step further."""
        ...
