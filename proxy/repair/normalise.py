"""Turns a schema of any draft into nodes of one vocabulary, and says what in it could not be taken at its word.

The drafts differ in spelling more than in meaning: tuples (`items: [...]` or `prefixItems`), `definitions`,
`dependencies`, boolean `exclusiveMinimum`, OpenAPI's `nullable`. All are read here, once, so that nothing behind this
module knows a draft. The walk is also the check of the schema itself: it looks at each keyword's shape, which costs
microseconds where jsonschema's check_schema costs milliseconds, and nothing that it lets through can raise later.

A keyword of a wrong shape makes the whole schema unfit (`Unfit`), because a schema that is wrong in one place is not
to be trusted in the next. Harmless habits of generators (a null keyword, an empty enum, `required: true` inside a
property) are left out and reported.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.repair.nodes import Meter, Node
from proxy.repair.patterns import Pattern, compiled
from proxy.repair.references import References
from proxy.repair.tree import Path, pointer

MAX_DEPTH = 64
MAX_NODES = 20_000
MAX_FINDINGS = 100

_TYPES = frozenset(("string", "number", "integer", "boolean", "null", "array", "object"))
_ANNOTATIONS = ("title", "description", "default", "examples", "unit", "x-unit")
_COMPOSED = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "const", "dependentSchemas")
_OLD_DRAFTS = ("draft-03", "draft-04", "draft-06", "draft-07")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a schema that its author should know. `path` is a JSON pointer into the schema."""

    path: str
    kind: str
    message: str


class Unfit(Exception):  # noqa: N818 - a verdict on the schema, caught by schema.py
    """The schema cannot be used to check anything."""

    def __init__(self, path: Path, message: str, kind: str = "bad_schema") -> None:
        super().__init__(message)
        self.finding = Finding(pointer(path), kind, message)


