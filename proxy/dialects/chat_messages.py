"""Chat Completions messages: read into turns, and turns written back as messages.

A turn remembers the very objects it was read with (`Origin`); what is still the same object leaves as its bytes. One
tool turn stands for all tool messages after an assistant message, so that a group is never split.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from proxy.dialects.call_names import CallNames
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.wire import COMPACT, Bytes, Style, arr, dump, edit, fields, items, member, obj, value
from proxy.model import Role, ToolCall, ToolResult, Turn

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
LEGACY = "function_call"
"""`wire` kind of the one call of the API's first form, which has no id."""


class Origin(msgspec.Struct, frozen=True):
    """What a turn was read from, and as what."""

    messages: tuple[Bytes, ...]
    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    rewrite: bool = False
    """The calls are to be written one by one, each as its bytes or anew."""
    fix: bool = False
    """Arguments that are no JSON object must not go back as they are."""


class CallOrigin(msgspec.Struct, frozen=True):
    """A call's wire object; `legacy` for the first form."""

    raw: Bytes
    tool: str
    args: str
    id: str
    legacy: bool = False


class ResultOrigin(msgspec.Struct, frozen=True):
    """The message of a result and, where its content is a list, which parts are text."""

    raw: Bytes
    texts: tuple[str, ...]
    parts: tuple[int, ...] | None


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
    pending: list[ToolResult] = []
    raws: list[Bytes] = []

    def close() -> None:
        if pending:
            results = tuple(pending)
            turns.append(Turn("tool", results=results, wire=Origin(tuple(raws), results=results)))
            pending.clear()
            raws.clear()

    for index, raw in enumerate(messages, first):
        message = value(raw)
        if not isinstance(message, dict):
            raise UnreadableError(f"messages[{index}] is not an object")
        if _role(message) == "tool":
            pending.append(_result(message, raw, names))
            raws.append(raw)
            continue
        close()
        turn = _turn(message, raw, index)
        names.add(turn)
        turns.append(turn)
    close()
    return tuple(turns)


def _role(message: Mapping[str, Any]) -> Role | None:
    role = message.get("role", "")
    return _ROLES.get(role) if isinstance(role, str) else None


def _turn(message: dict[str, Any], raw: Bytes, index: int) -> Turn:
    role = _role(message)
    if role is None:
        raise UnreadableError(f"messages[{index}] has the role {message.get('role')!r}")
    texts = read_texts(message.get("content"))[0]
    calls = read_calls(message, raw) if role == "assistant" else ()
    return Turn(role, texts, calls, wire=Origin((raw,), texts, calls))


def read_texts(content: object) -> tuple[tuple[str, ...], tuple[int, ...] | None]:
    """The text parts of a content, and their positions where it is a list."""
    if isinstance(content, str):
        return (content,), None
    if not isinstance(content, list):
        return (), None
    found = [
        (part if isinstance(part, str) else part["text"], at)
        for at, part in enumerate(content)
        if isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str))
    ]
    return tuple(text for text, _ in found), tuple(at for _, at in found)


def _result(message: dict[str, Any], raw: Bytes, names: CallNames) -> ToolResult:
    texts, parts = read_texts(message.get("content"))
    call_id = message.get("tool_call_id")
    call_id = call_id if isinstance(call_id, str) else ""
    tool = names.get(call_id) or (message["name"] if isinstance(message.get("name"), str) else "")
    return ToolResult(call_id, texts, tool, wire=ResultOrigin(raw, texts, parts))


def read_calls(message: Mapping[str, Any], raw: Bytes) -> tuple[ToolCall, ...]:
    """The calls of an assistant message. Shapes that are not known are left out, and stay on the wire."""
    calls: list[ToolCall] = []
    listed = message.get("tool_calls")
    if isinstance(listed, list) and listed:
        raws = items(fields(raw)["tool_calls"])
        calls += [read_call(call, item) for call, item in zip(listed, raws, strict=True) if isinstance(call, dict)]
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        calls.append(_legacy_call(legacy, fields(raw)["function_call"]))
    return tuple(calls)


