"""Writes the held part of a Chat Completions stream anew, for a turn whose calls were changed.

Each choice's calls leave whole, one event each, in place of their first fragment: every client tried takes that. All
else that the held chunks said (role, reasoning, usage) is kept as it came.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from proxy.dialects import sse
from proxy.dialects.chat_messages import is_legacy, write_call
from proxy.dialects.chat_reply import hidden_usage, read_finish, write_finish
from proxy.dialects.wire import Bytes, arr, dump, edit, fields, items, obj
from proxy.model import Turn, Usage


class Stream(Protocol):
    """The stream that the chunks belong to."""

    base: dict[str, Bytes]
    """The members that all its chunks share: id, object, created, model."""

    @property
    def hidden(self) -> Usage | None: ...

    @property
    def follows(self) -> bool:
        """Whether the agent has seen chunks of an earlier round."""

    def relabelled(self, payload: bytes, changes: Mapping[str, Bytes | None]) -> bytes: ...


class ChunkWriter:
    """Writes held chunks anew: each choice's calls whole, in place of its first fragment.

    `said`: the rest of the text, by choice, where it is another than what the chunks say.
    """

    def __init__(self, stream: Stream, turns: Mapping[int, Turn], said: Mapping[int, str], *, mute: bool) -> None:
        self._stream, self._turns, self._said, self._mute = stream, turns, said, mute
        self._written: set[int] = set()
        self._ended: set[int] = set()

    def chunk(self, event: bytes, chunk: Mapping[str, Any]) -> list[bytes]:
        payload = sse.data(event) or b"{}"
        members = fields(payload)
        raws = items(members["choices"]) if isinstance(chunk.get("choices"), list) else []
        before: list[bytes] = []
        behind: list[bytes] = []
        kept: list[Bytes] = []
        for at, raw in enumerate(raws):
            part = chunk["choices"][at]
            index = part.get("index") if isinstance(part, dict) else None
            self._part(part, raw, index if isinstance(index, int) else at, (before, behind, kept))
        same = len(kept) == len(raws) and all(one is raw for one, raw in zip(kept, raws, strict=True))
        changes: dict[str, Bytes | None] = {} if same else {"choices": arr(kept)}
        hidden = self._stream.hidden
        if hidden is not None and isinstance(chunk.get("usage"), dict):
            changes["usage"] = edit(members["usage"], {"handrail": hidden_usage(hidden)})
        if kept or not raws or chunk.get("usage"):
            untouched = not changes and not self._stream.follows
            before.append(event if untouched else self._stream.relabelled(payload, changes))
        return before + behind

    def _part(self, part: Any, raw: Bytes, index: int, out: tuple[list[bytes], list[bytes], list[Bytes]]) -> None:
        before, behind, kept = out
        turn = self._turns.get(index)
        if turn is None or not isinstance(part, dict):
            kept.append(raw)
            return
        ends = part.get("finish_reason") is not None
        if (ends or _has_calls(part)) and index not in self._written:
            self._written.add(index)
            (before if ends else behind).extend(self._calls(turn))
        left = self._left(part, raw, turn, retold=self._mute or index in self._said)
        if left is not None and not (ends and index in self._ended):
            kept.append(left)
        if ends:
            self._ended.add(index)

    def _left(self, part: Mapping[str, Any], raw: Bytes, turn: Turn, *, retold: bool) -> Bytes | None:
        """What a choice still says when its calls are written elsewhere; None: nothing."""
        changes: dict[str, Bytes | None] = {}
        delta = part.get("delta")
        left: dict[str, Any] = {}
        if isinstance(delta, dict):
            gone = ["tool_calls", "function_call", *(("content",) if retold else ())]
            left = {key: found for key, found in delta.items() if key not in gone}
            if len(left) != len(delta):
                changes["delta"] = edit(fields(raw)["delta"], dict.fromkeys(gone))
        if part.get("finish_reason") is not None:
            if read_finish(part["finish_reason"], None)[0] != turn.finish:
                changes["finish_reason"] = dump(write_finish(turn))
        elif not left or (self._stream.follows and not any(left[key] for key in left if key != "role")):
            return None
        return edit(raw, changes) if changes else raw

    def _calls(self, turn: Turn) -> list[bytes]:
        """The turn's calls, one event each; then what a policy has to say in place of some."""
        said = "" if self._mute else self._said.get(turn.choice, "")
        deltas: list[Bytes] = [obj({"content": dump(said)})] if said else []
        deltas += [
            obj({"function_call": write_call(call)})
            if is_legacy(call)
            else obj({"tool_calls": arr([obj({"index": dump(at), **fields(write_call(call))})])})
            for at, call in enumerate(turn.calls)
        ]
        deltas += [obj({"content": dump(text)}) for text in turn.appended]
        return [self._event(turn.choice, delta) for delta in deltas]

    def rest(self) -> list[bytes]:
        """What is left to say of choices that were never ended."""
        open_ = [index for index in self._said if index not in self._written]
        self._written.update(open_)
        return [event for index in open_ for event in (*self._calls(self._turns[index]), self._end(index))]

    def _end(self, index: int) -> bytes:
        reason = dump(write_finish(self._turns[index]))
        choice = obj({"index": dump(index), "delta": b"{}", "finish_reason": reason})
        return sse.event(obj({**self._stream.base, "choices": arr([choice])}))

    def _event(self, index: int, delta: Bytes) -> bytes:
        choice = obj({"index": dump(index), "delta": delta, "finish_reason": b"null"})
        return sse.event(obj({**self._stream.base, "choices": arr([choice])}))


def _has_calls(part: Mapping[str, Any]) -> bool:
    delta = part.get("delta")
    return isinstance(delta, dict) and bool(delta.get("tool_calls") or delta.get("function_call"))
