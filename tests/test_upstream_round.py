import asyncio
import gzip
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.attempts import Outgoing
from proxy.faults import Limits
from proxy.upstream import Upstream
from proxy.upstream_round import UpstreamRound
from proxy.verdicts import Chunk, End, Failure, Head, Tick
from tests.wire import Provider, hello

BODY = b'{"text":"' + b"abc " * 3000 + b'"}'


@asynccontextmanager
async def round_of(script, limits=Limits(), seconds=None):  # noqa: B008 - it is frozen
    async with Provider(script) as provider:
        upstream = Upstream()
        request = Outgoing("POST", f"http://127.0.0.1:{provider.port}/v1/x", [("X-A", "1")], b"{}")
        yield UpstreamRound(upstream, request, limits, seconds, {}), provider, upstream
        await upstream.close()


async def events(one, tick=None):
    got: list[Any] = []
    while not isinstance(got[-1:] and got[-1], (End, Failure)):
        got.append(await one.receive(tick))
    return got


async def test_head_chunks_end():
    async with round_of(hello) as (one, _, _up):
        head, chunk, end = await events(one)
        assert isinstance(head, Head)
        assert (head.coded, head.readable) == (False, True)
        assert ("Content-Length", "5") in head.headers
        assert (chunk.data, chunk.raw) == (b"hello", None)
        assert await one.receive(None) is end


async def test_coded_body_comes_decoded_with_the_bytes_that_it_was():
    packed = gzip.compress(BODY)

    async def script(seen, peer):
        await peer.head("Content-Encoding: gzip", f"Content-Length: {len(packed)}")
        for at in range(0, len(packed), 20):
            await peer.send(packed[at : at + 20])
            await asyncio.sleep(0.001)

    async with round_of(script) as (one, _, _up):
        head, *chunks, end = await events(one)
    assert (head.coded, head.readable) == (True, True)
    assert ("Content-Encoding", "gzip") in head.headers
    assert b"".join(chunk.data for chunk in chunks) == BODY
    assert b"".join(chunk.raw for chunk in chunks) == packed
    assert isinstance(end, End)


async def test_unknown_coding_is_not_readable():
    async def script(seen, peer):
        await peer.reply(200, b"\x01\x02", "Content-Encoding: dcz")

    async with round_of(script) as (one, _, _up):
        head, chunk, _end = await events(one)
    assert (head.coded, head.readable) == (True, False)
    assert (chunk.data, chunk.raw) == (b"\x01\x02", None)


@pytest.mark.parametrize(
    ("body", "said"), [(gzip.compress(BODY)[:-12], "cut off"), (gzip.compress(BODY)[:10] + b"\xff" * 90, "broken")]
)
async def test_broken_coding_is_a_failure_after_what_could_be_read(body, said):
    async def script(seen, peer):
        await peer.reply(200, body, "Content-Encoding: gzip")

    async with round_of(script) as (one, _, _up):
        *_, failure = await events(one)
    assert failure.kind == "decode"
    assert said in failure.message


async def test_ticks_do_not_disturb_the_call():
    async def script(seen, peer):
        await asyncio.sleep(0.1)
        await peer.head("Content-Length: 2")
        await asyncio.sleep(0.1)
        await peer.send(b"ok")

    async with round_of(script) as (one, provider, _up):
        got = await events(one, 0.03)
    kinds = [type(event) for event in got]
    assert [kind for kind in kinds if kind is not Tick] == [Head, Chunk, End]
    assert kinds.count(Tick) >= 4
    assert len(provider.seen) == 1


async def test_time_that_is_left_for_a_round_holds_for_streams_too():
    async def script(seen, peer):
        await peer.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        while True:
            await peer.chunk(b": alive\n\n")
            await asyncio.sleep(0.02)

    async with round_of(script, seconds=0.15) as (one, _, _up):
        *_, failure = await events(one)
    assert failure.kind == "timeout"


async def test_request_limit_ends_plain_answers_and_lets_streams_live():
    def script(kind):
        async def answer(seen, peer):
            await peer.head(f"Content-Type: {kind}", "Transfer-Encoding: chunked")
            for _ in range(10):
                await peer.chunk(b" ")
                await asyncio.sleep(0.02)
            await peer.send(b"0\r\n\r\n")

        return answer

    limits = Limits(request=0.1)
    async with round_of(script("application/json"), limits) as (one, _, _up):
        assert (await events(one))[-1].kind == "timeout"
    async with round_of(script("text/event-stream; charset=utf-8"), limits) as (one, _, _up):
        assert isinstance((await events(one))[-1], End)


async def test_silence_is_a_timeout():
    async def script(seen, peer):
        await peer.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        await peer.closed()

    async with round_of(script, Limits(idle=0.1)) as (one, _, _up):
        assert (await events(one))[-1].kind == "timeout"


async def test_close_at_any_point():
    gone = asyncio.Event()

    async def silent(seen, peer):
        await peer.closed()
        gone.set()

    async with round_of(silent) as (one, _, _up):
        assert isinstance(await one.receive(0.05), Tick)
        one.close()
        await asyncio.wait_for(gone.wait(), 1)
    async with round_of(silent) as (one, provider, _up):
        one.close()
        one.drop()
        assert provider.seen == []


async def test_opening_that_fails_unheard_is_no_news():
    async def script(seen, peer):
        await asyncio.sleep(0.05)
        peer.reset()

    async with round_of(script) as (one, _, _up):
        assert isinstance(await one.receive(0.01), Tick)
        await asyncio.sleep(0.1)
        one.close()


async def test_dropped_answer_that_goes_on_is_broken_off():
    gone = asyncio.Event()

    async def endless(seen, peer):
        await peer.head("Transfer-Encoding: chunked")
        try:
            while True:
                await peer.chunk(bytes(10_000))
        except ConnectionError:
            gone.set()
            raise

    async with round_of(endless) as (one, _, _up):
        await one.receive(None)
        one.drop()
        await asyncio.wait_for(gone.wait(), 1)
