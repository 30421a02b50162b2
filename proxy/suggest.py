"""`handrail suggest`: reads the run log and prints a `tools:` block for a pack, with evidence beside each candidate.

Nobody knows on the first day which tools have side effects or are polled; after a day in `observe` the log knows much.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proxy.dialects.dialect import UnreadableError
from proxy.model import Ask
from proxy.plan import DIALECTS
from proxy.runfile import Bodies, read_lines, run_files
from proxy.seen import Evidence, block, look


def suggest(arguments: argparse.Namespace) -> int:
    """The command. Exit codes: 0 ok, 1 no tool was seen."""
    evidence: dict[str, Evidence] = {}
    runs = 0
    for ask in _asks(arguments.data / "runs", arguments.since or 0.0):
        look(ask, evidence)
        runs += 1
    if not evidence:
        sys.stderr.write(f"no tool was seen in the runs under {arguments.data / 'runs'}\n")
        return 1
    print(f"# Seen in {runs} runs. A line that is right for your tool replaces the one above it.")
    print("\n".join(block(list(evidence.values()))))
    return 0


def _asks(folder: Path, since: float) -> Iterator[Ask]:
    """The last ask of each run: it holds the whole run."""
    for path in run_files(folder):
        last: dict[str, Any] | None = None
        for line in read_lines(path):
            if line.get("kind") == "start" and line.get("at", 0.0) >= since:
                last = line
        if last is None or "body" not in last:
            continue
        body = Bodies(path).get(last["body"])
        dialect = next((one for one in DIALECTS if one.name == last.get("dialect")), None)
        if dialect is None or not isinstance(body, bytes):
            continue
        try:
            yield dialect.read_ask(body)
        except UnreadableError:
            continue
