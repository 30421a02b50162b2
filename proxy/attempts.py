"""Sending a request once, and knowing when it may be sent again.

Sent again is only what the provider cannot have seen: where the connection was refused, or was one out of the pool
that the other side had closed already. On a pooled connection an end of stream without a byte of answer means just
that; a reset does only if the connection had been idle, since a live server may reset as well.

`Request` is aiohttp's own, less everything that it adds by itself: a header is sent if the agent sent it.
"""

import asyncio
import errno
import select
from collections.abc import Iterable
from time import monotonic
from typing import Any, cast
from weakref import WeakKeyDictionary

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from multidict import CIMultiDict

from proxy.faults import FAILURES, Limits, failure
from proxy.headers import Pairs

_HANG_UP = getattr(select, "POLLRDHUP", select.POLLIN) | select.POLLHUP | select.POLLERR
_SEEN_AFTER = 1.0
_IDLE_BEFORE = 1.0
_RETRY_REFUSED = 0.2


class StaleError(Exception):
    """The connection was dead before the request reached anybody."""


class Pool:
    """When each connection was last used."""

    def __init__(self) -> None:
        self._used: WeakKeyDictionary[ResponseHandler, float] = WeakKeyDictionary()

    def idle(self, protocol: ResponseHandler) -> float | None:
        """Seconds since a connection was last used, None if it never was."""
        last = self._used.get(protocol)
        return None if last is None else monotonic() - last

    def touch(self, protocol: ResponseHandler) -> float:
        """Notes that it is used now; the time of that."""
        now = self._used[protocol] = monotonic()
        return now


class Upload(aiohttp.Payload):
    """A request body that is passed on while it still arrives. It can be sent once."""

    def __init__(self, content: aiohttp.StreamReader) -> None:
        super().__init__(content)
        self.started = False

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:  # noqa: ARG002 - as in the base class
        raise TypeError("an upload is not read here")

    async def write(self, writer: Any) -> None:
        self.started = True
        while data := await self._value.readany():
            await writer.write(data)

    async def write_with_length(self, writer: Any, content_length: int | None) -> None:  # noqa: ARG002 - as above
        await self.write(writer)


class Request(aiohttp.ClientRequest):
    """A request whose headers are exactly those that it was given, and whose body, if it is whole, needs no task."""

    DEFAULT_HEADERS = {}  # noqa: RUF012 - as in the base class
    _skip_auto_headers = CIMultiDict({"Content-Type": None})

    pool: Pool
    whole: bytes = b""
    idle: float | None = None
    """Seconds for which its connection had been idle; None: the connection is a fresh one."""
    sent: float = 0.0

    def update_auto_headers(self, skip_auto_headers: Iterable[str] | None) -> None:
        """None are added."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        transport = conn.transport
        if conn.protocol is None or transport is None:
            raise StaleError
        protocol = conn.protocol
        self.idle = self.pool.idle(protocol)
        if self.idle is not None and self.body and _hung_up(transport):
            raise StaleError  # an upload could not be sent again
        self.sent = self.pool.touch(protocol)
        if not self.whole:
            return await super().send(conn)
        protocol.transport = cast("asyncio.Transport", _Joined(transport, self.whole))
        try:
            return await super().send(conn)
        finally:
            protocol.transport = transport

    def unseen(self, error: Exception) -> bool:
        """Whether a failure before the answer means that nobody has seen the request."""
        if self.idle is None or monotonic() - self.sent > _SEEN_AFTER:
            return False
        if isinstance(error, aiohttp.ServerDisconnectedError):
            return isinstance(error.message, str)  # else a part of an answer had come
        return isinstance(error, aiohttp.ClientOSError) and (error.errno == errno.EPIPE or self.idle > _IDLE_BEFORE)


class _Joined:
    """Stands for a transport while a request's head is written to it: head and body leave in one piece."""

    __slots__ = ("_body", "_transport")

    def __init__(self, transport: asyncio.Transport, body: bytes) -> None:
        self._transport = transport
        self._body = body

    def write(self, head: bytes) -> None:
        self._transport.write(head + self._body)

    def is_closing(self) -> bool:
        return self._transport.is_closing()


def _hung_up(transport: asyncio.Transport) -> bool:
    """Whether the other side has closed a connection and the event loop has not yet heard of it."""
    peer = transport.get_extra_info("socket")
    if peer is None:
        return True
    poll = select.poll()
    poll.register(peer.fileno(), _HANG_UP)
    return bool(poll.poll(0))


class Attempt:
    """One request and its possible repetition, as a middleware of aiohttp's client. Raises UpstreamError."""

    __slots__ = ("_fields", "_limits", "_pool", "_refused", "_upload", "_whole")

    def __init__(self, pool: Pool, fields: Pairs, body: bytes | Upload, limits: Limits) -> None:
        """`fields` are all header fields but the host, framing included."""
        self._pool = pool
        self._fields = fields
        self._whole = body if isinstance(body, bytes) else b""
        self._upload = None if isinstance(body, bytes) else body
        self._limits = limits
        self._refused = False

    async def __call__(self, request: Any, handler: Any) -> aiohttp.ClientResponse:
        self._dress(request)
        while True:
            try:
                response: aiohttp.ClientResponse = await handler(request)
            except StaleError:
                continue  # each try takes one dead connection out of the pool
            except FAILURES as error:
                if not self._again(request, error):
                    raise failure(error, request.url, self._limits) from None
                if self._refused:
                    await asyncio.sleep(_RETRY_REFUSED)
            else:
                return response

    def _dress(self, request: Request) -> None:
        """Gives the request its headers: aiohttp's own way loses some that have equal names."""
        request.pool = self._pool
        request.whole = self._whole
        request.headers = CIMultiDict([("Host", request.headers["Host"]), *self._fields])
        if "Content-Length" in request.headers:
            request.chunked = None

    def _again(self, request: Request, error: Exception) -> bool:
        if isinstance(error, aiohttp.ClientConnectorError):
            first = not self._refused and isinstance(error.os_error, ConnectionRefusedError)
            self._refused = True
            return first
        spent = self._upload is not None and self._upload.started
        return not spent and request.unseen(error)
