"""Reads one streamed Responses answer.

A small state machine. Text, the provider's own tools and visible reasoning leave at once. What a call begins is held,
and so is all behind it: models write calls last, and numbers and indexes must rise, so nothing is gained by letting
later items pass. What says nothing yet (response.created, in_progress, the frame of a reasoning item) waits for the
first event that does: a round that goes straight to a call can then be asked again without a trace, and the agent gets
the id of the response that it can chain on. Reasoning is closed only when its follower leaves, since a provider takes
it back only together with that.

The stream of a later round goes on with the one that the agent reads: no second response.created, rising numbers, the
next free index, and the id under which that response began (official clients raise if the last event has another one).
`provider_id` is the id under which the provider keeps it: a later ask that names the first must name this one.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from proxy.dialects import sse
from proxy.dialects.dialect import Ids, UnreadableError
from proxy.dialects.responses_assembly import Assembly, StreamItem
from proxy.dialects.responses_events import ENDS, HEADS, TEXT, Held, Trail
from proxy.dialects.responses_items import member
from proxy.dialects.responses_names import NO_NAMES, Names
from proxy.dialects.responses_reply import output_of, read_finish, read_usage
from proxy.dialects.responses_rest import RestWriter
from proxy.dialects.wire import Bytes, fields, mended, value
from proxy.model import Reply, TextWatch, Usage, replace


class Asked(msgspec.Struct, frozen=True):
    """What a stream has to know of its request."""

    names: Names = NO_NAMES
    background: bool = False
    """The agent may want the response's id at once, to come back for it."""
    watch: Callable[[], TextWatch] | None = None


