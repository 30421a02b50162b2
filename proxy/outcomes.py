"""What came of a call, read from its result: it worked, it failed, or nobody can tell. Pure.

Policies that count, replay or remember outcomes share this reading; the words for the model are not its matter.
"""

from enum import Enum
from functools import lru_cache

import orjson

from proxy.failures.read import read
from proxy.failures.reading import Failure, Known, Result
from proxy.model import ToolCall, ToolResult

UNSURE = frozenset({"timeout", "communication", "unavailable"})
"""Kinds of failure after which a side effect may have happened all the same."""


class Outcome(Enum):
    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


def outcome(call: ToolCall, result: ToolResult) -> Outcome:
    kind = failure_type(call.tool, call.args, result.text, is_error=result.is_error)
    if not kind:
        return Outcome.OK
    return Outcome.UNKNOWN if kind in UNSURE else Outcome.FAILED


def failure_type(tool: str, args: str, text: str, *, is_error: bool | None) -> str:
    """The kind of failure (validation, timeout, …) that a result is; empty: it is none."""
    if text.startswith('{"status":"error"'):
        try:
            structured = orjson.loads(text)
        except orjson.JSONDecodeError:
            structured = {}
        if "suggested_action" in structured:
            return str(structured.get("type") or "bug")
    if len(text) > _REMEMBERED:
        return _read(tool, args, text, is_error)
    return _remembered(tool, args, text, is_error)


def _read(tool: str, args: str, text: str, is_error: bool | None) -> str:  # noqa: FBT001 - the API's own flag
    found = read(Result(tool, "", args, text, is_error), Known())
    return found.type if isinstance(found, Failure) else ""


_REMEMBERED = 4096
_remembered = lru_cache(maxsize=1024)(_read)
