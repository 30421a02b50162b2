"""One upstream call of an exchange, as the events that the core understands.

`Receive` is answered with a Head, then Chunks, then End, or with a Failure; with a Tick when nothing came in time, and
then the wait goes on. Coded bodies are decoded on the way, each piece with the bytes that it came as. Decides nothing:
what a failure means is the core's business.
"""

import asyncio
from collections import deque
from time import monotonic, time

from proxy.attempts import Outgoing
from proxy.codings import CodingError, Decoder, decoder, names
from proxy.faults import Limits, UpstreamError
from proxy.headers import end_to_end, withhold
from proxy.reach import Watch
from proxy.upstream import Answer, Upstream
from proxy.verdicts import Chunk, End, Event, Failure, Head, Tick

_NEVER_ENDING = ("text/event-stream", "application/x-ndjson")


class UpstreamRound:
    """`held` keeps what the core may not see of the answer's headers, by placeholder. `seconds` as in `Send`."""

    def __init__(
        self, upstream: Upstream, request: Outgoing, limits: Limits, seconds: float | None, held: dict[str, str]
    ) -> None:
        self._upstream = upstream
        self._request = request
        self._limits = limits
        self._until = None if seconds is None else monotonic() + seconds
        self._held = held
        self._opening: asyncio.Task[Answer] | None = None
        self._answer: Answer | None = None
        self._decoder: Decoder | None = None
        self._ready: deque[Event] = deque()
        self._last: Event = None
        self.watch: Watch | None = None
        """Is told what becomes of the call."""
        self.reason: str | None = None
        """The words beside the status, once the head has come."""
        self.status = 0

    async def receive(self, tick: float | None) -> Event:
        """The next event; `tick` in seconds, as in `Receive`."""
        if self._ready:
            return self._ready.popleft()
        if self._last is not None:
            return self._last
        try:
            if self._answer is None:
                return await self._open(tick)
            return await self._piece(self._answer, tick)
        except UpstreamError as error:
            return self._over(Failure(error.kind, error.message, time(), monotonic()))

    def drop(self) -> None:
        """Lets go of an answer that has said all it has to say; its connection is kept if the end comes soon."""
        if self._answer is not None:
            self._upstream.linger(self._answer)
        else:
            self.close()

    def close(self) -> None:
        """Breaks the call off, at whatever point it is."""
        if self.watch is not None:
            self.watch.left()
        opening = self._opening
        if opening is not None:
            if not opening.done():
                opening.cancel()
            elif not opening.cancelled() and opening.exception() is None:
                opening.result().close()
        if self._answer is not None:
            self._answer.close()

    async def _open(self, tick: float | None) -> Event:
        if tick is None and self._opening is None:
            answer = await self._send()
        else:
            if self._opening is None:
                self._opening = asyncio.create_task(self._send())
                self._opening.add_done_callback(_heard)
            done, _ = await asyncio.wait({self._opening}, timeout=tick)
            if not done:
                return Tick(time(), monotonic())
            answer = self._opening.result()
        self._answer = answer
        return self._head(answer)

    async def _send(self) -> Answer:
        return await self._upstream.send(self._request, self._limits, self._seconds())

    def _seconds(self) -> float:
        own = self._limits.request
        return own if self._until is None else max(0.0, min(own, self._until - monotonic()))

    def _head(self, answer: Answer) -> Head:
        self.reason, self.status = answer.reason, answer.status
        fields = end_to_end(answer.fields)
        streamed = (answer.header("content-type") or "").lower().startswith(_NEVER_ENDING)
        if self.watch is not None:
            self.watch.head(answer.status, streamed=streamed)
        if streamed:
            answer.bound(None if self._until is None else self._until - monotonic())
        codings: list[str] = []
        if answer.header("content-encoding"):
            codings = names(",".join(value for name, value in fields if name.lower() == "content-encoding"))
            self._decoder = decoder(codings) if codings else None
        length = answer.header("content-length")
        if length:
            fields.append(("Content-Length", length))
        return Head(
            answer.status,
            withhold(fields, self._held),
            time(),
            monotonic(),
            coded=bool(codings),
            readable=not codings or self._decoder is not None,
        )

    async def _piece(self, answer: Answer, tick: float | None) -> Event:
        if tick is None:
            data = await answer.read()
        else:
            try:
                async with asyncio.timeout(tick):
                    data = await answer.read()
            except TimeoutError:
                return Tick(time(), monotonic())
        if not data:
            return self._end()
        if self._decoder is None:
            return Chunk(data, time(), monotonic())
        return self._decode(self._decoder, data)

    def _decode(self, taken: Decoder, raw: bytes) -> Event:
        wall, mono = time(), monotonic()
        came: bytes = raw
        try:
            for piece in taken.feed(raw):
                self._ready.append(Chunk(piece, wall, mono, came))
                came = b""
        except CodingError as error:
            self.close()
            self._ready.append(self._over(Failure("decode", str(error), wall, mono)))
        if not self._ready:
            return Chunk(b"", wall, mono, raw)
        return self._ready.popleft()

    def _end(self) -> Event:
        if self._decoder is not None and not self._decoder.finished():
            return self._over(Failure("decode", "the coded body is cut off", time(), monotonic()))
        return self._over(End(time(), monotonic()))

    def _over(self, event: Event) -> Event:
        if self.watch is not None:
            if isinstance(event, Failure):
                self.watch.failed(event.kind)
            else:
                self.watch.end()
        self._last = event
        return event


class ClosedRound(UpstreamRound):
    """A call that is not made, because the upstream's breaker is open."""

    def __init__(self, name: str, seconds: float) -> None:
        self._name, self._left = name, seconds
        self.reason, self.status = None, 0

    async def receive(self, tick: float | None) -> Event:
        del tick
        message = f"{self._name} kept failing and is not asked for another {max(round(self._left), 1)} s"
        return Failure("open", message, time(), monotonic())

    def drop(self) -> None:
        """There is nothing to let go of."""

    def close(self) -> None:
        """There is nothing to break off."""


def _heard(task: asyncio.Task[Answer]) -> None:
    """A failure that nobody waits for any more is no news."""
    if not task.cancelled():
        task.exception()
