"""Puts the items of a Responses stream together from its events.

Events are matched to items by what they mean: an item id that is known, else the output index, else the last item of
that kind that is still open. Providers leave indexes or ids out, give each event another id, send no deltas, or leave
the last event's output empty. Of the copies of a call's arguments that a stream carries (deltas, arguments.done,
output_item.done, the last event) clients execute different ones, so they must agree: where they don't, or one is
missing, the stream is malformed and the call is written anew.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from proxy.dialects.dialect import Ids
from proxy.dialects.responses_items import ARGUMENTS, CALLS, CallOrigin, as_text, kind_of, member, waits
from proxy.dialects.responses_names import Names
from proxy.dialects.responses_reply import read_output
from proxy.dialects.responses_turns import Origin
from proxy.dialects.wire import Bytes, dump, edit, fields, obj, value
from proxy.model import ToolCall, Turn, replace

ADDED: Final = "response.output_item.added"
DONE: Final = "response.output_item.done"
_CALL_EVENTS: Final = {
    "response.function_call_arguments.": "function_call",
    "response.custom_tool_call_input.": "custom_tool_call",
}
_FAMILIES: Final = {
    **_CALL_EVENTS,
    "response.output_text.": "message",
    "response.refusal.": "message",
    "response.content_part.": "message",
    "response.reasoning": "reasoning",
}


class StreamItem:
    """An output item that is being put together."""

    __slots__ = (
        "acts",
        "added",
        "call_id",
        "deltas",
        "final",
        "id",
        "index",
        "kind",
        "left",
        "listed",
        "raw",
        "sent",
        "shown",
        "snapshot",
        "texts",
        "told",
        "whole",
    )

    def __init__(self, kind: str, *, acts: bool = False) -> None:
        self.kind = kind
        self.acts = acts or kind in ARGUMENTS
        """The agent acts on it."""
        self.listed = False
        """It is one of the turn's calls."""
        self.index: int | None = None
        self.id = ""
        self.added: Bytes | None = None
        self.final: Bytes | None = None
        self.snapshot: Bytes | None = None
        self.deltas: list[str] = []
        self.whole: str | None = None
        self.texts: dict[int, list[str]] = {}
        self.shown: int | None = None
        """The output index under which the agent sees it."""
        self.left: set[tuple[str, int | None]] = set()
        """Events that have left: type and content index (None where there is none)."""
        self.sent: dict[int, str] = {}
        """Text that has left, by content index."""
        self.told = False
        """The agent has seen its end."""
        self.call_id = ""
        """Of a call: the id that the agent knows it by, if that is not the one on the wire."""
        self.raw: Bytes | None = None

    def best(self) -> Bytes:
        """The item as the stream tells it at its end, or as far as it came."""
        if self.raw is None:
            self.raw = self._best()
        return self.raw

    def _best(self) -> Bytes:
        whole = self.snapshot or self.final
        if self.kind not in ARGUMENTS:
            return whole or self._begun()
        raw = self.final or self.snapshot or self._begun()
        args, key = self.arguments(), ARGUMENTS[self.kind]
        held = value(fields(raw).get(key, b"null"))
        return raw if as_text(held) == args else edit(raw, {key: dump(args)})

    def _begun(self) -> Bytes:
        raw = self.added or obj([("type", dump(self.kind)), *([("id", dump(self.id))] if self.id else [])])
        if self.kind != "message" or not self.texts:
            return raw
        parts = [
            {"type": "output_text", "text": "".join(said), "annotations": []} for _, said in sorted(self.texts.items())
        ]
        return edit(raw, {"content": dump(parts)})

    def arguments(self) -> str:
        """Of a call: the first copy that says anything, the last told first."""
        return next((copy for copy in self.copies() if copy), self._argument(self.added))

    def copies(self) -> tuple[str, ...]:
        return (self._argument(self.final), self._argument(self.snapshot), self.whole or "", "".join(self.deltas))

    def _argument(self, raw: Bytes | None) -> str:
        return as_text(value(fields(raw).get(ARGUMENTS[self.kind], b"null"))) if raw is not None else ""

    def agrees(self) -> bool:
        """Whether a client reads the same arguments, whichever copy it executes."""
        args = self.arguments()
        told = self.added is not None and self.final is not None and self.snapshot is not None
        return told and not self._argument(self.added) and all(copy == args for copy in self.copies())


