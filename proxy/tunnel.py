"""A websocket on its way through: bytes both ways, unread, until either side ends.

Frames, close codes and compression are between the two ends. What is kept up here is flow control, and that the end of
one connection is the end of the other. Uses aiohttp's own hook for what comes after an upgrade (`set_parser`).
"""

import asyncio
from typing import Any

from aiohttp.http import StreamWriter


class _Flow:
    """One direction, in the place of a parser: what one connection receives is written to the other."""

    def __init__(self, source: Any, sink: Any, ended: "asyncio.Event") -> None:
        self._source = source
        self._sink = sink
        self._ended = ended
        self._waiting: asyncio.Task[None] | None = None

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        transport = self._sink.transport
        if transport is None or transport.is_closing():
            self._ended.set()
        elif data:
            transport.write(data)
            if self._sink.writing_paused and self._waiting is None and self._source.transport is not None:
                self._source.transport.pause_reading()
                self._waiting = asyncio.get_running_loop().create_task(self._resume())
        return False, b""

    def feed_eof(self) -> None:
        self._ended.set()

    async def _resume(self) -> None:
        try:
            await StreamWriter(self._sink, asyncio.get_running_loop()).drain()
        except ConnectionError:
            self._ended.set()
        self._waiting = None
        if self._source.transport is not None:
            self._source.transport.resume_reading()


async def tunnel(agent: Any, upstream: Any) -> None:
    """Joins two protocols of aiohttp whose connections were upgraded; returns when one of them has ended."""
    ended = asyncio.Event()
    upstream.set_parser(_Flow(upstream, agent, ended), None)
    agent.set_parser(_Flow(agent, upstream, ended))
    try:
        await ended.wait()
    finally:
        for side in (agent, upstream):
            if side.transport is not None:
                side.transport.close()
