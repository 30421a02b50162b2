"""The provider's side: one HTTP client for all upstreams, which adds nothing of its own to a request.

aiohttp's client, with what makes it a bad proxy taken out: no automatic header, cookie, redirect, decoding or netrc.
`attempts.py` says what may be sent twice, `faults.py` how a failure is told.
"""

import asyncio
import base64
import dataclasses
from collections.abc import Sequence
from urllib.request import getproxies_environment

import aiohttp
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from proxy.attempts import Attempt, Pool, Request, Upload
from proxy.faults import FAILURES, Limits, UpstreamError, failure
from proxy.headers import Pairs, first, pairs

_POOLED_SECONDS = 30.0
_CONNECT_FACTOR = 5.0
_LINE = 65536 + 4096
_LINGER_SECONDS = 0.5
_LINGER_BYTES = 65536


@dataclasses.dataclass(frozen=True, slots=True)
class Outgoing:
    """One request to an upstream. `fields` are without framing, but for the length of an upload if it is known."""

    method: str
    url: str
    fields: Pairs = dataclasses.field(default_factory=list)
    body: bytes | Upload = b""


class Answer:
    """An upstream's answer whose status and headers have come."""

    __slots__ = ("_expiry", "_limits", "_response", "fields", "header", "reason", "status")

    def __init__(self, pool: Pool, response: aiohttp.ClientResponse, limits: Limits, deadline: float | None) -> None:
        self._response = response
        self._limits = limits
        self._expiry: asyncio.TimerHandle | None = None
        self.status = response.status
        self.reason = response.reason or ""
        self.fields: Pairs = pairs(response.raw_headers)
        """All header fields as they came, hop-by-hop ones included."""
        self.header = response.headers.get
        """The first value of a field, or None."""
        if (protocol := self.protocol) is not None:
            protocol.read_timeout = limits.idle
            protocol.start_timeout()
            pool.touch(protocol)
            if deadline is not None:
                self._expiry = asyncio.get_running_loop().call_at(deadline, self._expire)

    @property
    def protocol(self) -> ResponseHandler | None:
        connection = self._response.connection
        return None if connection is None else connection.protocol

    async def read(self) -> bytes:
        """What has come of the body since the last time, as it came; b"" at its end. Raises UpstreamError."""
        try:
            data = await self._response.content.readany()
        except FAILURES as error:
            self.close()
            raise failure(error, self._response.url, self._limits) from None
        if not data and self._expiry is not None:
            self._expiry.cancel()
        return data

    def bound(self, seconds: float | None) -> None:
        """A new limit for the rest of the answer; None: silence alone ends it."""
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if seconds is not None:
            self._expiry = asyncio.get_running_loop().call_later(seconds, self._expire)

    def _expire(self) -> None:
        if not self.ended:
            self._response.content.set_exception(TimeoutError())

    @property
    def ended(self) -> bool:
        """Whether the body has come to its end."""
        return self._response.connection is None

    def close(self) -> None:
        """Breaks the answer off; nothing happens to the connection of one that has come to its end."""
        if self._expiry is not None:
            self._expiry.cancel()
        self._response.close()


class Upstream:
    """The client for all upstreams. Close it before the event loop ends."""

    def __init__(self) -> None:
        self._pool = Pool()
        self._lingering: set[asyncio.Task[None]] = set()
        self._proxies: dict[str, tuple[URL | None, str]] = {}
        self._timeouts: dict[Limits, aiohttp.ClientTimeout] = {}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_POOLED_SECONDS, ttl_dns_cache=60),
            request_class=Request,
            cookie_jar=_NoCookies(),
            auto_decompress=False,
            trust_env=False,  # looked up here, once for each host: aiohttp asks netrc too, and a thread each time
            max_line_size=_LINE,
            max_field_size=_LINE,
            max_headers=1000,
        )

    async def send(self, request: Outgoing, limits: Limits, seconds: float | None = None) -> Answer:
        """One call. `seconds` for the whole of it; None: silence alone ends it.

        Returns when status and headers have come. Raises UpstreamError.
        """
        target = URL(request.url, encoded=True)
        body = request.body
        fields = [*request.fields, *_framing(request)]
        proxy, login = self._proxy(target)
        if login and target.scheme == "http":
            fields.append(("Proxy-Authorization", login))
        deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
        call = self._session.request(
            request.method,
            target,
            data=None if isinstance(body, bytes) else body,
            allow_redirects=False,
            proxy=proxy,
            proxy_headers={"Proxy-Authorization": login} if login else None,
            timeout=self._timeout(limits),
            middlewares=(Attempt(self._pool, fields, body, limits),),
        )
        try:
            if deadline is None:
                response = await call
            else:
                async with asyncio.timeout_at(deadline):
                    response = await call
        except FAILURES as error:
            raise failure(error, target, limits) from None
        return Answer(self._pool, response, limits, deadline)

    def linger(self, answer: Answer) -> None:
        """Waits for the end of an answer that nobody wants any more, so that its connection can be used again."""
        if not answer.ended:
            task = asyncio.get_running_loop().create_task(_read_out(answer))
            self._lingering.add(task)
            task.add_done_callback(self._lingering.discard)

    async def close(self) -> None:
        for task in tuple(self._lingering):
            task.cancel()
        await self._session.close()

    def _timeout(self, limits: Limits) -> aiohttp.ClientTimeout:
        made = self._timeouts.get(limits)
        if made is None:
            made = self._timeouts[limits] = aiohttp.ClientTimeout(
                total=None,
                connect=limits.connect * _CONNECT_FACTOR,  # with names looked up, addresses tried, and TLS
                sock_connect=limits.connect,
                sock_read=limits.first_byte,
            )
        return made

    def _proxy(self, url: URL) -> tuple[URL | None, str]:
        """The proxy that the environment names for a host, and what authorizes there."""
        origin = f"{url.scheme}://{url.host_port_subcomponent}"
        if origin not in self._proxies:
            self._proxies[origin] = _proxy_from_environment(url)
        return self._proxies[origin]


def _framing(request: Outgoing) -> Pairs:
    if isinstance(request.body, bytes):
        if request.body or request.method in {"POST", "PUT", "PATCH"}:
            return [("Content-Length", str(len(request.body)))]
        return []
    if first(request.fields, "content-length"):
        return []
    return [("Transfer-Encoding", "chunked")]


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


class _NoCookies(aiohttp.DummyCookieJar):
    def update_cookies_from_headers(self, headers: Sequence[str], response_url: URL) -> None:
        """Cookies belong to the agent."""


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
