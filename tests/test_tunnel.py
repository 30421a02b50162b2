import asyncio
import os

import pytest
from aiohttp import ClientSession, web

from tests.wire import between, proxy, until


@pytest.fixture
async def echo():
    """A real websocket server."""

    async def handle(request):
        socket = web.WebSocketResponse(protocols=("realtime",))
        await socket.prepare(request)
        async for message in socket:
            if message.data == "bye":
                await socket.close(code=4001, message=b"done")
            elif isinstance(message.data, bytes):
                await socket.send_bytes(message.data)
            else:
                await socket.send_str(message.data + request.headers.get("X-Extra", ""))
        return socket

    app = web.Application()
    app.router.add_get("/v1/realtime", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield runner.addresses[0][1]
    await runner.cleanup()


async def test_websocket_is_a_tunnel(echo):
    async with proxy(f"http://127.0.0.1:{echo}/v1") as running, ClientSession() as session:
        url = f"http://127.0.0.1:{running.port}/v1/realtime?model=x"
        async with session.ws_connect(url, protocols=("realtime",), headers={"X-Extra": "!"}) as socket:
            assert socket.protocol == "realtime"
            await socket.send_str("hi")
            assert (await socket.receive()).data == "hi!"
            big = os.urandom(3_000_000)
            await socket.send_bytes(big)
            assert (await socket.receive()).data == big
            await socket.send_str("bye")
            closed = await socket.receive()
            assert (closed.data, closed.extra) == (4001, "done")
        await until(lambda: running.app.active == 0)


async def test_upgrade_that_is_declined_is_an_answer():
    async def script(seen, peer):
        await peer.reply(403, b"no")

    async with between(script) as (running, provider):
        answer = await running.ask(
            "GET /v1/realtime",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Key: x",
            "Sec-WebSocket-Version: 13",
        )
    assert (answer.status, answer.body) == (403, b"no")
    assert provider.seen[0].header("upgrade") == ["websocket"]


async def test_slow_end_slows_the_other_and_nothing_is_lost():
    sent = 0

    async def flood(seen, peer):
        nonlocal sent
        await peer.head("Connection: Upgrade", "Upgrade: websocket", status=101)
        for number in range(500):
            await peer.send(bytes([number % 251]) * 60_000)
            sent += 60_000
        peer.writer.close()

    async with between(flood) as (running, _):
        client = await running.client()
        await client.send("GET /v1/realtime", "Connection: Upgrade", "Upgrade: websocket")
        assert (await client.answer()).status == 101
        await asyncio.sleep(0.3)
        assert 0 < sent < 25_000_000
        got = await client.reader.read(-1)
        client.close()
        await until(lambda: running.app.active == 0)
    assert len(got) == 30_000_000
    assert got[-1] == 499 % 251


async def test_agent_that_leaves_ends_the_tunnel():
    gone = asyncio.Event()

    async def silent(seen, peer):
        await peer.head("Connection: Upgrade", "Upgrade: websocket", status=101)
        await peer.closed()
        gone.set()

    async with between(silent) as (running, _):
        client = await running.client()
        await client.send("GET /v1/realtime", "Connection: Upgrade", "Upgrade: websocket")
        await client.answer()
        client.close()
        await asyncio.wait_for(gone.wait(), 1)