def read_call(call: Mapping[str, Any], raw: Bytes) -> ToolCall:
    kind = call.get("type")
    body = call.get("custom") if kind == "custom" else call.get("function")
    body = body if isinstance(body, dict) else {}
    name = as_name(body)
    if kind == "custom":
        text = as_text(body.get("input"))
        return ToolCall(as_id(call), name, text, name, text, "custom", CallOrigin(raw, name, text, as_id(call)))
    text = as_text(body.get("arguments"))
    known: Literal["function", "builtin"] = "function" if kind in (None, "", "function") else "builtin"
    return ToolCall(as_id(call), name, text, name, text, known, CallOrigin(raw, name, text, as_id(call)))


def _legacy_call(call: Mapping[str, Any], raw: Bytes) -> ToolCall:
    name = as_name(call)
    text = as_text(call.get("arguments"))
    return ToolCall("", name, text, name, text, "function", CallOrigin(raw, name, text, "", legacy=True))


def is_legacy(call: ToolCall) -> bool:
    return isinstance(call.wire, CallOrigin) and call.wire.legacy


def as_id(call: Mapping[str, Any]) -> str:
    found = call.get("id")
    return found if isinstance(found, str) else ""


def as_name(function: Mapping[str, Any]) -> str:
    found = function.get("name")
    return found if isinstance(found, str) else ""


def as_text(arguments: object) -> str:
    """Arguments as text: some providers send the object itself, or null for none."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else dump(arguments).decode()


# ---------------------------------------------------------------- writing


def write_turns(turns: Sequence[Turn], style: Style = COMPACT) -> list[Bytes]:
    out: list[Bytes] = []
    for turn in turns:
        out += write_turn(turn, style)
    return out


def write_turn(turn: Turn, style: Style = COMPACT) -> Sequence[Bytes]:
    origin = turn.wire
    if not isinstance(origin, Origin):
        return _new_turn(turn, style)
    if unchanged(turn, origin):
        return origin.messages
    if turn.role == "tool":
        return _tool_messages(turn, style)
    return [_message(turn, origin, style)]


def unchanged(turn: Turn, origin: Origin) -> bool:
    return (
        turn.texts is origin.texts
        and turn.calls is origin.calls
        and turn.results is origin.results
        and not turn.appended
        and not origin.rewrite
    )


def _new_turn(turn: Turn, style: Style) -> list[Bytes]:
    if turn.role == "tool":
        return [_tool_message(result, (), style) for result in turn.results]
    members: list[tuple[str, Bytes]] = [("role", dump(turn.role))]
    text = "\n\n".join((*turn.texts, *turn.appended))
    members.append(("content", dump(text) if text or not turn.calls else b"null"))
    if turn.calls:
        members.append(("tool_calls", arr([write_call(call, style) for call in turn.calls], style)))
    return [obj(members, style)]


def _message(turn: Turn, origin: Origin, style: Style) -> bytes:
    raw = origin.messages[0]
    changes: dict[str, Bytes | None] = {}
    if turn.texts is not origin.texts or turn.appended:
        said = any((*turn.texts, *turn.appended)) or not turn.calls
        changes["content"] = content(fields(raw).get("content"), turn.texts, turn.appended, style) if said else b"null"
    if turn.calls is not origin.calls or origin.rewrite:
        changes.update(_calls(turn.calls, fix=origin.fix, style=style))
    return edit(raw, changes, style)


def _calls(calls: Sequence[ToolCall], *, fix: bool, style: Style) -> dict[str, Bytes | None]:
    legacy = [call for call in calls if is_legacy(call)]
    listed = [call for call in calls if not is_legacy(call)]
    changes: dict[str, Bytes | None] = {
        "tool_calls": arr([write_call(call, style, fix=fix) for call in listed], style) if listed else None
    }
    if legacy:
        changes[LEGACY] = write_call(legacy[0], style, fix=fix)
    return changes


def write_call(call: ToolCall, style: Style = COMPACT, *, fix: bool = False) -> Bytes:
    """A call as it was read, with what was changed; `fix` puts `{}` for arguments that are no JSON object."""
    args = "{}" if fix and call.kind == "function" and not _is_object(call.args) else call.args
    origin = call.wire
    if not isinstance(origin, CallOrigin):
        function = obj([("name", dump(call.tool)), ("arguments", dump(args))], style)
        return obj([("id", dump(call.id)), ("type", b'"function"'), ("function", function)], style)
    same = call.tool == origin.tool and args == origin.args and call.id == origin.id
    if same and not misread(origin):
        return origin.raw
    if origin.legacy:
        return edit(origin.raw, {"name": dump(call.tool), "arguments": dump(args)}, style)
    key, text = ("custom", "input") if call.kind == "custom" else ("function", "arguments")
    inner = member(fields(origin.raw), key)
    body = edit(inner, {"name": dump(call.tool), text: dump(args)}, style)
    members = fields(origin.raw)
    typed: dict[str, Bytes | None] = {} if "type" in members else {"type": b'"function"'}
    return edit(origin.raw, {"id": dump(call.id), **typed, key: body}, style)


def _broken(origin: CallOrigin) -> bool:
    """Whether the wire object's arguments are not the text of an object (an object itself, null)."""
    found = fields(origin.raw) if origin.legacy else fields(member(fields(origin.raw), "function"))
    return not bytes(found.get("arguments", b"")).startswith(b'"')


