"""Checks the arguments of every tool call against the tool's schema; repairs what is certain, else asks again.

Where repair ends and asking begins is `repair`'s matter; here it is decided what becomes of the turn. A turn with one
wrong call is asked again as a whole: the wrong call is told what was wrong and what is allowed, its right siblings are
told that they stand, and are handed out with the corrected turn, once. With several choices nobody can be asked again,
so each choice is repaired by itself.

On the way up it mends the history: arguments that are no JSON object make strict providers refuse every later request.
"""

from typing import Any, ClassVar

import msgspec
import orjson

from proxy.memo import Memo, along
from proxy.model import Ask, Note, Reply, Run, Tool, ToolCall, Turn, replace
from proxy.repair.advice import advise, not_executed
from proxy.repair.arguments import Fine, Repaired, repair
from proxy.repair.names import nearest
from proxy.repair.schema import Checker, compile_schema
from proxy.repair.text import Parsed, parse
from proxy.settings import Pack
from proxy.settings.policies import RepairArgumentsSettings
from proxy.verdicts import Reask

_TOLD = 4096
"""Lint findings remembered as told; a pack's tools are far fewer."""


class _Judged(msgspec.Struct, frozen=True):
    """A call as it should leave, and what was found. `wrong`: what the model is told; empty: nothing."""

    call: ToolCall
    wrong: str = ""
    notes: tuple[Note, ...] = ()


class RepairArguments:
    """`repair_arguments` of a pack."""

    name: ClassVar[str] = "repair_arguments"
    minds_plain_asks = minds_openings = minds_words = False
    guards_replies = True

    def __init__(self, settings: RepairArgumentsSettings, pack: Pack) -> None:
        self._settings = settings
        self._pack = pack
        self._told: set[tuple[str, str]] = set()

    # ------------------------------------------------------------ asks

    def on_ask(self, ask: Ask, run: Run) -> Ask:
        """The ask with every earlier call's arguments a JSON object."""
        del run
        given = ask.turns
        broken = along(ask.memory, self, given, lambda at: _poisoned(given[at]))
        if not any(broken):
            return ask
        turns = list(given)
        mended: list[str] = []
        for at, turn in enumerate(given):
            if broken[at]:
                calls = tuple(replace(call, args="{}") if _poisonous(call) else call for call in turn.calls)
                mended += [call.id for call in turn.calls if _poisonous(call)]
                turns[at] = replace(turn, calls=calls)
        note = Note(self.name, "rewrote", {"why": "arguments in the history were no JSON object", "calls": mended})
        return replace(ask, turns=tuple(turns)).noting(note)

    # ------------------------------------------------------------ replies

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply | Reask:
        if not reply.calls:
            return reply
        judged = [[self._judge(call, turn, ask, run) for call in turn.calls] for turn in reply.turns]
        notes = tuple(note for row in judged for one in row for note in one.notes)
        fixed = _with_calls(reply, judged)
        if notes:
            fixed = fixed.noting(*notes)
        wrong = [one for row in judged for one in row if one.wrong]
        if not wrong:
            return fixed
        if len(reply.turns) > 1 or ask.n > 1:
            return self._given_up(fixed, judged, run)
        row = judged[0]
        right = not_executed(run.language)
        return Reask(
            {one.call.id: one.wrong or right for one in row},
            self.name,
            counts=self._settings.max_reasks,
            exhausted=self._given_up(replace(fixed, notes=()), judged, run),
            carry=tuple(one.call for one in row if not one.wrong),
            notes=notes,
        )

    def _judge(self, call: ToolCall, turn: Turn, ask: Ask, run: Run) -> _Judged:
        if call.kind != "function":
            return _Judged(call)
        tool = ask.tool(call.tool)
        if tool is None:
            return self._unknown(call, turn, ask, run)
        if tool.kind != "function":
            return _Judged(call)
        checker = compile_schema(tool.schema)
        verdict = repair(call.args, checker, overlays=self._pack.tool(tool.name).parameters, cut=turn.cut)
        found = self._findings(tool, checker)
        if isinstance(verdict, Fine):
            return _Judged(call, notes=found)
        if isinstance(verdict, Repaired) and not turn.cut:
            made = {"call": call.id, "tool": call.tool, "repairs": [_plain(one) for one in verdict.repairs]}
            return _Judged(replace(call, args=verdict.text), notes=(*found, Note(self.name, "repaired", made)))
        problems = () if isinstance(verdict, Repaired) else verdict.problems
        wrong = advise(call.tool, call.args, problems, checker, run.language, cut=turn.cut)
        detail = {"call": call.id, "tool": call.tool, "problems": [_plain(one) for one in problems], "cut": turn.cut}
        return _Judged(call, wrong, (*found, Note(self.name, "found", detail)))

    def _unknown(self, call: ToolCall, turn: Turn, ask: Ask, run: Run) -> _Judged:
        """A tool that was not offered: the one that is meant, if that is certain."""
        offered = [tool.name for tool in ask.tools if tool.kind == "function"]
        name = nearest(call.tool, offered)
        if name is None:
            wrong = advise(call.tool, call.args, (), None, run.language, offered=offered)
            return _Judged(call, wrong, (Note(self.name, "found", {"call": call.id, "unknown_tool": call.tool}),))
        made = {"path": "", "kind": "tool name", "before": call.tool, "after": name}
        note = Note(self.name, "repaired", {"call": call.id, "tool": name, "repairs": [made]})
        judged = self._judge(replace(call, tool=name), turn, ask, run)
        return replace(judged, notes=(note, *judged.notes))

    def _given_up(self, reply: Reply, judged: list[list[_Judged]], run: Run) -> Reply:
        """What leaves when nobody is asked again: the call as it was, or the truth; a half call never."""
        turns = []
        for turn, row in zip(reply.turns, judged, strict=True):
            gone = [one for one in row if one.wrong and (turn.cut or self._settings.exhausted == "answer")]
            if not gone:
                turns.append(turn)
                continue
            left = tuple(call for call in turn.calls if all(call.id != one.call.id for one in gone))
            texts = () if left else (_honest(gone, run.language, cut=turn.cut),)
            turns.append(replace(turn, calls=left, appended=(*turn.appended, *texts)))
        return replace(reply, turns=tuple(turns))

    # ------------------------------------------------------------ what is known of tools

    def _findings(self, tool: Tool, checker: Checker) -> tuple[Note, ...]:
        """What a schema lacks, told once."""
        new = []
        for finding in checker.findings:
            key = (tool.name, str(finding))
            if key not in self._told and len(self._told) < _TOLD:
                self._told.add(key)
                new.append(Note(self.name, "found", {"tool": tool.name, "lint": _plain(finding)}))
        return tuple(new)


