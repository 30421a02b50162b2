"""One content block of a stream, put together from its events.

Of a known delta only what belongs to the block is taken: the API refuses a block that goes back with a counter of the
stream in it. Unknown ones are taken by a rule: text grows, anything else is replaced. A call's arguments are the
fragments joined; where none came, what the first event said. Only a block that has ended may have meant "no arguments".
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from proxy.dialects.messages_content import CallOrigin, is_object
from proxy.dialects.wire import Bytes, dump, edit, fields
from proxy.model import ToolCall

_MEMBERS: Final = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class Block:
    """`raw` is the block as `content_block_start` has it, `start` the same for reading."""

    __slots__ = ("_added", "_args", "_call", "_grown", "ended", "kind", "left", "raw", "start")

    def __init__(self, raw: Bytes, start: Mapping[str, Any]) -> None:
        self.raw, self.start = raw, start
        kind = start.get("type")
        self.kind = kind if isinstance(kind, str) else ""
        self.ended = False
        self.left = 0
        """Characters of its text that have left."""
        self._args: list[str] = []
        self._grown: dict[str, list[Any]] = {}
        self._added: list[Any] = []
        self._call: ToolCall | None = None

    @property
    def is_call(self) -> bool:
        return self.kind == "tool_use"

    @property
    def is_text(self) -> bool:
        return self.kind == "text" and isinstance(self.start.get("text"), str)

    def grow(self, delta: Mapping[str, Any]) -> None:
        kind = delta.get("type")
        if kind == "input_json_delta":
            piece = delta.get("partial_json")
            self._args.append(piece if isinstance(piece, str) else "")
        elif kind == "citations_delta":
            self._added.append(delta.get("citation"))
        else:
            known = _MEMBERS.get(kind) if isinstance(kind, str) else None
            for key, piece in delta.items():
                if key == known or (known is None and key != "type"):
                    self._grown.setdefault(key, []).append(piece)

    @property
    def text(self) -> str:
        return str(self._member("text", self._grown.get("text", [])))

    def whole(self) -> Bytes:
        """The block as an unstreamed answer would hold it; input that is no JSON object becomes `{}`."""
        changes: dict[str, Bytes | None] = {key: dump(self._member(key, pieces)) for key, pieces in self._grown.items()}
        if self._added:
            before = self.start.get("citations")
            changes["citations"] = dump([*(before if isinstance(before, list) else []), *self._added])
        joined = "".join(self._args)
        if joined:
            changes["input"] = joined.encode("utf-8", "replace") if is_object(joined) else b"{}"
        return edit(self.raw, changes) if changes else self.raw

    def _member(self, key: str, pieces: list[Any]) -> Any:
        """A member that grew. A signature comes whole; each one replaces the last."""
        before = self.start.get(key)
        if key == "signature" or not all(isinstance(piece, str) for piece in pieces):
            return pieces[-1]
        return "".join([before if isinstance(before, str) else "", *pieces])

    def call(self, *, cut: bool) -> ToolCall:
        """`cut`: the answer was cut off within this block. The same object each time, unless more came."""
        args = self._arguments(cut=cut)
        if self._call is None or self._call.args != args:
            name, call_id = self._text("name"), self._text("id")
            kind: Literal["function", "builtin"] = "builtin" if self._text("toolset_name") else "function"
            origin = CallOrigin(self.whole(), call_id, name, args)
            self._call = ToolCall(call_id, name, args, name, args, kind, origin)
        return self._call

    def _arguments(self, *, cut: bool) -> str:
        joined = "".join(self._args)
        if joined:
            return joined
        given = bytes(fields(self.raw).get("input", b"null"))
        if given == b"null" or (given == b"{}" and (cut or not self.ended)):
            return ""
        return given.decode("utf-8", "replace")

    def _text(self, key: str) -> str:
        found = self.start.get(key)
        return found if isinstance(found, str) else ""
