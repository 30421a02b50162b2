"""The subset of JSON Schema in which OpenAI decodes (`strict: true`), and its words for what lies outside.

Kept apart from the server, without the decoder, so that it can be tested everywhere. What is checked is what OpenAI
documents under "Supported schemas" of Structured Outputs.
"""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_TYPES = frozenset(("string", "number", "integer", "boolean", "null", "array", "object"))
_FORMATS = frozenset(("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"))
_TAKEN = frozenset(
    (
        *("type", "enum", "const", "anyOf", "$ref", "$defs", "definitions", "title", "description"),
        *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
        *("pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    )
)
_MAX_DEPTH = 10


def refusal(schema: Any) -> str | None:
    """Why a schema is no strict one, as OpenAI says it; None: it is one."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return "schema must be a JSON Schema of 'type: \"object\"'."
    return _refusal(schema, (), 0)


def _refusal(node: Any, path: tuple[str, ...], depth: int) -> str | None:
    where = f"In context=({', '.join(map(repr, path))}{',' if len(path) == 1 else ''}),"
    if not isinstance(node, Mapping):
        return f"{where} schema must be an object."
    if depth > _MAX_DEPTH:
        return f"{where} schema exceeds {_MAX_DEPTH} levels of nesting."
    for keyword in node:
        if keyword not in _TAKEN:
            return f"{where} '{keyword}' is not permitted."
    if "format" in node and node["format"] not in _FORMATS:
        return f"{where} {node['format']!r} is not a valid format."
    kinds = _kinds(node)
    if not kinds and not node.keys() & {"anyOf", "$ref", "enum", "const"}:
        return f"{where} schema must have a 'type' key."
    if not kinds <= _TYPES:
        return f"{where} {', '.join(sorted(kinds - _TYPES))!r} is not a valid type."
    if "object" in kinds and (said := _object_refusal(node, where)):
        return said
    if "array" in kinds and "items" not in node:
        return f"{where} array schema missing items."
    below = (_refusal(child, (*path, *name), depth + 1) for name, child in _children(node))
    return next(filter(None, below), None)


def _object_refusal(node: Schema, where: str) -> str | None:
    if node.get("additionalProperties") is not False:
        return f"{where} 'additionalProperties' is required to be supplied and to be false."
    required = node.get("required")
    missing = [name for name in node.get("properties", {}) if name not in (required or ())]
    if not isinstance(required, list) or missing:
        key = f" Missing {missing[0]!r}." if missing else ""
        return (
            f"{where} 'required' is required to be supplied and to be an array including every key in properties.{key}"
        )
    return None


def _children(node: Schema) -> list[tuple[tuple[str, ...], Any]]:
    named = [
        ((keyword, name), child)
        for keyword in ("properties", "$defs", "definitions")
        for name, child in node.get(keyword, {}).items()
    ]
    branches = [(("anyOf", str(at)), child) for at, child in enumerate(node.get("anyOf", ()))]
    items = [(("items",), node["items"])] if "items" in node else []
    return [*named, *branches, *items]


def _kinds(node: Schema) -> set[str]:
    stated = node.get("type", [])
    return {stated} if isinstance(stated, str) else set(stated)


def spelled_out(node: Any) -> Any:
    """The same schema with each list of types as `anyOf`.

    llama-cpp-python's converter reads `{"type": ["string", "null"], "enum": …}` as any string or null: it forgets what
    stands beside a list of types. OpenAI and vLLM mean both, so the server says both.
    """
    if isinstance(node, list):
        return [spelled_out(one) for one in node]
    if not isinstance(node, Mapping):
        return node
    inner = {
        key: {name: spelled_out(child) for name, child in value.items()}
        if key in ("properties", "$defs", "definitions")
        else spelled_out(value)
        if key in ("items", "anyOf")
        else value
        for key, value in node.items()
    }
    if not isinstance(inner.get("type"), list):
        return inner
    return {"anyOf": [_of_kind(kind, inner) for kind in inner["type"]]}


def _of_kind(kind: str, node: Schema) -> Schema:
    made = {**node, "type": kind}
    if "enum" in node:
        made["enum"] = [value for value in node["enum"] if (value is None) == (kind == "null")]
    return made
