"""A run for people: what happened in it, in the order in which it happened, and a summary of it.

Every kind of line has its own words; a field that has none is shown as it is, so that what a later version logs is
not hidden from whoever reads with this one. Reads lines as data; knows no file and no terminal.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from proxy.gist import gist, shortened
from proxy.runfile import OWN_FIELDS, Absent, body_names

Line = dict[str, Any]
GetBody = Callable[[str], bytes | Absent]
Parts = Iterator[tuple[str, str]]

_CHANGES = ("before", "after")


class Summary(msgspec.Struct, frozen=True):
    """A run in one row. Times are seconds since the epoch; tokens are of all rounds, seen by the agent or not."""

    run: str
    started: float
    ended: float
    exchanges: int
    rounds: int
    model: str
    agent: str
    input: int
    output: int
    estimated: bool
    how: str
    """How the last exchange ended; empty while it is open."""
    did: dict[str, int]
    """`policy did` and how often."""
    escalated: bool
    """Whether a policy ended the run, which a human is told, or a line says that one was told."""


def exchanges(lines: Iterable[Line]) -> list[list[Line]]:
    """The lines of each exchange, in the order in which they began."""
    found: dict[str, list[Line]] = {}
    begun = 0
    for line in lines:
        name = str(line.get("exchange") or "")
        if not name:
            # Lines that name no exchange are told apart by their beginnings.
            begun += line.get("kind") == "start"
            name = f"#{begun}"
        found.setdefault(name, []).append(line)
    return list(found.values())


def summarise(lines: Sequence[Line]) -> Summary:
    """`lines` of one run, at least one."""
    starts = [line for line in lines if line.get("kind") == "start"]
    ends = [line for line in lines if line.get("kind") == "end"]
    usage = [used for line in lines if line.get("kind") == "reply" and isinstance(used := line.get("usage"), dict)]
    verdicts = [line for line in lines if line.get("kind") == "verdict"]
    times = [at for line in lines if isinstance(at := line.get("at"), int | float)] or [0.0]
    return Summary(
        run=str(lines[0]["run"]),
        started=min(times),
        ended=max(times),
        exchanges=len(exchanges(lines)),
        rounds=sum(line.get("kind") == "send" for line in lines),
        model=_last(starts, "model"),
        agent=_last(starts, "agent"),
        input=sum(map(_number("input"), usage)),
        output=sum(map(_number("output"), usage)),
        estimated=any(used.get("basis") == "estimated" or used.get("estimated") is True for used in usage),
        how=_last(ends, "how") if ends and len(ends) >= len(starts) else "",
        did=dict(Counter(f"{line.get('policy')} {line.get('did')}" for line in verdicts)),
        escalated=any(map(_is_escalated, lines)),
    )


def _last(lines: Sequence[Line], name: str) -> str:
    return next((str(line[name]) for line in reversed(lines) if line.get(name)), "")


def _number(name: str) -> Callable[[Line], int]:
    def read(values: Line) -> int:
        value = values.get(name)
        return value if isinstance(value, int) else 0

    return read


def _is_escalated(line: Line) -> bool:
    if line.get("kind") == "verdict" and line.get("did") == "halted":
        return True
    places = (line, line.get("detail"))
    return any(isinstance(place, dict) and bool(place.get("alert") or place.get("escalated")) for place in places)


def moment(seconds: float) -> str:
    """`2026-01-02 03:04:05` in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def rows(summaries: Iterable[Summary]) -> Iterator[str]:
    """A table."""
    yield f"{'started (UTC)':19}  {'run':28}  {'exch':>4} {'rnds':>4} {'tokens':>9}  {'ended':16}  what was done"
    for one in summaries:
        tokens = f"{'~' if one.estimated else ''}{one.input + one.output:,}"
        done = ", ".join(f"{what} ×{count}" if count > 1 else what for what, count in one.did.items())
        told = "escalated; " if one.escalated else ""
        yield (
            f"{moment(one.started)}  {one.run:28}  {one.exchanges:>4} {one.rounds:>4} {tokens:>9}"
            f"  {shortened(one.how or 'open', 16):16}  {told}{done or 'nothing'}"
        )


def story(groups: Sequence[tuple[int, Sequence[Line]]], body: GetBody) -> Iterator[str]:
    """The run, line by line: exchanges, each with its number in the run."""
    one = summarise([line for _, group in groups for line in group])
    about = f"{'about ' if one.estimated else ''}{one.input:,} tokens in, {one.output:,} out"
    yield f"run {one.run}  {moment(one.started)} UTC  {one.exchanges} exchanges, {one.rounds} rounds, {about}"
    for number, group in groups:
        yield ""
        name = str(group[0].get("exchange") or "")
        yield f"exchange {number}" + (f"  ({name})" if name else "")
        began = group[0].get("at", 0.0)
        for line in group:
            yield from _told(line, began, body)


def _told(line: Line, began: float, body: GetBody) -> Iterator[str]:
    kind = str(line.get("kind"))
    words, detail, shown = _WORDS.get(kind, _other)(line)
    yield f"  {max(line.get('at', began) - began, 0.0):8.3f} s  {words}"
    for name in body_names(line):
        yield f"{'':13}{_sized(line, name)}: {_said(body(line[name]))}"
    for name in line.get("left_out") or ():
        yield f"{'':13}{_sized(line, name)}: left out, there was no room in the queue"
    if line.get("masked"):
        yield f"{'':13}blacked out in it: {line['masked']}"
    for text in detail:
        yield f"{'':13}{text}"
    rest = {name: line[name] for name in line if name not in OWN_FIELDS | shown and name not in body_names(line)}
    for name, value in rest.items():
        if value not in (None, "", [], {}):
            yield f"{'':13}{name}: {brief(value)}"


