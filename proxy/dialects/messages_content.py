"""Content blocks of Messages: which of them a policy acts on, and these written back with what was changed.

Text, `tool_use` and `tool_result` blocks are read; any other (thinking with its signature, server tools and their
results, documents, pictures) is a block without a meaning here, and leaves as its bytes. A block is changed by
replacing members of it, so `cache_control`, `citations` and `caller` stay.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from proxy.dialects.dialect import UnreadableError
from proxy.dialects.wire import COMPACT, Bytes, Raw, Style, arr, dump, edit, fields, items, obj, value
from proxy.model import ToolCall, ToolResult

NOTHING = Raw(b"")
"""A member that is not there."""
Kind = Literal["text", "tool_use", "tool_result", "other"]


class CallOrigin(msgspec.Struct, frozen=True):
    """A call's block, and what was read from it. Of a streamed call that is no JSON object, `raw` holds `{}`."""

    raw: Bytes
    id: str
    tool: str
    args: str


class ResultOrigin(msgspec.Struct, frozen=True):
    """A result's block, and what was read from it."""

    raw: Bytes
    texts: tuple[str, ...]
    is_error: bool | None


class Slot(msgspec.Struct, frozen=True):
    """A content block: its bytes, its members, and what it is to us."""

    kind: Kind
    raw: Bytes
    members: dict[str, Raw]


class Content(msgspec.Struct, frozen=True):
    """What was read from a content."""

    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


# ---------------------------------------------------------------- reading


def slots(content: Bytes | None) -> list[Slot] | None:
    """The blocks of a content; None where it is a string, or there is none."""
    if content is None or not bytes(content).startswith(b"["):
        return None
    return [_slot(raw) for raw in items(content)]


def _slot(raw: Raw) -> Slot:
    try:
        members = fields(raw)
        kind = text_of(members, "type")
    except UnreadableError:
        return Slot("other", raw, {})
    if kind == "text" and bytes(members.get("text", b"")).startswith(b'"'):
        return Slot("text", raw, members)
    if kind == "tool_use":
        return Slot("tool_use", raw, members)
    return Slot("tool_result" if kind == "tool_result" else "other", raw, members)


def text_of(members: dict[str, Raw], key: str) -> str:
    """A member that should be a string; "" where it is not."""
    raw = members.get(key)
    if raw is None or not bytes(raw).startswith(b'"'):
        return ""
    return str(value(raw))


class _Known(msgspec.Struct):
    """All members that are read of any block."""

    type: str = ""
    text: str | None = None
    id: str = ""
    name: str = ""
    input: Raw = NOTHING
    toolset_name: str | None = None
    tool_use_id: str = ""
    content: Raw = NOTHING
    is_error: bool | None = None


_known_blocks = msgspec.json.Decoder(list[_Known]).decode


def _known(content: Raw) -> list[_Known]:
    """The blocks of a list, all at once; one by one where a block is not what the API sends."""
    try:
        return _known_blocks(content)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return [_odd(raw) for raw in items(content)]


def _odd(raw: Raw) -> _Known:
    slot = _slot(raw)
    members = slot.members
    if slot.kind == "other":
        return _Known()
    return _Known(
        slot.kind,
        text_of(members, "text"),
        text_of(members, "id"),
        text_of(members, "name"),
        members.get("input", NOTHING),
        text_of(members, "toolset_name"),
        text_of(members, "tool_use_id"),
        members.get("content", NOTHING),
        {b"true": True, b"false": False}.get(bytes(members.get("is_error", b""))),
    )


def read_content(content: Raw) -> Content:
    """Raises UnreadableError where it is no JSON."""
    if not bytes(content).startswith(b"["):
        return Content(_string(content))
    blocks = _known(content)
    if not any(block.type in ("tool_use", "tool_result") for block in blocks):
        return Content(_texts(blocks))
    pairs = list(zip(blocks, items(content), strict=True))
    return Content(
        _texts(blocks),
        tuple(_read_call(block, raw) for block, raw in pairs if block.type == "tool_use"),
        tuple(_read_result(block, raw) for block, raw in pairs if block.type == "tool_result"),
    )


def _texts(blocks: Sequence[_Known]) -> tuple[str, ...]:
    return tuple(block.text for block in blocks if block.type == "text" and block.text is not None)


def _string(content: Raw) -> tuple[str, ...]:
    return (str(value(content)),) if bytes(content).startswith(b'"') else ()


