"""Writes lines and bodies of runs to their files: the part of the run log that touches the disk.

One write per file and batch, under the file's lock, so that several processes can log one run and a killed one leaves
whole lines. A torn last line (a full disk, a lost machine) is cut off before the next one is appended. A line never
names a body that is not there: large ones are written first, small ones stand before it. What can't be written is
dropped and counted, and writing goes on when it can. Called by one thread; knows no queue and no clock: the caller
says what time it is.
"""

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import orjson

from proxy.bodies import RunBodies
from proxy.datafolder import make_folder, open_file
from proxy.decoding import decoded
from proxy.masking import Masker
from proxy.retention import sweep
from proxy.runfile import BODIES, INLINE, LINES, OWN_FIELDS, Bodies, day_folders, file_stem, loads

_KEPT_BYTES = 6 * 1024 * 1024
"""Memory for bodies that later ones are compared with; a run that was forgotten is read back from disk."""
_RECALLED_BYTES = 32 * 1024 * 1024
"""Files of bodies above this are not read back: the next body is stored whole."""
_OPEN_RUNS = 4096
_SWEEP_AGAIN = 10.0
"""Seconds between two tries to make room in a log that is full."""
_LONGEST_EXCHANGE = 7200.0
"""Seconds after which an exchange without an end is taken for lost."""
_BLOCK = 64 * 1024


class Item(msgspec.Struct, frozen=True):
    """One record, on its way to the disk."""

    run: str
    kind: str
    exchange: str
    line: bytes
    """JSON object without the bodies."""
    bodies: Mapping[str, bytes]
    secrets: tuple[bytes, ...]
    wall: float
    left_out: Mapping[str, int] = {}
    """Bodies that found no room in the queue, and their sizes."""
    new: bool = False
    """It begins a run that nobody has written to."""


class _Run(msgspec.Struct):
    """A run that is written by this process. Paths are text: pathlib takes longer than the disk."""

    path: str
    bodies: RunBodies
    size: int = 0


class _Batch(msgspec.Struct):
    """What is to be appended to the two files of a run."""

    lines: list[bytes]
    large: list[bytes]


class RunWriter:
    """Appends to files under `runs`. `dropped` counts records that were not written, `failed` errors of the disk."""

    def __init__(self, runs: Path, *, bodies: bool, days: float, max_bytes: int, masker: Masker) -> None:
        self.dropped = 0
        self.failed = 0
        self.error = ""
        """What the last failure was; empty when the last write went well."""
        self._folder = str(runs)
        self._days_seen = [day.name for day in day_folders(runs)]
        self._store_bodies = bodies
        self._days = days
        self._max_bytes = max_bytes
        self._masker = masker
        self._runs: dict[str, _Run] = {}
        self._open: dict[tuple[str, str], tuple[str, float]] = {}
        self._held = 0
        self._total = 0
        self._swept = 0.0

    def write(self, items: Sequence[Item], now: float) -> None:
        """Never raises. `now`: seconds since the epoch."""
        for run, group in groupby(sorted(items, key=lambda item: item.run), key=lambda item: item.run):
            batch = list(group)
            if not self._has_room(now):
                self.dropped += len(batch)
                continue
            try:
                self._write_run(run, batch)
                self.error = ""
            except Exception as error:  # noqa: BLE001 - whatever one run's log meets, others are logged on
                self._forget(run)
                self.dropped += len(batch)
                self._fail(error)

    def sweep(self, now: float) -> None:
        """Removes what is too old or too much. Never raises."""
        self._swept = now
        try:
            live = {path for path, wall in self._open.values() if wall > now - _LONGEST_EXCHANGE}
            self._days_seen = [day.name for day in day_folders(Path(self._folder))]
            kept = sweep(Path(self._folder), now=now, days=self._days, max_bytes=self._max_bytes, live=live)
            self._total = kept.size
        except OSError as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failed += 1
        number = error.errno if isinstance(error, OSError) else None
        self.error = os.strerror(number) if number else repr(error)[:200]

    def _has_room(self, now: float) -> bool:
        if self._total > self._max_bytes and abs(now - self._swept) >= _SWEEP_AGAIN:
            self.sweep(now)
        return self._total <= self._max_bytes

    def _write_run(self, name: str, items: Sequence[Item]) -> None:
        run = self._run(name, items[0])
        batch = _Batch([], [])
        for item, (line, masked) in zip(items, self._masked(items), strict=True):
            whole = self._completed(run, item, line, masked, batch) if item.bodies or item.left_out or masked else line
            batch.lines += (whole, b"\n")
        if batch.large:
            self._total += append(run.path.removesuffix(LINES) + BODIES, b"".join(batch.large))
        self._total += append(run.path, b"".join(batch.lines))
        self._remember(name, run)
        for item in items:
            self._note_open(item, run.path)

    def _masked(self, items: Sequence[Item]) -> list[tuple[bytes, int]]:
        """Lines with credentials blacked out, and how many. All are searched at once, since hardly any has one."""
        secrets = tuple({secret for item in items for secret in item.secrets})
        if not self._masker.spans(b"\n".join(item.line for item in items), secrets):
            return [(item.line, 0) for item in items]
        return [mask_line(self._masker, item.line, secrets) for item in items]

    def _run(self, name: str, first: Item) -> _Run:
        run = self._runs.pop(name, None)
        if run is not None:
            self._held -= run.size
            if os.access(run.path, os.F_OK):
                return run
        file = file_stem(name) + LINES
        for day in self._days_seen if not first.new else ():
            if os.access(path := f"{self._folder}/{day}/{file}", os.F_OK):
                return _Run(path, RunBodies(self._masker, self._recalled(path)))
        day = day_name(first.wall)
        if day not in self._days_seen:
            self._days_seen.append(day)
        return _Run(f"{self._folder}/{day}/{file}", RunBodies(self._masker))

    def _remember(self, name: str, run: _Run) -> None:
        """Keeps the run for its next record, and as many of the latest others as fit."""
        run.size = run.bodies.size
        self._held += run.size
        self._runs[name] = run
        while self._held > _KEPT_BYTES and len(self._runs) > 1:
            self._held -= self._runs.pop(next(iter(self._runs))).size

    def _forget(self, name: str) -> None:
        run = self._runs.pop(name, None)
        self._held -= run.size if run else 0

    def _recalled(self, path: str) -> Bodies | None:
        """What is on disk of a run that this process forgot, or another one wrote."""
        files = (Path(path), Path(path.removesuffix(LINES) + BODIES))
        size = sum(file.stat().st_size for file in files if file.exists())
        return Bodies(files[0]) if self._store_bodies and size <= _RECALLED_BYTES else None

    def _completed(self, run: _Run, item: Item, line: bytes, masked: int, batch: _Batch) -> bytes:
        """The line with the names of its bodies; what is new of these goes into the batch."""
        more: dict[str, Any] = {}
        sizes = dict(item.left_out)
        for name, body in item.bodies.items():
            readable = self._readable(body, item.secrets)
            stored = run.bodies.add(readable or body, item.kind, item.secrets)
            if stored.line and self._store_bodies:
                (batch.lines if len(stored.line) <= INLINE else batch.large).append(stored.line)
            if readable is not None:
                more.setdefault("decoded", []).append(name)
            more[name] = stored.key
            sizes[name] = len(body)
            masked += stored.masked
        more["bytes"] = sizes
        if item.left_out:
            more["left_out"] = list(item.left_out)
        if masked:
            more["masked"] = masked
        return b"".join((line[:-1], b",", orjson.dumps(more)[1:]))

    def _readable(self, body: bytes, secrets: tuple[bytes, ...]) -> bytes | None:
        """A coded body without its coding, if there is something in it that must be blacked out."""
        text = decoded(body)
        return text if text is not None and self._masker.spans(text, secrets) else None

    def _note_open(self, item: Item, path: str) -> None:
        exchange = (item.run, item.exchange)
        if item.kind == "end":
            self._open.pop(exchange, None)
        else:
            self._open[exchange] = (path, item.wall)
        while len(self._open) > _OPEN_RUNS:
            self._open.pop(next(iter(self._open)))


