"""What passes through: every request that is no generation call, both ways, as it comes.

Nothing is held but a body that is small anyway (so that it can be sent again over a stale connection). An answer that
breaks off breaks the agent's connection too.
"""

from dataclasses import dataclass

from proxy import headers
from proxy.attempts import Outgoing, Upload
from proxy.downstream import Downstream
from proxy.faults import Limits, UpstreamError
from proxy.headers import Pairs
from proxy.incoming import Incoming, RefusedError
from proxy.metrics import Metrics
from proxy.own_errors import STATUS, own_fields
from proxy.tunnel import tunnel
from proxy.upstream import Answer, Upstream


@dataclass(frozen=True, slots=True)
class Way:
    """Where requests go, and for how long at most."""

    upstream: Upstream
    url: str
    limits: Limits


class Passage:
    """One request on its way through."""

    __slots__ = ("_agent", "_incoming", "_metrics", "_way")

    def __init__(self, incoming: Incoming, agent: Downstream, way: Way, metrics: Metrics) -> None:
        self._incoming = incoming
        self._agent = agent
        self._way = way
        self._metrics = metrics

    async def through(self, body: bytes | Upload) -> None:
        """Forwards the request, and the answer. Raises RefusedError if there is none."""
        fields = headers.end_to_end(self._incoming.fields)
        length = self._incoming.header("content-length")
        if isinstance(body, Upload) and length:
            fields.append(("Content-Length", length))
        answer = await self._send(fields, body)
        try:
            await self._relay(answer)
        finally:
            answer.close()

    async def websocket(self, protocol: object) -> None:
        """Forwards the request for an upgrade; if the upstream agrees, joins the connections until one ends.

        `protocol` is that of the agent's connection.
        """
        fields = [*headers.end_to_end(self._incoming.fields), ("Connection", "Upgrade"), ("Upgrade", "websocket")]
        answer = await self._send(fields, b"")
        try:
            if answer.status != 101 or answer.protocol is None:
                await self._relay(answer)
                return
            self._agent.upgrade(answer.fields, answer.reason)
            await tunnel(protocol, answer.protocol)
        finally:
            answer.close()

    async def _send(self, fields: Pairs, body: bytes | Upload) -> Answer:
        way = self._way
        try:
            return await way.upstream.send(Outgoing(self._incoming.method, way.url, fields, body), way.limits)
        except UpstreamError as error:
            self._metrics.upstream_failed(error.kind)
            raise RefusedError(STATUS.get(error.kind, 502), error.message, error.kind) from None

    async def _relay(self, answer: Answer) -> None:
        agent = self._agent
        length = answer.header("content-length") or ""
        fields = headers.end_to_end(answer.fields)
        fields += [one for one in own_fields(self._incoming.run) if answer.header(one[0]) is None]
        agent.begin(answer.status, fields, int(length) if length.isdigit() else None, answer.reason)
        try:
            while data := await answer.read():
                agent.put(data)
                if agent.blocked:
                    await agent.drain()
        except UpstreamError as error:
            self._metrics.upstream_failed(error.kind)
            agent.abort()
            return
        agent.finish()
