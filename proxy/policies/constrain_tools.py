"""What the model sees of the tools: schemas that providers decode under, help from the pack, names that all take.

Stands last, so it is the last to see an ask and the first to see a reply: all other policies know the agent's own names
and schemas only. Three things, each done only where the pack asks for it:

- `tools: NAME: strict: true`: constrained decoding by the provider's own means. OpenAI, Anthropic, vLLM, SGLang and
  others share one form (`strict` at the tool, the schema in a subset); servers that decode every tool under its schema
  anyway (llama.cpp, Ollama) ignore the word. Nothing else is tried: `response_format`, `guided_json` and grammars force
  the whole answer into one form, so the model could neither speak nor choose a tool. A provider that refuses is asked
  once more without, and that is remembered.
- `tools: NAME: parameters:` go into the descriptions and keywords.
- `names: portable` maps names, here and in the history, and back.

What comes back is validated all the same, by others, against the agent's schema.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Literal

import msgspec

from proxy.identity import digest
from proxy.model import Ask, Fallback, Note, Put, Reply, Run, Tool, ToolCall, Turn, View, replace
from proxy.repair.described import described, spoken
from proxy.repair.nulls import without_nulls
from proxy.repair.portable import portable
from proxy.repair.schema import compile_schema
from proxy.repair.strict import Carried, carried
from proxy.settings import Pack
from proxy.settings.policies import ConstrainToolsSettings
from proxy.verdicts import Need, Read

_TOLD = 4096
"""Tools remembered as told about; a pack's are far fewer."""


class _Shape(msgspec.Struct, frozen=True):
    """How a tool looks upstream. `strict` is its schema for constrained decoding; empty: it can't be carried over."""

    schema: bytes
    strict: bytes = b""
    mark: str = ""
    """Digest of `strict`."""
    why_not: str = ""


