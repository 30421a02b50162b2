"""`make bench-context`: what a long run costs the model, direct and through Handrail.

Each run is played through the real engine; the upstream is a script. Printed per run: tokens sent, how much of each
request is a byte-identical prefix of the one before, and the bill when a provider bills a cached prefix at a tenth.
With strict.yaml, its folding and its gates lifted where the line says so.
"""

import gzip
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.playbook import Answer, World, chat

SHARED = Path(__file__).parents[3] / "shared" / "recordings"
CACHED = 0.1
"""Price of a token in a cached prefix, relative to one that is not."""
MINIMUM = 1024
"""Tokens below which providers cache nothing."""
PACKS = {
    "strict": {"gates": "off"},
    "strict, no folding": {"gates": "off", "fold_history": "off"},
}
PLAIN = {"gates": "off", "explain_errors": "off"}
"""What a failure is explained with is worth its tokens; what the rest costs is told apart."""
TASK = (
    "Go through all documents of the archive and list each invoice of Acme that is over 1,000 EUR. "
    "You must not send anything to anybody. Never open documents that are marked confidential."
)


@dataclass
class Bill:
    """What was sent for one run."""

    sent: int = 0
    """Tokens (three bytes each)."""
    cost: float = 0.0
    """Tokens, those in a cached prefix counted at a tenth."""
    prefixes: tuple[float, ...] = ()
    """Share of each request, but for the first, that the one before begins with."""
    requests: int = 0


def bill(bodies: Sequence[bytes]) -> Bill:
    """The bill for these requests, in order. The prompt is the tools, then the messages, as providers lay it out."""
    before = b""
    sent, cost = 0, 0.0
    shares = []
    for body in bodies:
        prompt = _prompt(body)
        common = _common(before, prompt) if before else 0
        tokens, cached = len(prompt) // 3, common // 3
        if cached < MINIMUM:
            cached = 0
        sent += tokens
        cost += cached * CACHED + tokens - cached
        if before:
            shares.append(common / len(prompt))
        before = prompt
    return Bill(sent, cost, tuple(shares), len(bodies))


def _prompt(body: bytes) -> bytes:
    value = json.loads(body)
    parts = [value.get("tools"), value.get("instructions"), value.get("system")]
    turns = value.get("messages") or value.get("input") or []
    listed = [part for part in parts if part] + (turns if isinstance(turns, list) else [turns])
    return b"\n".join(json.dumps(one, ensure_ascii=False).encode() for one in listed)


def _common(a: bytes, b: bytes) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


# ---------------------------------------------------------------- runs


def world(lifted: dict[str, str]) -> World:
    """strict.yaml with some policies off."""
    document = yaml.safe_load(_strict())
    for name, mode in lifted.items():
        document["policies"][name] = {"mode": mode}
    return World(yaml.safe_dump(document))


def _strict() -> str:
    return (Path(__file__).parents[2] / "policies" / "strict.yaml").read_text()


def _rows(step: int, size: int) -> str:
    rows: list[str] = []
    while sum(len(row) for row in rows) < size:
        number = step * 1000 + len(rows)
        row = {
            "id": number,
            "customer": f"Customer {number % 37}",
            "total": round(number * 1.37, 2),
            "note": "paid " * 8,
        }
        rows.append(json.dumps(row))
    return '{"rows": [' + ", ".join(rows) + "]}"


