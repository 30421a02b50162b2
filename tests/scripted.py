"""A scripted model behind a real process: says one thing after the other, in the API that it is asked in.

Keeps what it was asked, as bytes and as the model reads it. What went wrong on its side (it was asked too often, in a
form that it can't read) fails the test, not the proxy.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.apis import APIS, Api, Asked, Said
from tests.serving import Served, serving
from tests.wire import Peer, Provider, Seen


@dataclass(frozen=True)
class Refuses:
    """An error of the provider."""

    status: int
    headers: tuple[str, ...] = ()
    body: bytes = b'{"error":{"message":"Slow down.","type":"rate_limit","code":"rate_limit"}}'


@dataclass(frozen=True)
class Dies:
    """The connection breaks after some events, or, unstreamed, in mid-body; before all, if `events` is 0."""

    said: Said = field(default_factory=Said)
    events: int = 0


Says = Said | Refuses | Dies | Callable[[Asked], Said]
"""A function gets what the model was asked."""


class Model:
    """The upstream of one process; scripted anew for each test."""

    def __init__(self) -> None:
        self._script: deque[Says] = deque()
        self._wrong: list[str] = []
        self.seen: list[Seen] = []
        self.asked: list[Asked] = []

    def says(self, *script: Says) -> None:
        """What it will say from now on."""
        self._script = deque(script)
        self.seen, self.asked, self._wrong = [], [], []

    def done(self) -> None:
        """All that was scripted was asked for, and nothing else."""
        assert self._wrong == []
        assert not self._script, f"never asked for: {list(self._script)}"

    async def answer(self, seen: Seen, peer: Peer) -> None:
        self.seen.append(seen)
        try:
            api = next(api for api in APIS if seen.target.endswith(api.path))
            self.asked.append(api.read_ask(seen.body))
            says = self._script.popleft()
            said = says(self.asked[-1]) if callable(says) else says
        except Exception as error:  # noqa: BLE001 - the test is told, and the proxy gets an answer
            self._wrong.append(f"{type(error).__name__}: {error}")
            said = Refuses(500, body=b"{}")
        await self._speak(said, api, json.loads(seen.body).get("stream") is True, len(self.seen), peer)

    async def _speak(self, said: Said | Refuses | Dies, api: Api, stream: bool, number: int, peer: Peer) -> None:  # noqa: FBT001
        match said:
            case Refuses():
                await peer.reply(said.status, said.body, "content-type: application/json", *said.headers)
            case Dies(events=0):
                peer.reset()
            case Dies() if not stream:
                body = api.answer(said.said, number)
                await peer.head("content-type: application/json", f"Content-Length: {len(body)}")
                await peer.send(body[: len(body) // 2])
                peer.reset()
            case Dies():
                await _stream(api.events(said.said, number)[: said.events], peer)
                await asyncio.sleep(0.2)  # a reset at once would overtake what was sent
                peer.reset()
            case Said() if stream:
                await _stream(api.events(said, number), peer)
                await peer.send(b"0\r\n\r\n")
            case Said():
                await peer.reply(200, api.answer(said, number), "content-type: application/json")


async def _stream(events: list[bytes], peer: Peer) -> None:
    await peer.head("content-type: text/event-stream", "Transfer-Encoding: chunked")
    for event in events:
        await peer.chunk(event)
        await asyncio.sleep(0)


@asynccontextmanager
async def scripted(folder: Path, pack: str) -> AsyncIterator[tuple[Served, Model]]:
    """A process with this pack, and the model behind it. Runs may be ended by gates; nothing else may be warned of."""
    model = Model()
    async with (
        Provider(model.answer) as provider,
        serving(f"http://127.0.0.1:{provider.port}/v1", folder, pack, expected=("run ended by a gate",)) as served,
    ):
        yield served, model
