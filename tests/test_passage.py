import asyncio
import gzip

import pytest

from tests.wire import between, hello


async def test_request_arrives_byte_for_byte():
    async with between(hello, base="/api/v1") as (running, provider):
        target = "/v1/a/../b//c%2Fd?x=%2F&y=a+b&y=%e4"
        await running.ask(
            f"PUT {target}",
            "X-One: a",
            "x-one: b",
            "Authorization: Bearer k",
            "Cookie: a=b; c=d",
            "X-EMPTY:",
            body=b"\x00\xff",
        )
    seen = provider.seen[0]
    assert seen.line == "PUT /api/v1/a/../b//c%2Fd?x=%2F&y=a+b&y=%e4 HTTP/1.1"
    assert seen.body == b"\x00\xff"
    host = f"127.0.0.1:{provider.port}"
    assert seen.headers == [
        ("Host", host),
        ("X-One", "a"),
        ("x-one", "b"),
        ("Authorization", "Bearer k"),
        ("Cookie", "a=b; c=d"),
        ("X-EMPTY", ""),
        ("Content-Length", "2"),
    ]


async def test_answer_arrives_as_it_came():
    async def script(seen, peer):
        await peer.send(
            b"HTTP/1.1 429 Slow Down\r\nretry-after: 7\r\nX-Request-Id: r\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\n"
            b"openai-processing-ms: 12\r\nX-Name: \xc3\xa9\xff\r\nContent-Length: 3\r\n\r\nno!"
        )

    async with between(script) as (running, _):
        answer = await running.ask("GET /v1/models")
    assert answer.line == "HTTP/1.1 429 Slow Down"
    assert answer.body == b"no!"
    own = {"x-run-id", "x-handrail"}
    assert [field for field in answer.headers if field[0] not in own] == [
        ("retry-after", "7"),
        ("X-Request-Id", "r"),
        ("set-cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("openai-processing-ms", "12"),
        ("X-Name", "Ã©ÿ"),
        ("Content-Length", "3"),
    ]
    assert answer.header("x-handrail") == ["none"]
    assert answer.header("x-run-id") != []


async def test_hop_by_hop_fields_stay_behind():
    async def script(seen, peer):
        await peer.head(
            "Connection: x-secret-hop, keep-alive",
            "X-Secret-Hop: 1",
            "Keep-Alive: timeout=5",
            "X-Kept: 1",
            "Content-Length: 0",
        )

    async with between(script) as (running, provider):
        answer = await running.ask(
            "GET /x",
            "Connection: keep-alive, X-Mine",
            "X-Mine: 1",
            "TE: trailers",
            "Proxy-Connection: keep-alive",
            "X-Kept: 1",
        )
    assert [name for name, _ in provider.seen[0].headers] == ["Host", "X-Kept"]
    assert answer.header("x-kept") == ["1"]
    assert answer.header("x-secret-hop") + answer.header("keep-alive") + answer.header("connection") == []


async def test_coded_answers_pass_in_their_coding():
    packed = gzip.compress(b"x" * 5000)

    async def script(seen, peer):
        await peer.reply(200, packed, "Content-Encoding: gzip")

    async with between(script) as (running, provider):
        answer = await running.ask("GET /v1/models", "Accept-Encoding: gzip, exotic")
    assert answer.body == packed
    assert answer.header("content-encoding") == ["gzip"]
    assert provider.seen[0].header("accept-encoding") == ["gzip, exotic"]


async def test_html_error_of_a_gateway_passes():
    async def script(seen, peer):
        await peer.reply(502, b"<html>bad gateway</html>", "Content-Type: text/html", "Server: nginx")

    async with between(script) as (running, _):
        answer = await running.ask("POST /v1/embeddings", body=b"{}")
    assert (answer.status, answer.body) == (502, b"<html>bad gateway</html>")
    assert answer.header("server") == ["nginx"]
    assert answer.header("x-should-retry") == []


@pytest.mark.parametrize("status", [204, 304])
async def test_answers_without_body(status):
    async def script(seen, peer):
        await peer.head("ETag: x", status=status)

    async with between(script) as (running, _):
        client = await running.client()
        for _ in range(2):  # the connection is still in step
            answer = await client.ask("GET /v1/files")
            assert answer.status == status
            assert answer.header("transfer-encoding") + answer.header("content-length") == []
        client.close()


async def test_head_keeps_the_length_and_sends_no_body():
    async def script(seen, peer):
        await peer.head("Content-Length: 123456")

    async with between(script) as (running, provider):
        client = await running.client()
        for _ in range(2):
            answer = await client.ask("HEAD /v1/files/1")
            assert answer.header("content-length") == ["123456"]
        client.close()
    assert [seen.line for seen in provider.seen] == ["HEAD /v1/files/1 HTTP/1.1"] * 2


async def test_redirect_is_the_agents_business():
    async def script(seen, peer):
        await peer.reply(307, b"", "Location: https://elsewhere.test/")

    async with between(script) as (running, provider):
        answer = await running.ask("POST /v1/x", body=b"1")
    assert (answer.status, answer.header("location")) == (307, ["https://elsewhere.test/"])
    assert len(provider.seen) == 1


async def test_download_does_not_pile_up():
    sent = 0

    async def script(seen, peer):
        nonlocal sent
        await peer.head("Content-Length: 60000000")
        while sent < 60_000_000:
            await peer.send(bytes(60_000))
            sent += 60_000

    async with between(script) as (running, _):
        client = await running.client()
        await client.send("GET /v1/files/1/content")
        await asyncio.sleep(0.5)
        assert 0 < sent < 20_000_000
        answer = await client.answer()
        assert len(answer.body) == 60_000_000
        client.close()


async def test_answer_that_breaks_off_is_never_whole():
    async def script(seen, peer):
        await peer.head(*(["Content-Length: 10"] if "length" in seen.target else ["Transfer-Encoding: chunked"]))
        await (peer.send(b"half") if "length" in seen.target else peer.chunk(b"half"))
        await asyncio.sleep(0.05)
        peer.reset() if "reset" in seen.target else peer.writer.close()

    async with between(script) as (running, _):
        for target in ("/length", "/length/reset", "/chunks", "/chunks/reset"):
            answer = await running.ask(f"GET {target}")
            assert (answer.cut, answer.body) == (True, b"half"), target


async def test_agent_leaves_in_the_middle_of_a_download():
    gone = asyncio.Event()

    async def script(seen, peer):
        await peer.head("Transfer-Encoding: chunked")
        await peer.chunk(b"first")
        await peer.closed()
        gone.set()

    async with between(script) as (running, _):
        client = await running.client()
        await client.send("GET /v1/slow")
        await client.reader.readuntil(b"first")
        client.close()
        await asyncio.wait_for(gone.wait(), 1)
