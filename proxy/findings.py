"""What in the tools of a request costs retries: found by rules, with the place and what to do about it.

`findings` looks at tools as the model sees them; a pack's facts are to be written into the schemas before. It judges
what can be told from the schema alone and prefers silence to a guess, because a lint that cries wolf is switched off.
A pack's own facts are looked at as well (`of_facts`). Knows no file, no dialect and no policy. All text is English: it
is for whoever writes the tools.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from proxy.model import Tool
from proxy.repair.closeness import words
from proxy.repair.formats import CHECKS
from proxy.repair.portable import is_portable
from proxy.repair.references import References
from proxy.repair.schema import compile_schema
from proxy.repair.tree import Path, pointer
from proxy.repair.units import declared, unit
from proxy.settings.pack import Pack
from proxy.settings.tools import ParameterFacts

DEEP = 6
"""Levels of nested properties up to which models keep their place."""
MANY = 100
LARGE = 16 * 1024
MAX_NODES = 5000

_REMEDIES: Mapping[str, str] = {
    "name": "use letters, digits, _ and -, at most 64; or set `constrain_tools: {names: portable}`",
    "duplicate": "give each tool a name of its own",
    "no_description": "say in one sentence what it is and what it looks like",
    "required_without_reason": "say what it is for and where its value comes from, or do not require it",
    "no_unit": "name the unit: in the name (timeout_ms), the description, or the pack's `parameters: {unit: ms}`",
    "enum_in_prose": "list them as `enum`, in the schema or the pack's `parameters:`",
    "unresolved_ref": "write the definition into this schema's own `$defs`, and point at it from the root",
    "pattern_not_checked": "write it without lookaround and back references, at most 4096 characters",
    "bad_schema": "correct it; until then no call of this tool is checked",
    "ignored_keyword": "correct or remove it; it says nothing as it stands",
    "not_checked": "say it without `unevaluated…` beside a composition",
    "too_deep": "flatten it, or split the tool",
    "too_large": "split the tool, or drop what the model does not need",
    "bad_example": "correct the example or the bound",
    "unknown_format": "use a format of JSON Schema that is checked, or a `pattern` in the schema",
}


class Finding(msgspec.Struct, frozen=True):
    """One finding. `pointer` is a JSON pointer into the tool's schema; empty: the tool itself."""

    tool: str
    pointer: str
    rule: str
    message: str

    @property
    def remedy(self) -> str:
        return _REMEDIES[self.rule]

    def __str__(self) -> str:
        place = f"{self.tool} {self.pointer}" if self.pointer else self.tool
        return f"{place}: {self.message} ({self.rule}); {self.remedy}"


def findings(tools: Iterable[Tool]) -> Iterator[Finding]:
    """The findings of each tool that an agent declares itself, in the order of the tools."""
    own = [tool for tool in tools if tool.kind != "builtin"]
    count = Counter(tool.name for tool in own)
    for tool in own:
        if not is_portable(tool.name):
            yield Finding(tool.name, "", "name", "its name is not taken by every provider")
        if count[tool.name] > 1:
            yield Finding(tool.name, "", "duplicate", "two tools have this name")
        if not tool.description.strip():
            yield Finding(tool.name, "", "no_description", "the tool has no description")
        if tool.kind == "function" and tool.schema:
            yield from of_schema(tool.name, tool.schema)


def of_schema(tool: str, schema: bytes) -> Iterator[Finding]:
    """The findings of one schema, given as its JSON bytes."""
    for found in compile_schema(schema).findings:
        yield Finding(tool, found.path, found.kind, found.message)
    try:
        document = json.loads(schema)
    except (ValueError, RecursionError):
        return
    if not isinstance(document, dict):
        return
    places = list(_places(document))
    depth = max((path.count("properties") for path, *_ in places), default=0)
    if depth > DEEP:
        yield Finding(tool, "", "too_deep", f"its properties nest {depth} levels deep")
    if len(places) > MANY or len(schema) > LARGE:
        yield Finding(tool, "", "too_large", f"it has {len(places)} properties and {len(schema):,} bytes")
    references = References(document)
    for path, name, source, required in places:
        for rule, message in of_property(name, _resolved(source, references), required=required):
            yield Finding(tool, pointer(path), rule, message)


def of_property(name: str, seen: Mapping[str, Any], *, required: bool = False) -> Iterator[tuple[str, str]]:
    """Rule and message for one property, given with its reference in its place."""
    description = seen.get("description")
    said = description.strip() if isinstance(description, str) else ""
    if not said and required:
        yield "required_without_reason", "it is required, and nothing says what for"
    elif not said:
        yield "no_description", "it has no description"
    if _is_number(seen) and (kind := _measured(name)) and not _has_unit(name, seen, said):
        yield "no_unit", f"a number that is {kind}, without a unit"
    listed = _listed(said, name) if _is_open_text(seen) else ()
    if listed:
        yield "enum_in_prose", f"its values ({', '.join(listed[:5])}) are said in words only"