def _text(step: int, size: int) -> str:
    line = f"Document {step}: the parties agree on what was said about the delivery and the invoice. "
    return "\n\n".join(line * 6 for _ in range(max(size // (len(line) * 6), 1)))


def _log(step: int, size: int) -> str:
    line = "2026-03-{day:02d}T10:{minute:02d}:00Z INFO worker {worker} handled job {job} in 12 ms"
    count = max(size // 70, 1)
    return "\n".join(line.format(day=step % 28 + 1, minute=n % 60, worker=n % 7, job=n) for n in range(count))


SYNTHETIC = {
    "30 steps, rows of 1-200 KB": [(_rows, 1000 * (1 + step * step % 200)) for step in range(30)],
    "30 steps, text of 1-60 KB": [(_text, 1000 * (1 + step * 2)) for step in range(30)],
    "30 steps, logs of 1-100 KB": [(_log, 1000 * (1 + (step * 37) % 100)) for step in range(30)],
    "12 steps, small results": [(_rows, 900) for _ in range(12)],
    "5 steps, small results": [(_rows, 900) for _ in range(5)],
}


def synthetic(steps: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The requests of a run, as its agent sends them."""
    schema = {"type": "object", "properties": {"document": {"type": "integer"}}, "required": ["document"]}
    tool = {"type": "function", "function": {"name": "read_document", "description": "Reads.", "parameters": schema}}
    system = "You work in the archive of Acme. " + "Work carefully and say what you are not sure of. " * 20
    messages: list[Any] = [{"role": "system", "content": system}, {"role": "user", "content": TASK}]
    for step, (make, size) in enumerate(steps):
        yield {"model": "m", "messages": list(messages), "tools": [tool]}
        call_id = f"call_{step:012d}"
        function = {"name": "read_document", "arguments": json.dumps({"document": step})}
        messages.append({"role": "assistant", "content": None, "tool_calls": [
            {"id": call_id, "type": "function", "function": function},
        ]})  # fmt: skip
        messages.append({"role": "tool", "tool_call_id": call_id, "content": make(step, size)})
    yield {"model": "m", "messages": messages, "tools": [tool]}


def played(asks: Sequence[dict[str, Any]], lifted: dict[str, str], path: str) -> tuple[Bill, Bill]:
    """Direct, and through Handrail (hidden rounds counted). Every fifth cut result is read on by one page."""
    there = world(lifted)
    through: list[bytes] = []
    for at, ask in enumerate(asks):
        calls = _handed_out(asks[at + 1]) if at + 1 < len(asks) and path.endswith("completions") else []
        final = Answer.json(chat("" if calls else "done", calls))
        answers = [final]
        cursor = _cursor(there, ask, path) if at % 5 == 4 and path.endswith("completions") else ""
        if cursor:
            answers = [Answer.json(chat(calls=[(f"more_{at:08d}", "read_more", {"cursor": cursor})])), final]
        done = there.play(ask, answers, path=path)
        through += done.sent
    return bill([json.dumps(ask).encode() for ask in asks]), bill(through)


def _cursor(there: World, ask: dict[str, Any], path: str) -> str:
    """The cursor that the model would find in the latest result, if that was cut."""
    peek = World.__new__(World)
    peek.__dict__ = {**there.__dict__, "store": dict(there.store), "counters": dict(there.counters)}
    sent = peek.play(ask, [Answer.json(chat("peek"))], path=path).asks[0]
    text = str(sent["messages"][-1].get("content"))
    return text.rpartition('"cursor":"')[2].partition('"')[0] if '"cursor":"' in text else ""


def _handed_out(following: dict[str, Any]) -> list[tuple[str, str, Any]]:
    calls: list[Any] = next((m["tool_calls"] for m in reversed(following["messages"]) if m.get("tool_calls")), [])
    return [(one["id"], one["function"]["name"], one["function"]["arguments"]) for one in calls]


def recorded(least: int) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Chained runs of the recordings with so many requests: name, path, requests."""
    if not SHARED.exists():
        return
    exchanges = {}
    for name in ("chat_completions", "messages", "responses"):
        with gzip.open(SHARED / f"{name}.jsonl.gz") as lines:
            for line in lines:
                one = json.loads(line)
                exchanges[one["id"]] = one
    for chain in json.loads((SHARED / "chains.json").read_text()):
        if chain["length"] < least:
            continue
        requests = [exchanges[one]["request"] for one in chain["ids"] if one in exchanges]
        bodies = [json.loads(r["body"]) if isinstance(r["body"], str) else r["body"] for r in requests]
        if len(bodies) == chain["length"] and all(isinstance(body, dict) for body in bodies):
            yield chain["ids"][0], chain["endpoint"], bodies


# ---------------------------------------------------------------- the table


def _line(name: str, pack: str, direct: Bill, through: Bill) -> str:
    prefix = statistics.mean(through.prefixes) if through.prefixes else 1.0
    broken = sum(share < 0.5 for share in through.prefixes)
    before = statistics.mean(direct.prefixes)
    return (
        f"| {name} | {pack} | {direct.sent:,} | {through.sent:,} | {before:.0%} | {prefix:.0%}"
        f" | {broken} | {direct.cost:,.0f} | {through.cost:,.0f} | {through.cost / direct.cost:.0%} |"
    )


def rows() -> Iterator[tuple[str, str, Bill, Bill]]:
    """Name, pack, direct and through, for each run."""
    for name, steps in SYNTHETIC.items():
        asks = list(synthetic(steps))
        for pack, lifted in PACKS.items():
            yield name, pack, *played(asks, lifted, "/v1/chat/completions")
    for name, path, bodies in recorded(4):
        yield name, "strict", *played(bodies, PACKS["strict"], path)
        yield name, "no errors explained", *played(bodies, PLAIN, path)


def main() -> None:
    print("strict.yaml; its gates are lifted, so that runs may be long. Tokens: three bytes each.")
    print(
        "| run | pack | sent direct | sent through | prefix direct | prefix through | broken | bill direct | bill | |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    recordings: dict[str, list[tuple[Bill, Bill]]] = {}
    for name, pack, direct, through in rows():
        if name in SYNTHETIC or "--all" in sys.argv:
            print(_line(name, pack, direct, through))
        if name not in SYNTHETIC:
            recordings.setdefault(pack, []).append((direct, through))
    for pack, runs in recordings.items():
        cost = sum(through.cost for _, through in runs) / sum(direct.cost for direct, _ in runs)
        worst = max(through.cost / direct.cost for direct, through in runs)
        print(f"\n{len(runs)} chained runs of recordings, {pack}: bill {cost:.1%} of direct, {worst:.1%} at worst.")


if __name__ == "__main__":
    main()
