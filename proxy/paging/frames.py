"""Says that a part is a part: beside the rows in JSON, on a line of its own in text.

JSON stays JSON: `truncated`, `total_rows`, `shown`, `note` and `cursor` join the members of the outermost object; an
array is put into an object under `rows` for it. Where the tool's own object has such a name (many APIs have a cursor of
their own) ours is called `page_…`, so that no field of the tool's is lost or mistaken.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from proxy.paging import measure
from proxy.paging.body import Body, Form
from proxy.paging.words import Words

MAX_COUNTED = 8 << 20
"""Characters; lines of longer texts are not counted."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What there is to say about one part of `form`'s text."""

    form: Form
    body: Body
    words: Words
    tool: str
    cursor: str | None
    """Of the next part; None: nothing is left, or nothing may be promised."""
    size: int
    """Bytes of the whole result."""

    def json(self, document: str, wrap: str, taken: Collection[str]) -> str:
        """The document as an object (under the key `wrap` if it is none) with our members at its end.

        `taken`: names that the tool's own object uses.
        """
        document = document.strip()
        members = json.dumps(self._members(taken), ensure_ascii=False, separators=(",", ":"))[1:]
        if document.startswith("{"):
            begin = document[:-1].rstrip()
            return f"{begin}{'' if begin == '{' else ','}{members}"
        return f'{{"{wrap}":{document},{members}'

    def plain(self) -> str:
        """The text with one line about the cut, behind it or where the middle of a log is left out."""
        body = self.body
        line_end = "" if not body.text or body.text.endswith("\n") else "\n"
        if body.after:
            return f"{body.text}{line_end}{self._gap()}\n{body.after}"
        return f"{body.text}{line_end}{self._mark()}"

    def inner(self) -> str:
        """The text with the plain sign of a cut that says nothing of the rest: for text that stands in JSON."""
        body, words = self.body, self.words
        if body.stop is None or self.form.kind in {"json", "json_rows", "jsonl"}:
            return body.text
        if body.after:
            gap = words.gap.format(left=_number(_lines(self.form.text, body.stop, self._tail())))
            return f"{body.text}{gap}\n{body.after}"
        if body.rows:
            return body.text + words.more.format(left=_number(body.rows.total - body.rows.last))
        shown, total = _number(body.stop), _number(len(self.form.text))
        return body.text + words.value.format(shown=shown, total=total)

    def _members(self, taken: Collection[str]) -> Mapping[str, object]:
        rows, names = self.body.rows, _names(taken)
        found: dict[str, object] = {names["truncated"]: self.body.stop is not None}
        if rows is not None:
            found[names["total_rows"]] = rows.total
            found[names["shown"]] = f"{min(rows.first + 1, rows.last)}-{rows.last}"
        found[names["note"]] = self._note(names["cursor"])
        if self.cursor is not None:
            found[names["cursor"]] = self.cursor
        return found

    def _note(self, key: str) -> str:
        words, body = self.words, self.body
        rows = body.rows.path if body.rows else ()
        begins = words.begins.format(path=_path(body.began)) if body.began and body.began != rows else ""
        template = words.note_last if body.stop is None else words.note_next if self.cursor else words.note_rest
        facts = {"tool": self.tool, "key": key, "begins": begins, "left": self._left()}
        return template.format(shown=self._shown(), size=_number(self.size), **facts)

    def _mark(self) -> str:
        words = self.words
        template = words.mark_last if self.body.stop is None else words.mark_next if self.cursor else words.mark_rest
        facts = {"tool": self.tool, "cursor": self.cursor, "left": self._left()}
        return template.format(shown=self._shown(), size=_number(self.size), **facts)

    def _gap(self) -> str:
        lines = _number(_lines(self.form.text, self.body.stop or 0, self._tail()))
        template = self.words.gap_next if self.cursor else self.words.gap_rest
        facts = {"tool": self.tool, "cursor": self.cursor, "left": self._left()}
        return template.format(lines=lines, size=_number(self.size), **facts)

    def _shown(self) -> str:
        words, rows, text = self.words, self.body.rows, self.form.text
        if rows is not None:
            facts = {"first": _number(min(rows.first + 1, rows.last)), "last": _number(rows.last)}
            template = words.rows_of if rows.path else words.rows
            return template.format(total=_number(rows.total), path=_path(rows.path), **facts)
        stop = len(text) if self.body.stop is None else self.body.stop
        if len(text) > MAX_COUNTED:
            return self._characters(stop)
        first = text.count("\n", 0, self.body.start) + 1
        last = text.count("\n", 0, max(stop - 1, 0)) + 1
        if last - first < 2 or self.form.kind == "json":
            return self._characters(stop)
        total = text.count("\n", 0, len(text) - 1) + 1
        facts = {"first": _number(first), "last": _number(last), "total": _number(total)}
        if not self.body.after:
            return words.lines.format(**facts)
        return words.lines_two.format(again=_number(text.count("\n", 0, self._tail()) + 1), **facts)

    def _characters(self, stop: int) -> str:
        first, total = _number(min(self.body.start + 1, stop)), _number(len(self.form.text))
        return self.words.characters.format(first=first, last=_number(stop), total=total)

    def _tail(self) -> int:
        """Where the end begins that is shown early."""
        return len(self.form.text) - len(self.body.after)

    def _left(self) -> str:
        """Bytes behind this part that are not shown; counted only where they are said."""
        stop = self.body.stop
        if stop is None or (self.cursor is not None and not self.body.after):
            return ""
        return _number(measure.size(self.form.text[stop : self._tail()]))


def _names(taken: Collection[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in ("truncated", "total_rows", "shown", "note", "cursor"):
        free = f"page_{name}" if name in taken else name
        while free in taken:
            free += "_"
        found[name] = free
    return found


def _path(keys: Collection[str]) -> str:
    path = "".join(key if key.startswith("[") else f".{key}" for key in keys)
    return path.removeprefix(".")[:120]


def _lines(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end) + (end > start and text[end - 1] != "\n")


def _number(value: int) -> str:
    return f"{value:,}"
