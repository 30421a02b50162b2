import json

from proxy.settings import parse_pack
from tests.wire import Provider, between, hello, proxy


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
