"""Tools of a Responses request: functions, custom tools, namespaces of them, and what the provider runs.

Each tool of a namespace is a tool of its own here; on the wire it stays within its namespace. Tools that an item of
the input brings (`additional_tools`, what a tool search found) are offered too: policies need their schemas. They are
read only, since no array of tools holds them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from proxy.dialects.responses_items import kind_of
from proxy.dialects.responses_names import Names, named
from proxy.dialects.wire import Bytes, Style, arr, dump, edit, fields, items, obj, value
from proxy.memo import along
from proxy.model import Memory, Tool, replace

_BRINGING: Final = frozenset({"additional_tools", "tool_search_output"})


class ToolWire(msgspec.Struct, frozen=True):
    """What a tool was read from."""

    raw: Bytes
    tool: Tool | None = None
    """As it was read, without its wire; None for what the provider runs."""
    parent: Bytes | None = None
    """The namespace that it stands in."""
    siblings: int = 0
    elsewhere: bool = False
    """It stands in an item of the input."""


# ---------------------------------------------------------------- reading


def read_tools(listed: Bytes | None, inputs: Sequence[Bytes]) -> tuple[tuple[Tool, ...], Names]:
    """Tools in the order of the request, those of input items last; and what their calls are called.

    `inputs`: the items that bring tools.
    """
    found = list(_listed(listed, elsewhere=False))
    known = {(namespace, tool.name) for namespace, tool in found}
    for raw in inputs:
        for namespace, tool in _listed(fields(raw).get("tools"), elsewhere=True):
            if (namespace, tool.name) not in known:
                known.add((namespace, tool.name))
                found.append((namespace, tool))
    names = named((namespace, tool.name) for namespace, tool in found if tool.kind != "builtin")
    return tuple(_meant(namespace, tool, names) for namespace, tool in found), names


def bringing(inputs: Sequence[Bytes], memory: Memory) -> tuple[bytes, ...]:
    """The items that bring tools."""
    found = along(memory, bringing, inputs, lambda at: _brings(inputs[at]))
    return tuple(bytes(raw) for raw, brings in zip(inputs, found, strict=True) if brings)


def _brings(raw: Bytes) -> bool:
    return b'"tools"' in bytes(raw) and kind_of(value(raw)) in _BRINGING


def _meant(namespace: str, tool: Tool, names: Names) -> Tool:
    name = tool.name if tool.kind == "builtin" else names.tools[namespace, tool.name]
    if name == tool.name:
        return tool
    wire = tool.wire
    tool = replace(tool, name=name)
    return replace(tool, wire=replace(wire, tool=replace(tool, wire=None))) if isinstance(wire, ToolWire) else tool


def _listed(listed: Bytes | None, *, elsewhere: bool) -> Iterator[tuple[str, Tool]]:
    """Namespace and tool."""
    if listed is None or not bytes(listed).lstrip().startswith(b"["):
        return
    for raw in items(listed):
        outer = value(raw)
        inner = outer.get("tools") if kind_of(outer) == "namespace" else None
        if isinstance(inner, list) and inner:
            raws = items(fields(raw)["tools"])
            for one, tool in zip(raws, inner, strict=True):
                wire = ToolWire(one, parent=raw, siblings=len(raws), elsewhere=elsewhere)
                yield _text(outer.get("name")), _read_tool(tool, wire)
        else:
            yield "", _read_tool(outer, ToolWire(raw, elsewhere=elsewhere))


def _read_tool(tool: Any, wire: ToolWire) -> Tool:
    if not isinstance(tool, dict):
        return Tool("", kind="builtin", wire=wire)
    kind = tool.get("type", "function")
    if kind not in ("function", "custom"):
        return Tool(_text(tool.get("name")) or _text(kind), kind="builtin", wire=wire)
    schema = fields(wire.raw).get("parameters", b"")
    strict = tool.get("strict")
    read = Tool(
        _text(tool.get("name")),
        _text(tool.get("description")),
        b"" if bytes(schema) == b"null" else bytes(schema),
        "custom" if kind == "custom" else "function",
        strict if isinstance(strict, bool) else None,
    )
    return replace(read, wire=replace(wire, tool=read))


def _text(found: object) -> str:
    return found if isinstance(found, str) else ""


# ---------------------------------------------------------------- writing


def write_tools(tools: Sequence[Tool], names: Names, style: Style) -> bytes:
    out: list[Bytes] = []
    parent: Bytes | None = None
    inner: list[Bytes] = []

    def close() -> None:
        if parent is not None:
            same = len(inner) == siblings and all(one is old for one, old in zip(inner, before, strict=True))
            out.append(parent if same else edit(parent, {"tools": arr(inner, style)}, style))

    siblings = 0
    before: list[Bytes] = []
    for tool in tools:
        wire = tool.wire if isinstance(tool.wire, ToolWire) else None
        if wire is not None and wire.elsewhere:
            continue
        over = wire.parent if wire is not None else None
        if over is not parent:
            close()
            parent, inner, before = over, [], []
        if wire is None or over is None:
            out.append(_write_tool(tool, names, style))
        else:
            siblings = wire.siblings
            inner.append(_write_tool(tool, names, style))
            before.append(wire.raw)
    close()
    return arr(out, style)


def _write_tool(tool: Tool, names: Names, style: Style) -> Bytes:
    wire = tool.wire
    if not isinstance(wire, ToolWire):
        return obj(_function(tool), style)
    read = wire.tool
    if read is None or replace(tool, wire=None) == read:
        return wire.raw
    changes: dict[str, Bytes | None] = {
        key: dump(new)
        for key, new, old in (
            ("name", names.wire(tool.name)[1], names.wire(read.name)[1]),
            ("description", tool.description, read.description),
            ("strict", tool.strict, read.strict),
        )
        if new != old
    }
    if tool.schema != read.schema:
        changes["parameters"] = tool.schema or None
    return edit(wire.raw, changes, style)


def _function(tool: Tool) -> list[tuple[str, Bytes]]:
    members: list[tuple[str, Bytes]] = [("type", b'"function"'), ("name", dump(tool.name))]
    if tool.description:
        members.append(("description", dump(tool.description)))
    members.append(("parameters", tool.schema or b'{"type":"object","properties":{}}'))
    if tool.strict is not None:
        members.append(("strict", dump(tool.strict)))
    return members


# ---------------------------------------------------------------- the choice


def read_choice(choice: object, names: Names) -> str:
    """As `Ask.tool_choice`. `allowed_tools` is read as its mode: which tools it allows stays on the wire."""
    if isinstance(choice, str):
        return choice
    if not isinstance(choice, dict):
        return ""
    kind = _text(choice.get("type"))
    if kind == "allowed_tools":
        return _text(choice.get("mode")) or "auto"
    if kind in ("function", "custom"):
        return "=" + names.meant(_text(choice.get("namespace")), _text(choice.get("name")))[0]
    return "=" + (_text(choice.get("name")) or kind)


def write_choice(choice: str, tools: Sequence[Tool], names: Names) -> bytes | None:
    if not choice:
        return None
    if not choice.startswith("="):
        return dump(choice)
    forced = next((tool for tool in tools if tool.name == choice[1:]), None)
    if forced is not None and forced.kind == "builtin":
        return dump({"type": forced.name})
    namespace, name = names.wire(choice[1:])
    body = {"type": "custom" if forced is not None and forced.kind == "custom" else "function", "name": name}
    return dump({**body, "namespace": namespace} if namespace else body)
