"""What earlier results of a run tell about what exists: columns of tables, keys of rows, values that were seen. Pure.

A failure that says "no such column" is worth little; that the run itself has seen the columns is worth a lot. Only
small and plainly structured results are looked at, each once.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import orjson

from proxy.failures.reading import Earlier
from proxy.model import ToolCall, Turn
from proxy.task import steps

_LARGEST = 65_536
_NAMES = 60
_VALUES = 20
_TABLE_KEYS = ("table", "table_name", "name", "relation", "entity")
_COLUMN_KEYS = ("column_name", "column", "name", "field")


def earlier(turns: Sequence[Turn], begin: int) -> Earlier:
    """Facts of the results from `begin` on."""
    columns: dict[str, tuple[str, ...]] = {}
    keys: dict[str, None] = {}
    values: dict[str, dict[str, None]] = {}
    for call, text in _texts(turns, begin):
        found = _facts(text, _table(call))
        columns.update(found.columns)
        keys.update(dict.fromkeys(found.keys))
        for key, seen in found.values.items():
            values.setdefault(key, {}).update(dict.fromkeys(seen))
    return Earlier(columns, tuple(keys)[:_NAMES], {key: tuple(seen)[:_VALUES] for key, seen in values.items()})


def _texts(turns: Sequence[Turn], begin: int) -> Iterator[tuple[ToolCall, str]]:
    for step in steps(turns, begin):
        for call, result in zip(step.calls, step.results, strict=True):
            if result is not None and result.text[:1] in "{[" and len(result.text) <= _LARGEST:
                yield call, result.text


def _table(call: ToolCall) -> str:
    """The table that a call asks about, if its arguments name one."""
    try:
        args = orjson.loads(call.args)
    except orjson.JSONDecodeError:
        return ""
    if not isinstance(args, dict):
        return ""
    return next((args[key] for key in _TABLE_KEYS if isinstance(args.get(key), str)), "")


@lru_cache(maxsize=256)
def _facts(text: str, table: str) -> Earlier:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return Earlier()
    if isinstance(value, dict) and value.get("status") == "error":
        return Earlier()
    named = table or (
        next((value[key] for key in _TABLE_KEYS if isinstance(value.get(key), str)), "")
        if isinstance(value, dict)
        else ""
    )
    columns = {named: found} if (found := _columns(value)) else {}
    rows = _rows(value)
    keys = tuple(dict.fromkeys(key for row in rows[:5] for key in row))[:_NAMES]
    seen = {
        key: tuple(dict.fromkeys(row[key] for row in rows[:50] if isinstance(row.get(key), str) and len(row[key]) < 60))
        for key in keys
    }
    return Earlier(columns, keys, {key: some[:_VALUES] for key, some in seen.items() if some})


def _columns(value: Any) -> tuple[str, ...]:
    """Names out of a description of a table: a list of names, or of objects that name a column and its type."""
    listed = value.get("columns", value.get("fields", value.get("schema"))) if isinstance(value, dict) else value
    if isinstance(listed, dict):
        return tuple(map(str, listed))[:_NAMES]
    if not isinstance(listed, list) or not listed:
        return ()
    if all(isinstance(one, str) for one in listed) and isinstance(value, dict):
        return tuple(listed[:_NAMES])
    if all(isinstance(one, dict) and any("type" in key.lower() for key in one) for one in listed):
        names = [next((one[key] for key in _COLUMN_KEYS if isinstance(one.get(key), str)), "") for one in listed]
        return tuple(name for name in names if name)[:_NAMES]
    return ()


def _rows(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list)]
        value = max(lists, key=len, default=[])
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
