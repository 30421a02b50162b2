"""Plays an exchange without sockets and without a clock: scripted upstream answers in, commands out.

The store is a dict, time is a number that a script moves. What the agent would see, what went upstream and what the log
would hold are gathered as a `Played`. `World.play` plays to the end; `World.begin` gives a `Playing`, which a test
plays command by command: to stop it anywhere, to let the agent leave, or to play two at once.
"""

import hashlib
import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.breakers import Breakers
from proxy.exchange import exchange
from proxy.plan import Plans
from proxy.settings import parse_pack
from proxy.verdicts import (
    Abort,
    Add,
    Alert,
    Answers,
    Begin,
    Chunk,
    Claim,
    ClientGone,
    Command,
    Drop,
    Emit,
    End,
    Failure,
    Head,
    Health,
    Lookup,
    Read,
    Receive,
    Record,
    Report,
    Send,
    Settle,
    Start,
    Tick,
)

JSON = (("content-type", "application/json"),)
SSE = (("content-type", "text/event-stream"),)


@dataclass
class Answer:
    """One scripted upstream answer: chunks in order; a float lets time pass, a Failure ends it."""

    chunks: Sequence[bytes | float | str]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = JSON
    fails: str = ""
    """Kind of failure in place of the end; with no chunks, in place of the head."""

    @classmethod
    def json(cls, body: Any, status: int = 200) -> "Answer":
        return cls([json.dumps(body).encode()], status)

    @classmethod
    def sse(cls, *payloads: Any, done: bool = True, fails: str = "") -> "Answer":
        chunks: list[bytes | float | str] = [
            one if isinstance(one, float) else b"data: " + json.dumps(one).encode() + b"\n\n" for one in payloads
        ]
        if done:
            chunks.append(b"data: [DONE]\n\n")
        return cls(chunks, headers=SSE, fails=fails)


@dataclass
class Played:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    aborted: bool = False
    sent: list[bytes] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    alerts: list[Mapping[str, Any]] = field(default_factory=list)
    emits: list[bytes] = field(default_factory=list)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def asks(self) -> list[Any]:
        return [json.loads(body) for body in self.sent]

    def notes(self, did: str = "") -> list[Mapping[str, Any]]:
        found = [record.fields for record in self.records if record.kind == "verdict"]
        return [fields for fields in found if not did or fields["did"] == did]


class World:
    """A pack, a store and a clock that outlive single exchanges."""

    def __init__(self, pack: str) -> None:
        self._pack = pack
        self.store: dict[str, bytes] = {}
        self.counters: dict[str, int] = {}
        self.catalogs: dict[str, Mapping[str, Any]] = {}
        self.down = False
        """The store can't be asked."""
        self.now = 1_800_000_000.0
        self.tick = 0.001
        """Seconds that each look into the store takes."""
        self.looked_up: list[str] = []
        """Keys that were read."""
        self.count = 0
        self._ends: dict[str, float] = {}
        self._undone: set[str] = set()
        self.restart()

    def restart(self, *, losing: bool = False) -> None:
        """Forgets all that a process holds in memory. `losing`: and what was on its way to the disk."""
        self.plans = Plans(parse_pack(self._pack))
        self.breakers = Breakers(lambda: self.now)
        for key in self._undone if losing else ():
            self.store.pop(key, None)
        self._undone.clear()

    def reload(self, pack: str) -> None:
        """Another pack, in the same process."""
        self._pack = pack
        self.plans = Plans(parse_pack(pack))

    def begin(
        self,
        body: Any,
        answers: Iterable[Answer],
        *,
        path: str = "/v1/chat/completions",
        headers: tuple[tuple[str, str], ...] = (),
        credential: str = "c1",
        agent: str = "",
    ) -> "Playing":
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        plan = self.plans.find("POST", path, agent)
        assert plan is not None
        self.count += 1
        seed = hashlib.sha256(self.count.to_bytes(4, "big")).digest()
        start = Start("POST", path, headers, raw, credential, seed, self.now, self.now, b"s" * 32, agent)
        return Playing(self, exchange(start, plan), answers)

    def play(self, body: Any, answers: Iterable[Answer], **more: Any) -> Played:
        return self.begin(body, answers, **more).run()

    def settle(self, command: Settle) -> Answers:
        self.now += self.tick
        if self.down:
            return Answers({}, self.now, self.now, failed=True)
        return Answers(self._settled(command), self.now, self.now)

    def _settled(self, command: Settle) -> dict[Any, Any]:
        known: dict[Any, Any] = {}
        for request in (*command.requests, *command.later):
            match request:
                case Read():
                    self.looked_up.append(request.key)
                    known[request] = self._stored(request.key)
                case Claim():
                    known[request] = self._stored(request.key)
                    if known[request] is None:
                        self._put(request.key, request.value, request.ttl)
                case Add():
                    total = self.counters.get(request.key, 0) + request.amount
                    refused = request.limit is not None and total > request.limit
                    if not refused:
                        self.counters[request.key] = total
                    known[request] = None if refused else total
                case Health() | Report():
                    known[request] = self.breakers.answer(request)
                case Lookup():
                    known[request] = self.catalogs.get(request.catalog, {})
        for put in command.puts:
            if put.value is None:
                self.store.pop(put.key, None)
            else:
                self._put(put.key, put.value, put.ttl, durable=put.durable)
        return known

    def _stored(self, key: str) -> bytes | None:
        return self.store.get(key) if self._ends.get(key, self.now) >= self.now else None

    def _put(self, key: str, value: bytes, ttl: float, *, durable: bool = True) -> None:
        self.store[key] = value
        self._ends[key] = self.now + ttl
        self._undone.discard(key) if durable else self._undone.add(key)