class ConstrainTools:
    """`constrain_tools` of a pack."""

    name: ClassVar[str] = "constrain_tools"
    minds_plain_asks = minds_words = False
    minds_openings = True
    makes_views = True

    def __init__(self, settings: ConstrainToolsSettings, pack: Pack) -> None:
        self._pack = pack
        self._portable = settings.names == "portable"
        self._strict = any(facts.strict for facts in pack.tools.values())
        self._helps = any(facts.parameters for facts in pack.tools.values())
        self._checked = pack.effective_mode("repair_arguments") == "enforce"
        self._shape = lru_cache(maxsize=1024)(self._shaped)
        self._told: set[str] = set()

    @property
    def guards_replies(self) -> bool:
        return self._strict or self._portable

    # ------------------------------------------------------------ asks

    def on_ask(self, ask: Ask, run: Run) -> Ask | Need:
        """The ask with a view of its tools, where anything in it differs."""
        if not (self._strict or self._helps or self._portable):
            return ask
        names = self._names(ask) if self._portable else {}
        shapes = tuple(map(self._shape_of, ask.tools))
        plain = _view(ask, shapes, names, strict=False)
        strict = _view(ask, shapes, names, strict=True)
        constrained = [tool.name for tool, shape in zip(ask.tools, shapes, strict=True) if shape.strict]
        changed = replace(ask, view=plain)
        if strict is not None and constrained:
            remembered = Read(_memory(ask, run, shapes))
            if remembered not in run.known:
                return Need((remembered,))
            if run.known[remembered] is None:
                refused = {"refused": "strict schemas", "model": ask.model, "tools": constrained}
                spare = Fallback(plain, (Note(self.name, "found", refused),), (Put(remembered.key, b"1"),))
                changed = replace(ask, view=strict, fallback=spare)
        notes = (*self._done(changed), *self._undone(ask, shapes))
        return changed.noting(*notes) if notes else ask

    def _shape_of(self, tool: Tool) -> _Shape:
        if tool.kind != "function" or not tool.schema:
            return _Shape(tool.schema)
        return self._shape(tool.name, tool.description, tool.schema, tool.strict)

    def _shaped(self, name: str, description: str, schema: bytes, own: bool | None) -> _Shape:  # noqa: FBT001
        """Cached by the schema's bytes: the pack is the same for all asks. `own`: strict as the agent asked for it."""
        facts = self._pack.tool(name)
        helped = (
            described(schema, facts.parameters, self._language(description, schema)) if facts.parameters else schema
        )
        if own and helped == schema:
            return _Shape(schema)
        # A schema that the agent itself has decoded under must not get keywords that its provider refuses.
        plain = schema if own else helped
        if not (own or facts.strict):
            return _Shape(plain)
        made = carried(helped, checked=self._checked)
        if isinstance(made, Carried):
            return _Shape(plain, made.schema, digest(made.schema.decode()))
        return _Shape(plain, why_not=f"{made.path or '/'}: {made.why}")

    def _language(self, description: str, schema: bytes) -> Literal["en", "zh"]:
        """The tool's own language, not the task's: a tool looks the same in all conversations."""
        return spoken(description, schema) if self._pack.language == "auto" else self._pack.language

    @staticmethod
    def _names(ask: Ask) -> dict[str, str]:
        """New names for tools that are offered, and for tools that were called earlier."""
        called = {call.tool for turn in ask.turns for call in turn.calls if call.kind != "builtin"}
        offered = {tool.name for tool in ask.tools if tool.kind != "builtin"}
        return portable(called | offered, [tool.name for tool in ask.tools if tool.kind == "builtin"])

    def _done(self, ask: Ask) -> tuple[Note, ...]:
        if ask.view is None:
            return ()
        pairs = tuple(zip(ask.tools, ask.view.tools, strict=True))
        detail = {
            "strict": [old.name for old, new in pairs if ask.fallback is not None and new.strict and new is not old],
            "described": [old.name for old, new in pairs if new is not old and self._pack.tool(old.name).parameters],
            "names": dict(ask.view.names),
        }
        return (Note(self.name, "rewrote", {key: value for key, value in detail.items() if value}),)

    def _undone(self, ask: Ask, shapes: Sequence[_Shape]) -> tuple[Note, ...]:
        """Tools that can't be decoded under their schema, each told once."""
        notes = []
        for tool, shape in zip(ask.tools, shapes, strict=True):
            if shape.why_not and tool.name not in self._told and len(self._told) < _TOLD:
                self._told.add(tool.name)
                notes.append(Note(self.name, "found", {"tool": tool.name, "not_strict": shape.why_not}))
        return tuple(notes)

    # ------------------------------------------------------------ replies

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply:
        """The reply with the agent's names, and without nulls that only stood for "left out"."""
        del run
        turns = tuple(self._back(turn, ask) for turn in reply.turns)
        if all(new is old for new, old in zip(turns, reply.turns, strict=True)):
            return reply
        stripped = [
            new.id
            for turn, old_turn in zip(turns, reply.turns, strict=True)
            for new, old in zip(turn.calls, old_turn.calls, strict=True)
            if new.args != old.args
        ]
        changed = replace(reply, turns=turns)
        return changed.noting(Note(self.name, "rewrote", {"nulls": stripped})) if stripped else changed

    def _back(self, turn: Turn, ask: Ask) -> Turn:
        calls = tuple(self._call_back(call, ask) for call in turn.calls)
        return (
            turn if all(new is old for new, old in zip(calls, turn.calls, strict=True)) else replace(turn, calls=calls)
        )

    def _call_back(self, call: ToolCall, ask: Ask) -> ToolCall:
        name = ask.meant(call.tool) if call.kind != "builtin" else call.tool
        args = call.args
        tool = ask.tool(name)
        if tool is not None and call.kind == "function" and self._pack.tool(name).strict:
            args = without_nulls(args, compile_schema(tool.schema))
        return call if name == call.tool and args is call.args else replace(call, tool=name, args=args)


def _view(ask: Ask, shapes: Sequence[_Shape], names: Mapping[str, str], *, strict: bool) -> View | None:
    """The tools as the model sees them; None where nothing differs."""
    tools = tuple(_seen(tool, shape, names, strict=strict) for tool, shape in zip(ask.tools, shapes, strict=True))
    same = not names and all(new is old for new, old in zip(tools, ask.tools, strict=True))
    return None if same else View(tools, names)


def _seen(tool: Tool, shape: _Shape, names: Mapping[str, str], *, strict: bool) -> Tool:
    """A tool as the model sees it; the same object where nothing differs."""
    name = tool.name if tool.kind == "builtin" else names.get(tool.name, tool.name)
    decoded = strict and bool(shape.strict)
    schema, flag = (shape.strict, True) if decoded else (shape.schema, tool.strict)
    if name == tool.name and schema == tool.schema and flag == tool.strict:
        return tool
    return replace(tool, name=name, schema=schema, strict=flag)


def _memory(ask: Ask, run: Run, shapes: Sequence[_Shape]) -> str:
    """Where it is remembered that a model's provider refuses these very schemas."""
    return "strict:" + digest(run.credential, ask.model, *(shape.mark for shape in shapes if shape.mark))
