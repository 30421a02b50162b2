"""Sending a request once, and knowing when it may be sent again.

Sent again is only what the provider cannot have seen: where the connection was refused, or was one out of the pool
that the other side had closed already. On a pooled connection an end of stream without a byte of answer means just
that; a reset does only if the connection had been idle, since a live server may reset as well.

Stands on aiohttp's connector (pool, names, TLS, proxies) and its protocol (parser, flow control), and not on its
client: that changes headers, and costs a request as much as all of this.
"""

import asyncio
import errno
import select
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import StreamWriter

from proxy.faults import FAILURES, Limits
from proxy.headers import Pairs
from proxy.patience import Patience

_HANG_UP = getattr(select, "POLLRDHUP", select.POLLIN) | select.POLLHUP | select.POLLERR
_SEEN_AFTER = 1.0
_IDLE_BEFORE = 1.0
_RETRY_REFUSED = 0.2
_CONNECT_FACTOR = 5.0
_LINE = 65536 + 4096
_BUFFER = 65536


class StaleError(ConnectionError):
    """The connection was dead before the request reached anybody."""


@dataclass(slots=True)
class Upload:
    """A request body that is passed on while it still arrives. It can be sent once."""

    content: aiohttp.StreamReader
    started: bool = False


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request to an upstream. `fields` are without framing, but for the length of an upload if it is known."""

    method: str
    url: str
    fields: Pairs = field(default_factory=list)
    body: bytes | Upload = b""


@dataclass(frozen=True, slots=True)
class Origin:
    """An upstream host: what aiohttp's connector needs to connect to it, and what every request to it says."""

    connect: aiohttp.ClientRequest
    host: str
    login: str = ""
    """For a proxy that a plain request goes through; such a request names its whole address."""

    def head(self, request: Outgoing) -> bytes:
        """Request line and headers, as given; raises ValueError for what would break out of its line."""
        url = request.url
        at = -1 if self.connect.proxy is not None and not self.connect.is_ssl() else url.find("/", 8)
        lines = [f"{request.method} {url[at:] if at > 0 else url} HTTP/1.1", f"Host: {self.host}"]
        lines += [f"{name}: {value}" for name, value in request.fields]
        if self.login:
            lines.append(f"Proxy-Authorization: {self.login}")
        if (framing := _framing(request)) is not None:
            lines.append(framing)
        text = "\r\n".join(lines) + "\r\n\r\n"
        if text.count("\n") != len(lines) + 1 or text.count("\r") != len(lines) + 1:
            raise ValueError("a line break in a header")
        return text.encode("utf-8", "surrogateescape")


def _framing(request: Outgoing) -> str | None:
    if isinstance(request.body, bytes):
        if request.body or request.method in {"POST", "PUT", "PATCH"}:
            return f"Content-Length: {len(request.body)}"
        return None
    if any(name == "Content-Length" for name, _ in request.fields):
        return None
    return "Transfer-Encoding: chunked"


class Opened:
    """A call whose answer has begun."""

    __slots__ = ("_connection", "_upload", "content", "message", "patience")

    def __init__(
        self, connection: Connection, answer: tuple[Any, Any], patience: Patience, upload: asyncio.Task[None] | None
    ) -> None:
        self._connection: Connection | None = connection
        self._upload = upload
        self.message, self.content = answer
        self.patience = patience
        self.content.on_eof(self._ended)

    @property
    def protocol(self) -> ResponseHandler | None:
        """That of the connection, as long as the answer has not come to its end."""
        return None if self._connection is None else self._connection.protocol

    def close(self) -> None:
        """Breaks the call off."""
        self.patience.stop()
        if self._upload is not None:
            self._upload.cancel()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ended(self) -> None:
        protocol = self.protocol
        if protocol is None or protocol.upgraded or self._connection is None:
            return
        if self._upload is not None and not self._upload.done():
            self.close()  # answered before the request was through: what is left of it must not be read as another
            return
        self.patience.stop()
        self._connection.release()
        self._connection = None


