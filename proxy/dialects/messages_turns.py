"""Messages of a request: read into turns, and turns written back as messages.

A turn remembers the very objects it was read with (`Origin`); what is still the same object leaves as its bytes. The
results of one assistant message stand in one tool turn, whether the agent sent them in one user message or in several;
they stay in front, and what a policy adds comes behind them. `system` has a field of its own, and is the first turn.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proxy.dialects.call_names import CallNames
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.messages_content import (
    NOTHING,
    Content,
    Slot,
    TextEdits,
    joined,
    read_content,
    slots,
    text_block,
    write_call,
    write_result,
    write_texts,
)
from proxy.dialects.wire import COMPACT, Bytes, Raw, Style, arr, dump, edit, fields, obj
from proxy.model import Role, ToolCall, ToolResult, Turn, replace

_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


class Origin(msgspec.Struct, frozen=True):
    """What a turn was read from, and as what."""

    messages: tuple[Bytes, ...]
    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    resend: bool = False
    """It was an answer, and goes back up: what the API says but does not take (input that is no object, empty text) is
    mended then.
    """


class SystemOrigin(msgspec.Struct, frozen=True):
    """The `system` field, a string or a list of blocks."""

    raw: Bytes
    texts: tuple[str, ...]


# ---------------------------------------------------------------- reading


def parts(turn: Turn) -> Sequence[Bytes]:
    """The messages that a turn was read from."""
    return turn.wire.messages if isinstance(turn.wire, Origin) else ()


def read_turns(messages: Sequence[Bytes], before: Sequence[Turn] = (), first: int = 0) -> tuple[Turn, ...]:
    """The turns behind those `before`; `first` is the number of their messages.

    Raises UnreadableError, naming the message.
    """
    turns: list[Turn] = []
    names = CallNames(before)
    for index, raw in enumerate(messages, first):
        turn = _read_turn(raw, index, names)
        names.add(turn)
        if turn.role == "tool" and turns and turns[-1].role == "tool":
            turns[-1] = _joined(turns[-1], turn)
        else:
            turns.append(turn)
    return tuple(turns)


class _Message(msgspec.Struct):
    role: str = ""
    content: Raw = NOTHING


_message = msgspec.json.Decoder(_Message).decode


def _read_turn(raw: Bytes, index: int, names: CallNames) -> Turn:
    try:
        message = _message(raw)
        content = read_content(message.content)
    except (msgspec.DecodeError, RecursionError, UnreadableError) as error:
        raise UnreadableError(f"messages[{index}]: {error}") from None
    role = _ROLES.get(message.role)
    if role is None:
        raise UnreadableError(f"messages[{index}] has the role {message.role!r}")
    if role == "user" and content.results:
        results = tuple(replace(result, tool=names.get(result.call_id)) for result in content.results)
        return Turn("tool", content.texts, results=results, wire=Origin((raw,), content.texts, (), results))
    calls = content.calls if role == "assistant" else ()
    return Turn(role, content.texts, calls, wire=Origin((raw,), content.texts, calls))


def _joined(first: Turn, second: Turn) -> Turn:
    texts, results = first.texts + second.texts, first.results + second.results
    messages = (*parts(first), *parts(second))
    return Turn("tool", texts, results=results, wire=Origin(messages, texts, (), results))


def read_system(raw: Raw | None) -> Turn | None:
    """The first turn, if the request has a `system` field that says something."""
    if raw is None or bytes(raw) == b"null":
        return None
    texts = read_content(raw).texts
    return Turn("system", texts, wire=SystemOrigin(bytes(raw), texts))


def reply_origin(content: Bytes, read: Content) -> Origin:
    """An answer's content as the assistant message that a request would carry."""
    message = obj([("role", b'"assistant"'), ("content", content)])
    return Origin((message,), read.texts, read.calls, resend=True)


def reply_content(origin: Origin) -> Bytes:
    return fields(origin.messages[0])["content"]


# ---------------------------------------------------------------- writing


def is_system(turn: Turn) -> bool:
    """Whether a turn is written to the `system` field; instructions in mid-conversation are messages."""
    return turn.role == "system" and not isinstance(turn.wire, Origin)


def write_system(turn: Turn, style: Style = COMPACT) -> Bytes:
    origin = turn.wire
    if not isinstance(origin, SystemOrigin):
        return joined((*turn.texts, *turn.appended))
    if turn.texts is origin.texts and not turn.appended:
        return origin.raw
    return write_texts(origin.raw, origin.texts, (*turn.texts, *turn.appended), style)


def write_turns(turns: Sequence[Turn], style: Style = COMPACT) -> list[Bytes]:
    out: list[Bytes] = []
    for turn in turns:
        out += write_turn(turn, style)
    return out


