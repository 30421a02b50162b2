"""The traffic port: every request that an agent makes comes in here, and leaves for an upstream.

A generation call is played as an exchange (`drive.py`), everything else passes through (`passage.py`). What Handrail
must refuse or could not reach, it answers itself in the API's own shape.

The low-level server of aiohttp, without application, router and middleware: there is one route, and each layer costs
a request as much as a policy does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic, time
from typing import Any, Protocol

import msgspec
import structlog
from aiohttp import web

from proxy import codings, headers
from proxy.attempts import Outgoing
from proxy.downstream import Downstream, GoneError
from proxy.drive import Exchange, Ports, Store, drive
from proxy.faults import Limits
from proxy.headers import Credential
from proxy.incoming import Incoming, RefusedError, new_run, random
from proxy.metrics import Metrics
from proxy.own_errors import error_body, error_fields
from proxy.passage import Passage, Way
from proxy.paths import Base, Routes
from proxy.reach import Reach
from proxy.settings import Pack
from proxy.upstream import Upstream
from proxy.upstream_round import ClosedRound, UpstreamRound
from proxy.verdicts import Record, Send, Start

_SMALL = 64 * 1024
_ROUTED = 4 * 1024 * 1024
_NAMES_WARNED = 64
_FIELD = 65536 + 4096

log: Any = structlog.get_logger("handrail")


class _Model(msgspec.Struct):
    model: str = ""


_model = msgspec.json.Decoder(_Model).decode


class Plans(Protocol):
    """Which requests are generation calls: a plan with a `dialect` for each, None for all others."""

    def find(self, method: str, path: str, agent: str) -> Any: ...


class Log(Protocol):
    """The run log. `exchange` names the exchange; `secrets` are words that the log must not hold."""

    def records(
        self, lines: Iterable[tuple[Record, float]], *, exchange: str, secrets: tuple[bytes, ...] = ()
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class State:
    """Everything that a reload changes, in one piece: a request sees either the old one or the new one."""

    plans: Plans
    pack: Pack
    routes: Mapping[str, Routes]
    limits: Mapping[str, Limits]

    @classmethod
    def build(cls, plans: Plans, pack: Pack, upstream: str) -> "State":
        """`upstream`: the address of the command line. Raises ValueError for an address that can't be one."""
        packs = {"": pack, **pack.agents}
        return cls(
            plans,
            pack,
            {name: Routes.build(one, upstream) for name, one in packs.items()},
            {name: _limits(one) for name, one in packs.items()},
        )

    def upstream_names(self) -> list[str]:
        """Host and port of each upstream."""
        return sorted({base.name for routes in self.routes.values() for _, base in routes.entries})

    def known(self, agent: str) -> str:
        """The agent's name if the pack has it, else ""."""
        return agent if agent in self.routes else ""


def _limits(pack: Pack) -> Limits:
    times = pack.upstream
    return Limits(times.connect, times.first_byte, times.idle, times.request.ceiling)


@dataclass(slots=True)
class App:
    """Answers requests. `state` may be replaced at any time; `stopping` closes each connection after its answer."""

    state: State
    upstream: Upstream
    exchange: Callable[[Start, Any], Exchange]
    store: Store
    log: Log
    metrics: Metrics
    alert: Callable[[Mapping[str, Any]], None]
    reach: Reach = field(default_factory=Reach)
    secret: bytes = b""
    access: bool = False
    stopping: bool = False
    active: int = 0
    _warned: set[str] = field(default_factory=set)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """One request; whatever happens, the agent gets an answer or a broken connection."""
        began = monotonic()
        agent = Downstream(request, stopping=self.stopping)
        call = _Call(self, request, agent)
        self.active += 1
        self.metrics.began()
        try:
            await call.answer()
        except GoneError:
            pass
        except RefusedError as refused:
            call.refuse(refused)
        except Exception as error:  # noqa: BLE001 - a fault in the shell itself
            self.metrics.crashed()
            log.error("request failed", error=type(error).__name__, message=str(error)[:300])  # noqa: TRY400 - no values
            call.refuse(RefusedError(500, "Handrail itself failed; see its log.", "internal_error"))
        finally:
            self.active -= 1
            self._account(call, agent, began)
        return KEPT if agent.keep else CLOSED

    def warn_unknown(self, agent: str) -> None:
        """Once for each name."""
        if agent not in self._warned and len(self._warned) < _NAMES_WARNED:
            self._warned.add(agent)
            log.warning("no such agent in the pack; the pack itself applies", agent=agent[:100])

    def _account(self, call: "_Call", agent: Downstream, began: float) -> None:
        took = monotonic() - began
        self.metrics.ended(call.kind, agent.status, None if agent.first is None else agent.first - began, took)
        if self.access:
            incoming = call.incoming
            ms = round(took * 1000)
            log.info("request", method=incoming.method, path=incoming.target.path, status=agent.status, ms=ms)


