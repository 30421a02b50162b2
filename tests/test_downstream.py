import asyncio
from typing import Any

import pytest
from aiohttp import HttpVersion10, HttpVersion11

from proxy.downstream import Downstream, GoneError
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


class Wire:
    """A connection that keeps what is written to it."""

    transport: Any

    def __init__(self, version=HttpVersion11, method="POST", *, keep=True):
        self.written = b""
        self.version, self.method, self.keep_alive = version, method, keep
        self.transport = self
        self.closed = ""

    def write(self, data):
        self.written += data

    def is_closing(self):
        return bool(self.closed)

    def close(self):
        self.closed = "closed"

    def abort(self):
        self.closed = "aborted"

    def get_extra_info(self, _):
        return None

    @property
    def head(self):
        return self.written.partition(b"\r\n\r\n")[0].decode().split("\r\n")

    @property
    def body(self):
        return self.written.partition(b"\r\n\r\n")[2]


def downstream(wire: Any, **settings: Any) -> Downstream:
    return Downstream(wire, **settings)


def test_head_waits_for_the_first_piece():
    wire = Wire()
    agent = downstream(wire)
    agent.begin(200, [("X-A", "1"), ("Transfer-Encoding", "lies"), ("content-length", "9")], 2)
    assert (wire.written, agent.first) == (b"", None)
    agent.put(b"ok")
    assert wire.head == ["HTTP/1.1 200 OK", "X-A: 1", "Content-Length: 2"]
    assert wire.body == b"ok"
    agent.finish()
    assert (wire.body, agent.keep, wire.closed) == (b"ok", True, "")
    assert agent.first is not None


def test_chunks():
    wire = Wire()
    agent = downstream(wire)
    agent.begin(200, [], None)
    agent.flush()
    agent.put(b"abc")
    agent.put(b"")
    agent.finish()
    assert wire.head[-1] == "Transfer-Encoding: chunked"
    assert wire.body == b"3\r\nabc\r\n0\r\n\r\n"


def test_empty_bodies():
    for length, body in ((0, b""), (None, b"0\r\n\r\n")):
        wire = Wire()
        agent = downstream(wire)
        agent.begin(200, [], length)
        agent.finish()
        assert (wire.head[0], wire.body) == ("HTTP/1.1 200 OK", body)


def test_more_than_was_announced_is_cut_and_breaks_the_answer():
    wire = Wire()
    agent = downstream(wire)
    agent.begin(200, [], 2)
    agent.put(b"abc")
    assert (wire.body, agent.broken, agent.keep) == (b"ab", True, False)


def test_less_than_was_announced_breaks_the_connection():
    wire = Wire()
    agent = downstream(wire)
    agent.begin(200, [], 2)
    agent.put(b"a")
    agent.finish()
    assert wire.closed == "closed"


def test_body_that_only_the_end_of_the_connection_ends_needs_a_reset():
    wire = Wire(HttpVersion10)
    agent = downstream(wire)
    agent.begin(200, [], None)
    agent.put(b"half")
    assert wire.head == ["HTTP/1.1 200 OK", "Connection: close"]
    agent.abort()
    assert wire.closed == "aborted"


def test_nothing_is_written_to_an_agent_that_has_gone():
    wire = Wire()
    agent = downstream(wire)
    agent.begin(200, [], 2)
    wire.transport = None
    with pytest.raises(GoneError):
        agent.put(b"ab")
    agent.abort()


def test_headers_cannot_inject_others():
    wire = Wire()
    agent = downstream(wire)
    agent.begin(200, [("X-A", "1\r\nX-Evil: 2\n3")], 0)
    agent.finish()
    assert wire.head == ["HTTP/1.1 200 OK", "X-A: 1  X-Evil: 2 3", "Content-Length: 0"]


@pytest.mark.parametrize(
    ("version", "keep", "stopping", "said", "kept"),
    [
        (HttpVersion11, True, False, [], True),
        (HttpVersion11, False, False, ["Connection: close"], False),
        (HttpVersion11, True, True, ["Connection: close"], False),
        (HttpVersion10, True, False, ["Connection: keep-alive"], True),
        (HttpVersion10, False, False, ["Connection: close"], False),
    ],
)
def test_what_becomes_of_the_connection(version, keep, stopping, said, kept):
    wire = Wire(version, keep=keep)
    agent = downstream(wire, stopping=stopping)
    agent.begin(200, [], 0)
    agent.finish()
    assert [line for line in wire.head if line.startswith("Connection")] == said
    assert agent.keep is kept
