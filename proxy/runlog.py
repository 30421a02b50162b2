"""The run log: one run is one append-only log, written beside the traffic and never in its way.

`record` only queues. A thread of its own encodes, finds differences, blacks out credentials and writes, in batches.
The queue is bounded in bytes; what does not fit is dropped and counted, because a log that slows traffic down or
fills the memory is worse than a gap in it. A full disk costs records the same way, until there is space again.

Decides nothing about content: the core says what a record is, `runfile` what a file looks like.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import orjson

from proxy.masking import Masker
from proxy.model import replace
from proxy.runfile import OWN_FIELDS, VERSION
from proxy.runwriter import Item, RunWriter
from proxy.verdicts import Record

_MOST_ITEMS = 50_000
_RECORD_BYTES = 1024
"""What a record is reckoned with beside its bodies and the fields of those that may be long."""
_WEIGHED = frozenset({"start", "reply", "verdict"})
_VALUE_BYTES = 64
_MOST_HOLDERS = 50_000
_FLAT = frozenset({int, float, bool, type(None)})
_BATCH = 64
_BATCH_SECONDS = 0.02
"""Waited after the first record, so that those of one exchange are written together."""
_SWEEP_SECONDS = 300.0


class _Queued(NamedTuple):
    """A record as it was given. `size` in bytes of memory, about; `left_out`: bodies that found no room."""

    record: Record
    exchange: str
    wall: float
    secrets: tuple[bytes, ...]
    left_out: Mapping[str, int]
    size: int


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
        self._items: deque[_Queued] = deque()
        self._lock = threading.Lock()
        self._queued = 0
        self._accepted = 0
        self._written = 0
        self._dropped = 0
        self._unwritable = 0
        self._closed = False
        self._hurry = threading.Event()
        self._wake = threading.Event()
        self._state = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="runlog", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Records that are not in the log, or stand there without a body: for want of room in the queue or on disk."""
        return self._dropped + self._unwritable + self._writer.dropped

    @property
    def failed(self) -> int:
        """Errors of the disk."""
        return self._writer.failed

    @property
    def error(self) -> str:
        """What the disk said last; empty when the last write went well."""
        return self._writer.error

    def record(self, record: Record, wall: float, secrets: tuple[bytes, ...] = (), *, exchange: str = "") -> None:
        """Queues one record."""
        self.records(((record, wall),), exchange=exchange, secrets=secrets)

    def records(self, lines: Iterable[tuple[Record, float]], *, exchange: str, secrets: tuple[bytes, ...] = ()) -> None:
        """Queues records of an exchange, each with its time in seconds since the epoch; never waits, never raises.

        `secrets` are the caller's credentials, blacked out wherever they stand.
        """
        with self._lock:
            for record, wall in lines:
                try:
                    self._put(record, wall, exchange, secrets)
                except Exception:  # noqa: BLE001 - a record that can't be weighed must not cost an exchange
                    self._dropped += 1
        if not self._wake.is_set():
            self._wake.set()

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

    def _put(self, record: Record, wall: float, exchange: str, secrets: tuple[bytes, ...]) -> None:
        fields = _RECORD_BYTES + (_weight(record.fields) if record.kind in _WEIGHED else 0)
        size = fields + sum(map(len, record.bodies.values())) if record.bodies else fields
        left_out: Mapping[str, int] = {}
        if not self._fits(size):
            self._dropped += 1
            left_out = {name: len(body) for name, body in record.bodies.items()}
            record, size = replace(record, bodies={}), fields
            if not left_out or not self._fits(size):
                return
        self._items.append(_Queued(record, exchange, wall, secrets, left_out, size))
        self._queued += size
        self._accepted += 1

    def _fits(self, size: int) -> bool:
        return not self._closed and len(self._items) < _MOST_ITEMS and self._queued + size <= self._queue_bytes

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
            self._writer.write([item for one in batch if (item := self._item(one))], time.time())
            with self._lock:
                self._queued -= sum(one.size for one in batch)
            with self._state:
                self._written += len(batch)
                self._state.notify_all()
        if not self._closed:
            self._hurry.clear()

    def _item(self, queued: "_Queued") -> Item | None:
        try:
            return _item(queued)
        except Exception:  # noqa: BLE001 - a record that can't be encoded must not cost the others
            self._unwritable += 1
            return None


def _weight(fields: Mapping[str, Any]) -> int:
    """Bytes of plain data, about. Of what holds itself, or very much, only the first part is looked at."""
    size = 0
    rest: list[Any] = [fields]
    for number, holder in enumerate(rest):  # which grows on the way
        if number >= _MOST_HOLDERS:
            break
        held = holder.values() if isinstance(holder, Mapping) else holder
        size += _VALUE_BYTES * len(held)
        for value in held:
            kind = type(value)
            if kind is str or kind is bytes:
                size += len(value)
            elif kind not in _FLAT and isinstance(value, Mapping | list | tuple):
                rest.append(value)
    return size


def _item(queued: "_Queued") -> Item:
    record = queued.record
    fields = record.fields
    if not OWN_FIELDS.isdisjoint(fields) or not record.bodies.keys().isdisjoint(fields):
        fields = {name: fields[name] for name in fields.keys() - OWN_FIELDS - record.bodies.keys()}
    line = {
        "v": VERSION,
        "run": record.run,
        "exchange": queued.exchange,
        "round": record.round,
        "at": queued.wall,
        "kind": record.kind,
        **fields,
    }
    new = record.kind == "start" and fields.get("identity") == "new"
    return Item(
        record.run,
        record.kind,
        queued.exchange,
        _encoded(line),
        record.bodies,
        queued.secrets,
        queued.wall,
        queued.left_out,
        new,
    )


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