@lru_cache(maxsize=8)
def _day_name(day: int) -> str:
    return datetime.fromtimestamp(day * 86400, UTC).strftime("%Y-%m-%d")


def day_name(wall: float) -> str:
    """The folder of a run that begins at this time (UTC)."""
    return _day_name(int(wall // 86400))


def mask_line(masker: Masker, line: bytes, secrets: Sequence[bytes]) -> tuple[bytes, int]:
    """The line with credentials in the record's own fields blacked out, and how many.

    What the log itself needs (run, exchange) is never touched, and the line stays JSON whatever a pattern hits.
    """
    values = loads(line)
    if not isinstance(values, dict):
        return b"{}", 1
    kept, count = {}, 0
    for name, value in values.items():
        kept[name], hits = (value, 0) if name in OWN_FIELDS else _masked_field(masker, name, value, secrets)
        count += hits
    return _dumped(kept), count


def _masked_field(masker: Masker, name: str, value: Any, secrets: Sequence[bytes]) -> tuple[Any, int]:
    """Searched together with its name, which may tell that it is a secret."""
    text, hits = masker.mask(_dumped({name: value}), secrets)
    masked = loads(text) if hits else {name: value}
    if isinstance(masked, dict) and name in masked:
        return masked[name], hits
    return _masked_strings(masker, value, secrets), hits


def _masked_strings(masker: Masker, value: Any, secrets: Sequence[bytes]) -> Any:
    if isinstance(value, str):
        return loads(b'"' + masker.mask(_dumped(value)[1:-1], secrets)[0] + b'"')
    if isinstance(value, list):
        return [_masked_strings(masker, item, secrets) for item in value]
    if isinstance(value, dict):
        return {name: _masked_strings(masker, item, secrets) for name, item in value.items()}
    return value


def _dumped(value: Any) -> bytes:
    """JSON; in ASCII where it holds what UTF-8 or 64 bits can not."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def append(path: str, data: bytes) -> int:
    """Appends lines behind the last whole one, and returns their bytes. Raises OSError; then nothing was appended."""
    file = _opened(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        end = _cut_torn_line(file)
        try:
            _write_all(file, data)
        except OSError:
            os.ftruncate(file, end)
            raise
    finally:
        os.close(file)
    return len(data)


def _opened(path: str) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    try:
        return open_file(path, flags)
    except FileNotFoundError:
        make_folder(Path(path).parent)
        return open_file(path, flags)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _cut_torn_line(file: int) -> int:
    """The size of the file, after what stands behind its last line end is gone."""
    size = end = os.fstat(file).st_size
    while end > 0:
        begin = max(end - _BLOCK, 0)
        if end == size and os.pread(file, 1, size - 1) == b"\n":
            return size
        found = os.pread(file, end - begin, begin).rfind(b"\n")
        if found >= 0:
            end = begin + found + 1
            break
        end = begin
    if end < size:
        os.ftruncate(file, end)
    return end
