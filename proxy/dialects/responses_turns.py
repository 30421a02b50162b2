"""Responses items in turns: what follows each other of one side is one turn.

Reasoning, messages of the assistant, calls and what the provider ran by itself make one assistant turn; the outputs
behind them make one tool turn; every other message is a turn of its own. So a call and its result fold together, and a
group of parallel calls is never split. A turn remembers the objects that it was read with (`Origin`): what is still the
same object leaves as its bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from proxy.dialects.call_names import CallNames
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.responses_items import (
    CALLS,
    OUTPUTS,
    Called,
    CallOrigin,
    called,
    kind_of,
    member,
    message,
    note,
    read_call,
    read_result,
    read_texts,
    returnable,
    text_part,
    write_call,
    write_result,
    write_texts,
)
from proxy.dialects.responses_names import NO_NAMES, Names
from proxy.dialects.wire import COMPACT, Bytes, Style, arr, dump, edit, fields, obj, value
from proxy.model import Role, ToolCall, ToolResult, Turn, replace

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}


class Origin(msgspec.Struct, frozen=True):
    """What a turn was read from, and as what."""

    items: tuple[Bytes, ...]
    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    reply: bool = False
    """Read from a reply: its calls are looked at one by one, since their ids may be new."""
    fix: bool = False
    """Arguments that are no JSON object must not go back as they are."""


class Instructions(msgspec.Struct, frozen=True):
    """A system turn that stands in the request's field `instructions`."""

    texts: tuple[str, ...]


Item = tuple[dict[str, Any], Bytes]

# ---------------------------------------------------------------- reading


def parts(turn: Turn) -> Sequence[Bytes]:
    """The items that a turn was read from."""
    return turn.wire.items if isinstance(turn.wire, Origin) else ()


def read_turns(
    raws: Sequence[Bytes], names: Names = NO_NAMES, before: Sequence[Turn] = (), first: int = 0
) -> tuple[Turn, ...]:
    """The turns behind those `before`; `first` is the number of their items.

    Raises UnreadableError, naming the item.
    """
    turns: list[Turn] = []
    tools = CallNames(before)
    for role, group in _groups(raws, first):
        if role == "assistant":
            turn = assistant(group, names)
            tools.add(turn)
        elif role == "tool":
            results = tuple(read_result(item, raw, tools) for item, raw in group)
            turn = Turn("tool", results=results, wire=Origin(tuple(raw for _, raw in group), results=results))
        else:
            item, raw = group[0]
            texts, _ = read_texts(item.get("content"))
            turn = Turn(role, texts, wire=Origin((raw,), texts))
        turns.append(turn)
    return tuple(turns)


def _groups(raws: Sequence[Bytes], first: int) -> Iterator[tuple[Role, list[Item]]]:
    side: Role | None = None
    group: list[Item] = []
    for at, raw in enumerate(raws, first):
        item = value(raw)
        if not isinstance(item, dict):
            raise UnreadableError(f"input[{at}] is not an object")
        role = _role(item)
        if role is None:
            raise UnreadableError(f"input[{at}] has the role {item.get('role')!r}")
        if group and side is not None and (role != side or role in ("system", "user")):
            yield side, group
            group = []
        side = role
        group.append((item, raw))
    if group and side is not None:
        yield side, group


def _role(item: Mapping[str, Any]) -> Role | None:
    kind = kind_of(item)
    if kind == "message":
        return _ROLES.get(member(item, "role"))
    if kind in OUTPUTS:
        return "tool"
    return "system" if kind == "additional_tools" else "assistant"


def assistant(group: Sequence[Item], names: Names = NO_NAMES) -> Turn:
    """One assistant turn. A call whose output stands in the same turn was run by the provider and is none of ours."""
    ran = {member(item, "call_id") for item, _ in group if kind_of(item) in OUTPUTS}
    texts: list[str] = []
    calls: list[ToolCall] = []
    for item, raw in group:
        kind = kind_of(item)
        if kind == "message":
            texts += read_texts(item.get("content"))[0]
        elif kind in CALLS and member(item, "call_id") not in ran:
            calls.append(read_call(item, raw, names))
    said, made = tuple(texts), tuple(calls)
    return Turn("assistant", said, made, wire=Origin(tuple(raw for _, raw in group), said, made))


# ---------------------------------------------------------------- writing