class _Call:
    """One request on its way."""

    __slots__ = ("_agent", "_app", "_limits", "_pack", "_protocol", "_routes", "_state", "incoming", "kind")

    def __init__(self, app: App, request: web.BaseRequest, agent: Downstream) -> None:
        self._app = app
        self._agent = agent
        self._protocol = request.protocol
        self._state = app.state
        self.incoming = Incoming(request, agent.ask_for_body)
        self.kind = "other"
        name = self._state.known(self.incoming.target.agent)
        self._pack = self._state.pack.for_agent(name)
        self._routes = self._state.routes[name]
        self._limits = self._state.limits[name]

    async def answer(self) -> None:
        """Raises RefusedError, GoneError."""
        incoming, target = self.incoming, self.incoming.target
        incoming.check()
        if target.agent and not self._state.known(target.agent):
            self._app.warn_unknown(target.agent)
        if incoming.is_websocket:
            self.kind = "websocket"
            await self._passage(b"").websocket(self._protocol)
            return
        plan = self._state.plans.find(incoming.method, target.path, target.agent)
        if plan is None:
            by_model = self._routes.by_model and "json" in incoming.header("content-type")
            body = await incoming.body_or_upload(_ROUTED if by_model else _SMALL)
            await self._passage(body if isinstance(body, bytes) else b"").through(body)
            return
        self.kind = plan.dialect.name
        received = await incoming.body()
        plain = _readable(received, incoming.header("content-encoding"))
        if plain is None:
            await self._passage(b"").through(received)
        else:
            await self._play(plan, received, plain)

    def _passage(self, body: bytes) -> Passage:
        url = self._base(self.incoming.dialect, body).url(self.incoming.target)
        return Passage(self.incoming, self._agent, Way(self._app.upstream, url, self._limits), self._app.metrics)

    def _base(self, dialect: str, body: bytes) -> Base:
        """Where the request goes; `body` is looked at only where the pack asks for the model."""
        model = ""
        if self._routes.by_model and body[:1] == b"{":
            try:
                model = _model(body).model
            except msgspec.DecodeError:
                model = ""
        base = self._routes.pick(self.incoming.target.path, dialect, model)
        if base is None:
            raise RefusedError(502, "no upstream is configured for this request", "no_upstream")
        return base

    async def _play(self, plan: Any, received: bytes, plain: bytes) -> None:
        """A generation call. `plain` is the body without its content coding."""
        app, incoming = self._app, self.incoming
        base = self._base(plan.dialect.name, plain)
        credential = Credential(incoming.fields, incoming.target.own_query)
        fields = _asking_for_what_can_be_read(headers.end_to_end(incoming.fields))
        pack = self._pack

        def start_round(send: Send, held: dict[str, str]) -> UpstreamRound:
            app.metrics.round(hidden=send.round > 1)
            to, wait = self._reached(base)
            if wait is not None:
                return ClosedRound(to.name, wait)
            url = to.url(incoming.target)
            if send.body is plain:
                request = Outgoing("POST", url, fields, received)
            elif received is plain:
                request = Outgoing("POST", url, fields, send.body)
            else:
                decoded = [one for one in fields if one[0].lower() != "content-encoding"]
                request = Outgoing("POST", url, decoded, send.body)
            seconds = app.reach.seconds(to.name, send.model, pack, streamed=send.streamed)
            limits = replace(self._limits, request=seconds)
            started = UpstreamRound(app.upstream, request, limits, send.seconds, held)
            started.watch = app.reach.watch(to.name, send.model, pack, streamed=send.streamed)
            return started

        start = Start(
            incoming.method,
            incoming.target.path,
            headers.shown(incoming.fields),
            plain,
            credential.hash,
            random(32),
            time(),
            monotonic(),
            secret=app.secret,
            agent=incoming.target.agent,
            digest=self._state.pack.digest,
        )
        record = self._recorder(credential, start.random[:8].hex())
        ports = Ports(app.store, start_round, record, app.alert, lambda: _crash_body(plan))
        await drive(app.exchange(start, plan), self._agent, ports)

    def _reached(self, base: Base) -> tuple[Base, float | None]:
        """The upstream that is asked; and for how many seconds it is not, if all breakers are open."""
        reach, pack = self._app.reach, self._pack
        wait = reach.is_open(base.name, pack)
        spare = self._routes.fallback(base.name) if wait is not None else None
        if spare is None or spare.name == base.name:
            return base, wait
        other = reach.is_open(spare.name, pack)
        return (spare, None) if other is None else (base, wait)

    def _recorder(self, credential: Credential, exchange: str) -> Callable[[Sequence[tuple[Record, float]]], None]:
        secrets = tuple(word.encode("utf-8", "surrogateescape") for word in credential.words())

        def record(lines: Sequence[tuple[Record, float]]) -> None:
            for line, _ in lines:
                self._count(line)
            self._app.log.records(lines, exchange=exchange, secrets=secrets)

        return record

    def _count(self, line: Record) -> None:
        metrics = self._app.metrics
        if line.kind == "verdict":
            metrics.verdict(line.fields)
            if line.fields.get("did") == "failed":
                why = line.fields["detail"].get("error")
                log.error("policy failed", run=line.run, step=line.round, policy=line.fields["policy"], error=why)
        elif line.kind == "reply" and "failure" in line.fields:
            metrics.upstream_failed(str(line.fields["failure"].get("kind")))

    def refuse(self, refused: RefusedError) -> None:
        """An error of Handrail's own; the connection is closed if a part of the request is still unread."""
        agent, incoming = self._agent, self.incoming
        if agent.begun:
            agent.abort()
            return
        body = error_body(incoming.dialect, refused.status, refused.message, refused.code)
        agent.stopping = agent.stopping or incoming.unread
        try:
            agent.begin(refused.status, error_fields(incoming.run), len(body))
            agent.put(body)
            agent.finish()
        except GoneError:
            return


