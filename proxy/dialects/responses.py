"""Responses: requests and unstreamed answers. Streams are read in `responses_stream`.

What the provider keeps. A hidden round sends the agent's own input again, the rejected output behind it, the results
behind that, and the agent's own `previous_response_id`: never that of the rejected response. So the rejected response
hangs on nothing; the response that the agent gets holds the whole exchange as its stored input; its id is one that the
agent can chain on. In a `conversation` the provider has taken in the input and the rejected output by itself, so
only the results are sent; there the rejected call stays on record, answered. `store`, `include`, `background` and
`prompt_cache_key` stay as the agent has them. A response in the background is answered before it has an output; then
there is nothing to judge, and what is polled later passes through.

Where the history is at the provider (an id, a conversation, references to items) the ask is `chained`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proxy.dialects import responses_compose, sse
from proxy.dialects.dialect import Ids, StreamReader
from proxy.dialects.grown import Grown
from proxy.dialects.responses_compose import Composed
from proxy.dialects.responses_events import Trail
from proxy.dialects.responses_items import kind_of, member
from proxy.dialects.responses_names import NO_NAMES, Names
from proxy.dialects.responses_reply import (
    output_of,
    read_finish,
    read_output,
    read_usage,
    with_hidden,
    write_output,
    write_response,
)
from proxy.dialects.responses_stream import Asked, ResponsesStream
from proxy.dialects.responses_tools import bringing, read_choice, read_tools, write_choice, write_tools
from proxy.dialects.responses_turns import Instructions, again, parts, plain, read_turns, write_turns
from proxy.dialects.wire import Bytes, Raw, Style, arr, changed, dump, edit, fields, items, style_of, value
from proxy.memo import Latest, along, steady
from proxy.model import Ask, Memory, Reply, Tool, ToolCall, ToolResult, Turn, Usage, replace

_SCALARS = (
    "model",
    "stream",
    "instructions",
    "tool_choice",
    "max_output_tokens",
    "previous_response_id",
    "conversation",
    "store",
    "background",
)
_LAST = 2**31 - 1
"""The sequence number of an error of our own: above all that a stream can have come to."""


class AskWire(msgspec.Struct, frozen=True):
    """The received request and what was read from it."""

    received: bytes
    body: bytes
    members: Mapping[str, Raw]
    style: Style
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...]
    tool_choice: str
    previous: str
    names: Names
    plain: bool
    """The input is one string."""
    stored: bool
    background: bool
    conversation: bool
    known: int = 0
    """Turns that the conversation has taken in by itself."""


class ReplyWire(msgspec.Struct, frozen=True):
    body: bytes
    turns: tuple[Turn, ...]
    names: Names
    malformed: str


class Responses:
    """The dialect of `/responses`."""

    name = "responses"
    chains = True

    def __init__(self) -> None:
        self._grown = Grown("input", parts)
        self._tools: Latest[tuple[tuple[Tool, ...], Names]] = Latest()

    def matches(self, method: str, path: str) -> bool:
        return method == "POST" and path.rstrip("/").endswith("/responses")

    # ------------------------------------------------------------ asks

    def read_ask(self, body: bytes) -> Ask:
        read = self._grown.open(body)
        members = read.members
        rest: dict[str, Any] = {key: value(members[key]) for key in _SCALARS if key in members}
        inputs, is_plain = (read.items, False) if read.listed else _inputs(members)
        listed, more = bytes(members.get("tools", b"")), bringing(inputs, read.memory)
        size = len(listed) + sum(map(len, more))
        tools, names = self._tools.get((listed, more), size, lambda: read_tools(listed, more))
        if read.by is not None and read.by != names:  # what calls are called has changed
            read = read.anew()
        if is_plain:
            turns = read_turns(inputs, names)
        else:
            turns = self._grown.keep(read, read_turns(read.new, names, read.kept, read.count), names)
        instructions = rest.get("instructions")
        if isinstance(instructions, str) and instructions:
            texts = (instructions,)
            told = Turn("system", texts, wire=Instructions(texts))
            turns = (*steady(read.memory, Instructions, (told,)), *turns)
        choice = read_choice(rest.get("tool_choice"), names)
        previous = member(rest, "previous_response_id")
        conversation = bool(rest.get("conversation"))
        stored = rest.get("store") is not False
        limit = rest.get("max_output_tokens")
        return Ask(
            self.name,
            member(rest, "model"),
            rest.get("stream") is True,
            turns,
            tools,
            choice,
            chained=bool(previous) or conversation or _refers(inputs, read.memory),
            previous=previous,
            stored=stored,
            size=len(body),
            memory=read.memory,
            limit=limit if isinstance(limit, int) else None,
            wire=AskWire(
                body,
                read.whole,
                members,
                style_of(body),
                turns,
                tools,
                choice,
                previous,
                names,
                is_plain,
                stored,
                rest.get("background") is True,
                conversation,
            ),
        )

    def write_ask(self, ask: Ask) -> bytes:
        wire = _ask_wire(ask)
        changes: dict[str, Bytes | None] = {}
        if ask.turns is not wire.turns:
            changes.update(_write_turns(ask.turns, wire))
        if ask.tools is not wire.tools:
            tools = write_tools(ask.tools, wire.names, wire.style)
            if tools != b"[]" or "tools" in wire.members:
                changes["tools"] = tools
        if ask.tool_choice != wire.tool_choice:
            changes["tool_choice"] = write_choice(ask.tool_choice, ask.tools, wire.names)
        if ask.previous != wire.previous:
            changes["previous_response_id"] = dump(ask.previous) if ask.previous else None
        if changes:
            return changed(wire.members, changes, wire.style)
        return wire.received if wire.body is wire.received else wire.body

    def extend(self, ask: Ask, reply: Reply, results: Mapping[str, str], *, fix: bool) -> Ask:
        wire = _ask_wire(ask)
        said = again(reply.turns[0], stored=wire.stored, fix=fix)
        answers = tuple(ToolResult(call.id, (results.get(call.id, ""),), call.tool) for call in said.calls)
        turns = (*ask.turns, said, Turn("tool", results=answers))
        if wire.conversation:
            wire = replace(wire, known=len(turns) - 1)
        return replace(ask, turns=turns, wire=wire)

    def closing(self, ask: Ask, text: str) -> Ask:
        last = ask.turns[-1] if ask.turns else None
        turns: tuple[Turn, ...]
        if last is not None and last.role in ("tool", "user"):
            turns = (*ask.turns[:-1], replace(last, appended=(*last.appended, text)))
        else:
            turns = (*ask.turns, Turn("user", (text,)))
        return replace(ask, turns=turns, tool_choice="none" if ask.tools else ask.tool_choice)

    # ------------------------------------------------------------ replies

    def read_reply(self, body: bytes, ask: Ask, ids: Ids) -> Reply:
        names = _names(ask)
        members = fields(body)
        rest: dict[str, Any] = {
            key: value(members[key])
            for key in ("id", "model", "status", "incomplete_details", "usage")
            if key in members
        }
        turn, why = read_output(output_of(body), names, ids)
        finish, cut = read_finish(rest, calls=bool(turn.calls))
        turns = (replace(turn, finish=finish, cut=turn.cut or cut),)
        return Reply(
            turns,
            read_usage(rest.get("usage")),
            member(rest, "id"),
            member(rest, "model"),
            wire=ReplyWire(body, turns, names, why),
        )

    def malformed(self, reply: Reply) -> str:
        wire = reply.wire
        return wire.malformed if isinstance(wire, (ReplyWire, ResponsesStream)) else ""

    def write_reply(self, reply: Reply, hidden: Usage | None = None) -> bytes:
        wire = reply.wire
        if isinstance(wire, Composed):
            return responses_compose.whole(reply, wire, hidden)
        if not isinstance(wire, ReplyWire):
            raise TypeError("not an unstreamed answer of this API")
        if reply.turns is wire.turns and not wire.malformed:
            if hidden is None:
                return wire.body
            usage = fields(wire.body).get("usage", b"null")
            return edit(wire.body, {"usage": with_hidden(usage, hidden)})
        turn = reply.turns[0]
        return write_response(wire.body, write_output(turn, wire.names, reply.id), turn.finish, hidden, {})

    # ------------------------------------------------------------ streams, answers of our own, errors

    def stream(
        self, ask: Ask, ids: Ids, after: StreamReader | None, hidden: Usage | None, *, mute: bool
    ) -> StreamReader:
        before = after if isinstance(after, ResponsesStream) else None
        background = isinstance(ask.wire, AskWire) and ask.wire.background
        return ResponsesStream(ids, Asked(_names(ask), background, ask.watch), before, hidden, mute=mute)

    def compose(self, ask: Ask, text: str, ids: Ids, wall: float, call: tuple[str, str] | None = None) -> Reply:
        calls: tuple[ToolCall, ...] = ()
        if call is not None:
            calls = (ToolCall(ids(), call[0], call[1], call[0], call[1]),)
        texts = (text,) if text and not calls else ()
        turn = Turn("assistant", texts, calls, finish="tool_calls" if calls else "stop")
        known_as = responses_compose.response_id(ids())
        wire = Composed(responses_compose.begin(ask, known_as, int(wall)), int(wall), _names(ask))
        return Reply((turn,), Usage(0, 0), known_as, ask.model, wire=wire)

    def write_stream(self, reply: Reply, after: StreamReader | None) -> bytes:
        if not isinstance(reply.wire, Composed):
            raise TypeError("not an answer of our own")
        if not isinstance(after, ResponsesStream):
            return responses_compose.stream(reply, reply.wire, Trail())
        trail = after.trail.onward(after.shown())
        ending = b"".join([trail.relabelled(held) for held in after.unfinished()])
        return ending + responses_compose.stream(reply, reply.wire, trail)

    def error(self, status: int, message: str, code: str, kind: str) -> bytes:
        del status
        return dump({"error": {"message": message, "type": kind, "param": None, "code": code}})

    def stream_error(self, message: str, code: str, kind: str) -> bytes:
        """The event in both forms that are in use: members beside the type, and within `error` (SDKs raise on that)."""
        error = {"type": kind, "code": code, "message": message, "param": None}
        told = {
            "type": "error",
            "sequence_number": _LAST,
            "code": code,
            "message": message,
            "param": None,
            "error": error,
        }
        return sse.event(dump(told), b"error")

    # ------------------------------------------------------------ hidden turns

    def pack_turns(self, turns: Sequence[Turn]) -> bytes:
        return arr(write_turns(turns))

    def unpack_turns(self, data: bytes) -> tuple[Turn, ...]:
        return read_turns(items(data))


def _ask_wire(ask: Ask) -> AskWire:
    if not isinstance(ask.wire, AskWire):
        raise TypeError("not a request of this API")
    return ask.wire


def _names(ask: Ask) -> Names:
    return ask.wire.names if isinstance(ask.wire, AskWire) else NO_NAMES


def _inputs(members: Mapping[str, Raw]) -> tuple[Sequence[Bytes], bool]:
    """The items of an input that is no list, and whether it is one string. A stored prompt needs none."""
    raw = members.get("input")
    if raw is None or bytes(raw) == b"null":
        return (), False
    if bytes(raw).lstrip().startswith(b'"'):
        return (Raw(plain(raw)),), True
    return items(raw), False


def _refers(inputs: Sequence[Bytes], memory: Memory) -> bool:
    return any(along(memory, _refers, inputs, lambda at: _is_reference(inputs[at])))


def _is_reference(raw: Bytes) -> bool:
    return b"item_reference" in bytes(raw) and kind_of(value(raw)) == "item_reference"


def _write_turns(turns: Sequence[Turn], wire: AskWire) -> dict[str, Bytes | None]:
    written = write_turns(turns, wire.style, wire.names, wire.known)
    changes: dict[str, Bytes | None] = {}
    content = fields(written[0]).get("content") if wire.plain and len(written) == 1 else None
    if content is not None and bytes(content).startswith(b'"'):
        changes["input"] = content
    elif written or bytes(wire.members.get("input", b"null")) != b"null":
        changes["input"] = arr(written, wire.style)
    kept = next((turn for turn in turns if isinstance(turn.wire, Instructions)), None)
    old = next((turn for turn in wire.turns if isinstance(turn.wire, Instructions)), None)
    if old is not None and kept is None:
        changes["instructions"] = None
    elif kept is not None and (kept.appended or kept.texts is not kept.wire.texts):  # type: ignore[attr-defined]
        changes["instructions"] = dump("\n\n".join((*kept.texts, *kept.appended)))
    return changes
