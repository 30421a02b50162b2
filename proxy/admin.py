"""The second port, for whoever operates Handrail: is it alive, is it ready, what did it do.

`/healthz`, `/readyz` and `/metrics` are open to all, since probes bring no token and see no content. Everything else
(`routes`) shows what agents said: on a loopback address it is open to this machine, elsewhere only with the token.
Names of other hosts are refused on loopback too, or a web page could read runs by way of the operator's browser.
"""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Middleware

from proxy.metrics import CONTENT_TYPE, Metrics

_OPEN = frozenset({"/healthz", "/readyz", "/metrics"})

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Health:
    """What probes are told; kept by the composition root."""

    ready: bool = False
    why: str = "starting"
    """Why not, while it is not."""
    dropped: Callable[[], int] = lambda: 0
    log_error: Callable[[], str] = lambda: ""
    """What the disk under the run log said last."""
    store_error: Callable[[], str] = lambda: ""
    """What the store said last."""


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine's own loopback."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def build(
    health: Health, metrics: Metrics, *, host: str, token: str = "", routes: Iterable[web.RouteDef] = ()
) -> web.Application:
    """`host` is the address that the port is bound to; `token` the one that opens the rest elsewhere."""

    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def readyz(_: web.Request) -> web.Response:
        body = {
            "ready": health.ready,
            "status": "ready" if health.ready else health.why,
            "dropped_log_records": health.dropped(),
            "log_error": health.log_error(),
            "store_error": health.store_error(),
        }
        return web.json_response(body, status=200 if health.ready else 503)

    async def metrics_text(_: web.Request) -> web.Response:
        return web.Response(body=metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    application = web.Application(middlewares=[_guard(host, token)])
    application.router.add_get("/healthz", healthz)
    application.router.add_get("/readyz", readyz)
    application.router.add_get("/metrics", metrics_text)
    application.router.add_routes(routes)
    return application


def _guard(host: str, token: str) -> Middleware:
    local = is_loopback(host)

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in _OPEN or _authorized(request, token):
            return await handler(request)
        if not local:
            raise web.HTTPUnauthorized(headers={"WWW-Authenticate": "Bearer"})
        if not is_loopback(_host_name(request.host)):
            raise web.HTTPForbidden(text="this port answers to the names of this machine only")
        return await handler(request)

    return guard


def _authorized(request: web.Request, token: str) -> bool:
    given = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
    return bool(token) and hmac.compare_digest(given, f"Bearer {token}".encode())


def _host_name(host: str) -> str:
    """Without the port."""
    return host.partition("]")[0] if host.startswith("[") else host.rpartition(":")[0] or host
