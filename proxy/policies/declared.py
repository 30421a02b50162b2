"""What ask and pack declare of a tool, and calls in the form in which they are compared.

Not a policy: several share it.
"""

from collections.abc import Mapping
from typing import Any

from proxy.failures.reading import Declared, ErrorForm
from proxy.memo import ById, Memo
from proxy.model import Ask, ToolCall
from proxy.repair.canonical import canonical
from proxy.repair.schema import compile_schema
from proxy.settings import Pack
from proxy.settings.tools import ToolFacts

_declared: ById[Declared] = ById()


def schema_of(ask: Ask, name: str) -> Mapping[str, Any] | None:
    """The schema of a tool's parameters; None where none is declared, or it can't be used."""
    tool = ask.tool(name)
    if tool is None or not tool.schema:
        return None
    schema = compile_schema(tool.schema).schema
    return schema if isinstance(schema, Mapping) else None


def results_of(pack: Pack, name: str) -> Declared:
    """What the pack says about the results of a tool."""
    facts = pack.tool(name)
    return _declared.get(facts, lambda: _results(facts))


def _results(facts: ToolFacts) -> Declared:
    forms = tuple(ErrorForm(one.pointer or "", one.pattern or "", one.code or "", one.type) for one in facts.errors)
    return Declared(forms, frozenset(facts.permanent), facts.returns)


_forms: Memo[bytes] = Memo(8192)


def form(call: ToolCall, ask: Ask) -> bytes:
    """The arguments of a call in canonical form."""
    tool = ask.tool(call.tool)
    schema = tool.schema if tool is not None else b""
    return _forms.get((call.args, schema), lambda: canonical(call.args, schema_of(ask, call.tool)))
