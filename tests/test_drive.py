import asyncio
import json
from typing import Any

import pytest

from proxy.verdicts import (
    Abort,
    Alert,
    Answers,
    Begin,
    Chunk,
    ClientGone,
    Drop,
    Emit,
    End,
    Failure,
    Head,
    Read,
    Receive,
    Record,
    Send,
    Settle,
    Tick,
)
from tests.wire import AllPlans, EmptyStore, between, until

ASK = ("POST /v1/chat/completions", "Content-Type: application/json")


async def answered(seen, peer):
    await peer.reply(200, b'{"ok":1}', "X-Up: 1", "Set-Cookie: id=secret12")


def played(playbook, script=answered, **settings):
    """A proxy whose exchanges are this playbook."""
    return between(script, plans=AllPlans(), exchange=playbook, **settings)


async def test_commands_are_carried_out_in_order_and_events_come_back():
    events = []

    def playbook(start, plan):
        yield Record("r", "start", 0, {})
        events.append((yield Send(1, start.body)))
        events.append((yield Receive()))
        events.append((yield Receive()))
        events.append((yield Receive()))
        events.append((yield Begin(200, (("content-type", "application/json"),), 9)))
        events.append((yield Emit(b"{}")))
        events.append((yield Emit(b'{"ok":1')))
        events.append((yield Record("r", "end", 1, {})))

    async with played(playbook) as (running, provider):
        answer = await running.ask(*ASK, body=b'{"model":"m"}')
    assert provider.seen[0].body == b'{"model":"m"}'
    assert answer.body == b'{}{"ok":1'
    sent, head, chunk, end, *rest = events
    assert sent is None
    assert (type(head), head.status) == (Head, 200)
    assert (type(chunk), chunk.data) == (Chunk, b'{"ok":1}')
    assert type(end) is End
    assert rest == [None] * 4
    assert head.wall > 1.7e9
    assert head.mono <= chunk.mono <= end.mono
    assert [line.kind for line, _ in running.log.written] == ["start", "end"]


async def test_secret_headers_of_the_answer_pass_by_the_core():
    heads = []

    def playbook(start, plan):
        yield Send(1, start.body)
        heads.append((yield Receive()))
        yield Begin(200, heads[0].headers, 2)
        yield Emit(b"{}")

    async with played(playbook) as (running, _):
        answer = await running.ask(*ASK, body=b"{}")
    assert "secret12" not in repr(heads)
    assert answer.header("set-cookie") == ["id=secret12"]
    assert answer.header("x-up") == ["1"]
    assert answer.line == "HTTP/1.1 200 Said"


async def test_status_of_its_own_has_its_own_words():
    def playbook(start, plan):
        yield Send(1, start.body)
        yield Receive()
        yield Begin(504, (), 0)

    async with played(playbook) as (running, _):
        answer = await running.ask(*ASK, body=b"{}")
    assert answer.line == "HTTP/1.1 504 Gateway Timeout"


async def test_pieces_leave_at_once_and_ticks_come_while_nothing_else_does():
    times = []

    async def slow(seen, peer):
        await asyncio.sleep(0.15)
        await peer.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        await asyncio.sleep(0.15)
        await peer.chunk(b"data: 1\n\n")
        await peer.send(b"0\r\n\r\n")

    def playbook(start, plan):
        yield Send(1, start.body)
        yield Begin(200, (("content-type", "text/event-stream"),), None)
        yield Emit(b": first\n\n")
        while not isinstance(event := (yield Receive(0.05)), End):
            times.append(type(event))
            if isinstance(event, Tick):
                yield Emit(b": alive\n\n")
            elif isinstance(event, Chunk):
                yield Emit(event.data)

    async with played(playbook, slow) as (running, _):
        client = await running.client()
        await client.send(*ASK, body=b"{}")
        async with asyncio.timeout(0.12):
            await client.reader.readuntil(b": first\n\n")
        rest = await client.reader.readuntil(b"0\r\n\r\n")
        client.close()
    assert times.count(Tick) >= 4
    assert [kind for kind in times if kind is not Tick] == [Head, Chunk]
    assert rest.count(b": alive") == times.count(Tick)
    assert b"data: 1" in rest


async def test_rounds_follow_each_other_and_a_dropped_one_gives_its_connection_back():
    async def stream(seen, peer):
        await peer.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        await peer.chunk(b"data: [DONE]\n\n")
        await asyncio.sleep(0.05)
        await peer.send(b"0\r\n\r\n")

    def playbook(start, plan):
        for number in (1, 2, 3):
            yield Send(number, b"%d" % number)
            yield Receive()
            yield Receive()
            yield Drop()
            yield Settle((Read("wait"),))
        yield Begin(200, (), 0)

    class Slow(EmptyStore):
        async def settle(self, *_):
            await asyncio.sleep(0.1)
            return {}

    async with played(playbook, stream, store=Slow()) as (running, provider):
        await running.ask(*ASK, body=b"{}")
        text = running.app.metrics.text().decode()
    assert [seen.body for seen in provider.seen] == [b"1", b"2", b"3"]
    assert provider.connections == 1
    assert 'handrail_rounds_total{hidden="yes"} 2.0' in text


async def test_store_answers_at_once_later_or_not_at_all():
    class Store(EmptyStore):
        def try_settle(self, *asked: Any) -> Any:
            request = asked[0][0]
            return {request: b"now"} if request.key == "now" else None

        async def settle(self, *asked: Any) -> dict[Any, Any]:
            request = asked[0][0]
            if request.key == "down":
                raise ConnectionError("no store")
            return {request: b"later"}

    got = []

    def playbook(start, plan):
        got.append((yield Settle((Read("now"),))))
        got.append((yield Settle((Read("later"),))))
        got.append((yield Settle((Read("down"),))))
        yield Begin(200, (), 0)

    async with played(playbook, store=Store()) as (running, _):
        assert (await running.ask(*ASK, body=b"{}")).status == 200
    now, later, down = got
    assert isinstance(now, Answers)
    assert (now.known, later.known) == ({Read("now"): b"now"}, {Read("later"): b"later"})
    assert (down.known, down.failed) == ({}, True)


