"""What can go wrong with an upstream call, in words that hold no secret.

Whatever the client library raises becomes one exception with a kind that the core knows. Its text names the upstream's
host and port, and nothing that came from outside: no address with a query, no header, no line of an answer.
"""

import os
import ssl
from dataclasses import dataclass

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

FAILURES = (aiohttp.ClientError, HttpProcessingError, OSError, ValueError)
"""What the client library raises when a call fails."""


class UpstreamError(Exception):
    """An upstream call failed. `kind`: connect, timeout, reset, protocol, decode, open."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds. `request` bounds everything until the answer begins, and on a plain answer until it ends."""

    connect: float = 2.0
    first_byte: float = 600.0
    idle: float = 300.0
    request: float = 1800.0


def failure(error: Exception, host: str, limits: Limits) -> UpstreamError:
    """The error of the client library as one of ours. `host` with its port."""
    match error:
        case UpstreamError():
            return error
        case aiohttp.ConnectionTimeoutError():
            return UpstreamError("timeout", f"could not connect to {host} within {limits.connect:g} s")
        case aiohttp.SocketTimeoutError():
            return UpstreamError("timeout", f"nothing came from {host} for too long")
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
            return UpstreamError("connect", f"no trusted connection to {host}: {_why(error)}")
        case aiohttp.ClientConnectorError() | aiohttp.ClientHttpProxyError():
            return UpstreamError("connect", f"could not connect to {host}: {_why(error)}")
        case TimeoutError():
            return UpstreamError("timeout", f"{host} took longer than this request may take")
    return _broken(error, host)


def _broken(error: Exception, host: str) -> UpstreamError:
    match error:
        case aiohttp.ClientPayloadError():
            return UpstreamError("reset", f"{host} broke off in the middle of its answer")
        case aiohttp.ServerDisconnectedError():
            return UpstreamError("reset", f"{host} closed the connection without an answer")
        case aiohttp.ClientResponseError() | HttpProcessingError() | aiohttp.InvalidURL():
            return UpstreamError("protocol", f"{host} did not answer in HTTP that can be understood")
        case aiohttp.ClientConnectionError() | OSError():
            return UpstreamError("reset", f"the connection to {host} broke: {_why(error)}")
    return UpstreamError("protocol", f"the call to {host} failed: {type(error).__name__}")


def _why(error: Exception) -> str:
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    if isinstance(cause, ssl.SSLError):
        return str(getattr(cause, "verify_message", "") or cause.reason or "TLS failed")
    if isinstance(cause, OSError) and cause.errno:
        return os.strerror(cause.errno) if cause.errno > 0 else "name or service not known"
    return type(cause).__name__
