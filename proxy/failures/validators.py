"""Reads the findings of validators: pydantic, zod, ajv, marshmallow, Rails, Laravel, express-validator, problem+json.

Their lists and trees become one line a finding, `field: what is wrong (got …)`; input values are kept short. Only
shapes count, and what the strings say where a shape alone could be data (a mapping of lists of sentences).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.failures.vocabulary import general, spoken

_MOST = 20
_PLACE_KEYS = (
    "loc",
    "path",
    "instancePath",
    "dataPath",
    "param",
    "field",
    "name",
    "property",
    "pointer",
    "propertyPath",
    "key",
    "source",
)
_TOLD_KEYS = ("msg", "message", "reason", "detail", "error", "description", "title")
_LIMIT_KEYS = ("values", "options", "expected", "received", "minimum", "maximum", "allowedValues", "keys", "limit")
_PYDANTIC = re.compile(r"(?:^|(?<=: ))\d{1,4} validation errors? for [^\n]{1,200}$", re.MULTILINE)
_PYDANTIC_TAIL = re.compile(
    r"\s*\[type=(?P<type>[\w.]+)(?:, input_value=(?P<input>.*?))?(?:, input_type=(?P<kind>[\w.]+))?\]\s*$"
)


def problems(value: Any) -> str:
    """The findings in `value` as lines; empty where `value` is no validator's output."""
    lines = list(_found(value))[:_MOST]
    return "\n".join(lines)


def _found(value: Any) -> Iterator[str]:
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        if all(_is_issue(item) for item in value):
            yield from (_issue(item) for item in value[:_MOST])
    elif isinstance(value, dict):
        yield from _tree(value)


def _is_issue(item: Mapping[str, Any]) -> bool:
    """A place and a message, and a mark of a validator (not a log record, not a GraphQL error)."""
    place = next((key for key in _PLACE_KEYS if key in item), None)
    told = next((key for key in _TOLD_KEYS if isinstance(item.get(key), str)), None)
    if (
        place is None
        or told is None
        or place == told
        or "locations" in item
        or "extensions" in item
        or "ts" in item
        or "level" in item
    ):
        return False
    marks = {
        "loc",
        "instancePath",
        "dataPath",
        "keyword",
        "schemaPath",
        "param",
        "location",
        "code",
        "type",
        "field",
        "source",
        "constraints",
        "rule",
        "validation",
        "rejectedValue",
        "reason",
        "propertyPath",
        "path",
    }
    return bool(marks & item.keys()) and (place in ("loc", "instancePath", "dataPath") or _tells(str(item[told])))


def _issue(item: Mapping[str, Any]) -> str:
    place = next(item[key] for key in _PLACE_KEYS if key in item)
    if isinstance(place, dict):
        place = place.get("pointer") or place.get("parameter") or ""
    where = (
        ".".join(str(part) for part in place)
        if isinstance(place, list | tuple)
        else str(place).strip("/").replace("/", ".")
    )
    told = next(str(item[key]) for key in _TOLD_KEYS if isinstance(item.get(key), str))
    more = _limits(item, told)
    params = item.get("params")
    if isinstance(params, dict):
        more += (
            _limits(params, told)
            or "".join(f" ({inner})" for inner in params.values() if isinstance(inner, str) and inner not in told)[:200]
        )
    received = item.get("input", item.get("rejectedValue", item.get("received", item.get("value"))))
    if isinstance(received, str | int | float) and not isinstance(received, bool) and str(received) not in told + more:
        more += f" (got {str(received)[:120]!r})"
    return f"{where}: {told}{more}" if where else f"{told}{more}"


def _limits(item: Mapping[str, Any], told: str) -> str:
    parts = []
    for key in _LIMIT_KEYS:
        value = item.get(key)
        if value in (None, "", []) or isinstance(value, dict | bool):
            continue
        texts = [str(one) for one in value[:20]] if isinstance(value, list) else [str(value)]
        if not all(text in told for text in texts):
            parts.append(f"{key}: {', '.join(texts)}")
    return f" ({'; '.join(parts)})" if parts else ""


def _tree(value: Mapping[str, Any], above: str = "", depth: int = 0) -> Iterator[str]:
    """`{field: [sentence, …]}` where at least one sentence is a validator's, and nothing else stands beside."""
    if depth > 3 or len(value) > 40 or not all(_is_leaf(item) or isinstance(item, dict) for item in value.values()):
        return
    if depth == 0 and not any(_tells(text) for text in _sentences(value)):
        return
    for field, item in value.items():
        where = f"{above}.{field}" if above else str(field)
        if isinstance(item, dict):
            yield from _tree(item, where, depth + 1)
        else:
            yield f"{where}: {' '.join(item)}"


def _is_leaf(item: Any) -> bool:
    return (
        isinstance(item, list)
        and bool(item)
        and all(isinstance(text, str) and " " in text.strip() and len(text) < 400 for text in item)
    )


def _sentences(value: Mapping[str, Any]) -> Iterator[str]:
    for item in value.values():
        if isinstance(item, dict):
            yield from _sentences(item)
        elif isinstance(item, list):
            yield from (text for text in item if isinstance(text, str))


def _tells(text: str) -> bool:
    rule = general.first(spoken(text))
    return rule is not None and not rule.weak


def pydantic(text: str) -> str:
    """Pydantic's own text as one line a finding; `text` itself where it is none of pydantic's."""
    found = _PYDANTIC.search(text)
    if not found or not ("[type=" in text or "(type=" in text):
        return text
    lines: list[str] = []
    where = ""
    for line in text[found.end() :].split("\n")[: _MOST * 4]:
        bare = line.strip()
        if not bare or bare.startswith("For further information"):
            continue
        tail = _PYDANTIC_TAIL.search(bare)
        if tail:
            told = bare[: tail.start()]
            given = (tail.group("input") or "").strip()
            simple = given and len(given) <= 80 and given[0] not in "{[A" and given not in told
            lines.append(f"{where}: {told}{f' (got {given})' if simple else ''}".lstrip(": "))
        elif line[:1] not in (" ", "\t"):
            where = bare
        else:
            lines.append(f"{where}: {bare}")
    head = f"{text[: found.start()].strip()}\n{found.group()}".strip()
    return "\n".join(part for part in (head, *lines[:_MOST]) if part) or text
