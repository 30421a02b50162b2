"""Responses items: which kinds there are, and calls, results and texts read from them and written back.

An item is edited only in the members that a policy changed; all else (ids, status, namespaces, encrypted reasoning,
members that nobody knows) stays as it came. Calls that the agent runs are `function_call` and `custom_tool_call`, and a
few built-in ones (a shell, a patch) that policies see but never edit. What the provider runs by itself is no call here.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from proxy.dialects.call_names import CallNames
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.responses_names import NO_NAMES, Names
from proxy.dialects.wire import COMPACT, Bytes, Style, arr, dump, edit, fields, items, obj, value
from proxy.model import ToolCall, ToolResult, Turn

ARGUMENTS: Final[Mapping[str, str]] = {"function_call": "arguments", "custom_tool_call": "input"}
"""Calls whose arguments are text, and the member that holds it."""
_BUILTIN: Final[Mapping[str, str]] = {
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
CALLS: Final = frozenset({*ARGUMENTS, *_BUILTIN})
"""Calls that the agent runs and that are answered with text."""
UNANSWERABLE: Final = frozenset({"computer_call", "mcp_approval_request"})
"""Items that only the agent can answer, and not with text."""
OUTPUTS: Final = frozenset(f"{kind}_output" for kind in CALLS)

Slot = tuple[int, str]
"""Where a text stands in a list of parts: index and member."""


class CallOrigin(msgspec.Struct, frozen=True):
    """What a call was read from."""

    raw: Bytes
    tool: str
    args: str
    id: str
    why: str = ""
    """Why a plain client would misread it."""


class ResultOrigin(msgspec.Struct, frozen=True):
    """What a result was read from; `slots` is None where its output is one string."""

    raw: Bytes
    texts: tuple[str, ...]
    slots: tuple[Slot, ...] | None


def kind_of(item: object) -> str:
    """The item's type; a message may leave it out. Empty for what is no item."""
    if not isinstance(item, dict):
        return ""
    found = item.get("type")
    return found if isinstance(found, str) and found else "message" if "role" in item else ""


def member(item: Mapping[str, Any], key: str) -> str:
    """A member that is text; empty where it is missing or something else."""
    found = item.get(key)
    return found if isinstance(found, str) else ""


def waits(item: Mapping[str, Any]) -> bool:
    """Whether the agent acts on this item, so that it must not leave before the reply is judged."""
    kind = kind_of(item)
    if kind == "tool_search_call":
        return item.get("execution") == "client"
    return kind in CALLS or kind in UNANSWERABLE


# ---------------------------------------------------------------- texts


def read_texts(content: object) -> tuple[tuple[str, ...], tuple[Slot, ...] | None]:
    """The texts of a content or an output, and where they stand if it is a list of parts."""
    if isinstance(content, str):
        return (content,), None
    if not isinstance(content, list):
        return (), None
    slots = tuple(
        (at, key)
        for at, part in enumerate(content)
        if isinstance(part, dict)
        for key in ("text", "stdout", "stderr")
        if isinstance(part.get(key), str)
    )
    return tuple(content[at][key] for at, key in slots), slots


def write_texts(
    raw: Bytes | None,
    texts: Sequence[str],
    appended: Sequence[str] = (),
    part: str = "input_text",
    style: Style = COMPACT,
) -> bytes:
    """The content with its texts replaced, in the form that it had; `part` is the type of parts that are added.

    Text parts that no text is left for are taken out; pictures and files stay.
    """
    if raw is None or not bytes(raw).lstrip().startswith(b"["):
        return dump("\n\n".join((*texts, *appended)))
    old, slots = read_texts(value(raw))
    new = dict(zip(slots or (), texts, strict=False))
    was = dict(zip(slots or (), old, strict=True))
    parts: list[Bytes] = []
    for at, one in enumerate(items(raw)):
        here = [slot for slot in was if slot[0] == at]
        if any(slot in new or slot[1] != "text" for slot in here) or not here:
            changes = {slot[1]: dump(new.get(slot, "")) for slot in here if new.get(slot, "") != was[slot]}
            parts.append(edit(one, changes, style) if changes else one)
    added = (*texts[len(was) :], *appended)
    parts += [text_part(text, part, style) for text in added]
    return arr(parts, style)


def text_part(text: str, kind: str = "input_text", style: Style = COMPACT) -> bytes:
    pairs: list[tuple[str, Bytes]] = [("type", dump(kind)), ("text", dump(text))]
    if kind == "output_text":
        pairs.append(("annotations", b"[]"))
    return obj(pairs, style)


