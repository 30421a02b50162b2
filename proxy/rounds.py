"""One upstream call of an exchange: what goes up, what comes back, and what of it the agent gets at once.

Text of a stream leaves as it comes; what belongs to a tool call waits in the dialect's reader. An answer that is not
ours to read (an error, another content type, a coding that is not known) passes through as the bytes that came. Knows
no policy; what to do with a whole reply is `exchange`'s matter.
"""

from collections.abc import Container, Generator, Sequence
from typing import Any

import msgspec

from proxy.dialects.dialect import Dialect, Ids, StreamReader, UnreadableError
from proxy.dialects.sse import Splitter
from proxy.journal import Journal, estimate, usage_fields
from proxy.model import Ask, Reply, Usage, replace
from proxy.verdicts import (
    Begin,
    Chunk,
    Command,
    Drop,
    Emit,
    End,
    Event,
    Failure,
    Head,
    Receive,
    Send,
    Tick,
)

KEEP_ALIVE = 5.0
"""Seconds without a byte after which the agent gets a sign of life, while a call is held or asked again."""
_LARGEST = 64 * 1024 * 1024
"""Bytes of an answer that are held to be read; a longer one passes through unread."""

_UNSENT = frozenset({"connect", "open"})
"""Failures before the provider had anything to count. What it refuses costs nothing either."""
_LARGEST_ERROR = 1024 * 1024
"""Bytes of an error that may be kept while something else is tried."""

Playing = Generator[Command, Event, Any]


class Whole(msgspec.Struct, frozen=True):
    """An answer that was read to its end and not handed out yet (but for what left a stream at once)."""

    reply: Reply
    head: Head
    raw: bytes
    """As it came on the wire."""
    reader: StreamReader | None = None
    early: bytes = b""
    """Of a stream whose text must wait: what could have left at once."""


class Passed(msgspec.Struct, frozen=True):
    """The agent has the whole answer already, as it came."""

    head: Head
    reply: Reply | None = None


class Failed(msgspec.Struct, frozen=True):
    """No whole answer. `begun`: the agent has seen a part of it. `status`: of an answer that was no 2xx."""

    failure: Failure
    begun: bool = False
    status: int = 0


class Refused(msgspec.Struct, frozen=True):
    """An answer that the agent has not got, since there is another way to ask."""

    head: Head
    raw: bytes
    """As it came on the wire."""


Outcome = Whole | Passed | Failed


class Agent:
    """What the agent has got so far, and the clock of this exchange."""

    __slots__ = ("asked", "begun", "extra", "head", "mono", "sent", "status", "streams", "wall", "wrote")

    def __init__(self, wall: float, mono: float) -> None:
        self.begun = False
        self.status = 0
        self.sent = 0
        self.wrote = mono
        self.wall, self.mono = wall, mono
        self.extra: tuple[tuple[str, str], ...] = ()
        self.asked = ("", False)
        """Model, and whether the answer is to be streamed."""
        self.streams: bool | None = None
        """Whether the first answer is a stream; None: there was none yet."""
        self.head: Head | None = None
        """Status and headers of the first answer, which is being asked again."""

    def see(self, event: Any) -> None:
        self.wall, self.mono = event.wall, event.mono

    def begin(self, head: Head, length: int | None, *, decoded: bool) -> Generator[Command, Any, None]:
        """Status and headers, once. `decoded`: the body goes out without the coding that it came in."""
        if self.begun:
            return
        gone = ("content-length", "content-encoding") if decoded else ("content-length",)
        headers = tuple((name, value) for name, value in head.headers if name.lower() not in gone)
        self.begun, self.status = True, head.status
        yield Begin(head.status, (*headers, *self.extra), length)

    def emit(self, data: bytes) -> Generator[Command, Any, None]:
        if data:
            self.sent += len(data)
            self.wrote = self.mono
            yield Emit(data)


