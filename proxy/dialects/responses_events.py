"""Writes Responses events: numbered, indexed, named as the stream names them, each item with its full set.

`Trail` is what the agent has seen of a stream so far. One stream may be told in several rounds, so a trail goes on from
round to round: the number rises, an output index is used once, the response keeps the id under which it began (official
clients raise when the last event has another one).
"""

from collections.abc import Sequence
from typing import Any, Final

from proxy.dialects import sse
from proxy.dialects.responses_assembly import ADDED, DONE, StreamItem
from proxy.dialects.responses_items import ARGUMENTS, kind_of, member
from proxy.dialects.wire import Bytes, dump, edit, fields, items, obj, value

HEADS: Final = frozenset({"response.created", "response.queued", "response.in_progress"})
TEXT: Final = "response.output_text.delta"
Member = tuple[str, Bytes]
ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})


class Held:
    """An event that has not left. `told` is None for what is no JSON object (a comment, [DONE])."""

    __slots__ = ("event", "item", "kind", "told")

    def __init__(self, event: bytes, kind: str, told: dict[str, Any] | None, item: StreamItem | None) -> None:
        self.event, self.kind, self.told, self.item = event, kind, told, item


def response_of(held: Held) -> Bytes:
    """The response object that an event carries; an empty one if it carries none."""
    raw = fields(sse.data(held.event) or b"{}").get("response", b"{}")
    return raw if bytes(raw).startswith(b"{") else b"{}"


class Trail:
    """What the agent has seen of its stream."""

    def __init__(self) -> None:
        self.response: Bytes | None = None
        """The response object as the first event told it; None: no event has left."""
        self.number = 0
        """The next sequence number."""
        self.index = 0
        """The next output index."""
        self.named = True
        """Events carry their type in an `event:` line too."""
        self.output: list[Bytes] = []
        """Items of earlier rounds that the agent has seen whole."""

    def onward(self, seen: Sequence[Bytes]) -> "Trail":
        """The trail of the next round."""
        trail = Trail()
        trail.response, trail.number, trail.index, trail.named = self.response, self.number, self.index, self.named
        trail.output = [*self.output, *seen]
        return trail

    @property
    def begun(self) -> bool:
        return self.response is not None

    def identity(self) -> dict[str, Bytes]:
        """What one response has the same in all its events."""
        if self.response is None:
            return {}
        members = fields(self.response)
        return {key: members[key] for key in ("id", "created_at") if key in members}

    # ------------------------------------------------------------ events that leave as they came

    def verbatim(self, held: Held) -> bytes:
        told, item = held.told, held.item
        if told is None:
            return held.event
        number = told.get("sequence_number")
        self.number = max(self.number, number if isinstance(number, int) else self.number) + 1
        if held.kind in HEADS and self.response is None:
            self.response = response_of(held)
        if item is not None:
            if item.shown is None:
                item.shown = self.index if item.index is None else item.index
                self.index = max(self.index, item.shown + 1)
            _note(held, told, item)
        return held.event

    # ------------------------------------------------------------ events that are part of another stream now

    def relabelled(self, held: Held) -> bytes:
        """The event with the number and the index that it has in this stream."""
        told, item = held.told, held.item
        if told is None:
            return held.event
        changes: dict[str, Bytes | None] = {}
        if told.get("sequence_number") != self.number:
            changes["sequence_number"] = dump(self.number)
        self.number += 1
        if held.kind in HEADS and self.response is None:
            self.response = response_of(held)
        if item is not None:
            shown = self.place(item)
            _note(held, told, item)
            if told.get("output_index") != shown:
                changes["output_index"] = dump(shown)
        return sse.event(edit(sse.data(held.event) or b"{}", changes), self._name(held.kind)) if changes else held.event

    def place(self, item: StreamItem) -> int:
        """The output index under which the agent sees an item."""
        if item.shown is None:
            item.shown = self.index
            self.index += 1
        return item.shown

    # ------------------------------------------------------------ new events

    def event(self, kind: str, *members: tuple[str, Bytes]) -> bytes:
        number = dump(self.number)
        self.number += 1
        return sse.event(obj([("type", dump(kind)), ("sequence_number", number), *members]), self._name(kind))

    def _name(self, kind: str) -> bytes | None:
        return kind.encode() if self.named else None

    def item(self, raw: Bytes, item: StreamItem) -> list[bytes]:
        """All events of an item that have not left yet; a call's same arguments in each."""
        kind = kind_of(value(raw))
        item.told = True
        if kind in ARGUMENTS:
            return self._call(raw, kind, self.place(item))
        at = ("output_index", dump(self.place(item)))
        out: list[bytes] = []
        if (ADDED, None) not in item.left:
            begun = edit(raw, {"content": b"[]", "status": b'"in_progress"'}) if kind == "message" else raw
            out.append(self.event(ADDED, at, ("item", begun)))
        if kind == "message":
            out += self._parts(raw, at, item)
        return [*out, self.event(DONE, at, ("item", raw))]

    def _call(self, raw: Bytes, kind: str, shown: int) -> list[bytes]:
        item = value(raw)
        key = ARGUMENTS[kind]
        args = dump(member(item, key))
        at = ("output_index", dump(shown))
        of = ("item_id", dump(member(item, "id")))
        family = "response.function_call_arguments" if kind == "function_call" else "response.custom_tool_call_input"
        begun = edit(raw, {key: b'""', "status": b'"in_progress"'})
        return [
            self.event(ADDED, at, ("item", begun)),
            self.event(f"{family}.delta", of, at, ("delta", args)),
            self.event(f"{family}.done", of, at, (key, args)),
            self.event(DONE, at, ("item", raw)),
        ]

    def _parts(self, raw: Bytes, at: Member, item: StreamItem) -> list[bytes]:
        members = fields(raw)
        out: list[bytes] = []
        content = members.get("content", b"")
        for number, part in enumerate(items(content) if bytes(content).startswith(b"[") else ()):
            told = value(part)
            if not isinstance(told, dict):
                continue
            text, sent = member(told, "text"), item.sent.get(number, "")
            place = (("item_id", members.get("id", b'""')), at, ("content_index", dump(number)))
            logs = ("logprobs", b"[]")
            empty = edit(part, {"text": b'""'})
            events: list[tuple[str, tuple[Member, ...]]] = [
                ("response.content_part.added", (("part", empty),)),
                ("response.output_text.done", (("text", dump(text)), logs)),
                ("response.content_part.done", (("part", part),)),
            ]
            if text != sent:
                events.insert(1, (TEXT, (("delta", dump(text[len(sent) :])), logs)))
            out += [
                self.event(kind, *place, *more)
                for kind, more in events
                if kind == TEXT or (kind, number) not in item.left
            ]
        return out


def _note(held: Held, told: dict[str, Any], item: StreamItem) -> None:
    """Notes on an item what leaves of it."""
    found = told.get("content_index")
    part = None if held.kind in (ADDED, DONE) else found if isinstance(found, int) else 0
    item.left.add((held.kind, part))
    item.told = item.told or held.kind == DONE
    if held.kind == TEXT:
        item.sent[part or 0] = item.sent.get(part or 0, "") + member(told, "delta")
