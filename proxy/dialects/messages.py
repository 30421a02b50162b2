"""Messages (`/v1/messages`): requests and unstreamed answers. Streams are read in `messages_stream`.

What this API is strict about, and what follows from it here: the results of a turn stand together at the front of the
one user message after it; input is always an object; thinking goes back as it came, signature included, and an
assistant's calls are refused without it; nobody but the agent sets `cache_control`.
"""

from collections.abc import Mapping, Sequence

import msgspec

from proxy.dialects import messages_own, messages_turns
from proxy.dialects.dialect import Ids, StreamReader, UnreadableError
from proxy.dialects.grown import Grown
from proxy.dialects.messages_content import is_object, read_content
from proxy.dialects.messages_outlet import Outlet
from proxy.dialects.messages_reply import (
    hidden_usage,
    leading_thinking,
    read_finish,
    read_usage,
    sound_calls,
    stop_edits,
)
from proxy.dialects.messages_stream import MessagesStream
from proxy.dialects.messages_tools import (
    bringing,
    container_of,
    read_tool_choice,
    read_tools,
    write_tool_choice,
    write_tools,
)
from proxy.dialects.messages_turns import Origin, SystemOrigin
from proxy.dialects.wire import Bytes, Raw, Style, arr, changed, dump, edit, fields, items, style_of, value
from proxy.memo import Latest, steady
from proxy.model import Ask, Reply, Tool, ToolResult, Turn, Usage, replace


class AskWire(msgspec.Struct, frozen=True):
    """The received request and what was read from it."""

    received: bytes
    body: bytes
    members: Mapping[str, Raw]
    style: Style
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...]
    tool_choice: str
    container: str = ""
    """Hidden rounds only: the container of the round before, which the API wants named while a call is open."""
    thinking: tuple[Bytes, ...] = ()
    """Hidden rounds only: how the turn that the agent has not seen began."""


class ReplyWire(msgspec.Struct, frozen=True):
    """The received answer and what was read from it."""

    body: bytes
    turns: tuple[Turn, ...]
    malformed: str
    container: str
    thinking: tuple[Bytes, ...] = ()
    """What the agent needs in front of these calls, since a later request with them is refused without."""


