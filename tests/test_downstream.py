import asyncio

from tests.wire import between


async def test_chunked_answer_and_http_1_0_client():
    async def script(seen, peer):
        await peer.head("Transfer-Encoding: chunked")
        await peer.chunk(b"one")
        await peer.chunk(b"two")
        await peer.send(b"0\r\n\r\n")

    async with between(script) as (running, _):
        assert (await running.ask("GET /v1/x")).body == b"onetwo"
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(b"GET /v1/x HTTP/1.0\r\n\r\n")
        raw = await reader.read()
        writer.close()
    assert raw.endswith(b"\r\n\r\nonetwo")
    assert b"chunked" not in raw.lower()


async def test_answer_that_ends_with_its_connection():
    async def script(seen, peer):
        await peer.head("X-A: 1")
        await peer.send(b"until the end")
        peer.writer.close()

    async with between(script) as (running, _):
        answer = await running.ask("GET /v1/x")
    assert (answer.body, answer.cut) == (b"until the end", False)