class Assembly:
    """The items of one stream, in the order in which they began."""

    def __init__(self, names: Names, ids: Ids) -> None:
        self.items: list[StreamItem] = []
        self.malformed = ""
        self._names, self._ids = names, ids

    # ------------------------------------------------------------ events

    def take(self, kind: str, event: dict[str, Any], payload: bytes) -> StreamItem | None:
        """The item that an event tells of; None: it tells of none that is known."""
        if kind in (ADDED, DONE):
            told = event.get("item")
            return self._told(kind, event, told, payload) if isinstance(told, dict) else None
        family = next((of for prefix, of in _FAMILIES.items() if kind.startswith(prefix)), "")
        if not family and "output_index" not in event and "item_id" not in event:
            return None
        item = self._find(event, member(event, "item_id"), family)
        calls = kind.startswith(tuple(_CALL_EVENTS))
        if calls:
            self._blame("a call event without output_index", when=_index(event) is None)
            self._blame("a call event without item_id", when=not event.get("item_id"))
            if item is None:
                self._blame("a call without its first event", when=True)
                item = self._begin(family)
                item.id, item.index = member(event, "item_id"), _index(event)
        if item is not None:
            _grow(item, kind, event, calls=calls)
        return item

    def _told(self, kind: str, event: dict[str, Any], told: dict[str, Any], payload: bytes) -> StreamItem:
        raw = fields(payload)["item"]
        of, item_id = kind_of(told), member(told, "id")
        number = _index(event)
        acts = waits(told)
        self._blame("a call without output_index", when=acts and number is None)
        if kind == ADDED:
            used = any(one.index == number and one.index is not None for one in self.items)
            self._blame("an output_index used twice", when=used and acts)
            item = self._begin(of, acts=acts)
            item.added, item.id, item.index = raw, item_id, number
            return item
        found = self._find(event, item_id, of)
        item = found if found is not None and found.final is None and found.kind == of else self._begin(of, acts=acts)
        self._blame("a call without its first event", when=acts and item.added is None)
        self._blame("a call whose item id changes", when=acts and bool(item.id and item_id) and item.id != item_id)
        item.final, item.id, item.raw = raw, item_id or item.id, None
        item.index = number if item.index is None else item.index
        return item

    def _find(self, event: dict[str, Any], item_id: str, family: str) -> StreamItem | None:
        index = _index(event)
        latest = self.items[::-1]
        by_id = next((one for one in latest if item_id and one.id == item_id), None)
        if by_id is not None:
            return by_id
        at_index = next((one for one in latest if index is not None and one.index == index), None)
        if at_index is not None:
            return at_index
        still = [one for one in latest if one.kind == family and one.final is None]
        return next((one for one in still if index is None or one.index is None), None)

    def _begin(self, kind: str, *, acts: bool = False) -> StreamItem:
        item = StreamItem(kind, acts=acts)
        self.items.append(item)
        return item

    def snapshot(self, output: Sequence[Bytes]) -> bool:
        """Takes the output of the last event; True if it holds something for the agent to act on that no event told."""
        left = list(self.items)
        news = False
        for raw in output:
            told = value(raw)
            if not isinstance(told, dict):
                continue
            item = _match(left, told)
            if item is None:
                item = self._begin(kind_of(told), acts=waits(told))
                item.id = member(told, "id")
                self._blame("a call that no event told", when=waits(told))
                news = news or waits(told)
            else:
                left.remove(item)
            item.snapshot, item.raw = raw, None
        return news

    def _blame(self, why: str, *, when: bool) -> None:
        if when and not self.malformed:
            self.malformed = why

    # ------------------------------------------------------------ the whole

    def turn(self, *, whole: bool) -> Turn:
        """The turn that the items make."""
        raws = [item.best() for item in self.items]
        turn, why = read_output(raws, self._names, self._ids)
        owners = {id(raw): item for raw, item in zip(raws, self.items, strict=True)}
        calls: list[ToolCall] = []
        for call in turn.calls:
            item = owners[id(call.wire.raw)] if isinstance(call.wire, CallOrigin) else None
            calls.append(call if item is None else self._known(call, item))
        if whole and not turn.cut:
            self._blame(why, when=bool(why))
            apart = any(item.listed and item.kind in ARGUMENTS and not item.agrees() for item in self.items)
            self._blame("copies of a call that differ", when=apart)
        made = tuple(calls)
        origin = turn.wire
        return replace(turn, calls=made, wire=replace(origin, calls=made) if isinstance(origin, Origin) else origin)

    @staticmethod
    def _known(call: ToolCall, item: StreamItem) -> ToolCall:
        """The call with the id that it was given before, if it came without one."""
        item.listed = True
        item.call_id = item.call_id or call.id
        return call if call.id == item.call_id else replace(call, id=item.call_id)


def _index(event: Mapping[str, Any]) -> int | None:
    found = event.get("output_index")
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _grow(item: StreamItem, kind: str, event: dict[str, Any], *, calls: bool) -> None:
    delta = event.get("delta")
    if calls and kind.endswith(".delta"):
        item.deltas.append(as_text(delta))
    elif calls and kind.endswith(".done"):
        item.whole = as_text(event.get(ARGUMENTS.get(item.kind, "arguments")))
    elif kind == "response.output_text.delta" and isinstance(delta, str):
        part = event.get("content_index")
        item.texts.setdefault(part if isinstance(part, int) else 0, []).append(delta)
    else:
        return
    item.raw = None


def _match(left: Sequence[StreamItem], told: dict[str, Any]) -> StreamItem | None:
    """The item that the last event tells again: by its id, its call id, or as the next of its kind."""
    kind, item_id, call_id = kind_of(told), member(told, "id"), member(told, "call_id")
    same = [item for item in left if item.kind == kind]
    by_id = next((item for item in same if item_id and item.id == item_id), None)
    if by_id is not None:
        return by_id
    if kind in CALLS and call_id:
        return next((item for item in same if member(value(item.best()), "call_id") in ("", call_id)), None)
    return same[0] if same else None
