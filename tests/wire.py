"""Loopback parts for wire tests: a scripted upstream and a raw client, both on bare sockets, and a proxy between them.

The upstream keeps the exact bytes that it got; the client sees the exact bytes that the agent would. Neither knows
anything of HTTP that the tests are about.
"""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from proxy.app import App, State, serve
from proxy.metrics import Metrics
from proxy.settings import Pack
from proxy.upstream import Upstream
from proxy.verdicts import Record

Headers = list[tuple[str, str]]


@dataclass
class Seen:
    """A request as the upstream got it."""

    line: str
    headers: Headers
    body: bytes = b""
    left: bool = False
    """The proxy closed the connection while the upstream was answering."""

    @property
    def target(self) -> str:
        return self.line.split(" ", 2)[1]

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]


class Peer:
    """One connection of the upstream, for the script."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self, status: int = 200, body: bytes = b"", *lines: str) -> None:
        head = [f"HTTP/1.1 {status} Said", *lines, f"Content-Length: {len(body)}"]
        await self.send("\r\n".join(head).encode() + b"\r\n\r\n" + body)

    async def head(self, *lines: str, status: int = 200) -> None:
        await self.send("\r\n".join([f"HTTP/1.1 {status} Said", *lines]).encode() + b"\r\n\r\n")

    async def chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def reset(self) -> None:
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def closed(self) -> None:
        """Waits until the other side has gone."""
        while await self.reader.read(65536):
            pass


Script = Callable[[Seen, Peer], Awaitable[None]]


async def read_head(reader: asyncio.StreamReader) -> tuple[str, Headers]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head[:-4].split("\r\n")
    return first, [(line.partition(":")[0], line.partition(":")[2].strip()) for line in lines]


async def read_body(reader: asyncio.StreamReader, headers: Mapping[str, str], into: bytearray) -> None:
    """Raises EOFError when the body is cut; what came is in `into`."""
    if "chunked" in headers.get("transfer-encoding", ""):
        while True:
            line = await reader.readline()
            if not line.endswith(b"\n"):
                raise EOFError("cut between chunks")
            size = int(line, 16)
            into += await reader.readexactly(size) if size else b""
            await reader.readline()
            if not size:
                return
    left = int(headers.get("content-length", "0"))
    while left:
        data = await reader.read(min(left, 65536))
        if not data:
            raise EOFError("cut in the body")
        into += data
        left -= len(data)


class Provider:
    """The scripted upstream: every request is answered by `script`; `seen` has them in order."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.connections = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=2**18)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while True:
                line, headers = await read_head(reader)
                seen = Seen(line, headers)
                self.seen.append(seen)
                body = bytearray()
                await read_body(reader, {k.lower(): v for k, v in headers}, body)
                seen.body = bytes(body)
                await self.script(seen, Peer(reader, writer))
        except (EOFError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()
            self._tasks.discard(task)


@dataclass
class Answer:
    """What the client got. `cut`: the body did not come to its end."""

    line: str
    headers: Headers
    body: bytes
    cut: bool = False

    @property
    def status(self) -> int:
        return int(self.line.split(" ", 2)[1])

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]


class Client:
    """One connection of an agent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, port: int) -> "Client":
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=2**18))

    async def ask(self, line: str, *lines: str, body: bytes = b"") -> Answer:
        await self.send(line, *lines, body=body)
        return await self.answer(head=line.startswith("HEAD"))

    async def send(self, line: str, *lines: str, body: bytes = b"") -> None:
        names = {one.partition(":")[0].lower() for one in lines}
        more = [] if "host" in names else ["Host: proxy.test"]
        if body and not names & {"content-length", "transfer-encoding"}:
            more.append(f"Content-Length: {len(body)}")
        self.writer.write("\r\n".join([f"{line} HTTP/1.1", *more, *lines]).encode("latin-1") + b"\r\n\r\n" + body)
        await self.writer.drain()

    async def answer(self, *, head: bool = False) -> Answer:
        line, headers = await read_head(self.reader)
        answer = Answer(line, headers, b"")
        if head or answer.status in {101, 204, 304}:
            return answer
        body = bytearray()
        try:
            await read_body(self.reader, {k.lower(): v for k, v in headers}, body)
        except (EOFError, ConnectionError, ValueError):
            answer.cut = True
        answer.body = bytes(body)
        return answer

    def close(self) -> None:
        self.writer.transport.abort()


@dataclass
class MemoryLog:
    """A run log that is a list."""

    written: list[tuple[Record, tuple[bytes, ...]]] = field(default_factory=list)

    def records(self, lines: Iterable[tuple[Record, float]], *, secrets: tuple[bytes, ...] = (), **_: object) -> None:
        self.written += ((record, secrets) for record, _ in lines)


class EmptyStore:
    """A store that holds nothing."""

    def try_settle(self, *_: Any) -> Any:
        return None

    async def settle(self, *_: Any) -> dict[Any, Any]:
        return {}

    def later(self, *_: Any) -> None: ...


class NoPlans:
    """No request is a generation call."""

    def find(self, *_: object) -> None:
        return None


class _Dialect:
    name = "chat_completions"

    def error(self, *parts: object) -> bytes:
        return json.dumps({"error": {"message": parts[1], "code": parts[2]}}).encode()


class Plan:
    """A plan for tests whose exchange is a playbook."""

    dialect = _Dialect()


class AllPlans:
    """Every POST to /v1/chat/completions is a generation call."""

    def find(self, method: str, path: str, _: str) -> Plan | None:
        return Plan() if method == "POST" and path == "/v1/chat/completions" else None


@dataclass
class Proxy:
    """A proxy that runs."""

    port: int
    app: App
    log: MemoryLog
    alerts: list[Mapping[str, Any]]

    async def client(self) -> Client:
        return await Client.connect(self.port)

    async def ask(self, line: str, *lines: str, body: bytes = b"") -> Answer:
        client = await self.client()
        try:
            return await client.ask(line, *lines, body=body)
        finally:
            client.close()


def nothing_played(start: Any, plan: Any) -> Any:
    raise AssertionError("no exchange is expected")


@asynccontextmanager
async def proxy(
    upstream: str, *, plans: Any = None, exchange: Any = nothing_played, pack: Pack | None = None, store: Any = None
) -> AsyncIterator[Proxy]:
    """A proxy in front of an upstream's address, on a port of its own."""
    log = MemoryLog()
    alerts: list[Mapping[str, Any]] = []
    client = Upstream()
    state = State.build(plans or NoPlans(), pack or Pack(), upstream)
    app = App(state, client, exchange, store or EmptyStore(), log, Metrics(), alerts.append)
    runner = web.ServerRunner(serve(app), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=128)
    await site.start()
    try:
        yield Proxy(runner.addresses[0][1], app, log, alerts)
    finally:
        await runner.cleanup()
        await client.close()


@asynccontextmanager
async def between(script: Script, **settings: Any) -> AsyncIterator[tuple[Proxy, Provider]]:
    """A proxy and the scripted upstream behind it."""
    base = settings.pop("base", "/v1")
    async with Provider(script) as provider, proxy(f"http://127.0.0.1:{provider.port}{base}", **settings) as running:
        yield running, provider


async def hello(_: Seen, peer: Peer) -> None:
    """The simplest script."""
    await peer.reply(200, b"hello")


async def until(condition: Callable[[], object], seconds: float = 2.0) -> None:
    """Waits for something that another task brings about. Raises TimeoutError."""
    for _ in range(int(seconds * 100)):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError
