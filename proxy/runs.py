"""`handrail runs`: lists runs, shows one, and gives back the exact bytes of any body in it.

Answers go to stdout, what is to be said about them to stderr. Exit codes: 0; 1 where a body is not in the log; 2 where
there is no such run, exchange or round. Reads what the run log wrote, also while it is being written; writes nothing.
"""

import argparse
import base64
import difflib
import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

import msgspec

from proxy.runfile import (
    Absent,
    Bodies,
    body_names,
    day_folders,
    find_run,
    read_lines,
    run_files,
)
from proxy.runview import Line, Summary, exchanges, rows, story, summarise

OK, FINDING, USAGE = 0, 1, 2

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_NEAR = 5


class NoSuchError(Exception):
    """What was asked for is not in the log; the text says what there is instead."""


def add_arguments(subparsers: Any, data: Path) -> None:
    """Adds `list` and `show`. `data` is the folder to look in when `--data` is not given."""
    listing = subparsers.add_parser("list", help="the runs, newest first")
    listing.set_defaults(run="proxy.runs:list_runs")
    listing.add_argument("--since", type=since, metavar="WHEN", help="30m, 12h, 7d, or a date and time (UTC)")
    listing.add_argument("--escalated", action="store_true", help="only runs of which a human was told")
    listing.add_argument("--limit", type=int, default=50, help="at most so many, 0 for all (default: 50)")
    showing = subparsers.add_parser("show", help="one run")
    showing.set_defaults(run="proxy.runs:show_run")
    showing.add_argument("id", metavar="RUN", help="its id, or the beginning of it")
    showing.add_argument("--exchange", metavar="K", help="one exchange: its number in the run, or its name")
    showing.add_argument("--round", type=int, metavar="J", help="one round of the exchange")
    exact = showing.add_mutually_exclusive_group()
    exact.add_argument("--as-sent", action="store_true", help="the exact body that the model got")
    exact.add_argument("--as-received", action="store_true", help="the exact body that came back")
    for command in (listing, showing):
        command.add_argument("--json", action="store_true", help="as JSON lines")
        command.add_argument("--data", type=Path, default=data, help="folder that `serve` writes to")


def since(text: str) -> float:
    """Seconds since the epoch."""
    span = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", text)
    if span:
        return time() - float(span[1]) * _UNITS[span[2]]
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a span (30m, 12h, 7d) nor a date") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def list_runs(args: argparse.Namespace) -> int:
    """`handrail runs list`."""
    found = summaries(args.data / "runs", since=getattr(args, "since", None) or 0.0)
    if getattr(args, "escalated", False):
        found = [one for one in found if one.escalated]
    limit = getattr(args, "limit", 0)
    shown = found[:limit] if limit > 0 else found
    if args.json:
        _print(msgspec.json.encode(one).decode() for one in shown)
    elif shown:
        _print(rows(shown))
    if len(shown) < len(found):
        _say(f"{len(found) - len(shown)} older runs are not shown; --limit 0 shows all")
    if not found:
        _say(f"no runs under {args.data / 'runs'}")
    return OK


def show_run(args: argparse.Namespace) -> int:
    """`handrail runs show RUN`."""
    runs = args.data / "runs"
    try:
        paths = _resolve(runs, args.id)
        every = _exchanges(paths)
        groups = _chosen_exchanges(every, args.exchange)
        bodies = Bodies(*paths)
        if args.as_sent:
            return _write_body(_chosen_line(groups, "send", args.round), bodies)
        if getattr(args, "as_received", False):
            return _write_body(_chosen_line(groups, "reply", args.round), bodies)
        parts = [(every.index(group) + 1, [one for one in group if _is_of(one, args.round)]) for group in groups]
        chosen = [(number, part) for number, part in parts if part]
    except NoSuchError as error:
        _say(str(error))
        return USAGE
    if args.json:
        _print(_json(in_place(line, bodies)) for _, part in chosen for line in part)
    else:
        _print(story(chosen, bodies.get) if chosen else ())
    return OK


def _is_of(line: Line, number: int | None) -> bool:
    """Whether a line is told where one round was asked for."""
    return number is None or line.get("round") == number


