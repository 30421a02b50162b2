"""Strict reading of JSON text, and the deterministic repair of text that is broken in a known way.

`parse` is the only judge of what is JSON: no NaN, no number or nesting beyond what Python can hold, and a failure is a
value, never an exception. `mend` tries the known kinds (syntax.py) on text that is no JSON object and gives its result
only if `parse` takes it. Nothing here knows a schema: whether `{}` may stand for nothing, or null for NaN, is decided
by arguments.py, which is told of both.

Unclosed brackets are closed here because some servers drop the last ones of a complete reply. A reply that was cut by
a limit must not come here at all; only the caller knows which is which.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from proxy.repair.literals import Num, is_not_finite
from proxy.repair.syntax import SPELLING, STRUCTURE, Cure, Fix
from proxy.repair.tokens import Token, joined, tokens

MAX_DEPTH = 128


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value; `duplicates` are the property names that stood twice in one object (the last one counts)."""

    value: Any
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a text is no JSON value (the reader's own word), and at which character."""

    reason: str
    position: int | None = None

    def said(self, lang: str) -> str:
        """The same for a model, in English or Chinese."""
        english, chinese = _REASONS.get(self.reason, (self.reason, "无法解析"))
        if lang == "zh":
            return chinese if self.position is None else f"{chinese}（第 {self.position} 个字符处）"
        return english if self.position is None else f"{english} at character {self.position}"


NOT_AN_OBJECT = "not an object"
TOO_DEEP = "too deep"
TOO_LONG = "too long"
NOT_A_NUMBER = "not a number"
NOTHING = "nothing"

_REASONS = {
    "Unterminated string starting at": ("a string that does not end, starting", "字符串没有结束"),
    "Expecting value": ("a value is missing", "缺少值"),
    "Expecting ',' delimiter": ("a comma or a closing bracket is missing", "缺少逗号或右括号"),
    "Expecting ':' delimiter": ("a colon is missing", "缺少冒号"),
    "Expecting property name enclosed in double quotes": (
        "a property name in double quotes is missing",
        "缺少用双引号括起的属性名",
    ),
    "Extra data": ("more text after the end of the JSON value", "JSON 值结束后还有多余内容"),
    "Invalid control character at": ("a raw control character in a string", "字符串中有未转义的控制字符"),
    "Invalid \\escape": ("an invalid escape", "无效的转义字符"),
    "Invalid \\uXXXX escape": ("an invalid escape", "无效的转义字符"),
    NOT_AN_OBJECT: ("a JSON value, but not an object", "是 JSON 值，但不是对象"),
    TOO_DEEP: ("it is nested too deeply", "嵌套层数过多"),
    TOO_LONG: ("it is too long to be put right", "内容过长，无法修正"),
    NOT_A_NUMBER: ("NaN, Infinity and numbers of thousands of digits are no JSON numbers", "含有不允许的数字"),
    NOTHING: ("there are no arguments", "没有提供参数"),
}


@dataclass(frozen=True, slots=True)
class Mended:
    """Text that is now a JSON object (apart from NaN and Infinity, where `lax`), and what was done to it."""

    text: str
    value: dict[str, Any]
    fixes: tuple[Fix, ...]


def parse(text: str, *, exact: bool = False, lax: bool = False) -> Parsed | Unreadable:
    """Reads strict JSON. `exact` keeps the literal of each float, `lax` lets NaN and Infinity through as floats."""
    duplicates: list[str] = []

    def noticing(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            duplicates.extend(name for name in found if names.count(name) > 1)
        return found

    decoder = json.JSONDecoder(
        object_pairs_hook=noticing,
        parse_float=Num if exact else None,
        parse_constant=float if lax else _refuse,
    )
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        return Unreadable(error.msg, error.pos)
    except ValueError:
        return Unreadable(NOT_A_NUMBER)
    except RecursionError:
        return Unreadable(TOO_DEEP)
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth_exceeds(value, MAX_DEPTH):
        return Unreadable(TOO_DEEP)
    return Parsed(value, tuple(duplicates[:20]))


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


def has_lone_surrogate(text: str) -> bool:
    """Whether half a surrogate pair stands in the text, raw or as an escape: it cannot be sent as UTF-8."""
    if "\\ud" in text or "\\uD" in text:
        return any(_is_lone(match) for match in _ESCAPE.finditer(text)) or not _encodes(text)
    return not (text.isascii() or _encodes(text))


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_ESCAPE = re.compile(
    r"\\(?:u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|u(?P<lone>[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def _is_lone(match: re.Match[str]) -> bool:
    return match["lone"] is not None


def whole_characters(text: str) -> str:
    """The text with its surrogate halves joined where they are pairs, and replaced by U+FFFD where they are alone."""
    if not _encodes(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _ESCAPE.sub(lambda match: "\\ufffd" if _is_lone(match) else match[0], text)


def mend(text: str) -> Mended | Unreadable:
    """The JSON object that `text` was meant to be, where that is certain."""
    fixes: list[Fix] = []
    for step in (_halves, _mark, _empty, _fence, _double_encoding):
        changed = step(text)
        if changed is not None:
            text, fix = changed
            fixes.append(fix)
    parsed = parse(text, exact=True, lax=True)
    if isinstance(parsed, Unreadable) and text.lstrip().startswith("{"):
        text, parsed = _cured(text, STRUCTURE + SPELLING, fixes, parsed)
    if isinstance(parsed, Unreadable):
        return parsed
    if not isinstance(parsed.value, dict):
        return Unreadable(NOT_AN_OBJECT)
    return Mended(text, parsed.value, tuple(fixes))


def read_nested(text: str) -> Any:
    """The array or object that a string holds as text, spelled as JSON or as Python; None where it holds none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    parsed = parse(text, exact=True)
    if isinstance(parsed, Unreadable):
        _, parsed = _cured(text, SPELLING, [], parsed)
    found = None if isinstance(parsed, Unreadable) else parsed.value
    return None if _holds_nan(found) else found


def _holds_nan(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_nan, value.values()))
    if isinstance(value, list):
        return any(map(_holds_nan, value))
    return is_not_finite(value)


def _cured(text: str, cures: tuple[Cure, ...], fixes: list[Fix], why: Unreadable) -> tuple[str, Parsed | Unreadable]:
    """Applies each cure that has something to do, then asks the strict parser.

    What the parser said of the text as it came (`why`) is what its author can use.
    """
    if why.reason == TOO_DEEP:
        return text, why
    parts: list[Token] | None = tokens(text)
    if parts is None:
        return text, Unreadable(TOO_LONG)
    for cure in cures:
        changed = cure(parts)
        if changed is not None:
            parts, fix = changed
            fixes.append(fix)
    cured = joined(parts)
    parsed = parse(cured, exact=True, lax=True)
    return cured, why if isinstance(parsed, Unreadable) else parsed


def _halves(text: str) -> tuple[str, Fix] | None:
    """Halves of surrogate pairs, which no encoder can send."""
    if not has_lone_surrogate(text):
        return None
    whole = whole_characters(text)
    return whole, Fix("lone surrogate", text.encode("ascii", "backslashreplace").decode(), whole)


def _mark(text: str) -> tuple[str, Fix] | None:
    """A byte order mark before the text."""
    bare = text.lstrip("\ufeff")
    return (bare, Fix("byte order mark", "\ufeff", "")) if bare != text else None


def _empty(text: str) -> tuple[str, Fix] | None:
    """Nothing, null or an empty list where an object of no arguments was meant."""
    bare = text.strip()
    if bare in ("", "null", '""', "[]"):
        return "{}", Fix("empty arguments", bare, "{}")
    return None


def _fence(text: str) -> tuple[str, Fix] | None:
    """A Markdown fence around the whole text, closed or not, with or without a language name."""
    bare = text.strip()
    if not bare.startswith("```"):
        return None
    inner = bare[3:].removesuffix("```")
    brace = inner.find("{")
    if brace < 0 or inner[:brace].strip().lower() not in ("", "json", "json5", "jsonc", "javascript", "js", "python"):
        return None
    return inner[brace:].strip(), Fix("code fence", bare, inner[brace:].strip())


def _double_encoding(text: str) -> tuple[str, Fix] | None:
    """A JSON string that holds the object as text; unwrapped once, not again."""
    if not text.lstrip().startswith('"'):
        return None
    parsed = parse(text)
    if isinstance(parsed, Unreadable) or not isinstance(parsed.value, str):
        return None
    inner = parsed.value.strip()
    return (inner, Fix("double encoding", text, inner)) if inner.startswith("{") else None