class Messages:
    """The dialect of `/v1/messages`."""

    name = "messages"
    chains = False

    def __init__(self) -> None:
        self._grown = Grown("messages", messages_turns.parts)
        self._tools: Latest[tuple[Tool, ...]] = Latest()

    def matches(self, method: str, path: str) -> bool:
        """Not `/messages/count_tokens`, not `/messages/batches`, and not the messages of an assistant's thread."""
        return method == "POST" and path.rstrip("/").endswith("/messages") and "/threads/" not in path

    # ------------------------------------------------------------ asks

    def read_ask(self, body: bytes) -> Ask:
        read = self._grown.open(body)
        members = read.members
        if not read.listed:
            raise UnreadableError("the body has no messages" if "messages" not in members else "messages is no array")
        turns = self._grown.keep(read, messages_turns.read_turns(read.new, read.kept, read.count))
        system = messages_turns.read_system(members.get("system"))
        if system is not None:
            turns = (*steady(read.memory, SystemOrigin, (system,)), *turns)
        listed, more = bytes(members.get("tools", b"")), bringing(read.items, read.memory)
        size = len(listed) + sum(map(len, more))
        tools = self._tools.get((listed, more), size, lambda: read_tools(listed, more))
        choice = read_tool_choice(members.get("tool_choice"))
        rest = {key: value(members[key]) for key in ("model", "stream", "max_tokens") if key in members}
        limit = rest.get("max_tokens")
        return Ask(
            self.name,
            str(rest.get("model") or ""),
            rest.get("stream") is True,
            turns,
            tools,
            choice,
            limit=limit if isinstance(limit, int) else None,
            size=len(body),
            memory=read.memory,
            wire=AskWire(body, read.whole, members, style_of(body), turns, tools, choice),
        )

    def write_ask(self, ask: Ask) -> bytes:
        wire = _ask_wire(ask)
        members = wire.members
        changes: dict[str, Bytes | None] = {}
        if ask.turns is not wire.turns:
            changes = _write_turns(ask.turns, wire.style)
        if ask.tools is not wire.tools:
            changes["tools"] = arr(write_tools(ask.tools, wire.style), wire.style)
        if ask.tool_choice != wire.tool_choice:
            changes["tool_choice"] = write_tool_choice(ask.tool_choice, members.get("tool_choice"), wire.style)
        if wire.container:
            changes["container"] = _write_container(members.get("container"), wire)
        if changes:
            return changed(members, changes, wire.style)
        return wire.received if wire.body is wire.received else wire.body

    def extend(self, ask: Ask, reply: Reply, results: Mapping[str, str], *, fix: bool) -> Ask:
        """Input that is no JSON object goes back as `{}` whatever `fix` says; the API takes nothing else."""
        del fix
        said = reply.turns[0]
        wire = _ask_wire(ask)
        if isinstance(said.wire, Origin):
            wire = _going_on(wire, said.wire, reply)
        answers = tuple(
            ToolResult(call.id, (results.get(call.id, ""),), call.tool, _is_error(call.args, results.get(call.id, "")))
            for call in said.calls
        )
        return replace(ask, turns=(*ask.turns, said, Turn("tool", results=answers)), wire=wire)

    def closing(self, ask: Ask, text: str) -> Ask:
        last = ask.turns[-1] if ask.turns else Turn("system")
        turns: tuple[Turn, ...]
        if last.role in ("tool", "user"):
            turns = (*ask.turns[:-1], replace(last, appended=(*last.appended, text)))
        else:
            turns = (*ask.turns, Turn("user", (text,)))
        return replace(ask, turns=turns, tool_choice="none" if ask.tools else ask.tool_choice)

    # ------------------------------------------------------------ replies

    def read_reply(self, body: bytes, ask: Ask, ids: Ids) -> Reply:
        members = fields(body)
        content = members.get("content")
        if content is None or not bytes(content).startswith(b"["):
            raise UnreadableError("the answer has no content")
        read = read_content(content)
        calls, why = sound_calls(read.calls, ids)
        rest = {key: value(members[key]) for key in ("id", "model", "stop_reason", "usage") if key in members}
        finish = read_finish(rest.get("stop_reason"))
        origin = messages_turns.reply_origin(content, read)
        turn = Turn("assistant", read.texts, calls, finish=finish, cut=finish == "length", wire=origin)
        thinking = ask.wire.thinking if isinstance(ask.wire, AskWire) and calls else ()
        if thinking and not leading_thinking(content):
            why = why or "calls without the thinking that led to them"
        else:
            thinking = ()
        turns = (turn,)
        return Reply(
            turns,
            read_usage(rest.get("usage")),
            str(rest.get("id") or ""),
            str(rest.get("model") or ""),
            wire=ReplyWire(body, turns, why, container_of(members.get("container")), thinking),
        )

    def malformed(self, reply: Reply) -> str:
        wire = reply.wire
        return wire.malformed if isinstance(wire, (ReplyWire, MessagesStream)) else ""

    def write_reply(self, reply: Reply, hidden: Usage | None = None) -> bytes:
        wire = reply.wire
        if isinstance(wire, messages_own.Composed):
            return messages_own.whole(reply, hidden)
        if not isinstance(wire, ReplyWire):
            raise TypeError("not an unstreamed answer of this API")
        changed = reply.turns is not wire.turns or bool(wire.malformed)
        if not changed and hidden is None:
            return wire.body
        members = fields(wire.body)
        changes: dict[str, Bytes | None] = {}
        if changed:
            changes = _write_content(reply.turns[0], wire)
            stop = members.get("stop_reason")
            changes |= stop_edits(reply.turns[0], None if stop is None else value(stop))
        if hidden is not None:
            usage = members.get("usage", b"null")
            counted = b"{}" if bytes(usage) == b"null" else usage
            changes["usage"] = edit(counted, {"handrail": hidden_usage(hidden)})
        return edit(wire.body, changes)

    # ------------------------------------------------------------ streams, answers of our own, errors

    def stream(
        self, ask: Ask, ids: Ids, after: StreamReader | None, hidden: Usage | None, *, mute: bool
    ) -> StreamReader:
        before = after if isinstance(after, MessagesStream) else None
        return MessagesStream(ids, before, hidden, mute=mute, watch=ask.watch)

    def compose(self, ask: Ask, text: str, ids: Ids, wall: float, call: tuple[str, str] | None = None) -> Reply:
        del wall
        return messages_own.compose(ask, text, ids, call)

    def write_stream(self, reply: Reply, after: StreamReader | None) -> bytes:
        return messages_own.streamed(reply, after.outlet if isinstance(after, MessagesStream) else Outlet())

    def error(self, status: int, message: str, code: str, kind: str) -> bytes:
        del kind
        return messages_own.error(status, message, code)

    def stream_error(self, message: str, code: str, kind: str) -> bytes:
        del kind
        return messages_own.error_event(message, code)

    # ------------------------------------------------------------ hidden turns

    def pack_turns(self, turns: Sequence[Turn]) -> bytes:
        return arr(messages_turns.write_turns(turns))

    def unpack_turns(self, data: bytes) -> tuple[Turn, ...]:
        return messages_turns.read_turns(items(data))


