"""Turns a failed tool result into one structured error that says what to do next.

Reading failures is `failures`' matter; here is what the conversation adds: the tool's schema, what the pack declares
and its catalogues know, what earlier results of the run have shown, how often the tool was tried and for how long. The
first form of each text is kept, so that later asks carry the same bytes. Data that quotes errors is left as it is.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import msgspec
import orjson

from proxy import task
from proxy.earlier import earlier
from proxy.failures.reading import EmptyRows, Failure, Known, Result
from proxy.failures.written import structured
from proxy.frozen import Frozen
from proxy.late import read
from proxy.memo import along
from proxy.model import Ask, Note, Put, Reply, Run, ToolCall, ToolResult, replace
from proxy.outcomes import structured as already
from proxy.policies.declared import results_of, schema_of
from proxy.repair.arguments import Rejected, repair
from proxy.repair.schema import compile_schema
from proxy.settings import Pack
from proxy.settings.policies import ExplainErrorsSettings
from proxy.verdicts import Lookup, Need, Read

_REMEMBERED = 4096
_Found = Failure | EmptyRows


class _Spot(msgspec.Struct, frozen=True):
    """One text of one result, in its place."""

    at: int
    result: ToolResult
    part: int
    call: ToolCall | None

    @property
    def text(self) -> str:
        return self.result.texts[self.part]


class ExplainErrors:
    """`explain_errors` of a pack."""

    name: ClassVar[str] = "explain_errors"
    minds_plain_asks = minds_openings = minds_words = False
    guards_replies = False

    def __init__(self, settings: ExplainErrorsSettings, pack: Pack) -> None:
        self._settings = settings
        self._pack = pack
        self._frozen = Frozen("error")
        self._tasks = task.reader(pack.task_patterns, pack.tool_result_patterns)
        self._data: set[tuple[str, bool | None, int, int, int]] = set()

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply:
        del ask, run
        return reply

    def on_ask(self, ask: Ask, run: Run) -> Ask | Need:
        spots = along(ask.memory, self, ask.turns, lambda at: tuple(self._failed(ask, at)), ask.tools)
        found = [spot for some in spots for spot in some]
        if not found:
            return ask
        reads = [self._read(run, spot) for spot in found]
        missing = [one for one in reads if one not in run.known]
        if missing:
            return Need((*missing, *self._lookups(ask, run)))
        changed: dict[int, ToolResult] = {}
        puts: list[Put] = []
        notes: list[Note] = []
        for spot, key in zip(found, reads, strict=True):
            stored = run.known[key]
            if stored is None:
                written, note = self._written(ask, run, spot)
                puts.append(self._frozen.put(key, written))
                notes.append(note)
            else:
                written = stored.decode()
            current = changed.get(id(spot.result), spot.result)
            texts = tuple(written if index == spot.part else text for index, text in enumerate(current.texts))
            changed[id(spot.result)] = replace(current, texts=texts)
        kept = [spot.result.call_id for spot, key in zip(found, reads, strict=True) if run.known[key] is not None]
        notes += [Note(self.name, "found", {"kept": kept})] if kept else []
        turns = tuple(
            replace(turn, results=tuple(changed.get(id(result), result) for result in turn.results))
            if any(id(result) in changed for result in turn.results)
            else turn
            for turn in ask.turns
        )
        return replace(ask, turns=turns, puts=ask.puts + tuple(puts)).noting(*notes)

    # ------------------------------------------------------------ which results

    def _failed(self, ask: Ask, at: int) -> Iterator[_Spot]:
        turn = ask.turns[at]
        if not turn.results or turn.kept:
            return
        calls = {call.id: call for call in ask.turns[at - 1].calls} if at else {}
        for result in turn.results:
            for part, text in enumerate(() if result.kept else result.texts):
                spot = _Spot(at, result, part, calls.get(result.call_id))
                # what a text means depends on what was asked for: a log that is shown is no failure
                asked = hash((spot.call.args if spot.call else "", _described(ask, result.tool)))
                seen = (result.tool, result.is_error, asked, len(text), hash(text))
                if seen in self._data:
                    continue
                if self._found(ask, spot, Known(declared=results_of(self._pack, result.tool))) is not None:
                    yield spot
                else:
                    self._remember(seen)

    def _remember(self, seen: tuple[str, bool | None, int, int, int]) -> None:
        """Data that was looked at once is not looked at again."""
        if len(self._data) >= _REMEMBERED:
            self._data.clear()
        self._data.add(seen)

    @staticmethod
    def _found(ask: Ask, spot: _Spot, known: Known) -> _Found | None:
        if already(spot.text) is not None:
            return None
        description = _described(ask, spot.result.tool)
        result = Result(spot.result.tool, description, _arguments(spot.call), spot.text, spot.result.is_error)
        return read(result, known)

    def _read(self, run: Run, spot: _Spot) -> Read:
        call_id = spot.result.call_id if spot.part == 0 else f"{spot.result.call_id}#{spot.part}"
        return self._frozen.read(run, call_id, spot.text)

    def _lookups(self, ask: Ask, run: Run) -> Iterator[Lookup]:
        names = {self._pack.tool(result.tool).catalog for _, result in ask.results()}
        for name in sorted(filter(None, names)):
            if Lookup(name) not in run.known:
                yield Lookup(name)

    # ------------------------------------------------------------ what is said

    def _written(self, ask: Ask, run: Run, spot: _Spot) -> tuple[str, Note]:
        result = spot.result
        found = self._found(ask, spot, self._known(ask, run, spot))
        if found is None or isinstance(found, EmptyRows):
            empty = found or EmptyRows()
            note = Note(self.name, "rewrote", {"call": result.call_id, "tool": result.tool, "empty": True})
            return empty.wrapper.put(empty.text), note
        new = spot.at == len(ask.turns) - 1
        before = self._earlier_failures(ask, spot, found)
        text = structured(
            found,
            attempts=before[0] + 1 if new else None,
            elapsed_s=round(max(run.wall - run.started, 0.0), 1) if new else None,
            lang=run.language,
            repeated=before[1] + 1 if before[1] + 1 >= self._settings.stop_after else 0,
        )
        detail = {"call": result.call_id, "tool": result.tool, "code": found.code, "type": found.type}
        return found.wrapper.put(text), Note(self.name, "rewrote", {**detail, "rebuilt": not new})

    def _earlier_failures(self, ask: Ask, spot: _Spot, found: Failure) -> tuple[int, int]:
        """Calls of this tool before this one in the run, and how many of the last of them failed with this code."""
        tried = alike = 0
        for step in task.own_steps(ask.turns[: spot.at], self._tasks.last_task(ask.turns)):
            for call, came in zip(step.calls, step.results, strict=True):
                if call.tool != spot.result.tool or came is None or not came.texts:
                    continue
                tried += 1
                known = Known(declared=results_of(self._pack, call.tool))
                old = self._found(ask, _Spot(step.at + 1, came, 0, call), known)
                alike = alike + 1 if isinstance(old, Failure) and old.code == found.code else 0
        return tried, alike

    def _known(self, ask: Ask, run: Run, spot: _Spot) -> Known:
        result, call = spot.result, spot.call
        facts = self._pack.tool(result.tool)
        columns = run.known.get(Lookup(facts.catalog)) if facts.catalog else None
        return Known(
            schema_of(ask, result.tool),
            tuple(tool.name for tool in ask.tools),
            results_of(self._pack, result.tool),
            columns or {},
            earlier(ask.turns, self._tasks.last_task(ask.turns)),
            _problems(ask, call),
        )


def _described(ask: Ask, name: str) -> str:
    tool = ask.tool(name)
    return tool.description if tool else ""


def _arguments(call: ToolCall | None) -> Mapping[str, Any] | str:
    if call is None:
        return {}
    try:
        value = orjson.loads(call.args)
    except orjson.JSONDecodeError:
        return call.args
    return value if isinstance(value, dict) else call.args


def _problems(ask: Ask, call: ToolCall | None) -> tuple[str, ...]:
    """What is wrong with the call itself, by its schema: for frameworks that hide why it failed."""
    tool = ask.tool(call.tool) if call is not None else None
    if call is None or tool is None or not tool.schema:
        return ()
    verdict = repair(call.args, compile_schema(tool.schema))
    return tuple(one.message for one in verdict.problems) if isinstance(verdict, Rejected) else ()
