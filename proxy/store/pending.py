"""Writes that are on their way to the disk, so that whoever reads in the meantime sees them.

Bounded: while a disk is full, the oldest are given up first. Used by the event loop and by the thread that writes.
"""

import threading
from collections.abc import Iterable

import msgspec

from proxy.model import Put


class Waiting(msgspec.Struct, eq=False):
    """One write. `until`: seconds since the epoch at which its value ends."""

    key: str
    value: bytes | None
    until: float
    ttl: float

    @property
    def size(self) -> int:
        return len(self.key) + len(self.value or b"") + 200


class Pending:
    """The latest write of each key that waits."""

    def __init__(self, most_bytes: int) -> None:
        self.given_up = 0
        self._most = most_bytes
        self._size = 0
        self._waiting: dict[str, Waiting] = {}
        self._lock = threading.Lock()

    def add(self, key: str, put: Put, now: float) -> Waiting:
        """`key` as it is stored."""
        waiting = Waiting(key, put.value, now + put.ttl, put.ttl)
        with self._lock:
            self._drop(key)
            self._waiting[key] = waiting
            self._size += waiting.size
            while self._size > self._most and len(self._waiting) > 1:
                self._drop(next(iter(self._waiting)))
                self.given_up += 1
        return waiting

    def get(self, key: str) -> Waiting | None:
        return self._waiting.get(key)

    def holds(self, waiting: Waiting) -> bool:
        """Whether it is still to be written: not given up, and not overtaken by a later one."""
        return self._waiting.get(waiting.key) is waiting

    def done(self, written: Iterable[Waiting]) -> None:
        """These are on disk."""
        with self._lock:
            for waiting in written:
                if self.holds(waiting):
                    self._drop(waiting.key)

    def __len__(self) -> int:
        return len(self._waiting)

    def _drop(self, key: str) -> None:
        old = self._waiting.pop(key, None)
        self._size -= old.size if old else 0