# ---------------------------------------------------------------- places


def _places(document: dict[str, Any]) -> Iterator[tuple[Path, str, dict[str, Any], bool]]:
    """Every property of a schema: path, name, subschema, whether it is required."""
    pending: list[tuple[Path, Any]] = [((), document)]
    for _ in range(MAX_NODES):
        if not pending:
            return
        path, source = pending.pop(0)
        if not isinstance(source, dict):
            continue
        properties, needed = source.get("properties"), _list(source.get("required"))
        for name, part in properties.items() if isinstance(properties, dict) else ():
            if isinstance(part, dict):
                yield (*path, "properties", name), name, part, name in needed
        pending += _below(path, source)


def _below(path: Path, source: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    for keyword in ("properties", "$defs", "definitions"):
        named = source.get(keyword)
        yield from (((*path, keyword, key), part) for key, part in (named.items() if isinstance(named, dict) else ()))
    for keyword in ("items", "additionalProperties"):
        yield (*path, keyword), source.get(keyword)
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        yield from (((*path, keyword, at), part) for at, part in enumerate(_list(source.get(keyword))))


def _resolved(source: dict[str, Any], references: References) -> Mapping[str, Any]:
    """The subschema with what it refers to under it."""
    merged, home = dict(source), source
    for _ in range(5):
        ref, parts = home.get("$ref"), home.get("allOf")
        target = references.resolve(ref, home) if isinstance(ref, str) else None
        only = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
        inner = only if target is None else target.schema
        if not isinstance(inner, dict):
            break
        merged, home = {**inner, **merged}, inner
    return merged


# ---------------------------------------------------------------- numbers with a unit

_MEASURES: Mapping[str, str] = {
    "a time": "timeout delay duration interval ttl wait elapsed expiry lifetime latency deadline timestamp 超时 时长",
    "a size": "filesize weight distance height width memory storage capacity radius altitude 重量 距离 高度 大小",
    "an amount of money": "price cost amount budget fee salary balance payment discount fare 价格 金额 费用 预算",
}
_COUNTING = "page batch sample group pool count number num index token tokens level retry retries"
_COUNTED = frozenset(_COUNTING.split())
_SAID = re.compile(
    r"\bunits?\s*[:：]|单位|[个条行页次]|\b(?:(?:number|count|percentage) of|how many|items|rows|characters|chars"
    r"|tokens|pages|lines|records|pixels)\b",
    re.IGNORECASE,
)
_OF_WORD = {word: kind for kind, row in _MEASURES.items() for word in row.split()}


def _measured(name: str) -> str:
    """What a number of this name measures; empty: nothing that needs a unit, as far as the name says."""
    parts = words(name)
    if _COUNTED.intersection(parts):
        return ""
    whole = [kind for word, kind in _OF_WORD.items() if not word.isascii() and word in name]
    return next((_OF_WORD[part] for part in parts if part in _OF_WORD), whole[0] if whole else "")


def _has_unit(name: str, seen: Mapping[str, Any], said: str) -> bool:
    if any(isinstance(seen.get(keyword), str) for keyword in ("unit", "x-unit")):
        return True
    if seen.get("maximum") == 1:  # a share
        return True
    found = declared(seen, name)
    return (found is not None and unit(found) is not None) or _SAID.search(said) is not None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _types(seen: Mapping[str, Any]) -> set[str]:
    stated = seen.get("type")
    kinds = {stated} if isinstance(stated, str) else {kind for kind in _list(stated) if isinstance(kind, str)}
    for branch in (*_list(seen.get("anyOf")), *_list(seen.get("oneOf"))):
        kinds |= _types(branch) if isinstance(branch, dict) else set()
    return kinds


def _is_number(seen: Mapping[str, Any]) -> bool:
    return bool(_types(seen) & {"integer", "number"}) and "enum" not in seen


# ---------------------------------------------------------------- values in words

_ITEM = r"(?:['\"`“‘「][^'\"`”’」]{1,40}['\"`”’」]|[A-Za-z0-9][\w.-]{0,39})"
_JOIN = r"\s*(?:,\s*(?:or|and)\b|,|/|\||、|，|\bor\b|\band\b|或|和)\s*"
_LIST = rf"({_ITEM}(?:{_JOIN}{_ITEM})+)"
_LED = re.compile(
    r"(?:\bone of(?: the following)?|\beither"
    r"|\b(?:allowed|valid|possible|accepted|supported)(?: values?| options?)?(?: are)?"
    rf"|\bmust be|可选值?(?:为|有|是)?|取值(?:范围)?(?:为|是)?|枚举值?|可以是)\s*[:：]?\s*{_LIST}",
    re.IGNORECASE,
)
_PIPED = re.compile(rf"({_ITEM}(?:\s*\|\s*{_ITEM})+)")
_QUOTED = re.compile(r"((?:['\"`][\w. -]{1,40}['\"`])(?:\s*(?:,\s*or|,|/|\bor\b|或|、)\s*['\"`][\w. -]{1,40}['\"`])+)")
_BRACKETED = re.compile(r"[(（]([\w-]+(?:,\s*[\w-]+)*,?\s+or\s+[\w-]+|[\w-]+(?:[、/][\w-]+)+)[)）]")
_EXPLAINED = re.compile(r"['\"`]([\w-]{1,40})['\"`]\s*(?:for\b|to\b|means\b|[=:：–-])")
_KINDS = "format unit mode type kind status state level order direction sort method action operation style priority"
_CHOICES = frozenset(_KINDS.split())
_EXAMPLES = re.compile(
    r"\b(?:e\.g|eg|example|examples|such as|like|including)\b|\bformat\s*[:：]|例如|比如|如[:：]", re.IGNORECASE
)


def _is_open_text(seen: Mapping[str, Any]) -> bool:
    closed = any(keyword in seen for keyword in ("enum", "const", "format", "pattern", "anyOf", "oneOf"))
    return _types(seen) in ({"string"}, {"string", "null"}) and not closed


def _listed(said: str, name: str = "") -> tuple[str, ...]:
    """The values that a description lists as all that there are; empty where it lists none, or only examples."""
    said = said[:1000]
    patterns = (_LED, _PIPED, _QUOTED, _BRACKETED)
    matches = [match for pattern in patterns for match in pattern.finditer(said) if not _is_example(said, match)]
    for match in matches:
        values = tuple(one.strip("'\"`“”‘’「」 ") for one in re.split(_JOIN, match[1]))
        few = match.re is _BRACKETED and len(values) < 3 and not _CHOICES.intersection(words(name))
        if len(set(values)) > 1 and all(values) and not few:
            return values
    explained = tuple(dict.fromkeys(_EXPLAINED.findall(said)))
    return explained if len(explained) > 1 and not _EXAMPLES.search(said) else ()


def _is_example(said: str, match: re.Match[str]) -> bool:
    return _EXAMPLES.search(said[max(0, match.start() - 60) : match.start(1)]) is not None


# ---------------------------------------------------------------- a pack


def of_facts(pack: Pack) -> Iterator[Finding]:
    """What a pack says of tools that does not fit together. Globs stand for names that are not known here."""
    mapped = pack.effective_mode("constrain_tools") == "enforce" and pack.policies.constrain_tools.names == "portable"
    for name, facts in pack.tools.items():
        if not is_portable(name) and not mapped and not _GLOB.search(name):
            yield Finding(name, "", "name", "its name is not taken by every provider")
        for key, one in facts.parameters.items():
            place = pointer(("parameters", key))
            for rule, message in _of_parameter(key, one):
                yield Finding(name, place, rule, message)


_GLOB = re.compile(r"[*?\[]")


def _of_parameter(name: str, facts: ParameterFacts) -> Iterator[tuple[str, str]]:
    bounded = facts.min is not None or facts.max is not None
    seen = {"type": "number" if bounded else "string", "description": facts.description or "", "unit": facts.unit}
    if bounded and (kind := _measured(name)) and not _has_unit(name, seen, facts.description or ""):
        yield "no_unit", f"a number that is {kind}, without a unit"
    if not facts.enum and not bounded and (listed := _listed(facts.description or "", name)):
        yield "enum_in_prose", f"its values ({', '.join(listed[:5])}) are said in words only"
    if facts.format is not None and facts.format not in CHECKS and facts.format not in _UNCHECKED:
        yield "unknown_format", f"the format {facts.format} is not checked"
    for example in facts.all_examples:
        if _misfits(example, facts):
            yield "bad_example", f"the example {json.dumps(example, ensure_ascii=False)} is not what it says itself"


_UNCHECKED = ("duration", "hostname")
"""Formats that decoders know, though they are not checked here."""


def _misfits(example: Any, facts: ParameterFacts) -> bool:
    if facts.enum and example not in facts.enum:
        return True
    if isinstance(example, int | float) and not isinstance(example, bool):
        return (facts.min is not None and example < facts.min) or (facts.max is not None and example > facts.max)
    check = CHECKS.get(facts.format or "")
    return isinstance(example, str) and check is not None and not check(example)
