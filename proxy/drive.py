"""Plays one exchange: takes the commands of the generator one by one, carries them out, and sends back what came of it.

The only place where core and network meet, and it decides nothing. What it has to get right is the order (what a
command says has happened when the next one is asked for), that the upstream is let go of as soon as the agent is gone,
and that a fault of Handrail itself ends in an error or a broken connection, never in an empty answer.
"""

import traceback
from asyncio import CancelledError
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic, time
from typing import Any, Protocol

import structlog

from proxy.downstream import Downstream, GoneError
from proxy.headers import restore
from proxy.upstream_round import UpstreamRound
from proxy.verdicts import (
    Abort,
    Alert,
    Answers,
    Begin,
    ClientGone,
    Command,
    Drop,
    Emit,
    Event,
    Receive,
    Record,
    Send,
    Settle,
)

_LONGEST_MESSAGE = 300
_FRAMES = 4

Exchange = Generator[Command, Event, None]
log: Any = structlog.get_logger("handrail")


class Store(Protocol):
    """What exchanges share. Carries out requests in order, then writes; answers by request."""

    def try_settle(self, requests: tuple[Any, ...], puts: tuple[Any, ...]) -> Mapping[Any, Any] | None:
        """At once; None where it must be waited for, and then nothing was done."""

    async def settle(self, requests: tuple[Any, ...], puts: tuple[Any, ...]) -> Mapping[Any, Any]: ...

    def later(self, adds: tuple[Any, ...]) -> None: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that an exchange needs of the world, beside the agent's connection."""

    store: Store
    start_round: Callable[[Send, dict[str, str]], UpstreamRound]
    """The second argument takes what the core may not see of the answer's headers."""
    record: Callable[[Sequence[tuple[Record, float]]], None]
    """Lines of the run log, each with its wall time. Never waits, never raises."""
    alert: Callable[[Mapping[str, Any]], None]
    crashed: Callable[[], bytes]
    """The body of a 500 in the API's own shape."""


async def drive(exchange: Exchange, agent: Downstream, ports: Ports) -> None:
    """Plays the exchange to its end. Raises CancelledError when the agent has left, after all was recorded."""
    stage = _Stage(agent, ports)
    try:
        await stage.play(exchange)
    except (CancelledError, GoneError) as left:
        stage.let_go()
        await stage.farewell(exchange)
        if isinstance(left, CancelledError):
            raise
    except Exception as error:  # noqa: BLE001 - whatever the core did, the agent gets an answer
        stage.let_go()
        stage.crash(error)
    else:
        stage.let_go()
    finally:
        stage.tell()
        exchange.close()


