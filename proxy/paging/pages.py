"""The way in: cuts a result that is too big, and serves its later parts out of the original.

Read on from here: `envelope` takes a wrapper off, `recognise` finds the form, a form (`json_form`, `records`, `prose`)
shows a part, `frames` says that it is one. Pure: no clock, no store; the same text gives the same page on every day,
because what was sent once stands in the provider's prompt cache. Whoever calls this decides whether `read_more` may
be promised (`cursor`), and finds the originals.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from proxy.paging import measure
from proxy.paging.body import Body, Form, Lang, Limits, Page
from proxy.paging.envelope import Envelope, unwrap
from proxy.paging.frames import Frame
from proxy.paging.json_parts import Source
from proxy.paging.prose import Prose
from proxy.paging.recognise import recognise
from proxy.paging.tool import NAME
from proxy.paging.words import WORDS, Words

MAX_ANALYSED = 8 << 20
"""Characters; longer results are read as text, so that no result holds up the others for long."""
RESERVE = 400
"""Bytes of a page that are kept for what the frame says."""
FLOOR = 64

Cursor = Callable[[int], str]


def cut(text: str, limits: Limits, *, cursor: Cursor | None, lang: Lang = "en", tool: str = NAME) -> Page | None:
    """The first part of a result that is over its limit; None: it is not, and stays as it is.

    `cursor` makes the cursor for a position, and `tool` is the name of the tool that takes it; without `cursor` the
    part names neither. Sizes are bytes of UTF-8; a page is within the limit, or over it by less than its frame.
    """
    size = measure.size(text)
    if size <= min(limits.bytes, limits.text_bytes):
        return None
    result = _result(text, size, WORDS[lang])
    if size <= result.limit(limits):
        return None
    return result.page(0, limits, cursor, tool)


def page(  # noqa: PLR0913 - text, place and limits; the rest are words for them, by keyword
    text: str, offset: int, limits: Limits, *, cursor: Cursor | None, lang: Lang = "en", tool: str = NAME
) -> Page:
    """The part of the original result `text` that starts at `offset`, the `next` of an earlier part."""
    return _result(text, measure.size(text), WORDS[lang]).page(max(offset, 0), limits, cursor, tool)


@dataclass(frozen=True, slots=True)
class _Result:
    source: Source
    size: int
    envelope: Envelope | None
    form: Form
    held: Source
    """What the envelope holds, else `source`."""
    words: Words

    def limit(self, limits: Limits) -> int:
        return limits.bytes if self.form.rowwise else limits.text_bytes

    def page(self, offset: int, limits: Limits, cursor: Cursor | None, tool: str) -> Page:
        limit = self.limit(limits)
        budget = max(limit - min(RESERVE, limit // 4), FLOOR)
        envelope = self.envelope if offset == 0 else None
        body = _filled(self.form, envelope, budget) if envelope else self.form.show(offset, budget)
        token = None if cursor is None or body.stop is None else cursor(body.stop)
        frame = Frame(self.form, body, self.words, tool, token, self.size)
        end = len(self.form.text) if body.stop is None else body.stop
        shown = (body.rows.first, body.rows.last) if body.rows else (min(offset, end), end)
        total = body.rows.total if body.rows else None
        return Page(self._text(frame, envelope), body.stop, self.form.kind, total, *shown, self.size)

    def _text(self, frame: Frame, envelope: Envelope | None) -> str:
        body = frame.body
        if body.start == 0 and body.stop is None:
            return envelope.around(body.text) if envelope else body.text
        if envelope and envelope.root != "text":
            wrap = "content" if envelope.root == "array" else "text"
            return frame.json(envelope.around(frame.inner()), wrap, _keys(self.source))
        if self.form.kind in {"json", "json_rows"}:
            wrap = "text" if body.text.startswith('"') else "rows"
            document = frame.json(body.text, wrap, _keys(self.held))
            return envelope.around(document) if envelope else document
        if self.form.kind == "jsonl":
            line_end = "" if not body.text or body.text.endswith("\n") else "\n"
            return body.text + line_end + frame.json("{}", "", ())
        return frame.plain()


def _result(text: str, size: int, words: Words) -> _Result:
    source = Source(text)
    if len(text) > MAX_ANALYSED:
        return _Result(source, size, None, Prose(text), source, words)
    envelope = unwrap(source)
    held = Source(envelope.held) if envelope else source
    form = recognise(held, words, command=bool(envelope and envelope.command))
    return _Result(source, size, envelope, form, held, words)


def _filled(form: Form, envelope: Envelope, budget: int) -> Body:
    """The first part, so small that it fits once it is escaped and stands in its wrapper."""
    room = max(budget - measure.size(envelope.before) - measure.size(envelope.after), budget // 2)
    body = form.show(0, room)
    aim = room
    for _ in range(4):
        size = measure.size(replace(envelope, before="", after="").around(body.text + body.after))
        if size <= room or aim <= FLOOR:
            break
        aim = max(aim * room // size, FLOOR)
        body = form.show(0, aim)
    return body


def _keys(source: Source) -> Collection[str]:
    """Names that the outermost object of the result uses."""
    parts = source.parts(*source.span())
    return parts.names if parts else ()
