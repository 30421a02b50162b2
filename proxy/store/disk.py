"""The store in a folder, for one machine: diskcache over SQLite, shared by any number of processes.

Reads are done at once, on the event loop: 15 µs out of the page cache, where a change of threads takes 60; and what
another process committed is seen, which no cache of our own could promise. Writes go to one thread, where they wait for
each other and are committed together: an fsync takes milliseconds, however much is in it. Claims, counters and
durable writes are waited for; others are seen at once (`pending`) and written soon.

Only bytes are stored and nothing is unpickled (CVE-2025-69872); nothing is evicted (`none`), so what was claimed stays
claimed until it expires; each write removes a few expired rows.
"""

import asyncio
import contextlib
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import diskcache
import msgspec

from proxy.datafolder import make_folder, open_file
from proxy.model import Put, replace
from proxy.store import StoreError, fit
from proxy.store.pending import Pending, Waiting
from proxy.verdicts import Add, Claim, Read

_MODE_RAW = 1
_SETTINGS = {
    "eviction_policy": "none",
    "cull_limit": 10,
    "statistics": 0,
    "sqlite_cache_size": 1024,
    "sqlite_mmap_size": 16 * 1024 * 1024,
}
_NORMAL, _FULL = 1, 2
_LOCK_SECONDS = 5.0
"""Longest wait for another process that writes."""
_READ_SECONDS = 0.005
"""A read that has to wait longer is done by the thread."""
_ANSWER_SECONDS = 15.0
_PENDING_BYTES = 16 * 1024 * 1024
_BATCH = 256
_BATCH_SECONDS = 0.02
_RETRY_SECONDS = 1.0
_READ_ERRORS = (sqlite3.Error, OSError, diskcache.Timeout)


class BytesOnly(diskcache.Disk):  # type: ignore[misc]
    """Keys are text, values are bytes, both in the database itself; a row that is anything else is not there."""

    def put(self, key: object) -> tuple[str, bool]:
        if type(key) is not str:
            raise TypeError("keys are text")
        return key, True

    def get(self, key: object, raw: object) -> str:
        if not raw or type(key) is not str:
            raise OSError("not a key of this store")
        return key

    def store(self, value: object, read: object, key: object = None) -> tuple[int, int, None, memoryview]:  # noqa: ARG002
        if type(value) is not bytes:
            raise TypeError("values are bytes")
        return 0, _MODE_RAW, None, memoryview(value)

    def fetch(self, mode: int, filename: object, value: object, read: object) -> bytes:  # noqa: ARG002
        if mode != _MODE_RAW or not isinstance(value, bytes):
            raise OSError("not a value of this store")
        return value


class _Job(msgspec.Struct, eq=False):
    """What one `settle` asks of the thread. Without a future it is written and forgotten."""

    requests: Sequence[Any]
    puts: Sequence[Waiting]
    sync: bool
    future: asyncio.Future[Mapping[Any, Any]] | None = None
    loop: asyncio.AbstractEventLoop | None = None
    answers: dict[Any, Any] = {}


