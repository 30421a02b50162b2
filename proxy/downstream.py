"""The agent's side of one exchange: a status, headers, and a body that is whole, or visibly broken.

Writes to the connection itself, since an answer must leave as it came: field names as written, no field added, each
piece of a stream at once. What has to be right here: the framing (a length, chunks, or the end of the connection),
flow control, and that nothing cut short ever looks whole. Knows aiohttp's transport, and nothing of what is written.
"""

import socket
import struct
from collections.abc import Iterable
from http import HTTPStatus
from time import monotonic

from aiohttp import HttpVersion10, web

_RESET = struct.pack("ii", 1, 0)
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_OWN = frozenset({"content-length", "transfer-encoding", "connection"})


class GoneError(ConnectionError):
    """The agent's connection has ended."""


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class Downstream:
    """One answer. `begin`, then `put` and `flush`, then `finish` or `abort`."""

    __slots__ = (
        "_bare",
        "_chunked",
        "_head",
        "_left",
        "_request",
        "_transport",
        "begun",
        "broken",
        "first",
        "status",
        "stopping",
    )

    def __init__(self, request: web.BaseRequest, *, stopping: bool = False) -> None:
        self._request = request
        self._transport = request.transport
        self._head = b""
        self._left: int | None = None
        self._chunked = False
        self._bare = False
        self.begun = False
        self.broken = False
        self.status = 0
        self.first: float | None = None
        """When the first byte left (monotonic seconds)."""
        self.stopping = stopping
        """The connection is closed after this answer."""

    @property
    def gone(self) -> bool:
        """Whether the agent has left."""
        return self._request.transport is None or self._transport is None or self._transport.is_closing()

    @property
    def keep(self) -> bool:
        """Whether the connection may carry another request."""
        return not (self.stopping or self.broken) and self._request.keep_alive

    def begin(
        self, status: int, headers: Iterable[tuple[str, str]], length: int | None, reason: str | None = None
    ) -> None:
        """Takes status and headers; they leave with the first piece of the body, or at `flush`.

        `length` of the body in bytes; None: not known yet. Framing fields among the headers are ignored.
        """
        self.begun = True
        self.status = status
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, '') if reason is None else reason}"]
        lines += [_line(name, value) for name, value in headers if name.lower() not in _OWN]
        self._bare = self._request.method == "HEAD" or status in {204, 304} or status < 200
        if length is not None:
            if status >= 200 and status != 204:
                lines.append(f"Content-Length: {length}")
        elif not self._bare:
            if self._request.version <= HttpVersion10:
                self.stopping = True
            else:
                lines.append("Transfer-Encoding: chunked")
                self._chunked = True
        if not self._bare:
            self._left = length
        if not self.keep:
            lines.append("Connection: close")
        elif self._request.version <= HttpVersion10:
            lines.append("Connection: keep-alive")
        self._head = encoded("\r\n".join(lines) + "\r\n\r\n")

    def put(self, data: bytes) -> None:
        """Writes a piece of the body; what does not fit the announced length is dropped and breaks the answer.

        Raises GoneError.
        """
        if self._bare or not data:
            return
        if self._left is not None:
            if len(data) > self._left:
                self.broken = True
                data = data[: self._left]
            self._left -= len(data)
        head, self._head = self._head, b""
        if self._chunked:
            self._write(b"%b%x\r\n%b\r\n" % (head, len(data), data))
        else:
            self._write(head + data if head else data)

    def flush(self) -> None:
        """Lets the headers leave if they are still waiting for a body. Raises GoneError."""
        if self._head:
            head, self._head = self._head, b""
            self._write(head)

    @property
    def blocked(self) -> bool:
        """Whether the agent reads more slowly than is written."""
        return self._request.protocol.writing_paused

    async def drain(self) -> None:
        """Waits until the agent has read enough. Raises GoneError."""
        try:
            await self._request.writer.drain()
        except ConnectionError as error:
            raise GoneError(str(error)) from None

    def finish(self) -> None:
        """Ends the body. If it is shorter than was announced, the connection is broken instead."""
        if self._left:
            self.abort()
        elif self._chunked:
            head, self._head = self._head, b""
            self._write(head + b"0\r\n\r\n")
        else:
            self.flush()

    def abort(self) -> None:
        """Breaks the connection, so that the agent can't take what it has for a whole answer.

        A missing last chunk or a missing byte shows by itself, and what was written still arrives. A body that the
        end of the connection ends, or nothing at all, needs a reset.
        """
        self.broken = True
        if self.gone or self._transport is None:
            return
        if self.begun and (self._chunked or self._left):
            if self._head:
                self.flush()
            self._transport.close()
            return
        peer = self._transport.get_extra_info("socket")
        if peer is not None:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._transport.abort()

    def ask_for_body(self) -> None:
        """The interim answer to `Expect: 100-continue`."""
        if not self.gone and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def upgrade(self, headers: Iterable[tuple[str, str]], reason: str) -> None:
        """Switches protocols; after this the connection belongs to whoever reads the other one."""
        self.begun, self.stopping, self.status = True, True, 101
        lines = [f"HTTP/1.1 101 {reason}", *[_line(name, value) for name, value in headers]]
        self._write(encoded("\r\n".join(lines) + "\r\n\r\n"))

    def _write(self, data: bytes) -> None:
        if self.gone or self._transport is None:
            raise GoneError("the agent has closed the connection")
        if self.first is None:
            self.first = monotonic()
        self._transport.write(data)


def _line(name: str, value: str) -> str:
    line = f"{name}: {value}"
    if "\n" in line or "\r" in line:
        line = line.replace("\r", " ").replace("\n", " ")
    return line
