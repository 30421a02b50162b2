"""What the pack says about a tool's results: which forms are its errors, and whether it returns rows.

Patterns run on a linear-time engine; a JSON pointer counts where its value is present and says something.
"""

import json
import re
from typing import Any

import re2

from proxy.failures.reading import ErrorForm, Known, Result

_MOST = 200_000
_NOTHING = frozenset(("", "[]", "{}", "null", "none", "nil", "undefined", "no rows", "(0 rows)", "()"))
_ROWS = ("rows", "data", "results", "items", "records", "result", "hits", "value", "values", "list")


def form_of(result: Result, known: Known) -> ErrorForm | None:
    """The declared form that the result has."""
    value: Any = None
    for form in known.declared.errors:
        if form.pointer:
            value = value if value is not None else _json(result.text)
            if _at(value, form.pointer) not in (None, False, "", 0, [], {}):
                return form
        elif form.pattern and _matches(form.pattern, result.text[:_MOST]):
            return form
    return None


def _matches(pattern: str, text: str) -> bool:
    try:
        return re2.search(pattern, text) is not None
    except re2.error:
        return False


def _json(text: str) -> Any:
    if len(text) > _MOST * 5:
        return False
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return False


def _at(value: Any, pointer: str) -> Any:
    """RFC 6901."""
    for part in pointer.strip("/").split("/") if pointer.strip("/") else []:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and re.fullmatch(r"\d{1,6}", key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def empty(result: Result, known: Known) -> bool:
    """An empty answer of a tool that returns rows."""
    if known.declared.returns != "rows" or result.is_error or len(result.text) > 2000:
        return False
    bare = result.text.strip()
    if bare.lower() in _NOTHING:
        return True
    value = _json(bare) if bare[:1] in "{[" else None
    if not isinstance(value, dict) or value.get("error") or value.get("status") == "error":
        return False
    lists = [value[key] for key in _ROWS if key in value]
    return bool(lists) and all(item in ([], {}, None) for item in lists)
