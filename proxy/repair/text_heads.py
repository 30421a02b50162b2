"""Whether the beginning of a text may be that of a tool call written as text, and of which known tool.

What is looked at may end anywhere, in the middle of a word too: then it may be one as long as it fits so far. Says yes
to everything that `text_calls` takes, and to little else. Knows nothing of streams.
"""

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

from proxy.repair.text_calls import FENCES, KEYS, OPENERS, TAGS

Verdict = Literal["no", "maybe", "sure"]
_RANK = ("no", "maybe", "sure")


@dataclass(frozen=True, slots=True)
class Look:
    """`sure`: a call of a known tool has begun; only what comes behind it can still tell otherwise."""

    verdict: Verdict
    payload: int | None = None
    """Where the brackets begin that close with the call; None: its end is not to be told by brackets."""
    quotes: str = '"'


Names = Collection[str]
NO, MAYBE, SURE = Look("no"), Look("maybe"), Look("sure")


def look(head: str, names: Names, *, begins: bool, fresh: bool) -> Look:
    """`begins`: nothing but blanks stands before it in the text; `fresh`: in its line."""
    looks = [_opened(head, names)]
    if begins:
        looks += [replace(_json(head, names), payload=0), replace(_python(head, names), payload=0, quotes="'\"")]
    if fresh:
        looks.append(_fence(head, names))
    return max(looks, key=lambda one: _RANK.index(one.verdict))


def _opened(head: str, names: Names) -> Look:
    if any(opener.startswith(head) for opener in OPENERS):
        return MAYBE
    opener = next((one for one in OPENERS if head.startswith(one)), None)
    return NO if opener is None else _shifted(_BODIES[opener](head[len(opener) :], names), len(opener))


def _shifted(found: Look, by: int) -> Look:
    return found if found.payload is None else replace(found, payload=found.payload + by)


def _named(text: str, names: Names, end: str) -> Look:
    """A name up to the first of these marks."""
    cut = re.search(end, text)
    if cut is not None:
        return SURE if text[: cut.start()] in names else NO
    return MAYBE if any(name.startswith(text) for name in names) else NO


# ---------------------------------------------------------------- bodies behind an opener


def _tag(rest: str, names: Names) -> Look:
    body = rest.lstrip()
    if not body or "<function=".startswith(body):
        return MAYBE
    if body.startswith("<function="):
        return _function(body[len("<function=") :], names)
    return replace(_json(body, names), payload=len(rest) - len(body))


def _function(rest: str, names: Names) -> Look:
    return _named(rest, names, ">")


def _mistral(rest: str, names: Names) -> Look:
    body = rest.lstrip()
    if not body:
        return MAYBE
    if body[0] in "{[":
        return replace(_json(body, names), payload=len(rest) - len(body))
    return _named(body, names, r"[\s\[{]")


def _harmony(rest: str, names: Names) -> Look:
    header, message, _ = rest.partition("<|message|>")
    recipient = re.search(r"\sto=(?:functions\.)?([^\s<]*)(\s|<)?", header)
    if recipient is None:
        return NO if message or len(header) > 200 else MAYBE
    if recipient[2] is None and not message:
        whole = f"functions.{recipient[1]}"
        return MAYBE if any(f"functions.{name}".startswith((whole, recipient[1])) for name in names) else NO
    return SURE if recipient[1] in names else NO


def _python_tag(rest: str, names: Names) -> Look:
    body = rest.lstrip()
    return replace(_json(body, names), payload=len(rest) - len(body)) if body else MAYBE


def _python_start(rest: str, names: Names) -> Look:
    return _python(rest.lstrip(), names) if rest.strip() else MAYBE


_BODIES: dict[str, Callable[[str, Names], Look]] = {
    **dict.fromkeys(TAGS, _tag),
    "<function=": _function,
    "[TOOL_CALLS]": _mistral,
    "<|channel|>": _harmony,
    "<|start|>assistant": _harmony,
    "<|python_tag|>": _python_tag,
    "<|python_start|>": _python_start,
}


# ---------------------------------------------------------------- forms without an opener of their own


def _fence(head: str, names: Names) -> Look:
    if "```".startswith(head):
        return MAYBE
    if not head.startswith("```"):
        return NO
    language, line, rest = head[3:].partition("\n")
    if not line:
        return MAYBE if any(one.startswith(language.strip()) for one in FENCES) else NO
    body = rest.lstrip()
    if language.strip() not in FENCES:
        return NO
    return replace(_json(body, names), payload=len(head) - len(body)) if body else MAYBE


_PYTHON = re.compile(r"\[\s*([\w.]*)\s*(.?)", re.DOTALL)


def _python(head: str, names: Names) -> Look:
    begun = _PYTHON.match(head)
    if begun is None:
        return NO
    if begun[2]:
        return SURE if begun[2] == "(" and begun[1] in names else NO
    if begun[1] in names:
        return MAYBE
    return MAYBE if begun.end() == len(head) and any(name.startswith(begun[1]) for name in names) else NO


# ---------------------------------------------------------------- JSON

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)("?)', re.DOTALL)


def _json(head: str, names: Names) -> Look:
    """An object that is a call, or a list that begins with one."""
    opened = re.match(r"\[?\s*(.?)", head, re.DOTALL)
    if opened is None or opened[1] not in ("", "{") or head[:1] not in "{[":
        return NO
    return _members(head[opened.end() :], names) if opened[1] else MAYBE


def _members(rest: str, names: Names) -> Look:
    """The members of a call's object, as far as they have come: known keys only, and the name of a known tool."""
    while True:
        key = _string(rest)
        if key is None:
            return MAYBE if not rest.strip() else NO
        text, whole, rest = key
        if not whole:
            return _begun(text, KEYS)
        colon, given = rest.lstrip()[:1], rest.lstrip()[1:].lstrip()
        if text not in KEYS or colon not in ("", ":"):
            return NO
        if not given:
            return MAYBE
        if text == "function":
            return _members(given[1:], names) if given[0] == "{" else NO
        said = _string(given)
        if text == "name":
            return NO if said is None else _named_whole(said[0], names) if said[1] else _begun(said[0], names)
        if text in ("arguments", "parameters") or said is None:
            return SURE
        if not said[1]:
            return MAYBE
        rest = said[2].lstrip().removeprefix(",")


def _named_whole(name: str, names: Names) -> Look:
    return SURE if name in names else NO


def _begun(text: str, words: Collection[str]) -> Look:
    """What a word may become; an escape may stand for any letter."""
    return MAYBE if "\\" in text or any(word.startswith(text) for word in words) else NO


def _string(text: str) -> tuple[str, bool, str] | None:
    """A string that begins here, whether it has ended, and what follows it; None: none begins here."""
    found = _STRING.match(text.lstrip())
    if found is None:
        return None
    whole = bool(found[2])
    try:
        said = json.loads(f'"{found[1]}"') if whole else found[1]
    except ValueError:
        said = found[1]
    return said, whole, text.lstrip()[found.end() :]