def write_turn(turn: Turn, style: Style = COMPACT) -> Sequence[Bytes]:
    """The messages of a turn; none if a policy left nothing of it."""
    origin = turn.wire
    if not isinstance(origin, Origin):
        return _new_turn(turn, style)
    if unchanged(turn, origin):
        return origin.messages
    written = _Edit(turn, origin, style)
    return [message for at, raw in enumerate(origin.messages) for message in written.message(at, raw)]


def unchanged(turn: Turn, origin: Origin) -> bool:
    return (
        turn.texts is origin.texts
        and turn.calls is origin.calls
        and turn.results is origin.results
        and not turn.appended
        and not origin.resend
    )


def _new_turn(turn: Turn, style: Style) -> list[Bytes]:
    texts = [text for text in (*turn.texts, *turn.appended) if text]
    blocks: list[Bytes] = [write_result(result, style) for result in turn.results]
    blocks += [text_block(text, style) for text in texts]
    blocks += [write_call(call, style) for call in turn.calls]
    if not blocks:
        return []
    body = dump(texts[0]) if len(blocks) == 1 and texts else arr(blocks, style)
    role = "user" if turn.role == "tool" else turn.role
    return [obj([("role", dump(role)), ("content", body)], style)]


class Merge:
    """A turn's calls or results laid onto the blocks that they were read from.

    Each block gives way to the item that still has its origin, led by those that came from elsewhere and stand before
    it in the turn; the block of an item that is gone is left out.
    """

    def __init__(self, new: Sequence[Any]) -> None:
        self._new = new
        self._next = 0
        self._place = {id(item.wire): at for at, item in enumerate(new) if item.wire is not None}

    def at(self, old: Any) -> Sequence[Any]:
        """What stands in place of the block that `old` was read from."""
        place = self._place.get(id(old.wire), -1)
        if place < self._next:
            return ()
        taken = self._new[self._next : place + 1]
        self._next = place + 1
        return taken

    def rest(self) -> Sequence[Any]:
        """What has no block of its own."""
        left = self._new[self._next :]
        self._next = len(self._new)
        return left


class _Edit:
    """Writes one changed turn, block by block."""

    def __init__(self, turn: Turn, origin: Origin, style: Style) -> None:
        self._turn, self._origin, self._style = turn, origin, style
        self._texts = TextEdits(origin.texts, turn.texts, prune=origin.resend)
        self._calls, self._results = Merge(turn.calls), Merge(turn.results)
        self._call_at = self._result_at = 0
        self._added = [text for text in (*self._texts.extra, *turn.appended) if text]
        self._last = len(origin.messages) - 1

    def message(self, at: int, raw: Bytes) -> list[Bytes]:
        content = fields(raw).get("content")
        found = slots(content)
        if found is None and not self._turn.calls and not self._turn.results:
            text = joined((*self._turn.texts, *self._turn.appended))
            return [edit(raw, {"content": text}, self._style)]
        if found is None:
            found = slots(arr([text_block(text) for text in self._origin.texts])) or []
        blocks: list[Bytes] = []
        for slot in found:
            blocks += self._block(slot)
        if at == self._last:
            blocks += self._end()
        return [edit(raw, {"content": arr(blocks, self._style)}, self._style)] if blocks else []

    def _block(self, slot: Slot) -> list[Bytes]:
        origin = self._origin
        if slot.kind == "text":
            return self._texts.at(slot, self._style)
        if slot.kind == "tool_use" and self._turn.role == "assistant":
            before = self._own_texts()
            taken = list(self._calls.at(origin.calls[self._call_at]))
            self._call_at += 1
            if self._call_at == len(origin.calls):
                taken += self._calls.rest()
            return before + [write_call(call, self._style, fix=origin.resend) for call in taken]
        if slot.kind == "tool_result" and origin.results:
            results = list(self._results.at(origin.results[self._result_at]))
            self._result_at += 1
            if self._result_at == len(origin.results):
                results += self._results.rest()
            return [write_result(result, self._style) for result in results]
        return [slot.raw]

    def _own_texts(self) -> list[Bytes]:
        """Texts for which there is no block, once: an assistant's stand before its first call, others at the end."""
        texts, self._added = self._added, []
        return [text_block(text, self._style) for text in texts]

    def _end(self) -> list[Bytes]:
        """What is left of a turn whose blocks are all written."""
        results = [write_result(result, self._style) for result in self._results.rest()]
        calls = [write_call(call, self._style) for call in self._calls.rest()]
        return [*results, *self._own_texts(), *calls]