def _readable(body: bytes, content_encoding: str) -> bytes | None:
    """The body without its content coding, the same object if it has none; None if it can't be read."""
    if not content_encoding:
        return body
    try:
        return codings.decode(body, content_encoding)
    except codings.CodingError:
        return None


def _asking_for_what_can_be_read(fields: headers.Pairs) -> headers.Pairs:
    return [(name, codings.narrowed(value) if name.lower() == "accept-encoding" else value) for name, value in fields]


def _crash_body(plan: Any) -> bytes:
    body: bytes = plan.dialect.error(500, "Handrail itself failed; see its log.", "internal_error", "handrail_error")
    return body


class _Written(web.StreamResponse):
    """Stands for an answer that was written to the connection already."""

    def __init__(self, *, keep: bool) -> None:
        super().__init__()
        self._keep_alive = keep

    async def prepare(self, request: web.BaseRequest) -> None:
        """Nothing is left to do."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing is left to do."""


KEPT = _Written(keep=True)
CLOSED = _Written(keep=False)


class _Connection(web.RequestHandler):
    """aiohttp's handler of one connection; what it can't even parse is answered as everything else is."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,  # noqa: ARG002 - as in the base class
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - quotes the request, and with it perhaps a credential
    ) -> web.StreamResponse:
        said = "the request is not HTTP that can be understood, or its target or a header is over 64 KiB"
        log.warning("request refused", status=status, error=type(exc).__name__)
        answer = web.Response(status=status, body=error_body("", status, said, "bad_request"))
        answer.headers.extend(error_fields(new_run()))
        answer.force_close()
        return answer


class Server(web.Server):
    """One per process: makes the handler of each connection."""

    def __call__(self) -> web.RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs)


def serve(app: App) -> Server:
    """The server of the traffic port; it takes what a provider takes."""
    return Server(
        app.handle,
        handler_cancellation=True,
        auto_decompress=False,
        access_log=None,
        max_line_size=_FIELD,
        max_field_size=_FIELD,
        max_headers=1000,
    )
