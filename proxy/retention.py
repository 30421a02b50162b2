"""How long run logs are kept: so many days, so many bytes; the oldest whole runs go first.

A run's age is that of its last line. What is being written is never removed, so a log that is full of live runs may
stay over its bound until they end. Only files of the log's own names are touched. Deletes files; writes none.
"""

import contextlib
from collections.abc import Collection
from pathlib import Path

import msgspec

from proxy.runfile import BODIES, LINES, day_folders

_LIVE_SECONDS = 60.0
"""A run that any process wrote to so lately is being written."""


class Kept(msgspec.Struct, frozen=True):
    """What a sweep left: bytes on disk; and how many runs it removed."""

    size: int
    removed: int


class _Run(msgspec.Struct):
    stem: Path
    written: float
    size: int


def sweep(runs: Path, *, now: float, days: float, max_bytes: int, live: Collection[str] = ()) -> Kept:
    """Removes old runs. `now` in seconds since the epoch; `live` are paths of lines that are never removed."""
    found = sorted(_runs(runs), key=lambda run: run.written)
    total = sum(run.size for run in found)
    removed = 0
    for run in found:
        old = run.written < now - days * 86400
        if not old and total <= max_bytes:
            break
        if run.written > now - _LIVE_SECONDS or f"{run.stem}{LINES}" in live:
            continue
        if _remove(run.stem):
            total -= run.size
            removed += 1
    _remove_empty(runs)
    return Kept(total, removed)


def _runs(runs: Path) -> list[_Run]:
    found: dict[Path, _Run] = {}
    for day in day_folders(runs):
        for path in day.iterdir():
            if not path.name.endswith(LINES):
                continue
            ending = BODIES if path.name.endswith(BODIES) else LINES
            with contextlib.suppress(OSError):
                state = path.stat()
                stem = day / path.name.removesuffix(ending)
                run = found.setdefault(stem, _Run(stem, 0.0, 0))
                run.written = max(run.written, state.st_mtime)
                run.size += state.st_size
    return list(found.values())


def _remove(stem: Path) -> bool:
    """The lines first: bodies without lines are swept next time, lines without bodies would look damaged."""
    try:
        for ending in (LINES, BODIES):
            stem.with_name(stem.name + ending).unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _remove_empty(runs: Path) -> None:
    for day in day_folders(runs):
        with contextlib.suppress(OSError):
            day.rmdir()