def misread(origin: CallOrigin) -> str:
    """Why a plain client would misread this call; empty: it would not."""
    members = fields(origin.raw)
    if not origin.legacy and "type" not in members:
        return "a call without type"
    return "arguments that are no string" if _broken(origin) else ""


def _is_object(text: str) -> bool:
    try:
        return isinstance(value(text.encode()), dict)
    except (UnreadableError, UnicodeError):
        return False


def content(raw: Bytes | None, texts: Sequence[str], appended: Sequence[str], style: Style) -> bytes:
    """A message's content with its text parts replaced, in the form that it had."""
    if raw is None or not bytes(raw).lstrip().startswith(b"["):
        return dump("\n\n".join((*texts, *appended)))
    left = list(texts)
    parts: list[Bytes] = []
    for part in items(raw):
        read = value(part)
        if isinstance(read, str):
            parts.append(dump(left.pop(0)) if left else part)
        elif isinstance(read, dict) and isinstance(read.get("text"), str) and left:
            text = left.pop(0)
            parts.append(part if text == read["text"] else edit(part, {"text": dump(text)}, style))
        else:
            parts.append(part)
    parts += [obj([("type", b'"text"'), ("text", dump(text))], style) for text in (*left, *appended)]
    return arr(parts, style)


def _tool_messages(turn: Turn, style: Style) -> list[Bytes]:
    last = len(turn.results) - 1
    return [_tool_message(result, turn.appended if at == last else (), style) for at, result in enumerate(turn.results)]


def _tool_message(result: ToolResult, appended: Sequence[str], style: Style) -> Bytes:
    origin = result.wire
    if isinstance(origin, ResultOrigin):
        if result.texts == origin.texts and not appended:
            return origin.raw
        written = content(fields(origin.raw).get("content"), result.texts, appended, style)
        return edit(origin.raw, {"content": written}, style)
    text = dump("\n\n".join((*result.texts, *appended)))
    if not result.call_id:
        return obj([("role", b'"function"'), ("name", dump(result.tool)), ("content", text)], style)
    return obj([("role", b'"tool"'), ("tool_call_id", dump(result.call_id)), ("content", text)], style)
