"""The tool that a model calls to read on.

Its definition is a constant: the tools array stands at the front of every prompt, so one byte that changes costs the
whole cache. Only the agent's own tool of the same name makes it change, and then by a rule, not by chance.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from proxy.model import Tool
from proxy.paging.body import Lang

NAME = "read_more"

_SCHEMA = (
    b'{"type":"object","properties":{"cursor":{"type":"string","description":"%b"}},'
    b'"required":["cursor"],"additionalProperties":false}'
)

READ_MORE = Tool(
    name=NAME,
    description="Reads the next part of a tool result that was cut. Give it the cursor that stands in the cut result, "
    "unchanged. Each part says whether there is more, and holds the cursor for it.",
    schema=_SCHEMA % b"The cursor from the cut result, exactly as it stands there.",
)
READ_MORE_ZH = Tool(
    name=NAME,
    description="读取被截断的工具结果的下一部分。请原样传入被截断结果中给出的 cursor。"
    "每一部分都会说明是否还有后续内容，并给出后续内容的 cursor。",
    schema=_SCHEMA % "被截断结果中给出的 cursor，原样传入。".encode(),
)
BY_LANGUAGE: Mapping[Lang, Tool] = MappingProxyType({"en": READ_MORE, "zh": READ_MORE_ZH})


def free_name(taken: Collection[str]) -> str:
    """`read_more`, or the first of a fixed row of other names that the agent does not use itself."""
    names = (NAME, f"handrail_{NAME}", *(f"handrail_{NAME}_{n}" for n in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def read_more(lang: Lang, taken: Collection[str] = ()) -> Tool:
    """The definition, under a name that is not among `taken` (the names of the agent's own tools)."""
    tool, name = BY_LANGUAGE[lang], free_name(taken)
    return tool if name == NAME else Tool(name=name, description=tool.description, schema=tool.schema)
