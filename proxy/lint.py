"""`handrail lint FILE|RUN|PACK…`: what in the tools costs retries, with the place and what to do about it.

SHELL: finds out what it was given (a request of any API, a list of tools, a run of the log, a pack), reads it and
prints. What a finding is, `findings` decides. With `--pack`, tools are judged as the model would see them under it.
Exit codes: 0 nothing found; 1 findings; 2 nothing that could be read.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proxy.dialects.dialect import Dialect
from proxy.findings import Finding, findings, of_facts
from proxy.model import Tool, replace
from proxy.packs import load_pack, shipped_packs
from proxy.plan import DIALECTS
from proxy.rawjson import UnreadableError, dump
from proxy.repair.described import described
from proxy.runfile import Bodies, find_run, read_lines, run_files
from proxy.settings.pack import Pack
from proxy.settings.problems import PackError

OK, FINDING, USAGE = 0, 1, 2
_BY_NAME: Mapping[str, Dialect] = {dialect.name: dialect for dialect in DIALECTS}
_PACKS = (".yaml", ".yml")


class UnusableError(Exception):
    """What was given can't be read; the text says why."""


def lint(args: argparse.Namespace) -> int:
    """The command."""
    try:
        pack = load_pack(args.pack) if args.pack else None
        found = [one for what in args.what for one in _found(what, pack, args.data / "runs")]
    except (UnusableError, PackError) as error:
        sys.stderr.write(f"{error}\n")
        return USAGE
    _print(msgspec.json.encode(_as_data(one)).decode() if args.json else str(one) for one in found)
    if not args.json:
        tools = len({one.tool for one in found})
        _print([f"{_counted(len(found), 'finding')} in {_counted(tools, 'tool')}" if found else "no findings"])
    return FINDING if found else OK


def _found(what: str, pack: Pack | None, runs: Path) -> Iterable[Finding]:
    if what in shipped_packs() or what.endswith(_PACKS):
        return of_facts(load_pack(what))
    tools = tools_of(_read(what), what) if what == "-" or Path(what).is_file() else _tools_of_run(what, runs)
    return findings(tools if pack is None else [_shown(tool, pack) for tool in tools])


def _read(what: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if what == "-" else Path(what).read_bytes()
    except OSError as error:
        raise UnusableError(f"{what}: {(error.strerror or 'can not be read').lower()}") from None


def _shown(tool: Tool, pack: Pack) -> Tool:
    return replace(tool, schema=described(tool.schema, pack.tool(tool.name).parameters, "en"))


# ---------------------------------------------------------------- what was given


def tools_of(body: bytes, what: str) -> Sequence[Tool]:
    """The tools of a request of any API, or of a bare list of tools. Raises UnusableError."""
    try:
        document = json.loads(body)
        if isinstance(document, list) or (isinstance(document, dict) and not document.keys() & {"messages", "input"}):
            document = _asked(document)
            body = dump(document)
        if not isinstance(document, dict):
            raise UnusableError(f"{what}: holds no tools")
        return _BY_NAME[_dialect_of(document)].read_ask(body).tools
    except (ValueError, RecursionError) as error:  # UnreadableError among them
        raise UnusableError(f"{what}: {str(error)[:200]}") from None


def _asked(document: Any) -> Any:
    """A list of tools (also as MCP's `tools/list` answers it, or one tool alone) in a request of the API it fits."""
    if isinstance(document, dict):
        result = document.get("result")
        within = result if isinstance(result, dict) else document
        listed = within.get("tools", within.get("functions"))
        document = listed if isinstance(listed, list) else [document] if "name" in document else None
    if not isinstance(document, list) or not document or not all(isinstance(one, dict) for one in document):
        return None
    tools = [{**one, "input_schema": one["inputSchema"]} if "inputSchema" in one else one for one in document]
    responses = not any("function" in one or "input_schema" in one for one in tools)
    return {"tools": tools, **({"input": ""} if responses else {"messages": []})}


def _dialect_of(document: Mapping[str, Any]) -> str:
    if "messages" not in document:
        return "responses"
    listed = document.get("tools")
    tools = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return "messages" if any("input_schema" in one for one in tools) else "chat_completions"


def _tools_of_run(run: str, runs: Path) -> Sequence[Tool]:
    """Each different tool that the asks of a run offered, in the order of their first time. Raises UnusableError."""
    paths = find_run(runs, run) or [path for path in run_files(runs) if path.name.startswith(run)]
    if not paths:
        raise UnusableError(f"{run}: no file, no shipped pack, and no run under {runs}")
    bodies = Bodies(*paths)
    tools: dict[tuple[str, str, bytes], Tool] = {}
    seen: set[Any] = set()
    for line in (line for path in paths for line in read_lines(path)):
        dialect = _BY_NAME.get(str(line.get("dialect")))
        key = line.get("body")
        if line.get("kind") != "start" or dialect is None or not isinstance(key, str) or key in seen:
            continue
        seen.add(key)
        body = bodies.get(key)
        for tool in _offered(dialect, body) if isinstance(body, bytes) else ():
            tools.setdefault((tool.name, tool.description, tool.schema), tool)
    return tuple(tools.values())


def _offered(dialect: Dialect, body: bytes) -> Sequence[Tool]:
    try:
        return dialect.read_ask(body).tools
    except UnreadableError:
        return ()


# ---------------------------------------------------------------- output


def _as_data(found: Finding) -> dict[str, str]:
    return {**msgspec.structs.asdict(found), "remedy": found.remedy}


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _print(lines: Iterable[str]) -> None:
    """Without control characters: what is shown came from outside, and a terminal obeys them."""
    for line in lines:
        sys.stdout.write("".join(char if char.isprintable() else "\ufffd" for char in line) + "\n")
