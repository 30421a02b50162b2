"""The format of the run log on disk, and how it is read again.

`runs/<yyyy-mm-dd>/<run>.jsonl` holds a run's lines, in the folder of the day on which the run began. A line names its
bodies by content (`"body": "sha256:…"`); `bytes` says which of its fields are bodies, and how long they were. Each body
stands once, on a line of its own (`stored`): whole (`text`, or `base64` where it is no UTF-8), or as what differs from
an earlier one (`base`, and how many bytes of its beginning and end are the same). Small ones stand in the same file
before the line that names them; large ones beside it in `<run>.bodies.jsonl`, so that listing runs reads little. So a
run of N steps stores its history once, and is one file or two to copy, read with any tool, or throw away.

Lines are only ever appended. What a killed process left half written is no line and is passed over. Run ids come from
outside: an id that is no safe file name is hashed; the id itself stands in the lines.

Reads only; knows nothing of who writes, and nothing of policies.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from proxy.entries import STORED, Entry, body_key, decode_entry

VERSION = 1
LINES = ".jsonl"
BODIES = ".bodies.jsonl"
INLINE = 8192
"""Bytes of a stored body that still stands among the lines."""
OWN_FIELDS = frozenset(
    {"v", "run", "exchange", "round", "at", "kind", "bytes", "masked", "left_out", "decoded"},
)
"""Fields of a line that belong to the log itself; all others are the record's."""

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_RESTORED_BYTES = 64 * 1024 * 1024
_LATEST = 3
_LONGEST_CHAIN = 10_000


class Absent(msgspec.Struct, frozen=True):
    """Why a body is not there."""

    why: str


def file_stem(run: str) -> str:
    """The run's file name without its ending: the id where that is a safe name, else `~` and a hash of it."""
    if _SAFE.fullmatch(run) and not run.endswith(".bodies"):
        return run
    return "~" + hashlib.sha256(run.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def loads(line: bytes) -> Any:
    """A line as data, or None if it is no whole line. orjson would round integers of more than 64 bits."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def day_folders(runs: Path) -> list[Path]:
    """Folders of days, newest first. Anything else in there is not ours."""
    if not runs.is_dir():
        return []
    found = (entry for entry in runs.iterdir() if _DAY.fullmatch(entry.name) and entry.is_dir())
    return sorted(found, key=lambda entry: entry.name, reverse=True)


def run_files(runs: Path) -> Iterator[Path]:
    """Files of lines, those of the newest day first."""
    for day in day_folders(runs):
        for path in sorted(day.glob("*" + LINES)):
            if not path.name.endswith(BODIES):
                yield path


def find_run(runs: Path, run: str) -> list[Path]:
    """The files of a run, oldest first. More than one only if two processes met at midnight."""
    name = file_stem(run) + LINES
    return [day / name for day in reversed(day_folders(runs)) if (day / name).is_file()]


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a file, as far as they are of a version that is known here. Raises OSError."""
    with path.open("rb") as file:
        for raw in file:
            line = None if raw.startswith(STORED) else loads(raw)
            if isinstance(line, dict) and line.get("v") == VERSION and isinstance(line.get("run"), str):
                yield line


def body_names(line: dict[str, Any]) -> list[str]:
    """The fields of a line that are bodies."""
    sizes = line.get("bytes")
    return [name for name in sizes if isinstance(line.get(name), str)] if isinstance(sizes, dict) else []


class Bodies:
    """The bodies of runs, restored when asked for."""

    def __init__(self, *lines: Path) -> None:
        """`lines` are files of lines; the files of large bodies beside them may be missing. Raises OSError."""
        self._entries: dict[str, Entry] = {}
        self._latest: list[str] = []
        for path in lines:
            for file in (path.with_name(path.name.removesuffix(LINES) + BODIES), path):
                entries = dict(_read_entries(file))
                self._entries.update(entries)
                self._latest += list(entries)[-_LATEST:]
        self._restored: dict[str, bytes] = {}
        self._size = 0

    def keys(self) -> Collection[str]:
        return self._entries.keys()

    def latest(self) -> list[str]:
        """The last ones of each file, newest first."""
        return self._latest[::-1]

    def chain(self, key: str) -> int:
        """How many bodies must be restored before this one."""
        length = 0
        while (entry := self._entries.get(key)) is not None and entry.base and length < _LONGEST_CHAIN:
            key, length = entry.base, length + 1
        return length

    def get(self, key: str) -> bytes | Absent:
        """The exact bytes, checked against their hash."""
        wanted: list[str] = []
        at = key
        while at and at not in self._restored:
            entry = self._entries.get(at)
            if entry is None:
                return Absent("it was not stored" if at == key else "the body that it differs from was not stored")
            wanted.append(at)
            if len(wanted) > _LONGEST_CHAIN:
                return Absent("its chain of differences does not end")
            at = entry.base
        body = self._restored[at] if at else b""
        for at in reversed(wanted):
            body = self._entries[at].applied(body)
            self._keep(at, body)
        if body_key(hashlib.sha256(body).hexdigest()) != key:
            return Absent("what is stored does not have its hash")
        return body

    def _keep(self, key: str, body: bytes) -> None:
        if self._size > _RESTORED_BYTES:
            self._restored.clear()
            self._size = 0
        self._restored[key] = body
        self._size += len(body)


def _read_entries(path: Path) -> Iterator[tuple[str, Entry]]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        for raw in file:
            entry = decode_entry(raw) if raw.startswith(STORED) else None
            if entry is not None:
                yield entry