class Round:
    """Plays one upstream call."""

    def __init__(self, number: int, dialect: Dialect, ids: Ids, agent: Agent, journal: Journal) -> None:
        self._number, self._dialect, self._ids = number, dialect, ids
        self._agent, self._journal = agent, journal
        self._chunks: list[tuple[int, int]] = []
        self._sent_at = agent.mono
        self._alive = b""
        self._sent = b""
        self._got = 0
        self._usage: Usage | None = None

    @property
    def used(self) -> Usage | None:
        """Tokens of this round, whether it came to its end or not; None: nothing was sent."""
        if self._usage is None and self._sent:
            return Usage(len(self._sent) // 3, self._got // 3, estimated=True)
        return self._usage

    # ------------------------------------------------------------ kinds of rounds

    def passing(self, ask: Ask | None, body: bytes, *, gather: bool) -> Playing:
        """Everything passes as it comes; it is read aside, when it is whole.

        `gather`: a JSON answer waits until it is whole, so that its headers can tell what was observed; then the
        outcome may be Whole, else it is Passed or Failed.
        """
        head = yield from self._send(body, None)
        if isinstance(head, Failure):
            return Failed(head)
        agent = self._agent
        stream = _is_stream(head)
        length = _length(head)
        if ask is not None and gather and head.status < 300 and head.readable and _is_json(head):
            return (yield from self._gathered(ask, body, head))
        yield from agent.begin(head, length, decoded=False)
        raws: list[bytes] = []
        datas: list[bytes] = []
        size = 0
        while True:
            event = yield from self._next(None)
            if not isinstance(event, Chunk):
                break
            raw = event.data if event.raw is None else event.raw
            self._mark(size)
            size += len(event.data)
            if size <= _LARGEST:
                raws.append(raw)
                datas.append(event.data)
            yield from agent.emit(raw)
        data = b"".join(datas) if size <= _LARGEST else b""
        reply = self._read(ask, data, stream=stream, whole=isinstance(event, End)) if ask and data else None
        reply = self._counted(reply, body, data) if head.status < 300 else reply
        yield self._record(head, data, reply, event)
        if isinstance(event, Failure):
            return Failed(event, begun=True)
        return Passed(head, reply)

    def guarded(self, ask: Ask, body: bytes, spared: Container[int] = ()) -> Playing:
        """The first round. Outcome: Whole; Passed for what can't be read; Failed; Refused for a status in `spared`."""
        head = yield from self._send(body, None)
        if isinstance(head, Failure):
            return Failed(head)
        if head.status in spared:
            return (yield from self._refused(head))
        if head.status >= 300 or not head.readable:
            return (yield from self._unread(head))
        self._agent.streams = _is_stream(head)
        if not self._agent.streams:
            return (yield from self._gathered(ask, body, head))
        yield from self._agent.begin(head, None, decoded=head.coded)
        reader = self._dialect.stream(ask, self._ids, None, None, mute=False)
        return (yield from self._streamed(body, head, reader, show=True))

    def hidden(self, ask: Ask, body: bytes, seconds: float, reader: StreamReader, *, show: bool) -> Playing:
        """A round that the agent must not notice. `show`: its text may flow into the stream that has begun.

        Outcome: Whole or Failed, whatever comes.
        """
        streams = ask.stream if self._agent.streams is None else self._agent.streams
        self._alive = b": keep-alive\n\n" if streams else b" "
        head = yield from self._send(body, seconds)
        if isinstance(head, Failure):
            return Failed(head)
        if head.status >= 300 or not head.readable:
            yield Drop()
            why = Failure("status", f"the upstream answered {head.status}", self._agent.wall, self._agent.mono)
            return Failed(why, status=head.status)
        if _is_stream(head) is not streams:
            yield Drop()
            why = Failure("shape", "streamed and unstreamed answers can't be mixed", self._agent.wall, self._agent.mono)
            return Failed(why)
        if not streams:
            return (yield from self._gathered(ask, body, head))
        return (yield from self._streamed(body, head, reader, show=show))

    # ------------------------------------------------------------ answers

    def _gathered(self, ask: Ask, body: bytes, head: Head) -> Playing:
        raws: list[bytes] = []
        datas: list[bytes] = []
        size = 0
        blank = not head.coded and _length(head) is None
        while True:
            event = yield from self._next(self._patience())
            if not isinstance(event, Chunk):
                break
            self._mark(size)
            size += len(event.data)
            blank = blank and not event.data.strip()
            if blank:  # some providers keep a connection alive with blanks before the JSON
                yield from self._agent.begin(head, None, decoded=False)
                yield from self._agent.emit(event.data)
                continue
            datas.append(event.data)
            raws.append(event.data if event.raw is None else event.raw)
            if size > _LARGEST and not self._alive:
                return (yield from self._too_large(head, b"".join(raws)))
        data, raw = b"".join(datas), b"".join(raws)
        reply = self._read(ask, data, stream=False, whole=True) if isinstance(event, End) else None
        reply = self._counted(reply, body, data)
        yield self._record(head, data, reply, event)
        if isinstance(event, Failure):
            return Failed(event)
        if reply is None:
            if self._alive:
                return Failed(Failure("unreadable", "the answer can't be read", event.wall, event.mono))
            yield from self._agent.begin(head, len(raw), decoded=False)
            yield from self._agent.emit(raw)
            return Passed(head)
        self._agent.head = self._agent.head or head
        return Whole(reply, head, raw)

    def _too_large(self, head: Head, raw: bytes) -> Playing:
        """Gives up reading; what came and what still comes passes."""
        yield from self._agent.begin(head, _length(head), decoded=False)
        yield from self._agent.emit(raw)
        while isinstance(event := (yield from self._next(None)), Chunk):
            yield from self._agent.emit(event.data if event.raw is None else event.raw)
        yield self._record(head, b"", None, event)
        return Failed(event, begun=True) if isinstance(event, Failure) else Passed(head)

    def _streamed(self, body: bytes, head: Head, reader: StreamReader, *, show: bool) -> Playing:
        splitter = Splitter()
        datas: list[bytes] = []
        early: list[bytes] = []
        size = 0
        while True:
            event = yield from self._next(self._patience(held=reader.held))
            if not isinstance(event, Chunk):
                break
            self._mark(size)
            size += len(event.data)
            datas.append(event.data)
            out = _fed(reader, splitter.feed(event.data))
            if show:
                yield from self._agent.emit(out)
            elif out:
                early.append(out)
            if reader.done:
                break
        rest = b"" if reader.done else splitter.rest()
        if rest and not isinstance(event, Failure):
            out = reader.feed(rest)
            early.append(out)
        ended = isinstance(event, End) or reader.done
        reply = reader.reply(whole=ended)
        data = b"".join(datas)
        reply = self._counted(reply, body, data) or reply
        yield self._record(head, data, reply, event)
        if not ended and isinstance(event, Failure):
            return Failed(event, begun=True)
        if self._number > 1 and not reader.done and any(turn.cut and not turn.finish for turn in reply.turns):
            why = Failure("cut", "the stream ended before its end", self._agent.wall, self._agent.mono)
            return Failed(why, begun=True)
        if reader.done:
            yield from self._drain(event)
        if show:
            yield from self._agent.emit(b"".join(early))
            early = []
        return Whole(reply, head, data, reader, b"".join(early))

    def _drain(self, event: Event) -> Generator[Command, Event, None]:
        """Takes the end of a stream whose last event was seen, so that its connection can be used again."""
        if isinstance(event, End):
            return
        yield Drop()

    def _refused(self, head: Head) -> Playing:
        """Keeps an error for later."""
        raws: list[bytes] = []
        datas: list[bytes] = []
        while isinstance(event := (yield from self._next(None)), Chunk):
            raws.append(event.data if event.raw is None else event.raw)
            datas.append(event.data)
            if sum(map(len, raws)) > _LARGEST_ERROR:
                return (yield from self._too_large(head, b"".join(raws)))
        yield self._record(head, b"".join(datas), None, event)
        return Failed(event) if isinstance(event, Failure) else Refused(head, b"".join(raws))

    def _unread(self, head: Head) -> Playing:
        agent = self._agent
        yield from agent.begin(head, _length(head), decoded=False)
        datas: list[bytes] = []
        size = 0
        while True:
            event = yield from self._next(None)
            if not isinstance(event, Chunk):
                break
            size += len(event.data)
            if size <= _LARGEST:
                datas.append(event.data)
            yield from agent.emit(event.data if event.raw is None else event.raw)
        yield self._record(head, b"".join(datas), None, event)
        return Failed(event, begun=True) if isinstance(event, Failure) else Passed(head)

    # ------------------------------------------------------------ the wire

    def _send(self, body: bytes, seconds: float | None) -> Playing:
        """Head or Failure."""
        self._sent_at = self._agent.mono
        self._sent = body
        yield self._journal.line("send", self._number, {}, {"body": body})
        yield Send(self._number, body, seconds, *self._agent.asked)
        event = yield from self._next(self._patience())
        if isinstance(event, Failure):
            yield self._record(None, b"", None, event)
        if (event.kind in _UNSENT) if isinstance(event, Failure) else event.status >= 300:
            self._sent = b""
        return event

    def _next(self, tick: float | None) -> Playing:
        """The next event but a Tick; at a Tick the agent gets a sign of life."""
        while True:
            event = yield Receive(tick)
            self._agent.see(event)
            if not isinstance(event, Tick):
                return event
            if self._agent.head is not None:
                yield from self._agent.begin(self._agent.head, None, decoded=True)
            yield from self._agent.emit(self._alive)
            tick = KEEP_ALIVE

    def _patience(self, *, held: bool = False) -> float | None:
        """Seconds until the agent needs a sign of life; None: it needs none now."""
        agent = self._agent
        if held and not self._alive:
            self._alive = b": keep-alive\n\n"
        if not self._alive or not (agent.begun or agent.head or held):
            return None
        return max(agent.wrote + KEEP_ALIVE - agent.mono, 0.01)

    def _mark(self, offset: int) -> None:
        self._got = offset
        if len(self._chunks) < 10_000:
            self._chunks.append((offset, round((self._agent.mono - self._sent_at) * 1000)))

    def _read(self, ask: Ask, data: bytes, *, stream: bool, whole: bool) -> Reply | None:
        if not stream:
            try:
                return self._dialect.read_reply(data, ask, self._ids)
            except UnreadableError:
                return None
        splitter = Splitter()
        reader = self._dialect.stream(ask, self._ids, None, None, mute=False)
        _fed(reader, splitter.feed(data))
        if not reader.done and (rest := splitter.rest()):
            reader.feed(rest)
        return reader.reply(whole=whole)

    def _counted(self, reply: Reply | None, sent: bytes, got: bytes) -> Reply | None:
        if reply is None:
            return None
        self._usage = reply.usage or estimate(sent, got)
        return reply if reply.usage else replace(reply, usage=self._usage)

    def _record(self, head: Head | None, data: bytes, reply: Reply | None, event: Any) -> Command:
        fields: dict[str, Any] = {"ms": round((self._agent.mono - self._sent_at) * 1000)}
        if head is not None:
            fields |= {"status": head.status, "headers": dict(head.headers), "chunks": self._chunks}
        if isinstance(event, Failure):
            fields["failure"] = {"kind": event.kind, "message": event.message}
        if reply is not None:
            fields["usage"] = usage_fields(reply.usage)
            fields["finish"] = [turn.finish for turn in reply.turns]
        return self._journal.line("reply", self._number, fields, {"body": data} if data else {})


def _fed(reader: StreamReader, events: Sequence[bytes]) -> bytes:
    """What may leave of these events. What stands behind the API's own last event is none of this answer's, whether it
    came in the same piece or not.
    """
    out = []
    for event in events:
        if reader.done:
            break
        out.append(reader.feed(event))
    return b"".join(out)


def _is_stream(head: Head) -> bool:
    return any(name.lower() == "content-type" and "event-stream" in value.lower() for name, value in head.headers)


def _is_json(head: Head) -> bool:
    return any(name.lower() == "content-type" and "json" in value.lower() for name, value in head.headers)


def _length(head: Head) -> int | None:
    for name, value in head.headers:
        if name.lower() == "content-length" and value.isdigit():
            return int(value)
    return None
