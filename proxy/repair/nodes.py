"""Normalised subschemas that can be evaluated: jsonschema's loop and leaf keywords, with our own applicators.

A `Node` is one subschema after normalise.py: a single vocabulary (2020-12), references already replaced by the node
they mean, patterns compiled. It knows nothing of drafts, wire formats or repairs.

jsonschema makes a new validator at each step down; here each node keeps its own, so that a valid call costs tens of
microseconds. The keywords replaced are those where jsonschema descends, runs a backtracking regex, sorts (uniqueItems),
divides floats (multipleOf 0.01 refuses 19.99) or takes NaN for a number. `Meter` bounds the work of one check, so that
no schema and no value can hold the event loop.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import NoneType
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import create
from referencing import Registry

from proxy.repair.formats import CHECKS
from proxy.repair.literals import Num
from proxy.repair.patterns import Pattern

Errors = Iterable[ValidationError]


class Exhausted(Exception):  # noqa: N818 - not an error of the input: the work allowed for one check is used up
    """Raised inside a check whose meter has run out; schema.py catches it."""


class Meter:
    """How many node visits one check may still make, and which references it is following."""

    __slots__ = ("following", "left")

    def __init__(self) -> None:
        self.left = 0
        self.following: set[tuple[int, int]] = set()

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Exhausted


_PLAIN: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "number": int,
    "boolean": bool,
    "null": NoneType,
    "array": list,
    "object": dict,
}


class Node(dict[str, Any]):
    """One normalised subschema. Keyword values are nodes where the keyword holds schemas."""

    __slots__ = ("_plain", "_validator", "meter")

    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self.meter = meter
        self._plain: frozenset[type] | None = None
        self._validator: Any = None

    def errors(self, value: Any) -> Errors:
        """Every error of `value`, lazily; paths are relative to the value."""
        self.meter.spend()
        if self._validator is None:
            self._prepare()
        return self._validator.iter_errors(value)  # type: ignore[no-any-return]

    def takes(self, value: Any) -> bool:
        return self.is_plain(value) or next(iter(self.errors(value)), None) is None

    def is_plain(self, value: Any) -> bool:
        """Whether the value is valid by its Python type alone: most properties are, and need no validator."""
        return self._plain is not None and type(value) in self._plain

    def _prepare(self) -> None:
        self._validator = _BLANK.evolve(schema=self)
        if not KEYWORDS.keys() & self.keys() - {"type"}:
            self._plain = frozenset(_PLAIN[name] for name in _names(self.get("type")) if name in _PLAIN)


def _names(types: str | list[str] | None) -> list[str]:
    if types is None:
        return list(_PLAIN)
    return [types] if isinstance(types, str) else types


def _below(node: Node, value: Any, step: str | int) -> Errors:
    for error in node.errors(value):
        error.path.appendleft(step)
        yield error


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int | Num) or math.isfinite(value)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def admits_type(node: Node, value: Any, depth: int = 8) -> bool:
    """Whether the node takes values of this JSON type at all, as far as it says so."""
    if "type" in node:
        return any(_TYPES[name](value) for name in _names(node["type"]))
    if "enum" in node or "const" in node:
        return any(type(value) is type(allowed) for allowed in node.get("enum", [node.get("const")]))
    if depth and "unlessNull" in node:
        return value is None or admits_type(node["unlessNull"], value, depth - 1)
    if depth and "$ref" in node:
        return admits_type(node["$ref"], value, depth - 1)
    return not depth or all(admits_type(part, value, depth - 1) for part in node.get("allOf", ()))


def _type(_: Any, types: str | list[str], value: Any, __: Node) -> Errors:
    if isinstance(types, str):
        return () if _TYPES[types](value) else (ValidationError("wrong type"),)
    return () if any(_TYPES[name](value) for name in types) else (ValidationError("wrong type"),)


def _properties(_: Any, nodes: dict[str, Node], value: Any, __: Node) -> Errors:
    if isinstance(value, dict):
        for name, node in nodes.items():
            if name in value and not node.is_plain(value[name]):
                yield from _below(node, value[name], name)


def _required(_: Any, names: list[str], value: Any, __: Node) -> Errors:
    if not isinstance(value, dict):
        return ()
    return [ValidationError("missing", path=[n], validator_value=n) for n in names if n not in value]


def _pattern_properties(_: Any, pairs: list[tuple[Pattern | None, Node]], value: Any, __: Node) -> Errors:
    if isinstance(value, dict):
        for pattern, node in pairs:
            for name in value:
                if pattern is not None and pattern.found(name):
                    yield from _below(node, value[name], name)


def known(node: Node, name: str) -> bool:
    """Whether the schema declares this property, by name or by pattern (an unchecked pattern might)."""
    if name in node.get("properties", ()):
        return True
    return any(pattern is None or pattern.found(name) for pattern, _ in node.get("patternProperties", ()))


def _additional_properties(_: Any, node: Node, value: Any, schema: Node) -> Errors:
    if isinstance(value, dict):
        for name in value:
            if not known(schema, name):
                if "never" in node:
                    yield ValidationError("unknown", path=[name], validator_value=name)
                else:
                    yield from _below(node, value[name], name)


def _property_names(_: Any, node: Node, value: Any, __: Node) -> Errors:
    if isinstance(value, dict):
        for name in value:
            if not node.takes(name):
                yield ValidationError("bad name", path=[name], validator_value=name)


def _prefix_items(_: Any, nodes: list[Node], value: Any, __: Node) -> Errors:
    if isinstance(value, list):
        for index, (node, item) in enumerate(zip(nodes, value, strict=False)):
            yield from _below(node, item, index)


def _items(_: Any, node: Node, value: Any, schema: Node) -> Errors:
    if isinstance(value, list):
        for index in range(len(schema.get("prefixItems", ())), len(value)):
            if not node.is_plain(value[index]):
                yield from _below(node, value[index], index)


def _contains(_: Any, node: Node, value: Any, schema: Node) -> Errors:
    if isinstance(value, list):
        count = sum(1 for item in value if node.takes(item))
        if not schema.get("minContains", 1) <= count <= schema.get("maxContains", len(value)):
            yield ValidationError("wrong number of matching items")


def _any_of(_: Any, nodes: list[Node], value: Any, __: Node) -> Errors:
    if not any(node.takes(value) for node in nodes):
        yield ValidationError("none matches")


def _one_of(_: Any, nodes: list[Node], value: Any, __: Node) -> Errors:
    if sum(1 for node in nodes if node.takes(value)) != 1:
        yield ValidationError("not exactly one matches")


def _all_of(_: Any, nodes: list[Node], value: Any, __: Node) -> Errors:
    for node in nodes:
        yield from node.errors(value)


def _ref(_: Any, node: Node, value: Any, __: Node) -> Errors:
    """A reference that comes back to itself at the same value says nothing about it."""
    step = (id(node), id(value))
    following = node.meter.following
    if step in following:
        return
    following.add(step)
    try:
        yield from node.errors(value)
    finally:
        following.discard(step)


def _not(_: Any, node: Node, value: Any, __: Node) -> Errors:
    if node.takes(value):
        yield ValidationError("excluded")


def _if(_: Any, node: Node, value: Any, schema: Node) -> Errors:
    branch = schema.get("then" if node.takes(value) else "else")
    if branch is not None:
        yield from branch.errors(value)


def _unless_null(_: Any, node: Node, value: Any, __: Node) -> Errors:
    if value is not None:
        yield from node.errors(value)


def _dependent_schemas(_: Any, nodes: dict[str, Node], value: Any, __: Node) -> Errors:
    if isinstance(value, dict):
        for name, node in nodes.items():
            if name in value:
                yield from node.errors(value)


def _never(_: Any, __: Any, ___: Any, ____: Node) -> Errors:
    yield ValidationError("nothing is allowed here")


def _enum(validator: Any, allowed: list[Any], value: Any, schema: Node) -> Errors:
    if isinstance(value, str):
        return () if value in allowed else (ValidationError("not one of the values"),)
    return Draft202012Validator.VALIDATORS["enum"](validator, allowed, value, schema)  # type: ignore[no-any-return]


def _pattern(_: Any, pattern: Pattern, value: Any, __: Node) -> Errors:
    if isinstance(value, str) and not pattern.found(value):
        return (ValidationError("does not match"),)
    return ()


def _format(_: Any, name: str, value: Any, __: Node) -> Errors:
    check = CHECKS.get(name)
    if check is not None and isinstance(value, str) and not check(value):
        return (ValidationError("wrong format"),)
    return ()


def _multiple_of(_: Any, step: float, value: Any, __: Node) -> Errors:
    """Exact on what was written: 19.99 is a multiple of 0.01, though the nearest floats disagree."""
    if _is_number(value) and math.isfinite(value) and Fraction(str(value)) % Fraction(str(step)):
        yield ValidationError("not a multiple")


def _unique_items(_: Any, wanted: bool, value: Any, __: Node) -> Errors:  # noqa: FBT001 - the keyword's value
    if wanted and isinstance(value, list) and len({_hashable(item) for item in value}) < len(value):
        yield ValidationError("not unique")


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON value: 1 and 1.0 are, true and 1 are not."""
    return _hashable(one) == _hashable(other)


def _hashable(value: Any) -> object:
    """Equal, and hashed alike, for equal JSON values only."""
    if isinstance(value, dict):
        return ("object", frozenset((name, _hashable(item)) for name, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(_hashable, value)))
    return (isinstance(value, bool), value)


_LEAVES = """const dependentRequired exclusiveMaximum exclusiveMinimum maximum maxItems maxLength maxProperties minimum
    minItems minLength minProperties"""
KEYWORDS: dict[str, Any] = {
    **{name: Draft202012Validator.VALIDATORS[name] for name in _LEAVES.split()},
    "$ref": _ref,
    "additionalProperties": _additional_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "contains": _contains,
    "dependentSchemas": _dependent_schemas,
    "enum": _enum,
    "format": _format,
    "if": _if,
    "items": _items,
    "multipleOf": _multiple_of,
    "never": _never,
    "not": _not,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "propertyNames": _property_names,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique_items,
    "unlessNull": _unless_null,
}


# No `$ref` ever reaches jsonschema, and an empty registry fetches nothing.
_BLANK: Any = create(Draft202012Validator.META_SCHEMA, KEYWORDS)(schema={}, registry=Registry())