def _ask_wire(ask: Ask) -> AskWire:
    if not isinstance(ask.wire, AskWire):
        raise TypeError("not a request of this API")
    return ask.wire


def _write_turns(turns: Sequence[Turn], style: Style) -> dict[str, Bytes | None]:
    first = turns[0] if turns and messages_turns.is_system(turns[0]) else None
    spoken = turns if first is None else turns[1:]
    system = None if first is None else messages_turns.write_system(first, style)
    return {"messages": arr(messages_turns.write_turns(spoken, style), style), "system": system}


def _write_container(received: Bytes | None, wire: AskWire) -> bytes:
    """A container may be named by its id, or be an object that says more of it."""
    if received is not None and bytes(received).startswith(b"{"):
        return edit(received, {"id": dump(wire.container)}, wire.style)
    return dump(wire.container)


def _going_on(wire: AskWire, said: Origin, reply: Reply) -> AskWire:
    """What a request must carry on from an answer that the agent has not seen."""
    named = container_of(fields(wire.body).get("container"))
    found = reply.wire.container if isinstance(reply.wire, (ReplyWire, MessagesStream)) else ""
    thinking = leading_thinking(messages_turns.reply_content(said))
    return replace(
        wire, container=wire.container if named else found or wire.container, thinking=thinking or wire.thinking
    )


def _is_error(args: str, result: str) -> bool | None:
    """Whether an answer of Handrail's own is an error by the API's flag.

    It is, where the arguments could not be read at all, and where it says so itself in the form that all errors of
    Handrail have (`status: error`). A page that was read on and a result that is replayed are none.
    """
    if not is_object(args):
        return True
    if not result.lstrip().startswith("{"):
        return None
    try:
        return fields(result.encode("utf-8", "replace")).get("status") == msgspec.Raw(b'"error"') or None
    except UnreadableError:
        return None


def _write_content(turn: Turn, wire: ReplyWire) -> dict[str, Bytes | None]:
    origin = turn.wire
    if not isinstance(origin, Origin):
        return {}
    written = messages_turns.write_turn(replace(turn, wire=replace(origin, resend=False)))
    blocks = items(fields(written[0])["content"]) if written else []
    return {"content": arr([*wire.thinking, *blocks])}
