"""Reads `repr(exception)` as the Python expression that it nearly always is: `Name('message', code='x', body={…})`.

The expression is parsed, never evaluated: literals and nested exceptions are taken, everything else (sockets,
response objects, configurations) is left out.
"""

import ast
import json
import re
from collections.abc import Iterator

from proxy.failures.story import Link
from proxy.failures.vocabulary import tells

_MOST = 12_000
_NAME = re.compile(
    r"^<?([A-Za-z_][\w.]{0,120}?(?:Error|Exception|Failure|Fault|Exit|Interrupt|Timeout|Expired|NotFound|Exists|Denied|Refused|Rejected|Rejection|Iteration|Warning|Abort|Aborted"
    r"|Cancelled|Unavailable|Violation|Missing|Invalid|Exceeded|Group|gaierror|timeout|herror|error))(?=\(|: |>$)"
)
_CALL = re.compile(r"^([A-Z][A-Za-z]{4,60})(?=\(['\"])")
_TOLD = frozenset(
    (
        "message",
        "msg",
        "str",
        "detail",
        "details",
        "reason",
        "description",
        "title",
        "error",
        "errors",
        "body",
        "text",
        "response",
        "string",
    )
)
_KEPT = frozenset(
    (
        "code",
        "status",
        "status_code",
        "http_status",
        "param",
        "field",
        "type",
        "limit",
        "retry_after",
        "errno",
        "constraint",
        "path",
        "url",
        "value",
        "name",
    )
)
_FUTURE = re.compile(r"^(\w*RetryError)\[<Future .{0,120}raised (\w+)>\]$")
_CLASS = re.compile(r"^\[?<class '([\w.]+)'>\]?$")
_BRACED = re.compile(r"^(\w*(?:Error|Exception))\{(.*)\}$", re.DOTALL)
_SIMPLE = re.compile(
    r"\b(?:code|status|status_code|http_status|param|reason|type|errno)=(?:'[^'\n]{1,120}'|-?[\d.]{1,12}\b)"
)
_STRING = re.compile(r"(?:message|msg|str|detail|string|reason|description)\s?=\s?(['\"])(.{1,1500}?)\1")


def exception(text: str) -> Link | None:
    """The exception whose repr `text` is as a whole, or None."""
    bare = text.strip()
    if found := _FUTURE.match(bare):
        return Link(found.group(2), "")
    if found := _CLASS.match(bare):
        return Link(found.group(1), "") if "." in found.group(1) or found.group(1)[0].isupper() else None
    if found := _BRACED.match(bare):
        return Link(found.group(1), found.group(2))
    found = _NAME.match(bare) or _telling(bare)
    if not found or bare[-1] not in ")>" or found.end() == len(bare):
        return None
    if bare[found.end()] == "(" and bare.endswith(")"):
        return Link(found.group(1), inside(bare[found.end() + 1 : -1]))
    if bare[0] == "<" and bare.endswith(">"):
        return Link(found.group(1), bare[found.end() : -1].strip(": "))
    return None


def _telling(text: str) -> re.Match[str] | None:
    """A class whose name has no exception's ending, but says what went wrong."""
    found = _CALL.match(text)
    return found if found and tells(found.group(1)) else None


def inside(arguments: str) -> str:
    """The message in an exception's arguments, followed by what else is a plain value."""
    if not arguments.strip():
        return ""
    node = _parsed(arguments)
    if node is None:
        told = [found.group(2) for found in list(_STRING.finditer(arguments))[:3]]
        more = [found.group() for found in list(_SIMPLE.finditer(arguments))[:6]]
        if told:
            return f"{', '.join(dict.fromkeys(told))} ({', '.join(more)})" if more else ", ".join(told)
        return arguments.strip()
    told, more = [], []
    for value in node.args:
        told += _texts(value)
    for keyword in node.keywords:
        if keyword.arg in _TOLD:
            told += _texts(keyword.value)
        elif keyword.arg in _KEPT:
            more += [f"{keyword.arg}={text}" for text in _texts(keyword.value) if text]
    told = [text for text in dict.fromkeys(told) if text]
    text = ", ".join(told)
    return f"{text} ({', '.join(more)})".strip() if more else text


def _parsed(arguments: str) -> ast.Call | None:
    if len(arguments) > _MOST:
        return None
    try:
        node = ast.parse(f"_({arguments})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return node if isinstance(node, ast.Call) else None


def _texts(node: ast.expr, depth: int = 0) -> Iterator[str]:
    if isinstance(node, ast.Call):
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        if depth < 4 and _NAME.match(f"{name}("):
            inner = ", ".join(text for value in node.args for text in _texts(value, depth + 1) if text)
            yield f"{name}: {inner}" if inner else name
        return
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError, SyntaxError):
        if isinstance(node, ast.List | ast.Tuple) and depth < 4:
            for item in node.elts:
                yield from _texts(item, depth + 1)
        return
    yield _told(value)


def _told(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str) if value else ""
    return "" if value is None else str(value)