class ResponsesStream:
    """`after` is the reader of the round before. `mute`: what a message says waits until the end, and is left out if
    calls come.
    """

    def __init__(
        self,
        ids: Ids,
        asked: Asked,
        after: "ResponsesStream | None" = None,
        hidden: Usage | None = None,
        *,
        mute: bool = False,
    ) -> None:
        self.done = False
        self.names, self.hidden = asked.names, hidden
        self.trail: Trail = after.trail.onward(after.shown()) if after else Trail()
        self.follows = self.trail.begun
        self.spoke: bool = after is not None and after.spoke
        self.provider_id = ""
        self._mute = mute and self.spoke
        self._background = asked.background
        self._assembly = Assembly(asked.names, ids)
        self._queue: list[Held] = after.unfinished() if after else []
        self._opened = tuple({id(one.item): one.item for one in self._queue if one.item is not None}.values())
        self._holding = self._doubtful = False
        self._watch = asked.watch() if asked.watch is not None else None
        self._styled = self.follows
        self._usage: Usage | None = None
        self._model = ""
        self._state: dict[str, Any] | None = None
        self._failed = False

    # ------------------------------------------------------------ reading

    def feed(self, event: bytes) -> bytes:
        payload = sse.data(event)
        payload = None if payload is None else mended(payload)
        told = _object(payload)
        if told is None or payload is None:
            self.done = self.done or (payload is not None and payload.strip() == b"[DONE]")
            if not self._queue:
                return event
            self._queue.append(Held(event, "", None, None))
            return b""
        name = sse.name(event)
        if not self._styled:
            self._styled, self.trail.named = True, name is not None
        kind = member(told, "type") or (name or b"").decode("utf-8", "replace")
        try:
            held = self._take(event, kind, told, payload)
        except UnreadableError:
            held = Held(event, kind, told, None)
        self._queue.append(held)
        if self._waits(held):
            return b""
        out = b"".join(map(self._leave, self._queue))
        self._queue = []
        return out

    def _take(self, event: bytes, kind: str, told: dict[str, Any], payload: bytes) -> Held:
        if kind in HEADS or kind in ENDS:
            self._respond(kind, told, payload)
        elif kind == "error":
            self.done = self._failed = True
        return Held(event, kind, told, self._assembly.take(kind, told, payload))

    def _respond(self, kind: str, told: dict[str, Any], payload: bytes) -> None:
        response = told.get("response")
        response = response if isinstance(response, dict) else {}
        self.provider_id = member(response, "id") or self.provider_id
        self._model = member(response, "model") or self._model
        if kind in HEADS:
            return
        # without names it is a stream of the kind that ends with [DONE]
        self.done = self.done or self.trail.named
        self._usage = read_usage(response.get("usage")) or self._usage
        state = member(response, "status") or kind.removeprefix("response.")
        self._state = {**response, "status": "completed" if state == "in_progress" else state}
        if isinstance(response.get("output"), list):
            self._holding = self._assembly.snapshot(output_of(fields(payload)["response"])) or self._holding

    def _waits(self, held: Held) -> bool:
        item, told = held.item, held.told or {}
        last = held.kind in ENDS and (self.follows or self.hidden is not None)
        if self._mute or last or (item is not None and item.acts):
            self._holding = True
        if self._watch is not None and held.kind == TEXT:
            self._doubtful = self._watch.waits(member(told, "delta"))
        if self._holding or self._doubtful:
            return True
        if held.kind in HEADS:
            return not self._background
        if item is not None and (item.kind == "reasoning" or (self._watch is not None and _unspoken(item))):
            return not told.get("delta")
        return held.kind == "keepalive" and len(self._queue) > 1

    def _leave(self, held: Held) -> bytes:
        if held.kind in HEADS and self.follows:
            return b""
        self.spoke = self.spoke or (held.kind == TEXT and bool((held.told or {}).get("delta")))
        return self.trail.relabelled(held) if self.follows else self.trail.verbatim(held)

    # ------------------------------------------------------------ the whole answer

    @property
    def items(self) -> Sequence[StreamItem]:
        """Items that belong to the output that the agent sees; reasoning whose follower was rejected does not."""
        opened = [item for item in self._opened if item.kind != "reasoning"]
        return (*opened, *self._assembly.items)

    @property
    def malformed(self) -> str:
        return self._assembly.malformed

    def reply(self, *, whole: bool) -> Reply:
        turn = self._assembly.turn(whole=whole and not self._failed)
        finish, cut = read_finish(self._state or {}, calls=bool(turn.calls))
        if self._failed or self._state is None:
            finish, cut = ("other" if self._failed else ""), True
        turn = replace(turn, finish=finish, cut=turn.cut or cut or not whole)
        return Reply((turn,), self._usage, self._known_as(), self._model, self.provider_id, wire=self)

    def _known_as(self) -> str:
        """The id of the response as the agent knows it."""
        known = self.trail.identity().get("id") if self.follows else None
        return self.provider_id if known is None else str(value(known))

    # ------------------------------------------------------------ writing

    @property
    def held(self) -> bool:
        return bool(self._queue)

    def unchanged(self) -> bytes:
        if not self.follows and self.hidden is None:
            return b"".join(held.event for held in self._queue)
        return self.write(self.reply(whole=True))

    def write(self, reply: Reply, comment: bytes = b"") -> bytes:
        if not self._queue:
            return b""
        turn = reply.turns[0]
        writer = RestWriter(self, turn, self._known_as(), mute=self._mute and bool(turn.calls))
        return writer.write(self._queue, comment)

    # ------------------------------------------------------------ the round after

    def shown(self) -> list[Bytes]:
        """Items that the agent has seen whole, in order."""
        seen = [item for item in self.items if item.told and item.shown is not None]
        return [item.best() for item in sorted(seen, key=lambda item: item.shown or 0)]

    def unfinished(self) -> list[Held]:
        """Held events of items that the agent has seen the beginning of: they must still be told to their end."""
        begun = {
            id(item) for item in (*self._opened, *self._assembly.items) if item.shown is not None and not item.told
        }
        return [held for held in self._queue if held.item is not None and id(held.item) in begun and not held.item.acts]


def _unspoken(item: StreamItem) -> bool:
    """Whether a message has said nothing yet: it may turn out to be no message."""
    return item.kind == "message" and not item.sent


def _object(payload: bytes | None) -> dict[str, Any] | None:
    if payload is None:
        return None
    try:
        found = value(payload)
    except UnreadableError:
        return None
    return found if isinstance(found, dict) else None