async def test_failures_are_events():
    async def broken(seen, peer):
        await peer.head("Content-Length: 10")
        await peer.send(b"half")
        await asyncio.sleep(0.05)
        peer.writer.close()

    got: list[Any] = []

    def playbook(start, plan):
        yield Send(1, start.body)
        while not isinstance(event := (yield Receive()), Failure):
            got.append(type(event))
        got.append(event.kind)
        yield Begin(200, (), 10)
        yield Emit(b"half")
        yield Abort()

    async with played(playbook, broken) as (running, _):
        answer = await running.ask(*ASK, body=b"{}")
    assert got == [Head, Chunk, "reset"]
    assert (answer.cut, answer.body) == (True, b"half")


@pytest.mark.parametrize("length", [None, 10])
async def test_abort_shows_after_what_was_said_has_arrived(length):
    def playbook(start, plan):
        yield Begin(200, (), length)
        yield Emit(b"half")
        yield Abort()
        yield Record("r", "end", 1, {})

    async with played(playbook) as (running, _):
        answer = await running.ask(*ASK, body=b"{}")
    assert (answer.cut, answer.body) == (True, b"half")
    assert running.log.written[-1][0].kind == "end"


async def test_abort_before_anything_was_said():
    def playbook(start, plan):
        yield Abort()

    async with played(playbook) as (running, _):
        with pytest.raises((EOFError, ConnectionError)):
            await running.ask(*ASK, body=b"{}")


async def test_short_body_is_no_whole_answer():
    def playbook(start, plan):
        yield Begin(200, (), 10)
        yield Emit(b"short")

    async with played(playbook) as (running, _):
        assert (await running.ask(*ASK, body=b"{}")).cut


def leaving(seen):
    """Waits for the upstream; when the agent has left, it still stores and records."""

    def playbook(start, plan):
        yield Record("r", "start", 0, {})
        yield Begin(200, (("content-type", "text/event-stream"),), None)
        yield Emit(b": here\n\n")
        yield Send(1, start.body)
        try:
            while True:
                yield Receive()
        except ClientGone:
            seen.append((yield Settle((Read("k"),))))
            yield Record("r", "end", 1, {"how": "client gone"})
            raise

    return playbook


async def test_agent_that_leaves_ends_the_upstream_and_is_recorded():
    gone = asyncio.Event()
    stored: list[Any] = []

    async def silent(seen, peer):
        await peer.closed()
        gone.set()

    async with played(leaving(stored), silent) as (running, provider):
        client = await running.client()
        await client.send(*ASK, body=b"{}")
        await client.reader.readuntil(b": here\n\n")
        await until(lambda: provider.seen)
        client.close()
        await asyncio.wait_for(gone.wait(), 1)
        await until(lambda: len(running.log.written) == 2)
        await until(lambda: running.app.active == 0)
    assert running.log.written[-1][0].fields == {"how": "client gone"}
    assert isinstance(stored[0], Answers)


async def test_exchange_that_does_not_care_is_closed():
    closed = []

    def playbook(start, plan):
        try:
            yield Begin(200, (), None)
            while True:
                yield Emit(bytes(65536))
        finally:
            closed.append(True)

    async with played(playbook) as (running, _):
        client = await running.client()
        await client.send(*ASK, body=b"{}")
        await client.reader.read(100)
        client.close()
        await until(lambda: closed)
        await until(lambda: running.app.active == 0)


async def test_slow_agent_slows_the_exchange():
    sent = 0

    def playbook(start, plan):
        nonlocal sent
        yield Begin(200, (), None)
        for _ in range(1000):
            yield Emit(bytes(60_000))
            sent += 60_000

    async with played(playbook) as (running, _):
        client = await running.client()
        await client.send(*ASK, body=b"{}")
        await asyncio.sleep(0.3)
        assert sent < 30_000_000
        assert len((await client.answer()).body) == 60_000_000
        client.close()


@pytest.mark.parametrize("begun", [False, True])
async def test_crash_is_an_error_or_a_broken_connection_and_names_the_step(begun, capsys):
    def playbook(start, plan):
        yield Record("run-9", "send", 3, {})
        if begun:
            yield Begin(200, (), None)
            yield Emit(b"some")
        raise ValueError("what went wrong")

    async with played(playbook) as (running, _):
        answer = await running.ask(*ASK, body=b"{}")
    if begun:
        assert (answer.status, answer.cut, answer.body) == (200, True, b"some")
    else:
        assert answer.status == 500
        assert json.loads(answer.body)["error"]["code"] == "internal_error"
    line, _ = running.log.written[-1]
    assert (line.run, line.kind, line.round, line.fields["error"]) == ("run-9", "end", 3, "ValueError")
    said = capsys.readouterr().out
    assert "run-9" in said
    assert "what went wrong" in said
    assert "Traceback" not in said


async def test_no_answer_at_all_is_a_crash():
    def playbook(start, plan):
        yield Record("r", "start", 0, {})

    async with played(playbook) as (running, _):
        assert (await running.ask(*ASK, body=b"{}")).status == 500


async def test_alerts_reach_whoever_listens():
    def playbook(start, plan):
        yield Alert({"run": "r"})
        yield Begin(200, (), 0)

    async with played(playbook) as (running, _):
        await running.ask(*ASK, body=b"{}")
        assert running.alerts == [{"run": "r"}]