class Attempts:
    """Sends requests over the connections of one connector."""

    def __init__(self, connector: aiohttp.TCPConnector) -> None:
        self._connector = connector
        self._timeouts: dict[float, aiohttp.ClientTimeout] = {}
        self._used: WeakKeyDictionary[ResponseHandler, float] = WeakKeyDictionary()

    async def send(self, origin: Origin, request: Outgoing, limits: Limits, seconds: float | None) -> Opened:
        """Returns when the head of the answer has come. `seconds` for the whole call. Raises what aiohttp raises."""
        head = origin.head(request)
        refused = False
        while True:
            call = _Call(self._used, request)
            try:
                connection = await self._connection(origin, limits.connect)
                return await call.send(connection, head, limits, seconds)
            except StaleError:
                continue  # each try takes one dead connection out of the pool
            except aiohttp.ClientConnectorError as error:
                if refused or not isinstance(error.os_error, ConnectionRefusedError):
                    raise
                refused = True
                await asyncio.sleep(_RETRY_REFUSED)
            except FAILURES as error:
                if not call.unseen(error):
                    raise

    async def _connection(self, origin: Origin, seconds: float) -> Connection:
        made = self._timeouts.get(seconds)
        if made is None:  # names looked up, addresses tried, and TLS take their time too
            made = aiohttp.ClientTimeout(total=None, connect=seconds * _CONNECT_FACTOR, sock_connect=seconds)
            self._timeouts[seconds] = made
        try:
            return await self._connector.connect(origin.connect, [], made)
        except TimeoutError:
            raise aiohttp.ConnectionTimeoutError from None

    def touch(self, protocol: ResponseHandler) -> None:
        """Notes that a connection is in use now."""
        self._used[protocol] = monotonic()


class _Call:
    """One try."""

    __slots__ = ("_request", "_used", "idle", "sent")

    def __init__(self, used: WeakKeyDictionary[ResponseHandler, float], request: Outgoing) -> None:
        self._used = used
        self._request = request
        self.idle: float | None = None
        """Seconds for which the connection had been idle; None: it is a fresh one."""
        self.sent = 0.0

    async def send(self, connection: Connection, head: bytes, limits: Limits, seconds: float | None) -> Opened:
        upload: asyncio.Task[None] | None = None
        patience: Patience | None = None
        try:
            protocol = connection.protocol
            if protocol is None or protocol.transport is None:
                raise StaleError  # noqa: TRY301 - the connection is closed below
            self._take(protocol)
            _expect_answer(protocol, self._request.method)
            patience = Patience(limits.first_byte, seconds, protocol.set_exception)
            body = self._request.body
            if isinstance(body, bytes):
                protocol.transport.writelines((head, body))
            else:
                patience.rests()
                upload = asyncio.get_running_loop().create_task(_upload(protocol, head, body, patience))
            while True:
                message, content = await protocol.read()
                if message.code > 199 or message.code == 101:
                    patience.turn(limits.idle, content.set_exception)
                    return Opened(connection, (message, content), patience, upload)
        except BaseException:
            if patience is not None:
                patience.stop()
            if upload is not None:
                upload.cancel()
            connection.close()
            raise

    def _take(self, protocol: ResponseHandler) -> None:
        """Marks the connection as used, and looks whether it can be."""
        now = monotonic()
        last = self._used.get(protocol)
        self.idle = None if last is None else now - last
        self._used[protocol] = self.sent = now
        if last is not None and isinstance(self._request.body, Upload) and _hung_up(protocol):
            raise StaleError  # a body that is on its way could not be sent again

    def unseen(self, error: Exception) -> bool:
        """Whether a failure before the answer means that nobody has seen the request."""
        body = self._request.body
        if self.idle is None or monotonic() - self.sent > _SEEN_AFTER or (isinstance(body, Upload) and body.started):
            return False
        if isinstance(error, aiohttp.ServerDisconnectedError):
            return isinstance(error.message, str)  # else a part of an answer had come
        return isinstance(error, aiohttp.ClientOSError) and (error.errno == errno.EPIPE or self.idle > _IDLE_BEFORE)


def _expect_answer(protocol: ResponseHandler, method: str) -> None:
    protocol.set_response_params(
        skip_payload=method == "HEAD",
        read_until_eof=True,
        auto_decompress=False,
        read_timeout=None,
        read_bufsize=_BUFFER,
        max_line_size=_LINE,
        max_field_size=_LINE,
        max_headers=1000,
    )


def _hung_up(protocol: ResponseHandler) -> bool:
    """Whether the other side has closed a connection and the event loop has not yet heard of it."""
    peer = None if protocol.transport is None else protocol.transport.get_extra_info("socket")
    if peer is None:
        return True
    poll = select.poll()
    poll.register(peer.fileno(), _HANG_UP)
    return bool(poll.poll(0))


async def _upload(protocol: ResponseHandler, head: bytes, upload: Upload, patience: Patience) -> None:
    """Writes a body as it comes; what goes wrong with it is told to whoever waits for the answer."""
    upload.started = True
    writer = StreamWriter(protocol, asyncio.get_running_loop())
    fail: Callable[[BaseException], None] = protocol.set_exception
    try:
        await writer.write(head)
        if b"\r\nTransfer-Encoding: chunked\r\n\r\n" in head[-40:]:
            writer.enable_chunking()
        while data := await upload.content.readany():
            await writer.write(data)
        await writer.write_eof()
    except OSError as error:
        fail(aiohttp.ClientOSError(error.errno, "the request could not be written"))
    except Exception:  # noqa: BLE001 - the agent's side broke
        fail(aiohttp.ClientConnectionError("the request's body broke off"))
    else:
        patience.waits()