class DiskStore:
    """A `Store` in a folder. Raises OSError where the folder can't be used."""

    def __init__(self, folder: Path) -> None:
        self.failed = 0
        self.error = ""
        self._pending = Pending(_PENDING_BYTES)
        self._jobs: deque[_Job] = deque()
        self._wake = threading.Event()
        self._hurry = threading.Event()
        self._closed = False
        self._synchronous = _NORMAL
        self._cache = _opened(folder, _LOCK_SECONDS)
        self._cache.close()  # this thread's connection; the one that writes opens its own
        self._reader = _opened(folder, _READ_SECONDS)
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------ on the event loop

    def try_settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any] | None:
        """At once, if there are only reads and writes that need not be durable."""
        if any(put.durable for put in puts):
            return None
        answers = {}
        for request in requests:
            if isinstance(request, Claim) or (isinstance(request, Add) and request.amount):
                return None
            if isinstance(request, Read | Add):
                try:
                    value = self._read(fit(request.key))
                except _READ_ERRORS:
                    return None
                answers[request] = value if isinstance(request, Read) else _number(value)
        if puts:
            self._queue(_Job((), self._waiting(puts), sync=False))
        return answers

    async def settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any]:
        at_once = self.try_settle(requests, puts)
        if at_once is not None:
            return at_once
        if self._closed:
            raise StoreError("the store is closed")
        loop = asyncio.get_running_loop()
        job = _Job(requests, self._waiting(puts, seen=False), sync=_must_last(requests, puts), loop=loop)
        job.future = loop.create_future()
        self._queue(job)
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return await job.future
        except TimeoutError:
            self._fail("no answer in time")
            raise StoreError("the store did not answer in time") from None

    def later(self, adds: Sequence[Add]) -> None:
        """Soon, in one transaction with what else is written then; no one waits."""
        if not self._closed:
            self._queue(_Job(tuple(replace(add, limit=None) for add in adds), (), sync=False))

    def close(self) -> None:
        """Writes what waits, for at most 5 seconds."""
        self._closed = True
        self._hurry.set()
        self._wake.set()
        self._thread.join(_LOCK_SECONDS)
        self._reader.close()

    def _read(self, key: str) -> bytes | None:
        waiting = self._pending.get(key)
        if waiting is not None:
            return waiting.value if waiting.until > time.time() else None
        value: bytes | None = self._reader.get(key)
        return value

    def _waiting(self, puts: Sequence[Put], *, seen: bool = True) -> list[Waiting]:
        """`seen` by readers before it is on disk."""
        now = time.time()
        if seen:
            return [self._pending.add(fit(put.key), put, now) for put in puts]
        return [Waiting(fit(put.key), put.value, now + put.ttl, put.ttl) for put in puts]

    def _queue(self, job: _Job) -> None:
        self._jobs.append(job)
        if job.future is not None:
            self._hurry.set()
        if not self._wake.is_set():
            self._wake.set()

    def _fail(self, error: str, count: int = 1) -> None:
        self.failed += count
        self.error = error

    # ------------------------------------------------------------ in the thread

    def _work(self) -> None:
        wait = None
        while self._jobs or not self._closed:
            self._wake.wait(wait)
            self._hurry.wait(0 if self._closed else _BATCH_SECONDS)
            self._wake.clear()
            self._hurry.clear()
            wait = None if self._write_queued() else _RETRY_SECONDS
            if wait and self._closed:
                break
        self._cache.close()

    def _write_queued(self) -> bool:
        """False if the disk did not take it; then what nobody waits for is tried again later."""
        while self._jobs:
            jobs = [self._jobs.popleft() for _ in range(min(len(self._jobs), _BATCH))]
            jobs = [job for job in jobs if job.future is None or not job.future.done()]
            try:
                self._commit(jobs)
            except Exception as error:  # noqa: BLE001 - whatever SQLite meets, the thread goes on
                self._undo(jobs, error)
                return False
            self.error = ""
            self._pending.done(put for job in jobs for put in job.puts)
            for job in jobs:
                _resolve(job, None)
        return True

    def _commit(self, jobs: Sequence[_Job]) -> None:
        """All of them in one transaction."""
        wanted = _FULL if any(job.sync for job in jobs) else _NORMAL
        if wanted != self._synchronous:
            self._cache.reset("sqlite_synchronous", wanted, update=False)
            self._synchronous = wanted
        with self._cache.transact():
            for job in jobs:
                job.answers = dict(self._answers(job.requests))
                for put in job.puts:
                    self._put(put, forgotten=job.future is None)

    def _answers(self, requests: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        for request in requests:
            if isinstance(request, Read):
                yield request, self._cache.get(fit(request.key))
            elif isinstance(request, Claim):
                yield request, self._claim(request)
            elif isinstance(request, Add):
                yield request, self._add(request)

    def _claim(self, claim: Claim) -> bytes | None:
        key = fit(claim.key)
        standing: bytes | None = self._cache.get(key)
        if standing is None:
            self._cache.set(key, claim.value, expire=claim.ttl)
        return standing

    def _add(self, add: Add) -> int | None:
        """A counter lives as long as its first `Add` said."""
        key = fit(add.key)
        value, until = self._cache.get(key, expire_time=True)
        total = _number(value) + add.amount
        if add.limit is not None and add.amount > 0 and total > add.limit:
            return None
        if add.amount:
            ttl = add.ttl if until is None else until - time.time()
            self._cache.set(key, b"%d" % total, expire=ttl)
        return total

    def _put(self, put: Waiting, *, forgotten: bool) -> None:
        if forgotten and not self._pending.holds(put):
            return
        if put.value is None:
            self._cache.delete(put.key)
        else:
            self._cache.set(put.key, put.value, expire=put.ttl)

    def _undo(self, jobs: Sequence[_Job], error: Exception) -> None:
        """Tells whoever waits, and keeps the rest; what the bound on pending writes gave up is forgotten here too.

        With a new connection: a commit that failed leaves the old one inside its transaction.
        """
        with contextlib.suppress(Exception):
            self._cache.close()
        self._synchronous = _NORMAL
        every = [*jobs, *(self._jobs.popleft() for _ in range(len(self._jobs)))]
        waited = [job for job in every if job.future is not None]
        kept = [job for job in every if job.future is None and any(map(self._pending.holds, job.puts))]
        self._jobs.extendleft(reversed(kept))
        self._fail(f"{type(error).__name__}: {error}"[:200], max(len(waited), 1))
        for job in waited:
            _resolve(job, StoreError(self.error))


def _opened(folder: Path, timeout: float) -> Any:
    """SQLite gives its other files the mode of the first, so that one is made here. Raises OSError."""
    make_folder(folder)
    os.close(open_file(folder / "cache.db", os.O_CREAT | os.O_RDWR))
    try:
        return diskcache.Cache(str(folder), timeout=timeout, disk=BytesOnly, **_SETTINGS)
    except (sqlite3.Error, diskcache.Timeout) as error:
        raise OSError(f"cannot open the store in {folder}: {error}") from error


def _must_last(requests: Sequence[Any], puts: Sequence[Put]) -> bool:
    """Whether a loss of power must not undo it."""
    return any(put.durable for put in puts) or any(isinstance(request, Claim) for request in requests)


def _number(value: bytes | None) -> int:
    return int(value) if value is not None and value.lstrip(b"-").isdigit() else 0


def _resolve(job: _Job, error: StoreError | None) -> None:
    if job.future is None or job.loop is None:
        return
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
        job.loop.call_soon_threadsafe(_deliver, job.future, job.answers, error)


def _deliver(future: asyncio.Future[Mapping[Any, Any]], answers: Mapping[Any, Any], error: StoreError | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(answers)
    else:
        future.set_exception(error)
