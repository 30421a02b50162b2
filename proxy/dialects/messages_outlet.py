"""The stream as the agent reads it, over all rounds of an exchange; and events of Handrail's own.

Clients put each block at the end of a list and find it again by its index, so the indices that leave must count up
without a gap, whatever rounds the blocks come from. All readers of one exchange share one outlet: a round that died,
and the round before it whose calls then leave after all, go on counting in the same place.
"""

from collections.abc import Mapping

from proxy.dialects import sse
from proxy.dialects.messages_content import CallOrigin
from proxy.dialects.wire import Bytes, dump, edit, obj
from proxy.model import ToolCall


class Outlet:
    """What the agent has been sent of one stream."""

    __slots__ = ("begun", "last", "next", "open")

    def __init__(self) -> None:
        self.begun = False
        """`message_start` has left."""
        self.next = 0
        """Index of the next block."""
        self.open: dict[int, object] = {}
        """Blocks that have begun and not ended, and whose they are."""
        self.last: object = None
        """Whose block was the last to begin."""

    def start(self, owner: object, index: int | None = None) -> int:
        """Takes an index for a block that begins: the next one, or the one that it leaves with anyway."""
        taken = self.next if index is None else index
        self.next = max(self.next, taken + 1)
        self.open[taken] = self.last = owner
        return taken

    def stop(self, index: int) -> None:
        self.open.pop(index, None)

    def shut(self, but: object = None) -> bytes:
        """Ends the blocks that were left open, all but those of one owner."""
        left = [index for index, owner in self.open.items() if but is None or owner is not but]
        for index in left:
            del self.open[index]
        return b"".join(block_stop(index) for index in left)

    def text(self, text: str) -> bytes:
        """A whole text block."""
        return self._block(b'{"type":"text","text":""}', {"type": "text_delta", "text": text})

    def call(self, call: ToolCall) -> bytes:
        """A whole call, its arguments in one piece; what else the model's block said, it still says."""
        named: dict[str, Bytes | None] = {"id": dump(call.id), "name": dump(call.tool), "input": b"{}"}
        begun = call.wire.raw if isinstance(call.wire, CallOrigin) else b'{"type":"tool_use"}'
        return self._block(edit(begun, named), {"type": "input_json_delta", "partial_json": call.args})

    def _block(self, begun: Bytes, delta: Mapping[str, str]) -> bytes:
        index = self.next
        self.next += 1
        start = event("content_block_start", {"index": dump(index), "content_block": begun})
        grown = event("content_block_delta", {"index": dump(index), "delta": dump(delta)})
        return start + grown + block_stop(index)


def event(kind: str, members: Mapping[str, Bytes]) -> bytes:
    return sse.event(obj({"type": dump(kind), **members}), kind.encode())


def block_stop(index: int) -> bytes:
    return event("content_block_stop", {"index": dump(index)})


def relabelled(kind: str, payload: bytes, changes: Mapping[str, Bytes | None]) -> bytes:
    """An event with some members replaced."""
    return sse.event(edit(payload, changes), kind.encode())
