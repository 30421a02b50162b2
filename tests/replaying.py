"""Replays recorded exchanges through a real process, many at once: an upstream that says what was recorded, and agents.

Which recording a request belongs to stands in a header that passes through and is logged. What is asked again gets a
fixed answer, so that a second upstream call can be told from a first one.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proxy.runfile import Bodies, find_run, read_lines
from proxy.runview import exchanges
from tests.apis import CHAT, MESSAGES, RESPONSES, Api, Said
from tests.recordings import Recorded
from tests.serving import serving
from tests.wire import Answer, Client, Headers, Peer, Provider, Seen

API: dict[str, Api] = {"chat_completions": CHAT, "responses": RESPONSES, "messages": MESSAGES}
SECOND = "This is the answer to a second question."
"""What the upstream says whenever it is asked again."""
MARK = "x-client-request-id"
KEY = "sk-replayed-0123456789"
AGENTS = 8
PATIENCE = 60.0
"""Seconds for one exchange, which takes a few milliseconds; only what hangs takes them."""


@dataclass
class Replayed:
    """What became of one recording."""

    recorded: Recorded
    got: Answer
    asked: list[Seen] = field(default_factory=list)
    """As the upstream was asked, round by round."""
    lines: list[dict[str, Any]] = field(default_factory=list)
    """The run log of this exchange."""
    logged: dict[str, bytes] = field(default_factory=dict)
    """Bodies of this exchange, by key."""

    @property
    def run(self) -> str:
        (run,) = self.got.header("x-run-id")
        return run


class Replayer:
    """The upstream."""

    def __init__(self, recordings: Sequence[Recorded]) -> None:
        self._known = {one.id: one for one in recordings}
        self.asked: dict[str, list[Seen]] = {}

    async def answer(self, seen: Seen, peer: Peer) -> None:
        (known_as,) = seen.header(MARK)
        rounds = self.asked.setdefault(known_as, [])
        rounds.append(seen)
        recorded = self._known[known_as]
        if len(rounds) > 1:
            await self._second(recorded, peer)
            return
        fields = [f"{name}: {value}" for name, value in recorded.headers]
        if not recorded.stream and recorded.dice.random() < 0.5:
            await peer.reply(recorded.status, recorded.answer, *fields)
            return
        await peer.head(*fields, "Transfer-Encoding: chunked", status=recorded.status)
        for piece in recorded.pieces():
            await peer.chunk(piece)
            await asyncio.sleep(0)
        await peer.send(b"0\r\n\r\n")

    @staticmethod
    async def _second(recorded: Recorded, peer: Peer) -> None:
        api = API[recorded.file]
        if recorded.stream:
            await peer.reply(200, b"".join(api.events(Said(SECOND), 2)), "content-type: text/event-stream")
        else:
            await peer.reply(200, api.answer(Said(SECOND), 2), "content-type: application/json")


async def replayed(groups: Sequence[Sequence[Recorded]], folder: Path, pack: str) -> list[Replayed]:
    """Every recording through one process with this pack; those of a group one after the other.

    Each group comes from a caller of its own, since masked recordings have equal ids.
    """
    upstream = Replayer([one for group in groups for one in group])
    left = iter(groups)
    done: list[Replayed] = []
    async with (
        Provider(upstream.answer) as provider,
        serving(f"http://127.0.0.1:{provider.port}/v1", folder, pack) as served,
    ):
        async with asyncio.TaskGroup() as agents:
            for _ in range(AGENTS):
                agents.create_task(_agent(served.port, left, done))
        data = served.data
    runs: dict[str, list[Replayed]] = {}
    for one in done:
        one.asked = upstream.asked.get(one.recorded.id, [])
        runs.setdefault(one.run, []).append(one)
    for run, parts in runs.items():
        _read_log(run, parts, data)
    return done


async def _agent(port: int, left: Iterator[Sequence[Recorded]], done: list[Replayed]) -> None:
    client = await Client.connect(port)
    for first, recorded in ((group[0].id, one) for group in left for one in group):
        sent = ("content-type: application/json", f"authorization: Bearer {KEY}-{first}", f"{MARK}: {recorded.id}")
        async with asyncio.timeout(PATIENCE):
            got = await client.ask(f"POST {recorded.target}", *sent, body=recorded.body)
        done.append(Replayed(recorded, got))
        if got.cut or got.header("connection") == ["close"]:
            client.close()
            client = await Client.connect(port)
    client.close()


def _read_log(run: str, parts: Sequence[Replayed], data: Path) -> None:
    """Reads the log of a run, and gives each of its exchanges its own."""
    paths = find_run(data / "runs", run)
    told = exchanges(line for path in paths for line in read_lines(path))
    by_mark = {lines[0]["headers"][MARK]: lines for lines in told}
    bodies = Bodies(*paths)
    logged = {key: bodies.get(key) for key in bodies.keys()}  # noqa: SIM118 - not a mapping
    for one in parts:
        one.lines = by_mark[one.recorded.id]
        for key in {str(line["body"]) for line in one.lines if "body" in line}:
            body = logged[key]
            assert isinstance(body, bytes), (one.recorded.id, body)
            one.logged[key] = body


def fields_of(headers: Iterable[tuple[str, str]]) -> Headers:
    """Header fields without those that each connection states for itself, and without Handrail's own."""
    own = {"x-run-id", "x-handrail", "content-length", "transfer-encoding", "connection"}
    return sorted((name.lower(), value) for name, value in headers if name.lower() not in own)


def verdicts(one: Replayed, mode: str) -> list[dict[str, Any]]:
    """What the log says policies did, or would have done."""
    return [line for line in one.lines if line["kind"] == "verdict" and line["mode"] == mode]


def shown(value: object) -> str:
    """For a report: one line, not too long."""
    return json.dumps(value, ensure_ascii=False, default=str)[:400]
