"""Reads one streamed Messages answer.

A small state machine: text and thinking leave at once; from the first `tool_use` on everything waits, later blocks
too, since a block that left early could not keep its index if a call before it goes. Pings and comments always leave.

An error event of the first round leaves at once, and what waited is dropped: no half call leaves behind it. One of a
later round never reaches the agent. In a later round a block other than text leaves only when it has ended, so that a
round that dies leaves no half thinking block, which the API would refuse when the agent sends it back.
"""

from collections.abc import Callable
from typing import Any

from proxy.dialects import sse
from proxy.dialects.dialect import Ids
from proxy.dialects.messages_block import Block
from proxy.dialects.messages_content import Content
from proxy.dialects.messages_outlet import Outlet, relabelled
from proxy.dialects.messages_reply import read_finish, read_usage, sound_calls
from proxy.dialects.messages_tools import container_of
from proxy.dialects.messages_turns import reply_origin
from proxy.dialects.messages_writer import Held, HeldWriter
from proxy.dialects.wire import UnreadableError, arr, dump, fields, mended, value
from proxy.model import Reply, TextWatch, Turn, Usage

_TAIL = ("message_delta", "message_stop")


class MessagesStream:
    """`after` is the reader of the round before, when the agent has seen some of it: this round's events then go on
    with that stream. `mute`: everything waits until the end, and text is left out if calls come, since it says again
    what the first attempt said. `watch` makes what tells which text must wait, since it may be a call in words.
    """

    def __init__(
        self,
        ids: Ids,
        after: "MessagesStream | None" = None,
        hidden: Usage | None = None,
        *,
        mute: bool = False,
        watch: Callable[[], TextWatch] | None = None,
    ) -> None:
        self.done = False
        self.malformed = ""
        self.spoke: bool = after is not None and after.spoke
        self.outlet: Outlet = after.outlet if after else Outlet()
        self.blocks: list[Block] = []
        self.begun: dict[str, Any] = {}
        self.container = ""
        self.follows = after is not None
        self.hidden = hidden
        self._ids = ids
        self._first = after is None and hidden is None
        self._mute = mute and self.spoke
        self._numbers: dict[int | None, int] = {}
        self._places: dict[int, int] = {}
        self._held: list[Held] = []
        self._unended: list[Held] = []
        self._holding = False
        self._failed = False
        self._usage: dict[str, Any] = {}
        self._counted = False
        self._stop: object = None
        self._made: list[str] = []
        self._watch = watch() if watch is not None else None
        self._doubtful = self._unspoken = False

    # ------------------------------------------------------------ events

    def feed(self, event: bytes) -> bytes:
        data = sse.data(event)
        if data is None:
            return event
        payload = mended(data)
        found = _parsed(payload)
        kind = _kind(found, event)
        if kind == "ping":
            return event
        if kind == "error":
            return self._error(event)
        held = Held(event, payload, kind, found, self._read(kind, found, payload))
        doubtful = self._watch is not None and self._doubts(held, self._watch)
        if kind == "message_start" or not (self._holding or self._mute or doubtful or self._waits(kind)):
            return self._released() + self._leave(held)
        self._held += [*self._unended, held]
        self._unended.clear()
        return b""

    def _waits(self, kind: str) -> bool:
        """Whether an event waits though no call is held: the end of a round whose usage is to be told anew."""
        return kind in _TAIL and not self._first

    def _doubts(self, held: Held, watch: TextWatch) -> bool:
        """Whether text waits. A block that has said nothing yet waits as well: there may be nothing to say in it."""
        block = self.blocks[held.block] if held.block is not None else None
        if block is not None and block.is_text:
            text = _said(held)
            self._doubtful = watch.waits(text) if text else self._doubtful
            self._unspoken = not text and held.kind == "content_block_start"
        return self._doubtful or self._unspoken

    def _released(self) -> bytes:
        """What waited only for doubtful text."""
        if self._watch is None or not self._held:
            return b""
        waited, self._held = self._held, []
        return b"".join(map(self._leave, waited))

    def _error(self, event: bytes) -> bytes:
        self._failed = True
        if not self._first:
            return b""
        waited = b"" if self._holding or self._mute else self._released()
        self._held.clear()
        self._holding = False
        return waited + event

    @property
    def _dropped(self) -> bool:
        """Whether the agent was told of an error, so that no call of this round counts."""
        return self._failed and self._first

    # ------------------------------------------------------------ reading

    def _read(self, kind: str, found: dict[str, Any], payload: bytes) -> int | None:
        """Takes an event in; the number of the block that it belongs to."""
        if kind == "content_block_start":
            return self._start(found, payload)
        if kind in ("content_block_delta", "content_block_stop"):
            return self._grow(kind, found)
        if kind == "message_start":
            message = found.get("message")
            self.begun = message if isinstance(message, dict) else {}
            self._take(self.begun, self.begun.get("usage"))
        elif kind == "message_delta":
            self._counted = self._counted or isinstance(found.get("usage"), dict)
            self._take(found.get("delta"), found.get("usage"))
        elif kind == "message_stop":
            self.done = True
        return None

    def _take(self, said: object, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage |= {key: count for key, count in usage.items() if count is not None}
        if isinstance(said, dict):
            self._stop = said.get("stop_reason") or self._stop
            self.container = container_of(dump(said.get("container"))) or self.container

    def _start(self, found: dict[str, Any], payload: bytes) -> int:
        index, start = _index(found), found.get("content_block")
        self._blame("a block without index", when=index is None)
        self._blame("an index used twice", when=index in self._numbers)
        block = Block(fields(payload)["content_block"], start) if isinstance(start, dict) else Block(b"{}", {})
        self._numbers[index] = len(self.blocks)
        self.blocks.append(block)
        self._holding = self._holding or (block.is_call and not self._dropped)
        return len(self.blocks) - 1

    def _grow(self, kind: str, found: dict[str, Any]) -> int | None:
        number = self._numbers.get(_index(found))
        if number is None:
            return None
        delta = found.get("delta")
        if kind == "content_block_stop":
            self.blocks[number].ended = True
        elif isinstance(delta, dict):
            self.blocks[number].grow(delta)
        return number

    def _blame(self, why: str, *, when: bool) -> None:
        if when and not self.malformed:
            self.malformed = why

    # ------------------------------------------------------------ leaving

    def _leave(self, held: Held) -> bytes:
        if held.kind == "message_start":
            if self.follows and self.outlet.begun:
                return b""
            self.outlet.begun = True
        if held.block is None:
            return held.event
        block = self.blocks[held.block]
        self.spoke = self.spoke or (block.is_text and bool(block.text))
        block.left += len(_said(held)) if block.is_text else 0
        if not self.follows or block.is_text:
            return self.place(held, own=not self.follows)
        self._unended.append(held)
        if held.kind != "content_block_stop":
            return b""
        waiting, self._unended = self._unended, []
        return b"".join(map(self.place, waiting))

    def has_begun(self, number: int) -> bool:
        """Whether the agent has seen the beginning of a block."""
        return number in self._places

    def place(self, held: Held, *, own: bool = False) -> bytes:
        """An event of a block as the agent gets it: at the next free index, or (`own`) as it came."""
        number, index = held.block or 0, _index(held.found)
        lead = b""
        if number not in self._places:
            lead = self.outlet.shut(self)
            self._places[number] = self.outlet.start(self, index if own else None)
        place = self._places[number]
        if held.kind == "content_block_stop":
            self.outlet.stop(place)
        if own or index == place:
            return lead + held.event
        return lead + relabelled(held.kind, held.payload, {"index": dump(place)})

    # ------------------------------------------------------------ the whole answer

    def reply(self, *, whole: bool) -> Reply:
        finish = read_finish(self._stop)
        cut = finish == "length" or not whole or self._failed or not (finish or self.done)
        blocks = [block for block in self.blocks if not (block.is_call and self._dropped)]
        texts = tuple(block.text for block in blocks if block.is_text)
        last = blocks[-1] if blocks else None
        read = tuple(block.call(cut=cut and block is last) for block in blocks if block.is_call)
        calls, why = sound_calls(read, self._remembered())
        self._blame(why, when=bool(why))
        origin = reply_origin(arr([block.whole() for block in blocks]), Content(texts, read))
        turn = Turn("assistant", texts, calls, finish=finish, cut=cut, wire=origin)
        usage = read_usage(self._usage, estimated=not self._counted)
        return Reply((turn,), usage, _text(self.begun, "id"), _text(self.begun, "model"), wire=self)

    def _remembered(self) -> Ids:
        """Ids for calls that came without one, the same each time that the answer is read."""
        known = iter(tuple(self._made))

        def made() -> str:
            found = next(known, None)
            if found is None:
                found = self._ids()
                self._made.append(found)
            return found

        return made

    # ------------------------------------------------------------ writing

    @property
    def held(self) -> bool:
        return bool(self._held or self._unended)

    def unchanged(self) -> bytes:
        if self._first and self.outlet.last in (None, self):
            return b"".join(held.event for held in self._held)
        return self.write(self.reply(whole=True))

    def write(self, reply: Reply, comment: bytes = b"") -> bytes:
        mute = self._mute and any(block.is_call for block in self.blocks)
        return HeldWriter(self, reply.turns[0], mute=mute).write(self._held, comment)


def _parsed(payload: bytes) -> dict[str, Any]:
    """An event's object; empty where it is none."""
    try:
        found = value(payload)
    except UnreadableError:
        return {}
    return found if isinstance(found, dict) else {}


def _kind(found: dict[str, Any], event: bytes) -> str:
    kind = found.get("type")
    return kind if isinstance(kind, str) else (sse.name(event) or b"").decode("utf-8", "replace") if found else ""


def _said(held: Held) -> str:
    """The text that an event of a text block adds to it."""
    part = held.found.get("content_block" if held.kind == "content_block_start" else "delta")
    return _text(part, "text") if isinstance(part, dict) else ""


def _index(found: Any) -> int | None:
    index = found.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _text(message: dict[str, Any], key: str) -> str:
    found = message.get(key)
    return found if isinstance(found, str) else ""
