"""Tools of a Messages request, and the choice among them.

A tool without type, or of type `custom`, is the agent's own: JSON arguments by `input_schema`. Any other type is
defined by the provider, and so are toolsets. A tool may also be offered in mid-conversation, by a `tool_addition` in
a system message; it is read so that its calls count as offered, and stays where it stands.
"""

from collections.abc import Iterator, Sequence

import msgspec

from proxy.dialects.dialect import UnreadableError
from proxy.dialects.messages_content import slots, text_of
from proxy.dialects.wire import Bytes, Raw, Style, dump, edit, fields, items, obj, value
from proxy.memo import along
from proxy.model import Memory, Tool, replace

NO_SCHEMA = b'{"type":"object","properties":{}}'


class ToolWire(msgspec.Struct, frozen=True):
    """A tool's object, and what was read from it. `inline`: it stands in a message, not in the tools array."""

    raw: Bytes
    tool: Tool
    inline: bool = False


def bringing(messages: Sequence[Bytes], memory: Memory) -> tuple[bytes, ...]:
    """Messages that may define tools."""
    found = along(memory, bringing, messages, lambda at: b'"tool_definition"' in bytes(messages[at]))
    return tuple(bytes(message) for message, brings in zip(messages, found, strict=True) if brings)


def read_tools(listed: Bytes | None, messages: Sequence[Bytes]) -> tuple[Tool, ...]:
    """`messages`: those that may define tools. Raises UnreadableError."""
    found = items(listed) if listed is not None and bytes(listed).startswith(b"[") else []
    return (*(_read_tool(raw, inline=False) for raw in found), *_inline(messages))


def _inline(messages: Sequence[Bytes]) -> Iterator[Tool]:
    for message in messages:
        members = fields(message)
        if text_of(members, "role") != "system":
            continue
        for slot in slots(members.get("content")) or ():
            if "tool" not in slot.members or text_of(slot.members, "type") != "tool_addition":
                continue
            definition = fields(slot.members["tool"]).get("definition")
            if definition is not None:
                yield _read_tool(definition, inline=True)


def _read_tool(raw: Raw, *, inline: bool) -> Tool:
    members = fields(raw)
    kind = text_of(members, "type")
    name = text_of(members, "name")
    if kind not in ("", "custom"):
        tool = Tool(name or text_of(members, "mcp_server_name") or kind, kind="builtin")
        return replace(tool, wire=ToolWire(raw, tool, inline))
    schema = bytes(members.get("input_schema", b""))
    strict = bytes(members.get("strict", b""))
    tool = Tool(
        name,
        text_of(members, "description"),
        b"" if schema == b"null" else schema,
        strict=strict == b"true" if strict in (b"true", b"false") else None,
    )
    return replace(tool, wire=ToolWire(raw, tool, inline))


def write_tools(tools: Sequence[Tool], style: Style) -> list[Bytes]:
    """The tools array; tools that stand in messages stay there."""
    return [write_tool(tool, style) for tool in tools if not (isinstance(tool.wire, ToolWire) and tool.wire.inline)]


def write_tool(tool: Tool, style: Style) -> Bytes:
    wire = tool.wire
    if not isinstance(wire, ToolWire):
        members: list[tuple[str, Bytes]] = [("name", dump(tool.name))]
        if tool.description:
            members.append(("description", dump(tool.description)))
        members.append(("input_schema", tool.schema or NO_SCHEMA))
        if tool.strict is not None:
            members.append(("strict", dump(tool.strict)))
        return obj(members, style)
    read = wire.tool
    changes: dict[str, Bytes | None] = {}
    if tool.name != read.name:
        changes["name"] = dump(tool.name)
    if tool.description != read.description:
        changes["description"] = dump(tool.description)
    if tool.schema != read.schema:
        changes["input_schema"] = tool.schema or NO_SCHEMA
    if tool.strict != read.strict:
        changes["strict"] = None if tool.strict is None else dump(tool.strict)
    return edit(wire.raw, changes, style) if changes else wire.raw


def read_tool_choice(raw: Raw | None) -> str:
    """auto, none, required, `=NAME`; empty where nothing is said. Raises UnreadableError."""
    if raw is None or not bytes(raw).startswith(b"{"):
        return ""
    members = fields(raw)
    kind = text_of(members, "type")
    if kind == "tool":
        return "=" + text_of(members, "name")
    return "required" if kind == "any" else kind


def write_tool_choice(choice: str, received: Raw | None, style: Style) -> bytes | None:
    """None takes the member out. What the agent said about parallel calls is kept where the API takes it."""
    if not choice:
        return None
    members: dict[str, Bytes] = {}
    if choice.startswith("="):
        members = {"type": b'"tool"', "name": dump(choice[1:])}
    else:
        members = {"type": dump("any" if choice == "required" else choice)}
    if choice != "none" and received is not None and bytes(received).startswith(b"{"):
        parallel = fields(received).get("disable_parallel_tool_use")
        if parallel is not None:
            members["disable_parallel_tool_use"] = parallel
    return obj(members, style)


def container_of(raw: Bytes | None) -> str:
    """The id of a container, as a request (its id, or an object) or an answer (an object) names it."""
    if raw is None or bytes(raw) == b"null":
        return ""
    try:
        found = value(raw)
    except UnreadableError:
        return ""
    named = found.get("id") if isinstance(found, dict) else found
    return named if isinstance(named, str) else ""
