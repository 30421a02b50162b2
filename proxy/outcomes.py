"""What came of a call, read from its result: it worked, it failed, or nobody can tell. Pure.

Policies that count, replay or remember outcomes share this reading; the words for the model are not its matter.
"""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import orjson

from proxy.failures.reading import Declared, Failure, Known, Result
from proxy.late import read
from proxy.memo import Memo, mark
from proxy.model import ToolCall, ToolResult

UNSURE = frozenset({"timeout", "communication", "unavailable"})
"""Kinds of failure after which a side effect may have happened all the same."""
_PLAIN = Declared()


class Outcome(Enum):
    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Failed(NamedTuple):
    """The kind of a failure (validation, timeout, …) and its code (UNKNOWN_COLUMN, COMMAND_TIMEOUT, …)."""

    type: str
    code: str


def outcome(call: ToolCall, result: ToolResult, declared: Declared = _PLAIN) -> Outcome:
    """`declared`: what the pack says about the results of this tool."""
    failed = failure(call, result, declared)
    if failed is None:
        return Outcome.OK
    return Outcome.UNKNOWN if failed.type in UNSURE else Outcome.FAILED


def failure(call: ToolCall, result: ToolResult, declared: Declared = _PLAIN) -> Failed | None:
    """The failure that a result is, written by the tool or already structured by Handrail; None: it is none."""
    text = result.text
    found = structured(text)
    if found is not None:
        return found
    if len(text) <= _REMEMBERED:
        return _remembered(call.tool, call.args, text, result.is_error, declared)
    known = (call.tool, mark(call.args), mark(text), result.is_error, declared)
    return _long.get(known, lambda: _read(call.tool, call.args, text, result.is_error, declared))


def structured(text: str) -> Failed | None:
    """What a text says that is a structured error in Handrail's own form already; None: it is none."""
    if not text.startswith('{"status":"error"'):
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict) or "suggested_action" not in value:
        return None
    return Failed(str(value.get("type") or "bug"), str(value.get("code") or "UNKNOWN_ERROR"))


def _read(tool: str, args: str, text: str, is_error: bool | None, declared: Declared) -> Failed | None:  # noqa: FBT001
    found = read(Result(tool, "", args, text, is_error), Known(declared=declared))
    return Failed(found.type, found.code) if isinstance(found, Failure) else None


_REMEMBERED = 4096
_long: Memo[Failed | None] = Memo()
_remembered = lru_cache(maxsize=1024)(_read)