def _poisoned(turn: Turn) -> bool:
    return turn.role == "assistant" and any(map(_poisonous, turn.calls))


def _poisonous(call: ToolCall) -> bool:
    """Whether a call of the history would be refused by a strict provider."""
    if call.kind != "function":
        return False
    return not _objects.get(call.args, lambda: _is_object(call.args))


def _is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        read = parse(text)
    return isinstance(read, Parsed) and isinstance(read.value, dict)


_objects: Memo[bool] = Memo(8192)


def _with_calls(reply: Reply, judged: list[list[_Judged]]) -> Reply:
    """The reply with its calls as judged; the same object where all are as they were."""
    if all(
        one.call is call
        for turn, row in zip(reply.turns, judged, strict=True)
        for call, one in zip(turn.calls, row, strict=True)
    ):
        return reply
    turns = tuple(
        replace(turn, calls=tuple(one.call for one in row)) if row else turn
        for turn, row in zip(reply.turns, judged, strict=True)
    )
    return replace(reply, turns=turns)


def _honest(gone: list[_Judged], language: str, *, cut: bool) -> str:
    names = ", ".join(one.call.tool for one in gone)
    if language == "zh":
        why = "模型的输出因长度限制被截断" if cut else "模型多次给出的参数都不符合该工具的要求"
        return f"没有调用 {names}:{why}。此步骤未完成。"
    why = "the model's output was cut off by its length limit" if cut else "its arguments stayed invalid"
    return f"{names} was not called: {why}. This step is not done."


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value)
