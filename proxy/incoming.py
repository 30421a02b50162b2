"""A request as the agent sent it: its fields, its target, and its body, whole or still on the way.

Reads no more than it is asked to, and refuses what no provider would take. Knows where nothing goes.
"""

import os
from collections.abc import Callable

from aiohttp import HttpVersion10, web

from proxy import headers, paths
from proxy.attempts import Upload
from proxy.headers import Pairs

LARGEST_BODY = 256 * 1024 * 1024
"""Bytes."""


class RefusedError(Exception):
    """Handrail answers itself, with this status."""

    def __init__(self, status: int, message: str, code: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


class Incoming:
    """One request. `fields` are all header fields as they came."""

    __slots__ = ("_ask_for_body", "_request", "fields", "method", "target")

    def __init__(self, request: web.BaseRequest, ask_for_body: Callable[[], None]) -> None:
        self._request = request
        self._ask_for_body = ask_for_body
        self.method = request.method
        self.fields: Pairs = headers.pairs(request.raw_headers)
        self.target = paths.split(request.raw_path)

    def check(self) -> None:
        """Raises RefusedError for what can't be passed on."""
        if self.method in {"CONNECT", "TRACE"}:
            raise RefusedError(405, f"{self.method} is not passed on", "method_not_allowed")
        if not self.target.path.startswith("/"):
            raise RefusedError(400, "the request's target is no path", "bad_target")

    @property
    def run(self) -> str:
        """The run that the agent named, or a new one."""
        return self.header("x-run-id") or new_run()

    def header(self, name: str) -> str:
        """The first value of a field (name in lower case), or ""."""
        return self._request.headers.get(name, "")

    @property
    def dialect(self) -> str:
        """The API that was called, by its address and its headers alone; "" where they don't tell."""
        return paths.dialect_of(self.target.path, anthropic=bool(self.header("anthropic-version")))

    @property
    def is_websocket(self) -> bool:
        upgrade, connection = self.header("upgrade"), self.header("connection")
        return self.method == "GET" and upgrade.lower() == "websocket" and "upgrade" in connection.lower()

    @property
    def unread(self) -> bool:
        """Whether a part of the body has not come yet."""
        return not self._request.content.is_eof()

    async def body(self) -> bytes:
        """The whole body. Raises RefusedError."""
        length = self._announced()
        if not self._request.body_exists:
            return b""
        if length is not None and length > LARGEST_BODY:
            raise _TOO_LARGE
        content = self._request.content
        parts: list[bytes] = []
        size = 0
        try:
            while data := await content.readany():
                size += len(data)
                if size > LARGEST_BODY:
                    raise _TOO_LARGE
                parts.append(data)
        except web.RequestPayloadError:
            raise RefusedError(400, "the request's body is malformed", "bad_body") from None
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def body_or_upload(self, most: int) -> bytes | Upload:
        """The body if it is known to have at most so many bytes, else an upload of it. Raises RefusedError."""
        length = self._announced()
        if not self._request.body_exists or (length is not None and length <= most):
            return await self.body()
        if length is not None and length > LARGEST_BODY:
            raise _TOO_LARGE
        self._expected()
        return Upload(self._request.content)

    def _announced(self) -> int | None:
        self._expected()
        length = self.header("content-length")
        return int(length) if length.isdigit() else None

    def _expected(self) -> None:
        """Answers an expectation, once."""
        value = self.header("expect")
        if not value:
            return
        if value.lower() != "100-continue":
            raise RefusedError(417, "only 100-continue can be expected", "expectation_failed")
        if self._request.version > HttpVersion10 and self.unread:
            self._ask_for_body()
        self._ask_for_body = _nothing


def new_run() -> str:
    return random(12).hex()


class _Randomness:
    """Random bytes of the system, fetched by the page: each fetch lets other threads run first."""

    def __init__(self) -> None:
        self._page = b""
        self._at = 0

    def __call__(self, size: int) -> bytes:
        if self._at + size > len(self._page):
            self._page, self._at = os.urandom(4096), 0
        self._at += size
        return self._page[self._at - size : self._at]


random = _Randomness()
"""So many random bytes, each given out once."""


def _nothing() -> None:
    """The body has been asked for."""


_TOO_LARGE = RefusedError(413, "the request's body is over 256 MiB", "body_too_large")
