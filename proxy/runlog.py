"""The run log: one run is one append-only log, written beside the traffic and never in its way.

`record` only encodes and queues. A thread of its own finds differences, blacks out credentials and writes, in batches.
The queue is bounded in bytes; what does not fit is dropped and counted, because a log that slows traffic down or
fills the memory is worse than a gap in it. A full disk costs records the same way, until there is space again.

Decides nothing about content: the core says what a record is, `runfile` what a file looks like.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import orjson

from proxy.masking import Masker
from proxy.runfile import OWN_FIELDS, VERSION
from proxy.runwriter import Item, RunWriter
from proxy.verdicts import Record

_MOST_ITEMS = 50_000
_BATCH = 64
_BATCH_SECONDS = 0.02
"""Waited after the first record, so that those of one exchange are written together."""
_SWEEP_SECONDS = 300.0


class RunLog:
    """Logs under `folder`/runs. Raises ValueError for a pattern in `mask` that RE2 does not take."""

    def __init__(  # noqa: PLR0913 - these are the settings `log:` of a pack
        self,
        folder: Path,
        *,
        bodies: bool,
        days: float,
        max_bytes: int,
        mask: Sequence[str],
        queue_bytes: int = 64 * 1024 * 1024,
    ) -> None:
        """A run is kept `days` after its last line, all runs in `max_bytes` on disk, the queue in `queue_bytes`."""
        self._writer = RunWriter(folder / "runs", bodies=bodies, days=days, max_bytes=max_bytes, masker=Masker(mask))
        self._queue_bytes = queue_bytes
        self._items: deque[Item] = deque()
        self._queued = 0
        self._accepted = 0
        self._written = 0
        self._dropped = 0
        self._closed = False
        self._hurry = threading.Event()
        self._wake = threading.Event()
        self._state = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="runlog", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Records that are not in the log, or stand there without a body: for want of room in the queue or on disk."""
        return self._dropped + self._writer.dropped

    @property
    def failed(self) -> int:
        """Errors of the disk."""
        return self._writer.failed

    @property
    def error(self) -> str:
        """What the disk said last; empty when the last write went well."""
        return self._writer.error

    def record(self, record: Record, wall: float, secrets: tuple[bytes, ...] = (), *, exchange: str = "") -> None:
        """Queues a record of an exchange; never waits, never raises.

        `wall` in seconds since the epoch. `secrets` are the caller's credentials, blacked out wherever they stand.
        """
        try:
            self._put(_item(record, exchange, wall, secrets))
        except Exception:  # noqa: BLE001 - a record that can't be encoded must not cost an exchange
            self._dropped += 1

    def flush(self, timeout: float) -> bool:
        """Waits, at most `timeout` seconds, until all that was queued so far is on disk or dropped."""
        with self._state:
            upto = self._accepted
            self._hurry.set()
            self._wake.set()
            return self._state.wait_for(lambda: self._written >= upto, timeout)

    def close(self, timeout: float) -> bool:
        """Writes what is queued, at most for `timeout` seconds, and ends. Later records are dropped."""
        self._closed = True
        self._hurry.set()
        self._wake.set()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _put(self, item: Item) -> None:
        with self._state:
            if not self._fits(item):
                self._dropped += 1
                item = msgspec.structs.replace(item, bodies={}, left_out={k: len(v) for k, v in item.bodies.items()})
                if not item.left_out or not self._fits(item):
                    return
            self._items.append(item)
            self._queued += item.size
            self._accepted += 1
        if not self._wake.is_set():
            self._wake.set()

    def _fits(self, item: Item) -> bool:
        return not self._closed and len(self._items) < _MOST_ITEMS and self._queued + item.size <= self._queue_bytes

    def _work(self) -> None:
        due = time.monotonic()
        while self._items or not self._closed:
            self._wake.wait(max(0.0, due - time.monotonic()))
            self._hurry.wait(_BATCH_SECONDS if self._wake.is_set() else 0)
            self._wake.clear()
            self._write_queued()
            if time.monotonic() >= due:
                self._writer.sweep(time.time())
                due = time.monotonic() + _SWEEP_SECONDS

    def _write_queued(self) -> None:
        while self._items:
            batch = [self._items.popleft() for _ in range(min(len(self._items), _BATCH))]
            self._writer.write(batch, time.time())
            with self._state:
                self._queued -= sum(item.size for item in batch)
                self._written += len(batch)
                self._state.notify_all()
        if not self._closed:
            self._hurry.clear()


def _item(record: Record, exchange: str, wall: float, secrets: tuple[bytes, ...]) -> Item:
    fields = record.fields
    if not OWN_FIELDS.isdisjoint(fields) or not record.bodies.keys().isdisjoint(fields):
        fields = {name: fields[name] for name in fields.keys() - OWN_FIELDS - record.bodies.keys()}
    line = {
        "v": VERSION,
        "run": record.run,
        "exchange": exchange,
        "round": record.round,
        "at": wall,
        "kind": record.kind,
        **fields,
    }
    return Item(record.run, record.kind, exchange, _encoded(line), record.bodies, secrets, wall)


def _encoded(value: Mapping[str, Any]) -> bytes:
    """JSON. What orjson has no form for (integers of more than 64 bits, lone surrogates) is written by the slow way."""
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:
        return json.dumps(value, default=_plain, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return repr(value)
