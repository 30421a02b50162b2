"""Plays an exchange without sockets and without a clock: scripted upstream answers in, commands out.

The store is a dict, time is a number that a script moves. What the agent would see, what went upstream and what the log
would hold are gathered as a `Played`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    Drop,
    Emit,
    End,
    Failure,
    Head,
    Read,
    Receive,
    Record,
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
        self.plans = Plans(parse_pack(pack))
        self.store: dict[str, bytes] = {}
        self.counters: dict[str, int] = {}
        self.now = 1_800_000_000.0
        self.count = 0

    def play(
        self,
        body: Any,
        answers: Iterable[Answer],
        *,
        path: str = "/v1/chat/completions",
        headers: tuple[tuple[str, str], ...] = (),
        credential: str = "c1",
        agent: str = "",
    ) -> Played:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        plan = self.plans.find("POST", path, agent)
        assert plan is not None
        self.count += 1
        seed = hashlib.sha256(self.count.to_bytes(4, "big")).digest()
        start = Start("POST", path, headers, raw, credential, seed, self.now, self.now, b"s" * 32, agent)
        played = Played()
        script = iter(answers)
        running = exchange(start, plan)
        events: list[Any] = []
        event: Any = None
        while True:
            try:
                command = running.send(event)
            except StopIteration:
                return played
            event = self._carry_out(command, played, script, events)

    def _carry_out(self, command: Any, played: Played, script: Any, events: list[Any]) -> Any:
        match command:
            case Settle():
                return Answers(self._settle(command), self.now, self.now)
            case Send():
                played.sent.append(command.body)
                events[:] = self._events(next(script))
            case Receive():
                return self._receive(command, events)
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
                events.clear()
        return None

    def _receive(self, command: Receive, events: list[Any]) -> Any:
        while isinstance(events[0], float):
            if command.tick is not None and command.tick < events[0]:
                events[0] -= command.tick
                self.now += command.tick
                return Tick(self.now, self.now)
            self.now += events.pop(0)
        return events.pop(0)(self.now)

    @staticmethod
    def _events(answer: Answer) -> list[Any]:
        def at(make: Any) -> Any:
            return lambda now: make(now)

        events: list[Any] = []
        if answer.chunks or not answer.fails:
            events.append(at(lambda now: Head(answer.status, answer.headers, now, now)))
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

    def _settle(self, command: Settle) -> dict[Any, Any]:
        known: dict[Any, Any] = {}
        for request in command.requests:
            match request:
                case Read():
                    known[request] = self.store.get(request.key)
                case Claim():
                    known[request] = self.store.get(request.key)
                    self.store.setdefault(request.key, request.value)
                case Add():
                    total = self.counters.get(request.key, 0) + request.amount
                    refused = request.limit is not None and total > request.limit
                    if not refused:
                        self.counters[request.key] = total
                    known[request] = None if refused else total
                case _:
                    known[request] = {}
        for put in command.puts:
            if put.value is None:
                self.store.pop(put.key, None)
            else:
                self.store[put.key] = put.value
        return known


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
