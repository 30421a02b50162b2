import asyncio
import gzip
import json
import os

import pytest
from aiohttp import ClientSession, web

from proxy.settings import parse_pack
from proxy.verdicts import Begin, Emit, End, Receive, Record, Send
from tests.wire import AllPlans, Client, Provider, between, proxy


async def hello(seen, peer):
    await peer.reply(200, b"hello")


async def until(condition, seconds=2.0):
    """Waits for something that another task brings about."""
    for _ in range(int(seconds * 100)):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


# ---------------------------------------------------------------- both ways, as it came


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


async def test_paths_map_onto_base_and_origin():
    async with between(hello, base="/api/v1/") as (running, provider):
        for target in ("/v1/models", "/v1", "/health?x=1", "/v10/x", "/as/coder/v1/models", "/as/coder"):
            await running.ask(f"GET {target}")
    targets = [seen.target for seen in provider.seen]
    assert targets == ["/api/v1/models", "/api/v1", "/health?x=1", "/v10/x", "/api/v1/models", "/"]


async def test_first_upstream_that_matches_wins_and_the_flag_is_the_last():
    async with Provider(hello) as first, Provider(hello) as last:
        pack = parse_pack(
            "upstreams:\n"
            f"- {{match: {{dialect: messages}}, url: 'http://127.0.0.1:{first.port}/a'}}\n"
            f"- {{match: {{model: 'small-*'}}, url: 'http://127.0.0.1:{first.port}/b'}}\n"
        )
        async with proxy(f"http://127.0.0.1:{last.port}/v1", pack=pack) as running:
            await running.ask("POST /v1/messages/count_tokens", body=b"{}")
            await running.ask("GET /v1/models", "anthropic-version: 2023-06-01")
            await running.ask("POST /v1/embeddings", "Content-Type: application/json", body=b'{"model":"small-1"}')
            await running.ask("POST /v1/embeddings", "Content-Type: application/json", body=b'{"model":"big"}')
    assert [seen.target for seen in first.seen] == ["/a/messages/count_tokens", "/a/models", "/b/embeddings"]
    assert [seen.target for seen in last.seen] == ["/v1/embeddings"]


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


# ---------------------------------------------------------------- bodies


async def test_uploads_stream_with_their_framing():
    big = os.urandom(1024) * 20_000
    async with between(hello) as (running, provider):
        await running.ask("POST /v1/files", "Content-Type: multipart/form-data; boundary=x", body=big)
        chunks = b"".join(
            b"%x\r\n%b\r\n" % (len(big[i : i + 70000]), big[i : i + 70000]) for i in range(0, 700_000, 70000)
        )
        await running.ask("POST /v1/files", "Transfer-Encoding: chunked", body=chunks + b"0\r\n\r\n")
    known, chunked = provider.seen
    assert known.body == big
    assert known.header("content-length") == [str(len(big))]
    assert known.header("transfer-encoding") == []
    assert chunked.body == big[:700_000]
    assert chunked.header("transfer-encoding") == ["chunked"]