def _sized(line: Line, name: str) -> str:
    return f"{'' if name == 'body' else name + ' '}{line['bytes'][name]:,} bytes"


def _said(body: bytes | Absent) -> str:
    return f"({body.why})" if isinstance(body, Absent) else gist(body)


def brief(value: Any, width: int = 160) -> str:
    """JSON in one line, a text as it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return shortened(text.encode("utf-8", "replace").decode(), width)


_Told = tuple[str, Iterable[str], frozenset[str]]


def _start(line: Line) -> _Told:
    streamed = ", streamed" if line.get("stream") else ""
    words = f"{line.get('method', '')} {line.get('path', '')}  {line.get('model', '')}{streamed}".strip()
    found = [f"run found by: {line['identity']}"] if line.get("identity") else []
    return f"agent asks: {words}", found, frozenset({"method", "path", "model", "stream", "identity", "headers"})


def _ask(_: Line) -> _Told:
    return "agent's request", (), frozenset()


def _send(line: Line) -> _Told:
    changed = line.get("policies") or ()
    by = f", changed by {', '.join(map(str, changed))}" if changed else ""
    return f"round {line.get('round')} goes up{by}", (), frozenset({"policies"})


def _need(line: Line) -> _Told:
    return f"store asked: {brief(line.get('requests', ''))}", (), frozenset({"requests"})


def _reply(line: Line) -> _Told:
    failure = line.get("failure")
    if isinstance(failure, dict) and failure.get("kind") == "open":
        words = f"round {line.get('round')} was not sent: {brief(failure.get('message', ''))}"
        return words, (), frozenset({"ms", "failure"})
    words = f"round {line.get('round')} came back"
    if "status" in line:
        words += f": {line['status']}"
    if "ms" in line:
        words += f" after {line['ms']:,} ms"
    chunks: Sequence[Any] = line.get("chunks") or ()
    if len(chunks) > 1:
        words += f" in {len(chunks)} pieces, the first at {chunks[0][1]:,} ms"
    if line.get("finish"):
        words += f", finish {brief(line['finish'])}"
    return words, _usage(line), frozenset({"status", "ms", "chunks", "finish", "usage", "headers"})


def _usage(line: Line) -> Iterator[str]:
    for name in ("usage", "hidden", "hidden_usage"):
        used = line.get(name)
        if isinstance(used, dict):
            about = "about " if used.get("basis") == "estimated" or used.get("estimated") is True else ""
            cached = f" ({used['cached']:,} cached)" if used.get("cached") else ""
            what = "tokens" if name == "usage" else "hidden tokens"
            yield f"{what}: {about}{used.get('input', 0):,} in{cached}, {used.get('output', 0):,} out"


def _verdict(line: Line) -> _Told:
    would = f" (would have: {line['would']})" if line.get("would") else ""
    mode = f" [{line['mode']}]" if line.get("mode") not in (None, "enforce") else ""
    words = f"{line.get('policy')}: {line.get('did')}{would}{mode}"
    return words, _details(line.get("detail")), frozenset({"policy", "did", "would", "mode", "detail"})


def _details(detail: Any) -> Iterator[str]:
    """Each change with what was there before and after; the rest by name."""
    if not isinstance(detail, dict):
        if detail:
            yield brief(detail)
        return
    for name, value in detail.items():
        if name in _CHANGES:
            continue
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for item in value:
                yield f"{name}: {_change(item)}"
        elif isinstance(value, dict) and set(_CHANGES) & value.keys():
            yield f"{name}: {_change(value)}"
        else:
            yield f"{name}: {brief(value)}"
    if set(_CHANGES) & detail.keys():
        yield _change({name: detail.get(name) for name in _CHANGES})


def _change(item: dict[str, Any]) -> str:
    around = " ".join(f"{name}={brief(value, 60)}" for name, value in item.items() if name not in _CHANGES)
    if not set(_CHANGES) & item.keys():
        return around
    changed = f"{_quoted(item.get('before'))} → {_quoted(item.get('after'))}"
    return f"{around} {changed}".strip()


def _quoted(value: Any) -> str:
    return shortened(json.dumps(value, ensure_ascii=False, default=repr), 80)


def _answer(line: Line) -> _Told:
    header = line.get("x_handrail")
    words = f"agent gets: {line.get('status', '')}" + (f", x-handrail: {header}" if header else "")
    return words, (), frozenset({"status", "x_handrail"})


def _end(line: Line) -> _Told:
    took = f" after {line['seconds']:.3f} s" if isinstance(line.get("seconds"), int | float) else ""
    names = frozenset({"how", "seconds", "usage", "hidden", "hidden_usage", "rounds"})
    return f"end: {line.get('how', '')}{took}", _usage(line), names


def _other(line: Line) -> _Told:
    return str(line.get("kind")), (), frozenset()


_WORDS: dict[str, Callable[[Line], _Told]] = {
    "start": _start,
    "ask": _ask,
    "send": _send,
    "need": _need,
    "reply": _reply,
    "verdict": _verdict,
    "answer": _answer,
    "end": _end,
}
