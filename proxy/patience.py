"""How long an upstream may take: one timer for a call, whatever it waits for.

Three limits hold at once: silence before the answer begins, silence between two pieces of it, and the time for all of
it. Timers are dear on the event loop and nearly none of them ever fires, so there is one, which looks what has happened
meanwhile when it is due, instead of being set anew for each piece.
"""

import asyncio
from collections.abc import Callable

import aiohttp

Fail = Callable[[BaseException], None]


class Patience:
    """`silence` and `seconds` in seconds, `seconds` None: no limit. `fail` is told the exception when it runs out."""

    __slots__ = ("_deadline", "_due", "_fail", "_handle", "_loop", "_silence", "_since")

    def __init__(self, silence: float, seconds: float | None, fail: Fail) -> None:
        loop = self._loop = asyncio.get_running_loop()
        now = loop.time()
        self._silence = silence
        self._deadline = float("inf") if seconds is None else now + seconds
        self._since: float | None = now
        self._fail = fail
        self._due = min(self._deadline, now + silence)
        self._handle: asyncio.TimerHandle | None = loop.call_at(self._due, self._look)

    def waits(self) -> None:
        """From now on it is the upstream that is waited for."""
        self._since = self._loop.time()

    def rests(self) -> None:
        """Something came, or it is the agent that is waited for; only the time for all of it runs on."""
        self._since = None

    def turn(self, silence: float, fail: Fail) -> None:
        """Another limit on silence, counted from the next wait on, and somebody else to be told."""
        self._silence, self._fail, self._since = silence, fail, None
        self._hurry()

    def bound(self, seconds: float | None) -> None:
        """Another limit on the rest of it."""
        self._deadline = float("inf") if seconds is None else self._loop.time() + seconds
        self._hurry()

    def stop(self) -> None:
        """It is over."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _hurry(self) -> None:
        """Sets the timer anew if it would come too late."""
        due = min(self._deadline, self._loop.time() + self._silence)
        if self._handle is not None and due < self._due:
            self._handle.cancel()
            self._due = due
            self._handle = self._loop.call_at(due, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        if now >= self._deadline:
            self._handle = None
            self._fail(TimeoutError())
        elif self._since is not None and now >= self._since + self._silence:
            self._handle = None
            self._fail(aiohttp.SocketTimeoutError())
        else:
            quiet = now if self._since is None else self._since
            self._due = min(self._deadline, quiet + self._silence)
            self._handle = self._loop.call_at(self._due, self._look)
