"""The known ways in which a model's JSON is broken, one function per kind, on tokens.

Each takes the tokens and gives back the changed tokens with the record of the change, or None where it has nothing to
do. They only ever rewrite one token as another spelling of the same thing, drop what carries no value, or add closing
brackets. None completes a string, a number or a word: a value that was cut is lost, and writing half of it as if it
were whole is the worst repair there is. The strict parser has the last word on the result.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from proxy.repair.tokens import Token, joined, kind_beside

SHOWN = 200
CLOSERS = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Fix:
    """One change to the text: its kind, and the first piece changed, as it was and as it is."""

    kind: str
    before: str
    after: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "before", shortened(self.before))
        object.__setattr__(self, "after", shortened(self.after))


def shortened(text: str, limit: int = SHOWN) -> str:
    """At most `limit` characters of `text`, saying how many there were."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


Change = tuple[list[Token], Fix]
Cure = Callable[[list[Token]], Change | None]


def balanced_end(parts: list[Token]) -> int | None:
    """The index behind the first complete object or array, or None where it never closes."""
    depth = 0
    for index, part in enumerate(parts):
        if part.kind in "{[":
            depth += 1
        elif part.kind in "}]":
            depth -= 1
            if depth == 0:
                return index + 1
    return None


def trailing_text(parts: list[Token]) -> Change | None:
    """Drops what follows the first complete object, if nothing in it could be meant as JSON."""
    end = balanced_end(parts)
    if end is None:
        return None
    tail = joined(parts[end:])
    if not tail.strip():
        return None
    if _repeats(parts[:end], parts[end:]):
        return parts[:end], Fix("repeated object", tail, "")
    return None if _may_be_json(parts[end:]) else (parts[:end], Fix("trailing text", tail, ""))


def _repeats(first: list[Token], rest: list[Token]) -> bool:
    whole = joined(first)
    tail = joined(rest).split(whole)
    return len(tail) > 1 and not "".join(tail).strip()


def _may_be_json(rest: list[Token]) -> bool:
    """Another value, a further member, or a bracket that opens: then what was meant is not certain."""
    significant = [part for part in rest if part.kind != "blank"]
    first = significant[0].kind
    if first in ("string", "quoted", "open", "number", ",", ":") or significant[0].text in ("true", "false", "null"):
        return True
    for here, following in pairwise(significant):
        if here.kind in ("string", "quoted") and following.kind == ":":
            return True
    return any(part.kind in "{[" for part in rest)


def closed_brackets(parts: list[Token]) -> Change | None:
    """Closes what is open, innermost first, at the end or where an outer bracket closes too early."""
    result: list[Token] = []
    stack: list[str] = []
    added = ""
    for part in parts:
        if part.kind in CLOSERS:
            stack.append(CLOSERS[part.kind])
        elif part.kind in "}]":
            if part.kind not in stack:
                return None
            missing = _until(stack, part.kind)
            added += missing
            result += (Token(mark, mark) for mark in missing)
        result.append(part)
    if stack:
        if not _ends_whole(parts):
            return None
        missing = "".join(reversed(stack))
        added += missing
        result += (Token(mark, mark) for mark in missing)
    return (result, Fix("closed brackets", "", added)) if added else None


def _until(stack: list[str], closer: str) -> str:
    """Pops the stack up to `closer` and gives the closers that were missing before it."""
    missing = ""
    while (top := stack.pop()) != closer:
        missing += top
    return missing


def _ends_whole(parts: list[Token]) -> bool:
    """Whether the last value cannot have been cut: a number may go on unless a blank follows it."""
    blank = parts[-1].kind == "blank"
    last = parts[-2 if blank else -1]
    if last.kind == "number":
        return blank
    return last.kind in ("string", "quoted", "}", "]") or last.text in (*_WORDS, *_WORDS.values())


_WORDS = {"True": "true", "False": "false", "None": "null"}


def python_literals(parts: list[Token]) -> Change | None:
    """Single quotes, True, False and None, as Python prints a dict."""

    def spelled(index: int) -> str | None:
        part = parts[index]
        if part.kind == "quoted":
            return _requoted(part.text)
        if part.kind == "word" and kind_beside(parts, index, 1) != ":":
            return _WORDS.get(part.text)
        return None

    return _respelled(parts, "python literals", "string", spelled)


_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"', "/": "/"}


def _requoted(text: str) -> str | None:
    """A single-quoted string as JSON writes it; None where an escape has no certain meaning."""
    failed = False

    def meaning(match: re.Match[str]) -> str:
        nonlocal failed
        escape = match[1]
        if len(escape) > 1 and int(escape[1:], 16) <= 0x10FFFF:
            return chr(int(escape[1:], 16))
        failed = failed or escape not in _SIMPLE
        return _SIMPLE.get(escape, "")

    plain = _ESCAPE.sub(meaning, text[1:-1])
    return None if failed else json.dumps(plain, ensure_ascii=False)


def unquoted_keys(parts: list[Token]) -> Change | None:
    """A bare word where only a property name can stand."""

    def spelled(index: int) -> str | None:
        is_key = kind_beside(parts, index, -1) in ("{", ",") and kind_beside(parts, index, 1) == ":"
        return json.dumps(parts[index].text, ensure_ascii=False) if parts[index].kind == "word" and is_key else None

    return _respelled(parts, "unquoted key", "string", spelled)


def trailing_commas(parts: list[Token]) -> Change | None:
    """A comma with nothing behind it but the closing bracket."""

    def spelled(index: int) -> str | None:
        return "" if parts[index].kind == "," and kind_beside(parts, index, 1) in ("}", "]") else None

    return _respelled(parts, "trailing comma", "blank", spelled)


_CONTROL = re.compile("[\x00-\x1f]")
_ESCAPED = {code: json.dumps(chr(code))[1:-1] for code in range(0x20)}


def control_characters(parts: list[Token]) -> Change | None:
    """Raw line breaks, tabs and other control characters inside strings."""

    def spelled(index: int) -> str | None:
        text = parts[index].text
        if parts[index].kind != "string" or not _CONTROL.search(text):
            return None
        return text.translate(_ESCAPED)

    return _respelled(parts, "control characters", "string", spelled)


_PAIR = re.compile(r"\\(.)", re.DOTALL)


def escaped_apostrophes(parts: list[Token]) -> Change | None:
    r"""The escape \' that other languages know and JSON does not."""

    def spelled(index: int) -> str | None:
        text = parts[index].text
        if parts[index].kind != "string" or "\\'" not in text:
            return None
        return _PAIR.sub(lambda match: "'" if match[1] == "'" else match[0], text)

    return _respelled(parts, "invalid escape", "string", spelled)


def _respelled(parts: list[Token], kind: str, becomes: str, spelled: Callable[[int], str | None]) -> Change | None:
    result = list(parts)
    fix = None
    for index, part in enumerate(parts):
        text = spelled(index)
        if text is not None and text != part.text:
            result[index] = Token(becomes, text)
            fix = fix or Fix(kind, part.text, text)
    return (result, fix) if fix else None


# In this order: first what belongs to the object at all, then its spelling.
SPELLING: tuple[Cure, ...] = (
    python_literals,
    unquoted_keys,
    trailing_commas,
    control_characters,
    escaped_apostrophes,
)
STRUCTURE: tuple[Cure, ...] = (trailing_text, closed_brackets)
