"""The provider's side: one HTTP client for all upstreams, which adds nothing of its own to a request.

No automatic header, cookie, redirect, decoding or netrc: what is sent is what the agent sent. `attempts.py` says what
may be sent twice, `faults.py` how a failure is told.
"""

import asyncio
import base64
from urllib.request import getproxies_environment

import aiohttp
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from proxy.attempts import Attempts, Opened, Origin, Outgoing
from proxy.faults import FAILURES, Limits, UpstreamError, failure
from proxy.headers import Pairs, pairs

_POOLED_SECONDS = 30.0
_SHORT = 10.0
_LINGER_SECONDS = 0.5
_LINGER_BYTES = 65536


class Answer:
    """An upstream's answer whose status and headers have come."""

    __slots__ = ("_host", "_limits", "_opened", "fields", "header", "reason", "status")

    def __init__(self, opened: Opened, host: str, limits: Limits) -> None:
        message = opened.message
        self._opened = opened
        self._host = host
        self._limits = limits
        self.status: int = message.code
        self.reason: str = message.reason or ""
        self.fields: Pairs = pairs(message.raw_headers)
        """All header fields as they came, hop-by-hop ones included."""
        self.header = message.headers.get
        """The first value of a field, or None."""

    @property
    def protocol(self) -> ResponseHandler | None:
        """That of the connection, as long as the answer has not come to its end."""
        return self._opened.protocol

    async def read(self) -> bytes:
        """What has come of the body since the last time, as it came; b"" at its end. Raises UpstreamError."""
        opened = self._opened
        opened.patience.waits()
        try:
            data: bytes = await opened.content.readany()
        except FAILURES as error:
            self.close()
            raise failure(error, self._host, self._limits) from None
        opened.patience.rests()
        return data

    def bound(self, seconds: float | None) -> None:
        """A new limit for the rest of the answer; None: silence alone ends it."""
        self._opened.patience.bound(seconds)

    @property
    def ended(self) -> bool:
        """Whether the body has come to its end."""
        return self._opened.protocol is None

    def close(self) -> None:
        """Breaks the answer off; nothing happens to the connection of one that has come to its end."""
        self._opened.close()


class Upstream:
    """The client for all upstreams. Close it before the event loop ends."""

    def __init__(self) -> None:
        self._connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_POOLED_SECONDS, ttl_dns_cache=60)
        self._attempts = Attempts(self._connector)
        self._lingering: set[asyncio.Task[None]] = set()
        self._origins: dict[str, Origin] = {}

    async def send(self, request: Outgoing, limits: Limits, seconds: float | None = None) -> Answer:
        """One call. `seconds` for the whole of it; None: silence alone ends it.

        Returns when status and headers have come. Raises UpstreamError.
        """
        origin = self._origin(request.url)
        try:
            if seconds is None or seconds > limits.connect * _SHORT:
                opened = await self._attempts.send(origin, request, limits, seconds)
            else:  # even connecting may take too long
                async with asyncio.timeout(seconds):
                    opened = await self._attempts.send(origin, request, limits, seconds)
        except FAILURES as error:
            raise failure(error, origin.host, limits) from None
        if (protocol := opened.protocol) is not None:
            self._attempts.touch(protocol)
        return Answer(opened, origin.host, limits)

    def linger(self, answer: Answer) -> None:
        """Waits for the end of an answer that nobody wants any more, so that its connection can be used again."""
        if not answer.ended:
            task = asyncio.get_running_loop().create_task(_read_out(answer))
            self._lingering.add(task)
            task.add_done_callback(self._lingering.discard)

    async def close(self) -> None:
        for task in tuple(self._lingering):
            task.cancel()
        await self._connector.close()

    def _origin(self, url: str) -> Origin:
        at = url.find("/", 8)
        name = url[:at] if at > 0 else url
        made = self._origins.get(name)
        if made is None:
            made = self._origins[name] = _made(URL(name, encoded=True))
        return made


def _made(url: URL) -> Origin:
    """What to connect to for a host, by way of the proxy that the environment names for it."""
    proxy, login = _proxy_from_environment(url)
    tunnelled = url.scheme == "https"
    connect = aiohttp.ClientRequest(
        "GET",
        url,
        loop=asyncio.get_running_loop(),
        proxy=proxy,
        proxy_headers={"Proxy-Authorization": login} if login and tunnelled else None,
    )
    return Origin(connect, url.host_port_subcomponent or "", "" if tunnelled else login)


async def _read_out(answer: Answer) -> None:
    answer.bound(_LINGER_SECONDS)
    size = 0
    try:
        while data := await answer.read():
            size += len(data)
            if size > _LINGER_BYTES:
                return
    except UpstreamError:
        return
    finally:
        answer.close()


def _proxy_from_environment(url: URL) -> tuple[URL | None, str]:
    known = getproxies_environment()
    address = known.get(url.scheme) or known.get("all")
    if not address or _bypassed(url, known.get("no", "")):
        return None, ""
    proxy = URL(address if "://" in address else f"http://{address}")
    login = ""
    if proxy.user is not None:
        pair = f"{proxy.user}:{proxy.password or ''}".encode()
        login = f"Basic {base64.b64encode(pair).decode()}"
    return proxy.with_user(None), login


def _bypassed(url: URL, no_proxy: str) -> bool:
    """Whether NO_PROXY names the host: itself, a domain above it, or with its port; `*` is every host.

    This machine itself is never reached through a proxy.
    """
    host = (url.host or "").lower()
    if host in {"localhost", "127.0.0.1", "::1"}:
        return True
    for entry in no_proxy.lower().replace(" ", ",").split(","):
        name = entry.lstrip(".")
        if name and (name in {"*", host, f"{host}:{url.port}"} or host.endswith(f".{name}")):
            return True
    return False
