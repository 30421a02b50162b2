"""Writes the held part of a Responses stream anew, for a reply that a policy changed or that must be made sound.

Each call leaves as a full set of events in the place of its first one, so that all copies of its arguments agree;
everything else that was held is kept, with the numbers and indexes that it now has. The last event tells the whole
output that the agent has seen, in order.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Protocol

from proxy.dialects import sse
from proxy.dialects.responses_assembly import StreamItem
from proxy.dialects.responses_events import ENDS, HEADS, Held, Trail, response_of
from proxy.dialects.responses_items import ARGUMENTS, CallOrigin, read_texts, write_call, write_texts
from proxy.dialects.responses_names import Names
from proxy.dialects.responses_reply import as_output, ends_well, new_message, write_response
from proxy.dialects.responses_turns import Origin, retold
from proxy.dialects.wire import Bytes, dump, edit, fields, value
from proxy.model import ToolCall, Turn, Usage


class Stream(Protocol):
    """The stream that the events belong to."""

    trail: Trail
    names: Names
    follows: bool
    """The agent has seen events of an earlier round."""
    hidden: Usage | None

    @property
    def items(self) -> Sequence[StreamItem]: ...


class RestWriter:
    """Writes one stream's held events. `mute`: messages are left out, since they say again what was said."""

    def __init__(self, stream: Stream, turn: Turn, seed: str, *, mute: bool) -> None:
        self._stream, self._turn, self._seed = stream, turn, seed
        self._trail = stream.trail
        self._muted = _muted(stream.items) if mute else frozenset[int]()
        self._mine = {id(item) for item in stream.items}
        self._own = {id(item.best()): item for item in stream.items}
        """Items by what their calls were read from."""
        kept = [(call, self._item_of(call)) for call in turn.calls]
        self._kept = {id(item): call for call, item in kept if item is not None}
        self._changed, self._more = _retold(turn)
        self._left = [call for call, item in kept if item is None or item.kind in ARGUMENTS]
        """Calls that are to be written and are not yet."""
        self._output: list[tuple[int, Bytes]] = []
        for item in stream.items:
            self._close(item)

    def write(self, held: Sequence[Held], comment: bytes) -> bytes:
        out: list[bytes] = []
        for one in held:
            if one.kind in ENDS:
                out += [*self._untold(), *self._calls(None), *self._appended(), comment, self._end(one)]
                comment = b""
            else:
                out += self._event(one)
        return b"".join([*out, comment])

    def _item_of(self, call: ToolCall) -> StreamItem | None:
        return self._own.get(id(call.wire.raw)) if isinstance(call.wire, CallOrigin) else None

    # ------------------------------------------------------------ what was held

    def _event(self, held: Held) -> list[bytes]:
        item = held.item
        if held.kind in HEADS and self._stream.follows:
            return []
        if item is None:
            return [self._trail.relabelled(held)]
        if id(item) in self._muted:
            return []
        call = self._kept.get(id(item))
        if item.listed and call is None:
            return []
        if call is not None and item.kind in ARGUMENTS and not self._partial(item):
            return self._calls(call)
        if id(item.best()) in self._changed:
            return self._said(item)
        event = self._trail.relabelled(held)
        self._close(item)
        return [event]

    def _calls(self, upto: ToolCall | None) -> list[bytes]:
        """The calls up to this one (None: all) that are not written yet, whole. A cut call is never made whole."""
        if upto is not None and not any(call is upto for call in self._left):
            return []
        out: list[bytes] = []
        while self._left:
            call = self._left.pop(0)
            item = self._item_of(call)
            if item is None or not self._partial(item):
                out += self._whole(as_output(write_call(call, self._stream.names), self._seed, self._turn), item)
            if call is upto:
                break
        return out

    def _partial(self, item: StreamItem) -> bool:
        """Whether a call was cut off before its end."""
        return self._turn.cut and item.final is None

    def _said(self, item: StreamItem) -> list[bytes]:
        """What is left to say of a message whose text was changed; what has left of it cannot be unsaid."""
        raw = self._changed[id(item.best())]
        if item.told or (raw is None and item.shown is None):
            return []
        return self._whole(_unsaid(raw, item), item)

    def _appended(self) -> list[bytes]:
        texts = (*self._more, *self._turn.appended)
        return self._whole(new_message(texts, self._seed)) if texts else []

    def _whole(self, raw: Bytes, item: StreamItem | None = None) -> list[bytes]:
        """All events of an item that have not left."""
        item = StreamItem("") if item is None else item
        self._output.append((self._trail.place(item), raw))
        return self._trail.item(raw, item)

    def _close(self, item: StreamItem) -> None:
        """Notes an item for the output once its end has left."""
        if (
            id(item) in self._mine
            and item.told
            and item.shown is not None
            and all(shown != item.shown for shown, _ in self._output)
        ):
            self._output.append((item.shown, item.best()))

    # ------------------------------------------------------------ the end

    def _untold(self) -> list[bytes]:
        """Items that only the last event tells, or tells the end of."""
        out: list[bytes] = []
        for item in self._stream.items:
            gone = id(item) in self._muted or (item.listed and id(item) not in self._kept)
            if item.told or gone or item.snapshot is None or (item.listed and not self._partial(item)):
                continue
            if id(item.best()) in self._changed:
                out += self._said(item)
            elif self._turn.cut:
                self._output.append((self._trail.place(item), item.best()))
            else:
                out += self._whole(item.best(), item)
        return out

    def _end(self, held: Held) -> bytes:
        payload, response = sse.data(held.event) or b"{}", response_of(held)
        output = [*self._trail.output, *(raw for _, raw in sorted(self._output, key=lambda one: one[0]))]
        same = self._trail.identity() if self._stream.follows else {}
        written = write_response(response, output, self._turn.finish, self._stream.hidden, same)
        kind = "response.completed" if ends_well(response, self._turn.finish) else held.kind
        changes = {"type": dump(kind), "sequence_number": dump(self._trail.number), "response": written}
        self._trail.number += 1
        return sse.event(edit(payload, changes), kind.encode() if self._trail.named else None)


def _retold(turn: Turn) -> tuple[dict[int, Bytes | None], list[str]]:
    return retold(turn, turn.wire) if isinstance(turn.wire, Origin) else ({}, list(turn.texts))


def _unsaid(raw: Bytes | None, item: StreamItem) -> Bytes:
    """The message (None: nothing of it is to be left), with texts that go on from what has left of them."""
    base = item.best() if raw is None else raw
    texts, _ = read_texts(value(base).get("content"))
    wanted = ("",) * len(texts) if raw is None else texts
    sent = [item.sent.get(at, "") for at in range(max(len(texts), len(item.sent)))]
    sound = [text if text.startswith(said) else said for text, said in zip_longest(wanted, sent, fillvalue="")]
    if tuple(sound) == texts:
        return base
    return edit(base, {"content": write_texts(fields(base).get("content"), sound, (), "output_text")})


def _muted(items: Sequence[StreamItem]) -> frozenset[int]:
    """Messages, but for those right behind reasoning: a provider takes reasoning back only with what followed it."""
    return frozenset(
        id(item)
        for at, item in enumerate(items)
        if item.kind == "message" and (at == 0 or items[at - 1].kind != "reasoning")
    )