def write_turns(turns: Sequence[Turn], style: Style = COMPACT, names: Names = NO_NAMES, skip: int = 0) -> list[Bytes]:
    """The items of the turns from the one at `skip` on; those before it are only looked at."""
    out: list[Bytes] = []
    calls: dict[str, Called] = {}
    for at, turn in enumerate(turns):
        if at >= skip:
            out += _write_turn(turn, calls, style, names)
        for call in turn.calls:
            origin = call.wire
            known = called(origin.raw) if isinstance(origin, CallOrigin) else None
            calls[call.id] = known or Called("custom_tool_call" if call.kind == "custom" else "function_call")
    return out


def _write_turn(turn: Turn, calls: Mapping[str, Called], style: Style, names: Names) -> Sequence[Bytes]:
    origin = turn.wire
    if isinstance(origin, Instructions):
        return ()
    if isinstance(origin, Origin) and unchanged(turn, origin):
        return origin.items
    if turn.role == "tool":
        results = [write_result(result, calls.get(result.call_id, Called()), style) for result in turn.results]
        return [*results, note(turn.appended, style)] if turn.appended else results
    if turn.role == "assistant":
        return write_assistant(turn, style, names)
    if not isinstance(origin, Origin):
        return [message(turn, style)]
    raw = origin.items[0]
    content = write_texts(fields(raw).get("content"), turn.texts, turn.appended, style=style)
    return [edit(raw, {"content": content}, style)]


def unchanged(turn: Turn, origin: Origin) -> bool:
    return (
        turn.texts is origin.texts
        and turn.calls is origin.calls
        and turn.results is origin.results
        and not turn.appended
        and not origin.reply
    )


def write_assistant(turn: Turn, style: Style = COMPACT, names: Names = NO_NAMES) -> list[Bytes]:
    """The items of an assistant turn: what was read, each call in its old place, others in the order of the turn."""
    origin = turn.wire if isinstance(turn.wire, Origin) else Origin(())
    own = {id(call.wire.raw) for call in origin.calls if isinstance(call.wire, CallOrigin)}
    at_call = {id(call.wire.raw): at for at, call in enumerate(turn.calls) if isinstance(call.wire, CallOrigin)}
    changed, more = retold(turn, origin, style)
    out: list[Bytes] = []
    written = 0
    for raw in origin.items:
        if id(raw) in own:
            upto = at_call.get(id(raw), -1) + 1
            out += [write_call(call, names, style, fix=origin.fix) for call in turn.calls[written:upto]]
            written = max(written, upto)
        elif (kept := changed.get(id(raw), raw)) is not None:
            out.append(kept)
    said = [*more, *turn.appended]
    if said and not (out and turn.calls):
        out.append(_message(said, style))
    elif said:
        out.insert(0, _message(said, style))
    return [*out, *(write_call(call, names, style, fix=origin.fix) for call in turn.calls[written:])]


def retold(turn: Turn, origin: Origin, style: Style = COMPACT) -> tuple[dict[int, Bytes | None], list[str]]:
    """Messages whose texts were changed, by the identity of what they were read from (None: nothing of it is left), and
    the texts that no message was there for.
    """
    changed: dict[int, Bytes | None] = {}
    if turn.texts is origin.texts:
        return changed, []
    texts = list(turn.texts)
    for raw in origin.items:
        item = value(raw)
        if kind_of(item) != "message":
            continue
        content = item.get("content")
        old, _ = read_texts(content)
        new = tuple(texts.pop(0) for _ in old if texts)
        if new == old:
            continue
        only_text = isinstance(content, str) or len(content or ()) == len(old)
        gone = only_text and not any(new)
        written = write_texts(fields(raw).get("content"), new, (), "output_text", style)
        changed[id(raw)] = None if gone else edit(raw, {"content": written}, style)
    return changed, texts


def _message(texts: Sequence[str], style: Style) -> bytes:
    parts = arr([text_part(text, "output_text", style) for text in texts], style)
    return obj([("type", b'"message"'), ("role", b'"assistant"'), ("content", parts)], style)


def again(turn: Turn, *, stored: bool, fix: bool) -> Turn:
    """A reply's turn as input for the next round."""
    origin = turn.wire
    if not isinstance(origin, Origin):
        return turn
    items = returnable(origin.items, stored=stored)
    return replace(turn, wire=replace(origin, items=items, reply=True, fix=fix))


def plain(text: Bytes) -> bytes:
    """The message that a plain string as input stands for."""
    return obj([("role", dump("user")), ("content", text)])
