import asyncio
import os

import pytest

from proxy.incoming import random
from tests.wire import Provider, between, hello, proxy


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


async def test_too_large_a_body_is_refused_before_it_comes():
    async with between(hello) as (running, provider):
        answer = await running.ask("POST /v1/files", f"Content-Length: {300 * 1024 * 1024}")
    assert answer.status == 413
    assert answer.header("connection") == ["close"]
    assert provider.seen == []


async def test_refused_methods_and_targets():
    async with between(hello) as (running, provider):
        assert (await running.ask("TRACE /v1/x")).status == 405
        assert (await running.ask("CONNECT example.test:443")).status == 405
        assert (await running.ask("OPTIONS *")).status == 400
        assert (await running.ask("GET http://elsewhere.test/v1/models")).status == 200
    assert [seen.target for seen in provider.seen] == ["/v1/models"]


def test_randomness_is_given_out_once():
    given = [random(32) for _ in range(1000)]
    assert {len(one) for one in given} == {32}
    assert len(set(given)) == 1000