class _Stage:
    """The state between two commands."""

    __slots__ = ("_agent", "_held", "_last", "_lines", "_ports", "_round")

    def __init__(self, agent: Downstream, ports: Ports) -> None:
        self._agent = agent
        self._ports = ports
        self._round: UpstreamRound | None = None
        self._held: dict[str, str] = {}
        self._last: Record | None = None
        self._lines: list[tuple[Record, float]] = []

    async def play(self, exchange: Exchange) -> None:
        agent, event = self._agent, None
        send = exchange.send
        while True:
            try:
                command = send(event)
            except StopIteration:
                break
            event = None
            match command:
                case Receive():
                    event = await self._receive(command)
                case Emit():
                    agent.put(command.data)
                    if agent.blocked:
                        await agent.drain()
                case Settle():
                    if agent.begun:
                        agent.flush()
                    event = self._stored_at_once(command) or await self._stored(command)
                case _:
                    self._at_once(command)
        if not agent.begun and not agent.broken:
            raise RuntimeError("the exchange ended without an answer")
        if not agent.broken:
            agent.finish()

    def _at_once(self, command: Command) -> None:
        """Commands that need no waiting."""
        match command:
            case Record():
                self._record(command)
            case Send():
                self.let_go()
                self._round = self._ports.start_round(command, self._held)
            case Begin():
                self._begin(command)
            case Drop():
                if self._round is not None:
                    self._round.drop()
                    self._round = None
            case Abort():
                self._agent.abort()
            case Alert():
                self._ports.alert(command.payload)

    async def _receive(self, command: Receive) -> Event:
        if self._round is None:
            raise RuntimeError("received without a call")
        self.tell()
        if self._agent.begun:
            self._agent.flush()
        return await self._round.receive(command.tick)

    def _stored_at_once(self, command: Settle) -> Answers | None:
        """None: it must be waited for. A store that fails is told as such, and the core decides."""
        store = self._ports.store
        try:
            if command.later:
                store.later(command.later)
                if not command.requests and not command.puts:
                    return Answers({}, time(), monotonic())
            known = store.try_settle(command.requests, command.puts)
        except Exception as error:  # noqa: BLE001 - as the docstring says
            return _failed(error)
        return None if known is None else Answers(known, time(), monotonic())

    async def _stored(self, command: Settle) -> Answers:
        try:
            known = await self._ports.store.settle(command.requests, command.puts)
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(error)
        return Answers(known, time(), monotonic())

    def _begin(self, command: Begin) -> None:
        came = self._round
        reason = came.reason if came is not None and came.status == command.status else None
        self._agent.begin(command.status, restore(command.headers, self._held), command.length, reason)

    def _record(self, command: Record) -> None:
        self._last = command
        self._lines.append((command, time()))

    def tell(self) -> None:
        """Hands on what was recorded: whenever the upstream is waited for, and at the end."""
        if self._lines:
            self._ports.record(self._lines)
            self._lines = []

    def let_go(self) -> None:
        """Breaks off the upstream call that is open, if there is one."""
        if self._round is not None:
            self._round.close()
            self._round = None

    async def farewell(self, exchange: Exchange) -> None:
        """Tells the exchange that the agent has left, and carries out what it still records and stores."""
        try:
            command = exchange.throw(ClientGone())
            while isinstance(command, Record | Settle | Alert | Drop):
                event = None
                if isinstance(command, Settle):
                    event = self._stored_at_once(command) or await self._stored(command)
                else:
                    self._at_once(command)
                command = exchange.send(event)
        except (ClientGone, StopIteration):
            return
        except Exception as error:  # noqa: BLE001 - there is nobody left to tell, but the operator
            self._report(error)

    def crash(self, error: Exception) -> None:
        """A fault of Handrail's own: a 500 if nothing was sent, else a broken connection."""
        self._report(error)
        agent = self._agent
        if agent.begun:
            agent.abort()
            return
        body = self._ports.crashed()
        run = self._last.run if self._last is not None else ""
        fields = [
            ("Content-Type", "application/json"),
            ("x-should-retry", "false"),
            *([("x-run-id", run)] if run else []),
            ("x-handrail", "handrail;did=failed"),
        ]
        try:
            agent.begin(500, fields, len(body))
            agent.put(body)
            agent.finish()
        except GoneError:
            return

    def _report(self, error: Exception) -> None:
        last = self._last
        log.error(
            "exchange failed",
            run=last.run if last else "",
            round=last.round if last else 0,
            after=last.kind if last else "nothing",
            error=type(error).__name__,
            message=_clipped(error),
            where=_where(error),
        )
        if last is not None:
            fields = {"how": "failed", "error": type(error).__name__}
            self._lines.append((Record(last.run, "end", last.round, fields), time()))


def _failed(error: Exception) -> Answers:
    log.error("store failed", error=type(error).__name__, message=_clipped(error))
    return Answers({}, time(), monotonic(), failed=True)


def _clipped(error: Exception) -> str:
    return str(error)[:_LONGEST_MESSAGE]


def _where(error: Exception) -> list[str]:
    """The innermost frames, without values: `exchange.py:123 play`."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
