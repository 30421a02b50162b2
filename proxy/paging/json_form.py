"""A JSON document as a form: rows where arrays carry the weight, else an object that is read by its fields."""

from dataclasses import dataclass

from proxy.paging.body import Body
from proxy.paging.json_fit import Fit
from proxy.paging.json_parts import Part, Source, decoded
from proxy.paging.words import Words

MANY = 256
"""An object with more members is a mapping of things, not a wrapper around rows."""
_LEVELS = 4
"""Objects under objects in which rows are looked for."""
TEXT_TYPES = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True, slots=True)
class Json:
    """`source` holds one array or object."""

    source: Source
    words: Words
    rowwise: bool

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def kind(self) -> str:
        return "json_rows" if self.rowwise else "json"

    def show(self, start: int, budget: int) -> Body:
        begin, end = self.source.span()
        shown = Fit(self.source, self.words).value(begin, end, start, budget)
        return Body(shown.text, start, shown.stop, shown.rows, began=shown.began)


def json_form(source: Source, words: Words) -> Json | None:
    """None where the text is not one JSON array or object."""
    start, end = source.span()
    if source.parts(start, end) is None:
        return None
    return Json(source, words, rowwise=_weight(source, start, end, _LEVELS) * 2 >= end - start)


def text_part(source: Source, part: Part) -> Part | None:
    """The `text` of a content part `{"type": "text", "text": …}`; None for anything else."""
    parts = source.parts(part.start, part.end)
    if parts is None or source.text[part.start] != "{" or parts.total > 8:
        return None
    members = {decoded(member.key): member for member in parts.each}
    kind, text = members.get("type"), members.get("text")
    if kind is None or text is None or source.text[kind.start] != '"' or source.text[text.start] != '"':
        return None
    return text if decoded(source.text[kind.start : kind.end]) in TEXT_TYPES else None


def _weight(source: Source, start: int, end: int, levels: int) -> int:
    """Characters that stand in arrays of rows, reached through objects only."""
    if source.text[start] not in "[{" or (parts := source.parts(start, end)) is None:
        return 0
    if source.text[start] == "[":
        first: Part | None = next(iter(parts.each), None)
        return 0 if first is None or text_part(source, first) else end - start
    if levels == 0 or parts.total > MANY:
        return 0
    return sum(
        _weight(source, part.start, part.end, levels - 1)
        for part in parts.each
        if (part.end - part.start) * 50 > end - start
    )