class Playing:
    """One exchange, command by command."""

    def __init__(self, world: World, running: Generator[Command, Any, None], answers: Iterable[Answer]) -> None:
        self.played = Played()
        self._world, self._running, self._script = world, running, iter(answers)
        self._events: list[Any] = []
        self._event: Any = None
        self._left = False

    def step(self) -> Command | None:
        """Carries out one command; None: it is over."""
        try:
            if self._left:
                command = self._running.throw(ClientGone())
                self._left = False
            else:
                command = self._running.send(self._event)
        except (StopIteration, ClientGone):
            return None
        self._event = self._carry_out(command)
        return command

    def run(self) -> Played:
        while self.step() is not None:
            pass
        return self.played

    def until(self, kind: type) -> Command | None:
        """Carries out commands up to and with the first of this kind."""
        while (command := self.step()) is not None and not isinstance(command, kind):
            pass
        return command

    def leave(self) -> Played:
        """The agent goes."""
        self._left = True
        return self.run()

    def _carry_out(self, command: Command) -> Any:
        played = self.played
        match command:
            case Settle():
                return self._world.settle(command)
            case Send():
                played.sent.append(command.body)
                self._events[:] = _events(next(self._script))
            case Receive():
                return self._receive(command)
            case Begin():
                assert not played.status, "begun twice"
                played.status, played.headers = command.status, dict(command.headers)
            case Emit():
                assert played.status, "a body before its head"
                played.body += command.data
                played.emits.append(command.data)
            case Abort():
                played.aborted = True
            case Record():
                played.records.append(command)
            case Alert():
                played.alerts.append(command.payload)
            case Drop():
                self._events.clear()
        return None

    def _receive(self, command: Receive) -> Any:
        events, world = self._events, self._world
        while isinstance(events[0], float):
            if command.tick is not None and command.tick < events[0]:
                events[0] -= command.tick
                world.now += command.tick
                return Tick(world.now, world.now)
            world.now += events.pop(0)
        return events.pop(0)(world.now)


def _events(answer: Answer) -> list[Any]:
    events: list[Any] = []
    if answer.chunks or not answer.fails:
        events.append(lambda now: Head(answer.status, answer.headers, now, now))
    for chunk in answer.chunks:
        if isinstance(chunk, float):
            events.append(chunk)
        else:
            data = chunk.encode() if isinstance(chunk, str) else chunk
            events.append(lambda now, data=data: Chunk(data, now, now))
    if answer.fails:
        events.append(lambda now: Failure(answer.fails, "scripted", now, now))
    else:
        events.append(lambda now: End(now, now))
    return events


def chat(
    text: str | None = None, calls: Sequence[tuple[str, str, Any]] = (), finish: str = "", **more: Any
) -> dict[str, Any]:
    """A Chat Completions answer: calls are (id, tool, arguments)."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [call(*one) for one in calls]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60},
        **more,
    }


def call(call_id: str, tool: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": tool, "arguments": text}}


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m"}
    return {**head, "choices": choices, **more}


def tool(name: str, properties: dict[str, Any], required: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}
