"""Writes the held part of a Messages stream anew, for a turn whose calls were changed or that goes on with another.

A call that is as the model wrote it leaves event by event, at the index that is now its own; a changed one leaves as
three events with the whole input in one piece, which every client tried takes. Blocks of calls that are gone leave no
gap. All else that was held is kept as it came.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from proxy.dialects import sse
from proxy.dialects.messages_block import Block
from proxy.dialects.messages_content import CallOrigin
from proxy.dialects.messages_outlet import Outlet, event, relabelled
from proxy.dialects.messages_reply import hidden_usage, missing_input, stop_edits, stop_reason
from proxy.dialects.messages_turns import Merge, Origin
from proxy.dialects.wire import Bytes, dump, edit, fields
from proxy.model import ToolCall, Turn, Usage


class Held(msgspec.Struct, frozen=True):
    """An event that waits, as it came and as it reads; `block` is the number of its block in this round."""

    event: bytes
    payload: bytes
    kind: str = ""
    found: Mapping[str, Any] = {}
    block: int | None = None


class Stream(Protocol):
    """The round that the events belong to."""

    done: bool
    outlet: Outlet
    blocks: list[Block]
    begun: dict[str, Any]
    """Its message as `message_start` has it."""

    @property
    def hidden(self) -> Usage | None: ...

    @property
    def follows(self) -> bool:
        """Whether the agent has seen events of an earlier round."""

    def has_begun(self, number: int) -> bool:
        """Whether the agent has seen the beginning of a block."""

    def place(self, held: Held) -> bytes:
        """An event of a block, at the block's index in the agent's stream."""


class HeldWriter:
    """`mute`: text blocks are left out."""

    def __init__(self, stream: Stream, turn: Turn, *, mute: bool) -> None:
        self._stream, self._turn, self._mute = stream, turn, mute
        self._read: tuple[ToolCall, ...] = turn.wire.calls if isinstance(turn.wire, Origin) else ()
        self._calls = Merge(turn.calls)
        self._texts = [text for text in turn.appended if text]
        self._seen = 0
        self._kept: set[int | None] = set()
        self._retold = _retold(stream.blocks, turn)
        self._told: set[int] = set()

    def write(self, held: Sequence[Held], comment: bytes = b"") -> bytes:
        """`comment` goes before the last event."""
        out = [self._stream.outlet.shut(self._stream)]
        for one in held:
            if one.kind == "message_stop":
                out += [*self._rest(), comment]
                comment = b""
            out += self._event(one)
        if not self._stream.done and self._changed():
            out += [*self._rest(), self._end(), comment, event("message_stop", {})]
            comment = b""
        return b"".join(out) + comment

    def _changed(self) -> bool:
        """Whether the turn is another than the one that was read, made ids aside."""
        pairs = zip(self._turn.calls, self._read, strict=False)
        return (
            bool(self._turn.appended)
            or len(self._turn.calls) != len(self._read)
            or any((new.wire, new.tool, new.args) != (old.wire, old.tool, old.args) for new, old in pairs)
        )

    def _event(self, one: Held) -> list[bytes]:
        if one.kind == "message_delta":
            return [*self._rest(), self._delta(one)]
        if one.block is None:
            return [] if one.kind.startswith("content_block") else [one.event]
        block = self._stream.blocks[one.block]
        if block.is_call:
            return self._call(one)
        if self._mute and block.is_text:
            return []
        return self._retell(one, one.block) if one.block in self._retold else [self._stream.place(one)]

    def _retell(self, one: Held, number: int) -> list[bytes]:
        """A text block with the text that it has now: what is left to say of it in one piece; none if that is all."""
        rest = self._retold[number][self._stream.blocks[number].left :]
        if not rest and not self._stream.has_begun(number):
            return []
        out: list[bytes] = []
        if one.kind == "content_block_start":
            empty = edit(fields(one.payload)["content_block"], {"text": b'""'})
            out.append(self._placed(one, "content_block_start", {"content_block": empty}))
        if rest and number not in self._told:
            delta = dump({"type": "text_delta", "text": rest})
            out.append(self._placed(one, "content_block_delta", {"delta": delta}))
        self._told.add(number)
        return [*out, self._stream.place(one)] if one.kind == "content_block_stop" else out

    def _placed(self, one: Held, kind: str, members: Mapping[str, Bytes]) -> bytes:
        """An event of our own in the block of another."""
        made = event(kind, {"index": dump(one.found.get("index")), **members})
        return self._stream.place(Held(made, sse.data(made) or b"{}", kind, one.found, one.block))

    def _call(self, one: Held) -> list[bytes]:
        if one.kind != "content_block_start":
            return [self._stream.place(one)] if one.block in self._kept else []
        number, self._seen = self._seen, self._seen + 1
        if number >= len(self._read):
            return []
        read = self._read[number]
        out = self._own_texts()
        for call in self._calls.at(read):
            if call.wire is read.wire and _as_read(call):
                self._kept.add(one.block)
                out.append(self._stream.place(one))
            else:
                out.append(self._stream.outlet.call(call))
        return out

    def _own_texts(self) -> list[bytes]:
        """What a policy has to say, once: before the first call, since calls come last in a turn."""
        texts, self._texts = self._texts, []
        return [self._stream.outlet.text(text) for text in texts]

    def _rest(self) -> list[bytes]:
        """What has no event in whose place it could stand."""
        return [*self._own_texts(), *map(self._stream.outlet.call, self._calls.rest())]

    def _delta(self, one: Held) -> bytes:
        members = fields(one.payload)
        changes: dict[str, Bytes | None] = {}
        usage = self._usage(one.found.get("usage"))
        if usage:
            counted = members.get("usage", b"")
            changes["usage"] = edit(counted if bytes(counted).startswith(b"{") else b'{"output_tokens":0}', usage)
        delta = one.found.get("delta")
        if isinstance(delta, dict) and delta.get("stop_reason") is not None:
            stop = stop_edits(self._turn, delta["stop_reason"])
            if stop:
                changes["delta"] = edit(members["delta"], stop)
        return relabelled(one.kind, one.payload, changes) if changes else one.event

    def _usage(self, counted: object) -> dict[str, Bytes | None]:
        """What a round's last usage lacks to be understood behind the rounds before it."""
        stream = self._stream
        added = missing_input(counted, stream.begun.get("usage")) if stream.follows else {}
        if stream.hidden is not None:
            added["handrail"] = hidden_usage(stream.hidden)
        return added

    def _end(self) -> bytes:
        """The end of a turn whose own end never came."""
        delta = dump({"stop_reason": stop_reason(self._turn), "stop_sequence": None})
        return event("message_delta", {"delta": delta, "usage": edit(b'{"output_tokens":0}', self._usage(None))})


def _retold(blocks: Sequence[Block], turn: Turn) -> dict[int, str]:
    """Text blocks that say something else now, by their number."""
    if not isinstance(turn.wire, Origin) or turn.texts is turn.wire.texts:
        return {}
    numbers = [number for number, block in enumerate(blocks) if block.is_text]
    said = zip(numbers, turn.texts, turn.wire.texts, strict=False)
    return {number: new for number, new, old in said if new != old}


def _as_read(call: ToolCall) -> bool:
    origin = call.wire
    if not isinstance(origin, CallOrigin):
        return False
    return call.tool == origin.tool and call.args == origin.args and call.id == origin.id
