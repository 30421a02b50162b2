"""Carries a tool's schema over into the subset in which providers decode under a schema ("strict"), if nothing is lost.

The subset is what all of them take: every property required, none beside those, optional ones nullable, references
written out, no composition but `anyOf`. What no decoder knows (bounds, lengths, patterns) is told in words, and only
where the caller checks it afterwards (`checked`). What words cannot tell (properties of any name, `if`, `not`, a value
of any kind, null that means something else than left out) makes the schema stay as it is: a decoder that keeps the
model from saying something right is worse than none.

The way back is `nulls.py`: where the agent's schema takes no null, a null was only the way to leave a property out.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from proxy.repair.literals import write
from proxy.repair.patterns import compiled
from proxy.repair.references import References
from proxy.repair.tree import Path, pointer

MAX_SCHEMA = 64 * 1024
MAX_DEPTH = 10
MAX_PROPERTIES = 1000
MAX_VALUES = 1000

Schema = dict[str, Any]

_ROWS = """
types: string number integer boolean null array object
formats: date-time time date duration email hostname ipv4 ipv6 uuid
placed: type enum const properties required additionalProperties unevaluatedProperties items anyOf oneOf nullable
annotations: title description default examples example
silent: $schema $id id $anchor $comment $defs definitions deprecated readOnly writeOnly title description
bounds: minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
bounds: minItems maxItems uniqueItems minProperties maxProperties
beyond words: allOf not if then else dependentSchemas dependentRequired dependencies contains patternProperties
beyond words: propertyNames prefixItems additionalItems unevaluatedItems $ref $dynamicRef $recursiveRef
"""


def _row(name: str) -> tuple[str, ...]:
    rows = (row.partition(": ") for row in _ROWS.splitlines())
    return tuple(word for key, _, words in rows if key == name for word in words.split())


_TYPES, _FORMATS, _ANNOTATIONS = _row("types"), _row("formats"), _row("annotations")
_BOUNDS, _BEYOND_WORDS = frozenset(_row("bounds")), _row("beyond words")
_SILENT = frozenset((*_ANNOTATIONS, *_row("silent")))
# Neither told in words nor lost: what has its own place, and what says nothing of a value.
_UNTOLD = frozenset((*_row("placed"), *_row("silent")))
_DEMANDS = ("type", "enum", "const", "properties", "items")


@dataclass(frozen=True, slots=True)
class Carried:
    """JSON bytes of the schema in the subset."""

    schema: bytes


@dataclass(frozen=True, slots=True)
class Uncarried:
    """Why a schema stays as it is, in English, and where in it (a JSON pointer)."""

    path: str
    why: str


class _Lost(Exception):  # noqa: N818 - a verdict on the schema, caught below
    def __init__(self, path: Path, why: str) -> None:
        super().__init__(why)
        self.verdict = Uncarried(pointer(path), why)


def carried(raw: bytes, *, checked: bool) -> Carried | Uncarried:
    """The schema (JSON bytes of a tool's parameters) in the subset. Never raises.

    `checked`: what comes back is checked against the schema as it is here, so that a bound may be told in words.
    """
    if len(raw) > MAX_SCHEMA:
        return Uncarried("", f"it has more than {MAX_SCHEMA} bytes")
    try:
        document = json.loads(raw)
        if not isinstance(document, dict) or document.get("type", "object") != "object":
            return Uncarried("", "it is no schema of an object")
        if not isinstance(document.get("properties"), dict) or any(document.get(one) for one in ("anyOf", "oneOf")):
            return Uncarried("", "it declares no properties of its own")
        made = _Carrier(document, checked=checked).node(document, ())
        written = json.dumps(made, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except _Lost as lost:
        return lost.verdict
    except (ValueError, RecursionError) as error:
        return Uncarried("", f"it cannot be read: {str(error)[:100]}")
    return Carried(written) if len(written) <= MAX_SCHEMA else Uncarried("", "its references are too large written out")


@dataclass(slots=True)
class _Carrier:
    """One schema under way."""

    document: Schema
    checked: bool
    properties: int = 0
    values: int = 0
    following: list[int] = field(default_factory=list)
    references: References = field(init=False)

    def __post_init__(self) -> None:
        self.references = References(self.document)

    def node(self, source: Any, path: Path, depth: int = 0) -> Schema:
        if not isinstance(source, dict):
            raise _Lost(path, "anything is allowed here")
        if depth > MAX_DEPTH:
            raise _Lost(path, f"it nests deeper than {MAX_DEPTH} levels")
        with self._flat(source, path) as flat:
            for keyword in _BEYOND_WORDS:
                if flat.get(keyword) not in (None, [], {}):
                    raise _Lost((*path, keyword), f"`{keyword}` is beyond what providers decode")
            made = self._union(flat, path, depth) or self._plain(flat, path, depth)
        return self._told(made, flat, path)

    @contextmanager
    def _flat(self, source: Schema, path: Path) -> Iterator[Schema]:
        """The subschema with its reference, or its only `allOf` part, in its place."""
        flat, home, followed = dict(source), source, 0
        try:
            while (inner := self._inner(home, path)) is not None:
                if id(inner) in self.following:
                    raise _Lost(path, "it refers to itself")
                self.following.append(id(inner))
                followed += 1
                flat = _merged({key: flat[key] for key in flat if key not in ("$ref", "allOf")}, inner, path)
                home = inner
            yield flat
        finally:
            del self.following[len(self.following) - followed :]

    def _inner(self, home: Schema, path: Path) -> Schema | None:
        """What a subschema stands for: the target of its reference, its only `allOf` part; None: itself."""
        ref, parts = home.get("$ref"), home.get("allOf")
        if isinstance(ref, str):
            if parts:
                raise _Lost((*path, "allOf"), "`allOf` stands beside a reference")
            target = self.references.resolve(ref, home)
            if target is None or not isinstance(target.schema, dict):
                raise _Lost((*path, "$ref"), "the reference cannot be resolved")
            return target.schema
        return parts[0] if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict) else None

    # ------------------------------------------------------------ kinds of subschemas

    def _union(self, flat: Schema, path: Path, depth: int) -> Schema | None:
        keywords = [one for one in ("anyOf", "oneOf") if flat.get(one)]
        if not keywords:
            return None
        keyword = keywords[0]
        if not isinstance(flat[keyword], list):
            raise _Lost((*path, keyword), f"`{keyword}` is no list")
        if len(keywords) > 1 or any(one in flat for one in _DEMANDS):
            raise _Lost((*path, keyword), f"`{keyword}` stands beside other demands")
        if keyword == "oneOf" and not self.checked:
            raise _Lost((*path, keyword), "nothing checks that exactly one alternative fits")
        branches = [self.node(one, (*path, keyword, at), depth + 1) for at, one in enumerate(flat[keyword])]
        made: Schema = {"anyOf": branches}
        return _with_null(made) if flat.get("nullable") is True else made

    def _plain(self, flat: Schema, path: Path, depth: int) -> Schema:
        allowed = _allowed(flat)
        kinds = _kinds(flat, allowed, path)
        if flat.get("nullable") is True and "null" not in kinds:
            kinds = [*kinds, "null"]
            allowed = [*allowed, None] if allowed else allowed
        structured = [kind for kind in kinds if kind in ("object", "array")]
        if structured and allowed:
            raise _Lost(path, "its values are listed whole")
        if structured and len(kinds) > 1:
            return {"anyOf": [self._of_kind(kind, flat, path, depth) for kind in kinds]}
        if structured:
            return self._of_kind(kinds[0], flat, path, depth)
        made: Schema = {"type": kinds[0] if len(kinds) == 1 else kinds}
        if allowed:
            fitting = [one for one in allowed if _fits(one, kinds)]
            self.values += len(fitting)
            if not fitting:
                raise _Lost((*path, "enum"), "no value of its list is of its type")
            if self.values > MAX_VALUES:
                raise _Lost((*path, "enum"), f"it lists more than {MAX_VALUES} values")
            made["enum"] = fitting
        if flat.get("format") in _FORMATS and "string" in kinds:
            made["format"] = flat["format"]
        return made

    def _of_kind(self, kind: str, flat: Schema, path: Path, depth: int) -> Schema:
        if kind == "object":
            return self._object(flat, path, depth)
        if kind != "array":
            return {"type": kind}
        if not isinstance(flat.get("items"), dict):
            raise _Lost(path, "the items may be anything")
        made = {"type": "array", "items": self.node(flat["items"], (*path, "items"), depth + 1)}
        return {**made, "minItems": 1} if flat.get("minItems") == 1 else made

    def _object(self, flat: Schema, path: Path, depth: int) -> Schema:
        declared = flat.get("properties") or {}
        closed = [flat[one] for one in ("additionalProperties", "unevaluatedProperties") if flat.get(one) is not None]
        if not isinstance(declared, dict) or any(one is not False for one in closed):
            raise _Lost(path, "it takes properties of any name")
        if not declared and not closed and path:
            raise _Lost(path, "it takes an object of any form")
        required = flat.get("required")
        needed = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        if any(name not in declared for name in needed):
            raise _Lost((*path, "required"), "it requires what it does not declare")
        self.properties += len(declared)
        if self.properties > MAX_PROPERTIES:
            raise _Lost(path, f"it has more than {MAX_PROPERTIES} properties")
        members = {
            name: self._property(one, (*path, "properties", name), depth, optional=name not in needed)
            for name, one in declared.items()
        }
        return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}

    def _property(self, source: Any, path: Path, depth: int, *, optional: bool) -> Schema:
        made = self.node(source, path, depth + 1)
        if not optional:
            return made
        if not _takes_null(made):
            return _with_null(made)
        if "default" in source and source["default"] is None:
            return made
        raise _Lost(path, "null and left out may mean two things")

    # ------------------------------------------------------------ what is told in words

    def _told(self, made: Schema, flat: Schema, path: Path) -> Schema:
        """The subschema with its title, its description, and behind that what no decoder knows."""
        words = []
        for keyword, value in flat.items():
            if value is None or keyword in _UNTOLD or keyword.startswith("x-"):
                continue
            if made.get(keyword) == value or (keyword == "format" and _within(made, "format", value)):
                continue
            if keyword in _BOUNDS and not self._is_checked(keyword, value):
                raise _Lost((*path, keyword), f"nothing checks `{keyword}` afterwards")
            words.append(f"{keyword}: {value if isinstance(value, str) else write(value)}")
        told: Schema = {key: flat[key] for key in ("title", "description") if isinstance(flat.get(key), str)}
        if words:
            told["description"] = f"{told.get('description', '')} ({', '.join(words)})".lstrip()
        return {**made, **told}

    def _is_checked(self, keyword: str, value: Any) -> bool:
        return self.checked and (keyword != "pattern" or (isinstance(value, str) and compiled(value) is not None))


def _merged(outer: Schema, inner: Schema, path: Path) -> Schema:
    """A target with what stands beside its reference; an annotation beside it wins, a list of values narrows."""
    merged = dict(inner)
    for keyword, value in outer.items():
        if keyword not in inner or keyword in _SILENT or inner[keyword] == value:
            merged[keyword] = value
        elif keyword == "enum" and isinstance(value, list) and isinstance(inner["enum"], list):
            merged["enum"] = [one for one in inner["enum"] if one in value]
        else:
            raise _Lost((*path, keyword), f"`{keyword}` stands beside a reference that says otherwise")
    return merged


def _allowed(flat: Schema) -> list[Any]:
    """The listed values; empty where none are."""
    if "const" in flat:
        return [flat["const"]]
    listed = flat.get("enum")
    return listed if isinstance(listed, list) else []


def _kinds(flat: Schema, allowed: list[Any], path: Path) -> list[str]:
    """The types that a subschema takes, stated or told by what else it says."""
    stated = flat.get("type")
    kinds = [stated] if isinstance(stated, str) else stated
    if kinds is None:
        kinds = list(dict.fromkeys(map(_kind, allowed)))
        kinds = kinds or (["object"] if "properties" in flat else ["array"] if "items" in flat else [])
    if not isinstance(kinds, list) or not kinds or any(kind not in _TYPES for kind in kinds):
        raise _Lost(path, "it does not say of which type the value is")
    return kinds


def _kind(value: Any) -> str:
    named = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return named.get(type(value), "null")


def _fits(value: Any, kinds: list[str]) -> bool:
    kind = _kind(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _takes_null(made: Mapping[str, Any]) -> bool:
    if "anyOf" in made:
        return any(map(_takes_null, made["anyOf"]))
    return made["type"] == "null" or "null" in made["type"]


def _within(made: Mapping[str, Any], keyword: str, value: Any) -> bool:
    return made.get(keyword) == value or any(_within(one, keyword, value) for one in made.get("anyOf", ()))


def _with_null(made: Schema) -> Schema:
    """The same subschema, taking null as well."""
    if _takes_null(made):
        return made
    kinds = [made["type"]] if isinstance(made.get("type"), str) else made.get("type", [])
    if "anyOf" in made:
        return {**made, "anyOf": [*made["anyOf"], {"type": "null"}]}
    if "object" in kinds or "array" in kinds:
        told: Schema = {key: made[key] for key in ("title", "description") if key in made}
        bare = {key: value for key, value in made.items() if key not in told}
        return {"anyOf": [bare, {"type": "null"}], **told}
    changed = {**made, "type": [*kinds, "null"]}
    return {**changed, "enum": [*made["enum"], None]} if "enum" in made else changed
