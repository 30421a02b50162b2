"""What an ask declares of a tool, as plain data: its parameters' schema. Not a policy: several share it."""

from collections.abc import Mapping
from typing import Any

from proxy.model import Ask
from proxy.repair.schema import compile_schema


def schema_of(ask: Ask, name: str) -> Mapping[str, Any] | None:
    """The schema of a tool's parameters; None where none is declared, or it can't be used."""
    tool = ask.tool(name)
    if tool is None or not tool.schema:
        return None
    schema = compile_schema(tool.schema).schema
    return schema if isinstance(schema, Mapping) else None