def _read_call(block: _Known, raw: Raw) -> ToolCall:
    """A call whose arguments are the bytes of `input`; null and nothing are no arguments.

    A member of a toolset (`computer`, `browser`) is defined by the provider: no schema of the request describes it.
    """
    given = bytes(block.input)
    args = "" if given == b"null" else given.decode("utf-8", "replace")
    kind: Literal["function", "builtin"] = "builtin" if block.toolset_name else "function"
    origin = CallOrigin(raw, block.id, block.name, args)
    return ToolCall(block.id, block.name, args, block.name, args, kind, origin)


def _read_result(block: _Known, raw: Raw) -> ToolResult:
    content = block.content
    texts = _texts(_known(content)) if bytes(content).startswith(b"[") else _string(content)
    origin = ResultOrigin(raw, texts, block.is_error)
    return ToolResult(block.tool_use_id, texts, "", block.is_error, origin)


def is_object(text: str) -> bool:
    """Whether a text is one JSON object, of numbers of any size."""
    try:
        fields(text.encode("utf-8", "replace"))
    except UnreadableError:
        return False
    return True


# ---------------------------------------------------------------- writing


def text_block(text: str, style: Style = COMPACT) -> bytes:
    return obj([("type", b'"text"'), ("text", dump(text))], style)


def write_call(call: ToolCall, style: Style = COMPACT, *, fix: bool = False) -> Bytes:
    """A call's block. `fix`: input that is no JSON object goes as `{}`; the API takes nothing else."""
    origin = call.wire
    sound = is_object(call.args)
    given = call.args.encode("utf-8", "replace")
    if not isinstance(origin, CallOrigin):
        body = given if sound else b"{}"
        return obj([("type", b'"tool_use"'), ("id", dump(call.id)), ("name", dump(call.tool)), ("input", body)], style)
    changes: dict[str, Bytes | None] = {}
    if call.id != origin.id:
        changes["id"] = dump(call.id)
    if call.tool != origin.tool:
        changes["name"] = dump(call.tool)
    if call.args != origin.args and sound:
        changes["input"] = given
    elif fix and not sound:
        changes["input"] = b"{}"
    return edit(origin.raw, changes, style) if changes else origin.raw


def write_result(result: ToolResult, style: Style = COMPACT) -> Bytes:
    """A result's block: text in the form that it had, and only what was changed replaced."""
    origin = result.wire
    if not isinstance(origin, ResultOrigin):
        members: list[tuple[str, Bytes]] = [("type", b'"tool_result"'), ("tool_use_id", dump(result.call_id))]
        if any(result.texts):
            members.append(("content", joined(result.texts)))
        if result.is_error is not None:
            members.append(("is_error", dump(result.is_error)))
        return obj(members, style)
    changes: dict[str, Bytes | None] = {}
    if result.texts != origin.texts:
        content = fields(origin.raw).get("content")
        changes["content"] = write_texts(content, origin.texts, result.texts, style)
    if result.is_error != origin.is_error:
        changes["is_error"] = None if result.is_error is None else dump(result.is_error)
    return edit(origin.raw, changes, style) if changes else origin.raw


def joined(texts: Iterable[str]) -> bytes:
    """Texts as one string, a blank line between them."""
    return dump("\n\n".join(text for text in texts if text))


def write_texts(content: Bytes | None, old: Sequence[str], new: Sequence[str], style: Style) -> bytes:
    """A content with its texts replaced: a string stays a string, a list keeps its other blocks in their places."""
    found = slots(content)
    if found is None:
        return joined(new)
    texts = TextEdits(old, new)
    parts: list[Bytes] = []
    for slot in found:
        parts += texts.at(slot, style) if slot.kind == "text" else [slot.raw]
    parts += [text_block(text, style) for text in texts.extra]
    return arr(parts, style)


class TextEdits:
    """New texts laid onto the text blocks that are there, one by one.

    A text that is left out or empty takes its block with it, since the API refuses an empty one. Where fewer texts
    come than there were, those that are still the same keep their block. `prune`: not even an empty block that came
    so is kept.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str], *, prune: bool = False) -> None:
        self._left = list(new[: len(old)])
        self._spare = len(old) - len(self._left)
        self._prune = prune
        self.extra: Sequence[str] = [text for text in new[len(old) :] if text]
        """Texts for which there is no block."""

    def at(self, slot: Slot, style: Style) -> list[Bytes]:
        """What stands in place of the next text block."""
        old = text_of(slot.members, "text")
        if self._spare and (not self._left or self._left[0] != old):
            self._spare -= 1
            return []
        text = self._left.pop(0)
        if text == old:
            return [] if self._prune and not text.strip() else [slot.raw]
        return [edit(slot.raw, {"text": dump(text)}, style)] if text else []
