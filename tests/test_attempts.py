import asyncio
import errno
from time import monotonic
from typing import Any, cast
from weakref import WeakKeyDictionary

import aiohttp
import pytest
from aiohttp import ClientOSError, ClientPayloadError, ServerDisconnectedError
from yarl import URL

from proxy.attempts import Origin, Outgoing, Upload, _Call
from tests.wire import Provider, between, hello, proxy


async def test_stale_connection_is_not_the_agents_problem():
    async def script(seen, peer):
        await peer.reply(200, b"ok")
        peer.writer.close()  # without saying so

    async with between(script) as (running, provider):
        client = await running.client()
        for _ in range(8):
            assert (await client.ask("POST /v1/embeddings", body=b"{}")).body == b"ok"
        client.close()
    assert len(provider.seen) == 8


async def test_what_a_live_upstream_has_seen_is_not_sent_again():
    async def script(seen, peer):
        if seen.body == b"1":
            await peer.reply(200, b"ok")
        else:
            peer.reset()

    async with between(script) as (running, provider):
        client = await running.client()
        assert (await client.ask("POST /v1/embeddings", body=b"1")).status == 200
        assert (await client.ask("POST /v1/embeddings", body=b"2")).status == 502
        client.close()
    assert [seen.body for seen in provider.seen] == [b"1", b"2"]
    assert provider.connections == 1


async def test_upload_that_nobody_has_begun_to_read_goes_to_a_fresh_connection():
    async def script(seen, peer):
        await peer.reply(200, b"ok")
        if seen.line.startswith("GET"):
            peer.writer.close()

    async with between(script) as (running, provider):
        client = await running.client()
        for _ in range(4):
            assert (await client.ask("GET /v1/x")).status == 200
            await asyncio.sleep(0.02)
            answer = await client.ask("POST /v1/files", body=bytes(200_000))
            assert answer.status == 200
        client.close()
    assert [len(seen.body) for seen in provider.seen] == [0, 200_000] * 4


def call(idle, ago=0.0, body: Any = b""):
    made = _Call(WeakKeyDictionary(), Outgoing("POST", "http://h/", body=body))
    made.idle, made.sent = idle, monotonic() - ago
    return made


@pytest.mark.parametrize(
    ("idle", "ago", "error", "unseen"),
    [
        (None, 0, ServerDisconnectedError(), False),  # a fresh connection saw it
        (0.1, 0, ServerDisconnectedError(), True),
        (0.1, 5, ServerDisconnectedError(), False),  # it was being worked on
        (0.1, 0, ServerDisconnectedError(cast("Any", object())), False),  # an answer had begun
        (0.1, 0, ClientOSError(errno.ECONNRESET, "reset"), False),
        (9.0, 0, ClientOSError(errno.ECONNRESET, "reset"), True),  # closed while idle
        (0.1, 0, ClientOSError(errno.EPIPE, "pipe"), True),
        (9.0, 0, ClientPayloadError(), False),
    ],
)
def test_what_nobody_has_seen(idle, ago, error, unseen):
    assert call(idle, ago).unseen(error) is unseen


def test_upload_that_was_begun_may_have_been_seen():
    assert call(0.1, body=Upload(cast("Any", None))).unseen(ServerDisconnectedError())
    assert not call(0.1, body=Upload(cast("Any", None), started=True)).unseen(ServerDisconnectedError())


async def test_refused_connection_is_tried_once_more():
    async with Provider(hello) as provider:
        port = provider.port
    async with proxy(f"http://127.0.0.1:{port}/v1") as running:
        asking = asyncio.create_task(running.ask("GET /v1/x"))
        await asyncio.sleep(0.05)
        server = await asyncio.start_server(answer_once, "127.0.0.1", port)
        assert (await asking).status == 200
        server.close()


def origin(url="http://h:1", login=""):
    return Origin(aiohttp.ClientRequest("GET", URL(url), loop=asyncio.get_running_loop()), "h:1", login)


async def test_head_is_what_was_given():
    fields = [("X-A", "1"), ("x-a", "2"), ("X-B", "\udcff")]
    head = origin().head(Outgoing("POST", "http://h:1/v1//x?", fields, b"12345"))
    assert head == b"POST /v1//x? HTTP/1.1\r\nHost: h:1\r\nX-A: 1\r\nx-a: 2\r\nX-B: \xff\r\nContent-Length: 5\r\n\r\n"


async def test_framing():
    upload = Upload(cast("Any", None))
    for request, said in (
        (Outgoing("GET", "http://h:1/"), b""),
        (Outgoing("POST", "http://h:1/"), b"Content-Length: 0\r\n"),
        (Outgoing("PUT", "http://h:1/", [], upload), b"Transfer-Encoding: chunked\r\n"),
        (Outgoing("PUT", "http://h:1/", [("Content-Length", "9")], upload), b"Content-Length: 9\r\n"),
    ):
        assert origin().head(request).partition(b"Host: h:1\r\n")[2] == said + b"\r\n"


@pytest.mark.parametrize("value", ["1\r\nX-Evil: 2", "1\n", "\r"])
async def test_no_header_breaks_out_of_its_line(value):
    with pytest.raises(ValueError, match="line break"):
        origin().head(Outgoing("GET", "http://h:1/", [("X-A", value)]))


async def answer_once(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    writer.close()
