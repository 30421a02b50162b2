"""Chat Completions: requests and unstreamed answers.

Also the dialect of the many providers that speak it with small deviations: what they send is read leniently and kept;
what a plain client would misread (a call without id or type, arguments as an object) is named by `malformed`.
Streams are read in `chat_stream`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proxy.dialects import chat_messages, sse
from proxy.dialects.chat_messages import Origin
from proxy.dialects.chat_reply import hidden_usage, read_answer, read_choice, read_usage, write_choice
from proxy.dialects.chat_stream import ChatStream
from proxy.dialects.dialect import Ids, StreamReader, UnreadableError
from proxy.dialects.grown import Grown
from proxy.dialects.wire import (
    Bytes,
    Raw,
    Style,
    arr,
    changed,
    dump,
    edit,
    fields,
    items,
    obj,
    style_of,
    value,
)
from proxy.memo import Latest
from proxy.model import Ask, Reply, Tool, ToolCall, ToolResult, Turn, Usage, replace


class AskWire(msgspec.Struct, frozen=True):
    """The received request and what was read from it."""

    received: bytes
    body: bytes
    members: Mapping[str, Raw]
    style: Style
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...]
    tool_choice: str
    legacy: bool


class ToolWire(msgspec.Struct, frozen=True):
    raw: Bytes
    tool: Tool | None = None
    legacy: bool = False


class ReplyWire(msgspec.Struct, frozen=True):
    body: bytes
    turns: tuple[Turn, ...]
    malformed: str


class Composed(msgspec.Struct, frozen=True):
    """A reply that was never on a wire."""

    created: int


class ChatCompletions:
    """The dialect of `/chat/completions`."""

    name = "chat_completions"
    chains = False

    def __init__(self) -> None:
        self._grown = Grown("messages", chat_messages.parts)
        self._tools: Latest[tuple[Tool, ...]] = Latest()

    def matches(self, method: str, path: str) -> bool:
        return method == "POST" and path.rstrip("/").endswith("/chat/completions")

    # ------------------------------------------------------------ asks

    def read_ask(self, body: bytes) -> Ask:
        read = self._grown.open(body)
        members = read.members
        if not read.listed:
            raise UnreadableError("the body has no messages" if "messages" not in members else "messages is no array")
        turns = self._grown.keep(read, chat_messages.read_turns(read.new, read.kept, read.count))
        rest = {key: value(members[key]) for key in _SCALARS if key in members}
        legacy = "functions" in members and "tools" not in members
        listed = bytes(members.get("functions" if legacy else "tools", b""))
        tools = self._tools.get((listed, legacy), len(listed), lambda: _read_tools(listed, legacy=legacy))
        choice = _read_tool_choice(rest.get("function_call" if legacy else "tool_choice"))
        limit = rest.get("max_completion_tokens") or rest.get("max_tokens")
        return Ask(
            self.name,
            str(rest.get("model") or ""),
            rest.get("stream") is True,
            turns,
            tools,
            choice,
            rest["n"] if isinstance(rest.get("n"), int) else 1,
            limit=limit if isinstance(limit, int) else None,
            size=len(body),
            memory=read.memory,
            wire=AskWire(body, read.whole, members, style_of(body), turns, tools, choice, legacy),
        )

    def write_ask(self, ask: Ask) -> bytes:
        wire = _ask_wire(ask)
        changes: dict[str, Bytes | None] = {}
        if ask.turns is not wire.turns:
            changes["messages"] = arr(chat_messages.write_turns(ask.turns, wire.style), wire.style)
        if ask.tools is not wire.tools:
            key = "functions" if wire.legacy else "tools"
            changes[key] = arr([_write_tool(tool, wire) for tool in ask.tools], wire.style)
        if ask.tool_choice != wire.tool_choice:
            changes["function_call" if wire.legacy else "tool_choice"] = _write_tool_choice(ask.tool_choice)
        if changes:
            return changed(wire.members, changes, wire.style)
        return wire.received if wire.body is wire.received else wire.body

    def extend(self, ask: Ask, reply: Reply, results: Mapping[str, str], *, fix: bool) -> Ask:
        said = reply.turns[0]
        origin = said.wire
        if isinstance(origin, Origin):
            said = replace(said, wire=replace(origin, rewrite=True, texts=said.texts, fix=fix))
        answers = tuple(ToolResult(call.id, (results.get(call.id, ""),), call.tool) for call in said.calls)
        return replace(ask, turns=(*ask.turns, said, Turn("tool", results=answers)))

    def closing(self, ask: Ask, text: str) -> Ask:
        last = ask.turns[-1]
        turns: tuple[Turn, ...]
        if last.role in ("tool", "user"):
            turns = (*ask.turns[:-1], replace(last, appended=(*last.appended, text)))
        else:
            turns = (*ask.turns, Turn("user", (text,)))
        return replace(ask, turns=turns, tool_choice="none" if ask.tools else ask.tool_choice)

    # ------------------------------------------------------------ replies

    def read_reply(self, body: bytes, ask: Ask, ids: Ids) -> Reply:
        del ask
        answer = read_answer(body)
        if not answer.choices:
            raise UnreadableError("the answer has no choices")
        read = [read_choice(choice, at, ids) for at, choice in enumerate(answer.choices)]
        turns = tuple(turn for turn, _ in read)
        why = next((found for _, found in read if found), "")
        return Reply(
            turns,
            read_usage(answer.usage),
            str(answer.id or ""),
            str(answer.model or ""),
            wire=ReplyWire(body, turns, why),
        )

    def malformed(self, reply: Reply) -> str:
        wire = reply.wire
        return wire.malformed if isinstance(wire, (ReplyWire, ChatStream)) else ""

    def write_reply(self, reply: Reply, hidden: Usage | None = None) -> bytes:
        wire = reply.wire
        if isinstance(wire, Composed):
            return _composed(reply, wire, hidden)
        if not isinstance(wire, ReplyWire):
            raise TypeError("not an unstreamed answer of this API")
        if reply.turns is wire.turns and not wire.malformed and hidden is None:
            return wire.body
        changes: dict[str, Bytes | None] = {}
        members = fields(wire.body)
        if reply.turns is not wire.turns or wire.malformed:
            raws = items(members["choices"])
            written = [write_choice(raw, turn) for raw, turn in zip(raws, reply.turns, strict=True)]
            changes["choices"] = arr(written)
        if hidden is not None:
            usage = members.get("usage", b"null")
            counted = b"{}" if bytes(usage) == b"null" else usage
            changes["usage"] = edit(counted, {"handrail": hidden_usage(hidden)})
        return edit(wire.body, changes)

    # ------------------------------------------------------------ streams, answers of our own, errors

    def stream(
        self, ask: Ask, ids: Ids, after: StreamReader | None, hidden: Usage | None, *, mute: bool
    ) -> StreamReader:
        before = after if isinstance(after, ChatStream) else None
        return ChatStream(ids, before, hidden, mute=mute, watch=ask.watch)

    def compose(self, ask: Ask, text: str, ids: Ids, wall: float, call: tuple[str, str] | None = None) -> Reply:
        calls: tuple[ToolCall, ...] = ()
        if call is not None:
            calls = (ToolCall(ids(), call[0], call[1], call[0], call[1]),)
        texts = (text,) if text and not calls else ()
        turn = Turn("assistant", texts, calls, finish="tool_calls" if calls else "stop")
        return Reply((turn,), Usage(0, 0), "chatcmpl-" + ids(), ask.model, wire=Composed(int(wall)))

    def write_stream(self, reply: Reply, after: StreamReader | None) -> bytes:
        base = after.base if isinstance(after, ChatStream) else None
        created = reply.wire.created if isinstance(reply.wire, Composed) else 0
        head = base or {
            "id": dump(reply.id),
            "object": b'"chat.completion.chunk"',
            "created": dump(created),
            "model": dump(reply.model),
        }
        turn = reply.turns[0]
        delta: dict[str, Any] = {"role": "assistant", "content": turn.text}
        if turn.calls:
            delta = {"role": "assistant", "content": None, "tool_calls": [_plain_call(call) for call in turn.calls]}
        chunks = (
            {"index": 0, "delta": delta, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": turn.finish or "stop"},
        )
        events = [sse.event(obj({**head, "choices": dump([chunk])})) for chunk in chunks]
        return b"".join([*events, sse.event(b"[DONE]")])

    def error(self, status: int, message: str, code: str, kind: str) -> bytes:
        del status
        return dump({"error": {"message": message, "type": kind, "param": None, "code": code}})

    def stream_error(self, message: str, code: str, kind: str) -> bytes:
        return sse.event(self.error(200, message, code, kind))

    # ------------------------------------------------------------ hidden turns

    def pack_turns(self, turns: Sequence[Turn]) -> bytes:
        return arr(chat_messages.write_turns(turns))

    def unpack_turns(self, data: bytes) -> tuple[Turn, ...]:
        return chat_messages.read_turns(items(data))


_SCALARS = ("model", "stream", "n", "tool_choice", "function_call", "max_tokens", "max_completion_tokens")


def _ask_wire(ask: Ask) -> AskWire:
    if not isinstance(ask.wire, AskWire):
        raise TypeError("not a request of this API")
    return ask.wire


def _read_tools(listed: bytes, *, legacy: bool) -> tuple[Tool, ...]:
    if not listed.startswith(b"["):
        return ()
    return tuple(_read_tool(raw, legacy=legacy) for raw in items(listed))


def _read_tool(raw: Raw, *, legacy: bool) -> Tool:
    outer = fields(raw)
    kind = "function" if legacy else str(value(outer.get("type", b'"function"')))
    body = outer if legacy else (fields(outer[kind]) if kind in ("function", "custom") and kind in outer else None)
    if body is None:
        name = value(outer.get("name", b'""'))
        return Tool(str(name or kind), kind="builtin", wire=ToolWire(raw))
    rest = {key: value(body[key]) for key in ("name", "description", "strict") if key in body}
    schema = bytes(body["parameters"]) if "parameters" in body and bytes(body["parameters"]) != b"null" else b""
    strict = rest.get("strict")
    tool = Tool(
        str(rest.get("name") or ""),
        str(rest.get("description") or ""),
        schema,
        "custom" if kind == "custom" else "function",
        strict if isinstance(strict, bool) else None,
    )
    return replace(tool, wire=ToolWire(raw, tool, legacy))


def _write_tool(tool: Tool, ask: AskWire) -> Bytes:
    wire = tool.wire
    if not isinstance(wire, ToolWire):
        body = obj(_function(tool), ask.style)
        return body if ask.legacy else obj([("type", b'"function"'), ("function", body)], ask.style)
    read = wire.tool
    if read is None or replace(tool, wire=None) == read:
        return wire.raw
    changes: dict[str, Bytes | None] = {
        key: dump(new)
        for key, new, old in (
            ("name", tool.name, read.name),
            ("description", tool.description, read.description),
            ("strict", tool.strict, read.strict),
        )
        if new != old
    }
    if tool.schema != read.schema:
        changes["parameters"] = tool.schema
    if wire.legacy:
        return edit(wire.raw, changes, ask.style)
    kind = "custom" if tool.kind == "custom" else "function"
    return edit(wire.raw, {kind: edit(fields(wire.raw)[kind], changes, ask.style)}, ask.style)


def _function(tool: Tool) -> list[tuple[str, Bytes]]:
    members: list[tuple[str, Bytes]] = [("name", dump(tool.name))]
    if tool.description:
        members.append(("description", dump(tool.description)))
    members.append(("parameters", tool.schema or b'{"type":"object","properties":{}}'))
    if tool.strict is not None:
        members.append(("strict", dump(tool.strict)))
    return members


def _read_tool_choice(choice: object) -> str:
    if isinstance(choice, str):
        return choice
    if isinstance(choice, dict):
        body = choice.get("function") or choice.get("custom") or choice
        name = body.get("name") if isinstance(body, dict) else None
        return f"={name}" if isinstance(name, str) else str(choice.get("mode") or "auto")
    return ""


def _write_tool_choice(choice: str) -> bytes | None:
    if not choice:
        return None
    if choice.startswith("="):
        return dump({"type": "function", "function": {"name": choice[1:]}})
    return dump(choice)


def _plain_call(call: ToolCall) -> dict[str, Any]:
    return {"index": 0, "id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.args}}


def _composed(reply: Reply, wire: Composed, hidden: Usage | None) -> bytes:
    turn = reply.turns[0]
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [{k: v for k, v in _plain_call(c).items() if k != "index"} for c in turn.calls]
    usage: dict[str, Any] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    body = {
        "id": reply.id,
        "object": "chat.completion",
        "created": wire.created,
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": turn.finish}],
        "usage": usage,
    }
    raw = dump(body)
    if hidden is None:
        return raw
    return edit(raw, {"usage": edit(dump(usage), {"handrail": hidden_usage(hidden)})})