async def test_upload_does_not_pile_up():
    gate = asyncio.Event()

    class Slow(Provider):
        async def _accept(self, reader, writer):
            await gate.wait()
            await super()._accept(reader, writer)

    size = 60_000_000
    async with Slow(hello) as provider, proxy(f"http://127.0.0.1:{provider.port}") as running:
        client = await running.client()
        client.writer.write(b"POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size)
        sent = 0

        async def upload():
            nonlocal sent
            while sent < size:
                client.writer.write(bytes(65536))
                sent += 65536
                await client.writer.drain()

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(upload(), 0.5)
        assert sent < 20_000_000
        gate.set()
        client.close()


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


async def test_body_is_asked_for_here_and_the_expectation_goes_no_further():
    async with between(hello) as (running, provider):
        client = await running.client()
        await client.send("POST /v1/files", "Expect: 100-continue", "Content-Length: 4")
        assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.writer.write(b"body")
        assert (await client.answer()).status == 200
        client.close()
        assert (await running.ask("POST /x", "Expect: a miracle", body=b"1")).status == 417
    assert provider.seen[0].body == b"body"
    assert provider.seen[0].header("expect") == []


async def test_long_targets_and_headers():
    async with between(hello) as (running, provider):
        answer = await running.ask("GET /v1/models?after=" + "a" * 65_000, "X-Jwt: " + "j" * 64_000)
        assert answer.status == 200
        assert len(provider.seen[0].target) == 65_000 + len("/v1/models?after=")
        assert len(provider.seen[0].header("x-jwt")[0]) == 64_000
        answer = await running.ask("GET /x?key=sk-secret-" + "1" * 80_000)
    assert answer.status == 400
    assert "sk-secret" not in answer.body.decode()
    assert json.loads(answer.body)["error"]["code"] == "bad_request"


async def test_too_large_a_body_is_refused_before_it_comes():
    async with between(hello) as (running, provider):
        answer = await running.ask("POST /v1/files", f"Content-Length: {300 * 1024 * 1024}")
    assert answer.status == 413
    assert answer.header("connection") == ["close"]
    assert provider.seen == []


# ---------------------------------------------------------------- when it breaks


async def test_agent_leaves_and_the_upstream_is_let_go():
    gone = asyncio.Event()

    async def script(seen, peer):
        await peer.closed()
        gone.set()

    async with between(script) as (running, provider):
        client = await running.client()
        await client.send("GET /v1/slow")
        await until(lambda: provider.seen)
        client.close()
        await asyncio.wait_for(gone.wait(), 1)


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


async def test_upstream_that_dies_before_it_answers_is_told_in_the_apis_shape():
    async def script(seen, peer):
        peer.reset()

    async with between(script) as (running, provider):
        answer = await running.ask("POST /v1/embeddings", "x-run-id: mine", body=b"{}")
        other = await running.ask("POST /v1/messages", "anthropic-version: 1", body=b"{}")
    assert answer.status == other.status == 502
    assert json.loads(answer.body)["error"]["code"] == "reset"
    assert json.loads(other.body)["type"] == "error"
    assert answer.header("x-should-retry") == ["false"]
    assert answer.header("x-run-id") == ["mine"]
    assert len(provider.seen) == 2


async def test_nobody_listens():
    async with Provider(hello) as provider:
        port = provider.port
    async with proxy(f"http://127.0.0.1:{port}/v1") as running:
        answer = await running.ask(
            "POST /v1/embeddings?key=AIzaSECRET1", "Authorization: Bearer sk-12345678", body=b"{}"
        )
    assert answer.status == 502
    text = answer.body.decode()
    assert "Connection refused" in text
    assert f"127.0.0.1:{port}" in text
    assert "SECRET1" not in text
    assert "?" not in text


async def test_own_timeout():
    async def script(seen, peer):
        await peer.closed()

    pack = parse_pack("upstream: {first_byte: 0.1}")
    async with between(script, pack=pack) as (running, _):
        answer = await running.ask("GET /v1/models")
    assert answer.status == 504
    assert json.loads(answer.body)["error"]["code"] == "timeout"


async def test_nonsense_from_the_upstream():
    async def script(seen, peer):
        await peer.send(b"SSH-2.0-OpenSSH_9\r\n\r\n")

    async with between(script) as (running, _):
        answer = await running.ask("GET /v1/models")
    assert answer.status == 502
    assert json.loads(answer.body)["error"]["code"] == "protocol"


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


async def test_refused_methods_and_targets():
    async with between(hello) as (running, provider):
        assert (await running.ask("TRACE /v1/x")).status == 405
        assert (await running.ask("CONNECT example.test:443")).status == 405
        assert (await running.ask("OPTIONS *")).status == 400
        assert (await running.ask("GET http://elsewhere.test/v1/models")).status == 200
    assert [seen.target for seen in provider.seen] == ["/v1/models"]


async def test_garbage_is_refused_and_not_quoted():
    async with between(hello) as (running, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(b"sk-secret garbage\r\n\r\n")
        raw = await reader.read()
        writer.close()
    assert raw.startswith(b"HTTP/1.0 400 ")
    assert b"sk-secret" not in raw


# ---------------------------------------------------------------- websockets


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


# ---------------------------------------------------------------- generation calls


def playbook(seen):
    """An exchange that sends what it got and answers with what was sent."""

    def exchange(start, plan):
        seen.append(start)
        yield Record("run-1", "start", 0, {})
        yield Send(1, start.body)
        yield Begin(200, (("content-type", "application/json"),), 2)
        yield Emit(b"{}")
        yield Record("run-1", "verdict", 1, {"policy": "gates", "did": "halted", "mode": "enforce"})

    return exchange


async def test_core_sees_no_credential_and_log_knows_them_all():
    starts = []
    async with between(hello, plans=AllPlans(), exchange=playbook(starts)) as (running, _):
        answer = await running.ask(
            "POST /as/nobody/v1/chat/completions?key=AIza-12345678&x=1",
            "Authorization: Bearer sk-test-12345678",
            "X-Api-Key: xk-12345678",
            "Cookie: sid=cookie1234",
            "X-Stainless-Retry-Count: 1",
            "X-Whatever: secret?",
            "Content-Type: application/json",
            body=b"{}",
        )
    assert answer.body == b"{}"
    (start,) = starts
    assert start.path == "/v1/chat/completions"
    assert start.agent == "nobody"
    assert start.headers == (("X-Stainless-Retry-Count", "1"), ("Content-Type", "application/json"))
    assert len(start.credential) == 32
    assert len(start.random) == 32
    _, secrets = running.log.records[0]
    assert set(secrets) == {b"sk-test-12345678", b"xk-12345678", b"cookie1234", b"AIza-12345678"}
    text = running.app.metrics.text().decode()
    assert 'handrail_decisions_total{did="halted",mode="enforce",policy="gates"} 1.0' in text
    assert 'handrail_requests_total{kind="chat_completions",status="2xx"} 1.0' in text
    assert "12345678" not in text


async def test_coded_request_is_read_by_the_core_and_sent_as_it_came():
    starts = []

    def exchange(start, plan):
        starts.append(start)
        for body in (start.body, b"changed"):
            yield Send(1, body)
            while not isinstance((yield Receive()), End):
                pass
        yield Begin(200, (), 0)

    packed = gzip.compress(b'{"model":"m"}')
    async with between(hello, plans=AllPlans(), exchange=exchange) as (running, provider):
        await running.ask(
            "POST /v1/chat/completions", "Content-Encoding: gzip", "Accept-Encoding: br, dcz, gzip;q=0.5", body=packed
        )
        await running.ask("POST /v1/chat/completions", "Content-Encoding: gzip", body=packed[:-4])
        await running.ask("POST /v1/chat/completions", "Content-Encoding: unknown", body=packed)
    assert [start.body for start in starts] == [b'{"model":"m"}']
    assert [(seen.body, seen.header("content-encoding")) for seen in provider.seen] == [
        (packed, ["gzip"]),
        (b"changed", []),
        (packed[:-4], ["gzip"]),
        (packed, ["unknown"]),
    ]
    assert provider.seen[0].header("accept-encoding") == ["br, gzip;q=0.5"]


async def test_crash_of_the_core_is_an_error_and_no_empty_answer():
    def exchange(start, plan):
        yield Record("run-7", "start", 0, {})
        raise KeyError("oh")

    async with between(hello, plans=AllPlans(), exchange=exchange) as (running, _):
        client = await running.client()
        answer = await client.ask("POST /v1/chat/completions", body=b"{}")
        assert answer.status == 500
        assert json.loads(answer.body)["error"]["code"] == "internal_error"
        assert answer.header("x-run-id") == ["run-7"]
        assert answer.header("x-handrail") == ["handrail;did=failed"]
        assert (await client.ask("GET /v1/models")).body == b"hello"
        client.close()
    assert running.log.records[-1][0].kind == "end"


async def test_connection_closes_after_the_answer_while_stopping():
    async with between(hello) as (running, _):
        running.app.stopping = True
        client = await Client.connect(running.port)
        answer = await client.ask("GET /v1/models")
        assert answer.header("connection") == ["close"]
        assert await client.reader.read() == b""
        client.close()