def summaries(runs: Path, since: float = 0.0) -> list[Summary]:
    """The runs with a line after `since` (seconds since the epoch), the latest first."""
    found = []
    for path in run_files(runs):
        try:
            if path.stat().st_mtime < since:
                continue
            lines = list(read_lines(path))
        except OSError:
            continue  # swept in this moment
        if lines:
            found.append(summarise(lines))
    return sorted((one for one in found if one.ended >= since), key=lambda one: one.started, reverse=True)


def in_place(line: Line, bodies: Bodies) -> Line:
    """The line with its bodies in it: text, or `{"base64": …}`, or `{"absent": why}`; their keys move to `keys`."""
    names = body_names(line)
    if not names:
        return line
    shown = {name: _as_value(bodies.get(line[name])) for name in names}
    return line | shown | {"keys": {name: line[name] for name in names}}


def _as_value(body: bytes | Absent) -> Any:
    if isinstance(body, Absent):
        return {"absent": body.why}
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def _resolve(runs: Path, run: str) -> list[Path]:
    """The files of the run with this id, or of the only one whose id begins so."""
    if paths := find_run(runs, run):
        return paths
    known = sorted({path.name.removesuffix(".jsonl") for path in run_files(runs)})
    begun = [name for name in known if run and name.startswith(run)]
    if len(begun) == 1:
        return find_run(runs, begun[0]) or [_hashed(runs, begun[0])]
    near = begun or [name for name in known if run and run in name] or difflib.get_close_matches(run, known, _NEAR, 0.5)
    hint = f"; there is {', '.join(near[:_NEAR])}" if near else ""
    if not known:
        hint = f"; there are no runs under {runs}"
    raise NoSuchError(f"no run {run!r}{hint}" + (" …" if len(near) > _NEAR else ""))


def _hashed(runs: Path, stem: str) -> Path:
    """A file whose name is not the run's id."""
    return next(path for day in day_folders(runs) if (path := day / f"{stem}.jsonl").exists())


def _exchanges(paths: Sequence[Path]) -> list[list[Line]]:
    groups = exchanges([line for path in paths for line in read_lines(path)])
    if not groups:
        raise NoSuchError("nothing whole is in the log of this run")
    return groups


def _chosen_exchanges(groups: Sequence[list[Line]], wanted: str | None) -> list[list[Line]]:
    if wanted is None:
        return list(groups)
    named = [group for group in groups if str(group[0].get("exchange")) == str(wanted)]
    if named:
        return named
    if str(wanted).isdecimal() and 1 <= int(wanted) <= len(groups):
        return [groups[int(wanted) - 1]]
    raise NoSuchError(f"no exchange {wanted}: the run has {len(groups)}, numbered from 1")


def _chosen_line(groups: Sequence[list[Line]], kind: str, wanted: int | None) -> Line:
    """The last one, if nobody says which."""
    found = [line for line in groups[-1] if line.get("kind") == kind]
    of_round = [line for line in found if wanted in (None, line.get("round"))]
    if of_round:
        return of_round[-1]
    there = ", ".join(str(line.get("round")) for line in found)
    asked = "no round" if wanted is None else f"no round {wanted}"
    raise NoSuchError(f"{asked} of kind {kind} in this exchange; there is {there or 'none at all'}")


def _write_body(line: Line, bodies: Bodies) -> int:
    about = f"run {line['run']}, round {line.get('round')}"
    key = line.get("body")
    body = bodies.get(key) if isinstance(key, str) else Absent("it found no room in the queue, or there was none")
    if isinstance(body, Absent):
        size = (line.get("bytes") or {}).get("body")
        kept = f" ({size:,} bytes)" if isinstance(size, int) else ""
        _say(f"{about}: the body{kept} is not in the log: {body.why}; `log: {{bodies: false}}` leaves bodies out")
        return FINDING
    if line.get("masked"):
        _say(f"{about}: not to the byte: {line['masked']} of its credentials blacked out with *")
    if "body" in (line.get("decoded") or ()):
        _say(f"{about}: without the content coding that it came in")
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()
    return OK


def _json(line: Line) -> str:
    return json.dumps(line, ensure_ascii=True, separators=(",", ":"))


def _print(texts: Iterable[str]) -> None:
    """Without control characters: what is shown came from outside, and a terminal obeys them."""
    coding = sys.stdout.encoding or "utf-8"
    for text in texts:
        shown = "".join(char if char.isprintable() else "\ufffd" for char in text)
        sys.stdout.write(shown.encode(coding, "replace").decode(coding) + "\n")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