@dataclass(slots=True)
class Builder:
    """One normalisation under way."""

    document: Any
    meter: Meter
    findings: list[Finding] = field(default_factory=list)
    built: dict[int, Node] = field(default_factory=dict)
    pending: list["_Place"] = field(default_factory=list)
    references: References = field(init=False)
    silencing: bool = field(init=False)

    def __post_init__(self) -> None:
        self.references = References(self.document)
        draft = self.document.get("$schema") if isinstance(self.document, dict) else None
        self.silencing = isinstance(draft, str) and any(old in draft for old in _OLD_DRAFTS)

    def note(self, path: Path, kind: str, message: str) -> None:
        finding = Finding(pointer(path), kind, message)
        if finding not in self.findings and len(self.findings) < MAX_FINDINGS:
            self.findings.append(finding)

    def root(self) -> Node:
        """The node of the whole document, with everything that it refers to."""
        root = self.node(self.document, ())
        while self.pending:
            self._fill(self.pending.pop())
        return root

    def node(self, source: Any, path: Path, depth: int = 0) -> Node:
        """The node of a subschema; the same one each time, so that references may be circular.

        At depth 0 it is filled later: a chain of references does not nest.
        """
        if isinstance(source, dict) and id(source) in self.built:
            return self.built[id(source)]
        node = Node(self.meter)
        if isinstance(source, dict):
            self._admit(source, node, path, depth)
            place = _Place(self, node, source, path, depth)
            if depth:
                self._fill(place)
            else:
                self.pending.append(place)
        elif source is False:
            node["never"] = True
        elif source is not True:
            raise Unfit(path, f"a schema must be an object or a boolean, not {_name(source)}")
        return node

    def _admit(self, source: dict[str, Any], node: Node, path: Path, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise Unfit(path, f"the schema nests deeper than {MAX_DEPTH} levels", "too_deep")
        if len(self.built) >= MAX_NODES:
            raise Unfit(path, f"the schema has more than {MAX_NODES} parts", "too_large")
        self.built[id(source)] = node

    def _fill(self, place: "_Place") -> None:
        source, outer = place.source, place.node
        outer.update((name, source[name]) for name in _ANNOTATIONS if name in source)
        nullable = source.get("nullable") is True
        if nullable and any(name in source for name in _COMPOSED):
            place.node = Node(self.meter)
            place.node.update(outer)
            outer["unlessNull"] = place.node
        alone = self.silencing and isinstance(source.get("$ref"), str)
        for keyword in ("$ref",) if alone else source:
            place.take(keyword, source[keyword])
        if nullable and place.node is outer:
            _admit_null(outer)


@dataclass(slots=True)
class _Place:
    """Where the walk stands: the node being filled and the subschema that it is filled from."""

    builder: Builder
    node: Node
    source: dict[str, Any]
    path: Path
    depth: int

    def take(self, keyword: str, value: Any) -> None:
        taker = _KEYWORDS.get(keyword)
        if taker is None:
            return
        if value is None and keyword != "const":
            self.leave_out(keyword, "is null")
        else:
            taker(self, keyword, value)

    def below(self, source: Any, *steps: str | int) -> Node:
        return self.builder.node(source, (*self.path, *steps), self.depth + 1)

    def leave_out(self, keyword: str, why: str, kind: str = "ignored_keyword") -> None:
        self.builder.note((*self.path, keyword), kind, f'"{keyword}" {why}; not checked')

    def demand(self, keyword: str, shape: str, *, fits: bool) -> None:
        if not fits:
            raise Unfit((*self.path, keyword), f'"{keyword}" must be {shape}')


def _name(value: Any) -> str:
    names = {list: "an array", str: "a string", type(None): "null"}
    return names.get(type(value), "a number")


def _admit_null(node: Node) -> None:
    if "type" in node:
        types = [node["type"]] if isinstance(node["type"], str) else node["type"]
        node["type"] = [*types, "null"]
    if "enum" in node and None not in node["enum"]:
        node["enum"] = [*node["enum"], None]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _leaf(shape: str, fits: Callable[[Any], bool]) -> "_Take":
    def take(place: _Place, keyword: str, value: Any) -> None:
        place.demand(keyword, shape, fits=fits(value))
        place.node[keyword] = value

    return take


def _exclusive(place: _Place, keyword: str, value: Any) -> None:
    """A bound of its own, or draft 4's flag that sharpens the bound beside it."""
    bound = place.source.get(keyword.removeprefix("exclusive").lower())
    if isinstance(value, bool):
        if value and _is_number(bound):
            place.node[keyword] = bound
        return
    place.demand(keyword, "a number", fits=_is_number(value))
    place.node[keyword] = value


def _type(place: _Place, keyword: str, value: Any) -> None:
    names = [value] if isinstance(value, str) else value
    fits = _are_names(names) and bool(names) and all(name in _TYPES for name in names)
    place.demand(keyword, "a JSON type or a list of them", fits=fits)
    place.node["type"] = value


def _enum(place: _Place, keyword: str, value: Any) -> None:
    place.demand(keyword, "an array", fits=isinstance(value, list))
    if value:
        place.node["enum"] = value
    else:
        place.leave_out(keyword, "is empty")


def _required(place: _Place, keyword: str, value: Any) -> None:
    if isinstance(value, bool):
        place.leave_out(keyword, "is a boolean, as in draft 3")
        return
    place.demand(keyword, "a list of property names", fits=_are_names(value))
    place.node["required"] = list(dict.fromkeys(value))


def _pattern(place: _Place, keyword: str, value: Any) -> None:
    place.demand(keyword, "a string", fits=isinstance(value, str))
    pattern = _compiled(place, keyword, value)
    if pattern is not None:
        place.node["pattern"] = pattern


def _compiled(place: _Place, keyword: str, text: str) -> Pattern | None:
    pattern = compiled(text)
    if pattern is None:
        why = f"pattern not checked: {text[:200]} is too long or not of the linear-time syntax (RE2)"
        place.builder.note((*place.path, keyword), "pattern_not_checked", why)
    return pattern


def _pattern_properties(place: _Place, keyword: str, value: Any) -> None:
    place.demand(keyword, "an object of schemas", fits=isinstance(value, dict))
    place.node[keyword] = [
        (_compiled(place, keyword, text), place.below(schema, keyword, text)) for text, schema in value.items()
    ]


def _schema(place: _Place, keyword: str, value: Any) -> None:
    place.node[keyword] = place.below(value, keyword)


def _branch(place: _Place, keyword: str, value: Any) -> None:
    if "if" in place.source:
        _schema(place, keyword, value)


def _schemas(place: _Place, keyword: str, value: Any) -> None:
    place.demand(keyword, "an array of schemas", fits=isinstance(value, list))
    if value:
        place.node[keyword] = [place.below(schema, keyword, index) for index, schema in enumerate(value)]
    else:
        place.leave_out(keyword, "is empty")


def _named_schemas(place: _Place, keyword: str, value: Any) -> None:
    place.demand(keyword, "an object of schemas", fits=isinstance(value, dict))
    place.node[keyword] = {name: place.below(schema, keyword, name) for name, schema in value.items()}


def _items(place: _Place, keyword: str, value: Any) -> None:
    if not isinstance(value, list):
        _schema(place, keyword, value)
        return
    place.node["prefixItems"] = [place.below(schema, keyword, index) for index, schema in enumerate(value)]
    if place.source.get("additionalItems") is not None:
        place.node["items"] = place.below(place.source["additionalItems"], "additionalItems")


def _dependencies(place: _Place, keyword: str, value: Any) -> None:
    place.demand(keyword, "an object", fits=isinstance(value, dict))
    names = {name: need for name, need in value.items() if isinstance(need, list)}
    place.demand(keyword, "lists of property names", fits=all(map(_are_names, names.values())))
    schemas = {name: need for name, need in value.items() if name not in names}
    if names:
        place.node.setdefault("dependentRequired", {}).update(names)
    if schemas:
        nodes = {name: place.below(schema, keyword, name) for name, schema in schemas.items()}
        place.node.setdefault("dependentSchemas", {}).update(nodes)


def _unevaluated(place: _Place, keyword: str, value: Any) -> None:
    """Without a composition beside it, "unevaluated" means no more than "additional"."""
    simple = {"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"}[keyword]
    if value is True or simple in place.source:
        return
    if any(name in place.source for name in _COMPOSED):
        place.leave_out(keyword, "beside a composition", "not_checked")
    else:
        place.node[simple] = place.below(value, keyword)


def _reference(place: _Place, keyword: str, value: Any) -> None:
    place.demand(keyword, "a string", fits=isinstance(value, str))
    target = place.builder.references.resolve(value, place.source)
    if target is None:
        why = f'$ref "{value[:200]}" cannot be resolved; anything is accepted there'
        place.builder.note((*place.path, keyword), "unresolved_ref", why)
        return
    if not target.exact:
        why = f'$ref "{value[:200]}" is unresolvable as it stands; the one definition of that name is used'
        place.builder.note((*place.path, keyword), "unresolved_ref", why)
    place.node["$ref"] = place.builder.node(target.schema, (*place.path, keyword))


_Take = Callable[[_Place, str, Any], None]
_NUMBER = _leaf("a number", _is_number)
_COUNT = _leaf("a non-negative integer", _is_count)
_COUNTS = "maxItems maxLength maxProperties minItems minLength minProperties minContains maxContains"

_KEYWORDS: Mapping[str, _Take] = {
    **dict.fromkeys(_COUNTS.split(), _COUNT),
    **dict.fromkeys(("maximum", "minimum"), _NUMBER),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum"), _exclusive),
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef"), _reference),
    **dict.fromkeys(("additionalProperties", "contains", "if", "not", "propertyNames"), _schema),
    **dict.fromkeys(("then", "else"), _branch),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _schemas),
    **dict.fromkeys(("dependentSchemas", "properties"), _named_schemas),
    **dict.fromkeys(("dependencies", "dependentRequired"), _dependencies),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _unevaluated),
    "const": _leaf("any value", lambda _: True),
    "enum": _enum,
    "format": _leaf("a string", lambda value: isinstance(value, str)),
    "items": _items,
    "multipleOf": _leaf("a number above 0", lambda value: _is_number(value) and value > 0),
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "required": _required,
    "type": _type,
    "uniqueItems": _leaf("a boolean", lambda value: isinstance(value, bool)),
}
