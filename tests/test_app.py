import asyncio
import gzip
import json

from proxy.exchange import exchange
from proxy.plan import Plans
from proxy.settings import parse_pack
from proxy.verdicts import Begin, Emit, End, Receive, Record, Send, Start
from tests.wire import AllPlans, Client, Provider, between, hello, proxy, until

# ---------------------------------------------------------------- both ways, as it came


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


async def test_garbage_is_refused_and_not_quoted():
    async with between(hello) as (running, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(b"sk-secret garbage\r\n\r\n")
        raw = await reader.read()
        writer.close()
    assert raw.startswith(b"HTTP/1.0 400 ")
    assert b"sk-secret" not in raw


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
    starts: list[Start] = []
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
    assert start.headers == (("x-stainless-retry-count", "1"), ("content-type", "application/json"))
    assert len(start.credential) == 32
    assert len(start.random) == 32
    _, secrets = running.log.written[0]
    assert set(secrets) == {b"sk-test-12345678", b"xk-12345678", b"cookie1234", b"AIza-12345678"}
    text = running.app.metrics.text().decode()
    assert 'handrail_decisions_total{did="halted",mode="enforce",policy="gates"} 1.0' in text
    assert 'handrail_requests_total{kind="chat_completions",status="2xx"} 1.0' in text
    assert "12345678" not in text


async def test_coded_request_is_read_by_the_core_and_sent_as_it_came():
    starts: list[Start] = []

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
    assert running.log.written[-1][0].kind == "end"


async def test_connection_closes_after_the_answer_while_stopping():
    async with between(hello) as (running, _):
        running.app.stopping = True
        client = await Client.connect(running.port)
        answer = await client.ask("GET /v1/models")
        assert answer.header("connection") == ["close"]
        assert await client.reader.read() == b""
        client.close()


# ---------------------------------------------------------------- an upstream that keeps failing


async def _down(_, peer):
    await peer.reply(500, b'{"error":{"message":"down"}}', "Content-Type: application/json")


async def _generation(running, prefix=""):
    body = b'{"model":"m","messages":[{"role":"user","content":"hi"}]}'
    return await running.ask(f"POST {prefix}/v1/chat/completions", "Content-Type: application/json", body=body)


async def test_an_agent_that_is_only_observed_is_not_stopped_by_the_packs_breaker():
    async with Provider(_down) as provider:
        pack = parse_pack("upstream: {breaker: {failures: 2, reset_seconds: 60}}\nagents: {watched: {mode: observe}}")
        base = f"http://127.0.0.1:{provider.port}/v1"
        async with proxy(base, plans=Plans(pack), exchange=exchange, pack=pack) as running:
            assert [(await _generation(running)).status for _ in range(3)] == [500, 500, 503]
            assert [(await _generation(running, "/as/watched")).status for _ in range(3)] == [500] * 3


async def test_an_upstream_whose_breaker_is_open_is_not_asked_and_a_fallback_is():
    async with Provider(_down) as first, Provider(hello) as spare:
        text = "upstream: {breaker: {failures: 2, reset_seconds: 60}"
        for fallback in ("", f", fallback: 'http://127.0.0.1:{spare.port}/v1'"):
            pack = parse_pack(text + fallback + "}")
            plans = Plans(pack)
            async with proxy(f"http://127.0.0.1:{first.port}/v1", plans=plans, exchange=exchange, pack=pack) as running:
                assert [(await _generation(running)).status for _ in range(2)] == [500, 500]
                asked = len(first.seen)
                answer = await _generation(running)
                assert len(first.seen) == asked, "the breaker is open"
            if fallback:
                assert answer.status == 200
                assert len(spare.seen) == 1
            else:
                assert answer.status == 503
                assert json.loads(answer.body)["error"]["code"] == "open"
                assert answer.header("x-should-retry") == ["false"]