def as_text(arguments: object) -> str:
    """Arguments as text: some providers send the object itself, or null for none."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else dump(arguments).decode()


# ---------------------------------------------------------------- calls


def read_call(item: Mapping[str, Any], raw: Bytes, names: Names = NO_NAMES) -> ToolCall:
    kind = kind_of(item)
    call_id = member(item, "call_id")
    if kind in _BUILTIN:
        tool = kind.removesuffix("_call")
        args = as_text(item.get(_BUILTIN[kind]))
        return ToolCall(call_id, tool, args, tool, args, "builtin", CallOrigin(raw, tool, args, call_id))
    text = item.get(ARGUMENTS[kind])
    args = as_text(text)
    name, namespace = member(item, "name"), member(item, "namespace")
    tool, why = names.meant(namespace, name)
    why = why if isinstance(text, str) else "arguments that are no string"
    return ToolCall(
        call_id,
        f"{namespace}.{name}" if namespace else name,
        args,
        tool,
        args,
        "custom" if kind == "custom_tool_call" else "function",
        CallOrigin(raw, tool, args, call_id, why),
    )


def write_call(call: ToolCall, names: Names = NO_NAMES, style: Style = COMPACT, *, fix: bool = False) -> Bytes:
    """A call as it was read, with what was changed; `fix` puts `{}` for arguments that are no JSON object."""
    args = "{}" if fix and call.kind == "function" and not _is_object(call.args) else call.args
    origin = call.wire
    if not isinstance(origin, CallOrigin):
        return _new_call(call, args, names, style)
    changes: dict[str, Bytes | None] = {}
    if call.id != origin.id:
        changes["call_id"] = dump(call.id)
    if call.kind != "builtin":
        if args != origin.args or origin.why:
            changes["input" if call.kind == "custom" else "arguments"] = dump(args)
        if call.tool != origin.tool or origin.why:
            changes |= _naming(call.tool, names)
    return edit(origin.raw, changes, style) if changes else origin.raw


def _naming(tool: str, names: Names) -> dict[str, Bytes | None]:
    """Name and namespace of a tool; of one that the request does not declare only the name is known."""
    if tool not in names.wires:
        return {"name": dump(tool)}
    namespace, name = names.wires[tool]
    return {"name": dump(name), "namespace": dump(namespace) if namespace else None}


def _new_call(call: ToolCall, args: str, names: Names, style: Style) -> bytes:
    namespace, name = names.wire(call.tool)
    custom = call.kind == "custom"
    pairs: list[tuple[str, Bytes]] = [
        ("type", b'"custom_tool_call"' if custom else b'"function_call"'),
        ("call_id", dump(call.id)),
        ("name", dump(name)),
        ("input" if custom else "arguments", dump(args)),
    ]
    if namespace:
        pairs.append(("namespace", dump(namespace)))
    return obj(pairs, style)


def _is_object(text: str) -> bool:
    try:
        return isinstance(value(text.encode()), dict)
    except (UnreadableError, UnicodeError):
        return False


# ---------------------------------------------------------------- results


class Called(msgspec.Struct, frozen=True):
    """What a result has to know of the call that it answers."""

    kind: str = "function_call"
    caller: Bytes | None = None
    """The program that made the call; a result goes back to it."""


def called(raw: Bytes) -> Called:
    members = fields(raw)
    return Called(str(value(members.get("type", b'"function_call"'))), members.get("caller"))


def read_result(item: Mapping[str, Any], raw: Bytes, tools: CallNames) -> ToolResult:
    """`tools` tells which tool was called."""
    kind = kind_of(item)
    call_id = member(item, "id" if kind == "local_shell_call_output" else "call_id") or member(item, "call_id")
    texts, slots = read_texts(item.get("output"))
    failed = True if kind == "apply_patch_call_output" and item.get("status") == "failed" else None
    tool = tools.get(call_id) or member(item, "name")
    return ToolResult(call_id, texts, tool, failed, ResultOrigin(raw, texts, slots))


def write_result(result: ToolResult, call: Called, style: Style = COMPACT) -> Bytes:
    origin = result.wire
    if isinstance(origin, ResultOrigin):
        if result.texts == origin.texts:
            return origin.raw
        output = write_texts(fields(origin.raw).get("output"), result.texts, style=style)
        return edit(origin.raw, {"output": output}, style)
    text = "\n\n".join(result.texts)
    pairs: list[tuple[str, Bytes]] = [("type", dump(f"{call.kind}_output"))]
    if call.kind == "local_shell_call":
        pairs += [("id", dump(result.call_id)), ("output", dump(text))]
    elif call.kind == "shell_call":
        outcome = {"stdout": "", "stderr": text, "outcome": {"type": "exit", "exit_code": 1}}
        pairs += [("call_id", dump(result.call_id)), ("output", dump([outcome]))]
    elif call.kind == "apply_patch_call":
        pairs += [("call_id", dump(result.call_id)), ("status", b'"failed"'), ("output", dump(text))]
    else:
        pairs += [("call_id", dump(result.call_id)), ("output", dump(text))]
    if call.caller is not None:
        pairs.append(("caller", call.caller))
    return obj(pairs, style)


# ---------------------------------------------------------------- what a reply says again


def returnable(output: Sequence[Bytes], *, stored: bool) -> tuple[Bytes, ...]:
    """The items of a reply that may go back as input, verbatim.

    Left out are items that only the agent could answer, with the reasoning that led to them, and, where the provider
    stores nothing, reasoning that it could not find again (neither its ciphertext nor its text is there).
    """
    out: list[Bytes] = []
    for raw in output:
        item = value(raw)
        kind = kind_of(item)
        if kind in UNANSWERABLE or (kind == "tool_search_call" and waits(item)):
            if out and kind_of(value(out[-1])) == "reasoning":
                out.pop()
        elif kind != "reasoning" or stored or item.get("encrypted_content") or item.get("content"):
            out.append(raw)
    return tuple(out)


def message(turn: Turn, style: Style = COMPACT) -> bytes:
    """A turn that never was on a wire, as a message."""
    text = "\n\n".join((*turn.texts, *turn.appended))
    return obj([("role", dump(turn.role)), ("content", dump(text))], style)


def note(texts: Sequence[str], style: Style = COMPACT) -> bytes:
    """Texts behind the items of a turn: a user message, each text a part of its own."""
    parts = [text_part(text, style=style) for text in texts]
    return obj([("type", b'"message"'), ("role", b'"user"'), ("content", arr(parts, style))], style)
