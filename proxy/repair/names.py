"""Which offered tool a wrong tool name was meant to be.

Models add a namespace ("functions.search"), parentheses or a leaked template token, drop the namespace of the offered
name ("search" for "mcp__docs__search"), or write another case. Beyond that the caution of closeness.py applies: two
tools with nearly the same name often do opposite things, so what is not certain is asked again with `suggestions`.
"""

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from proxy.repair.closeness import folded
from proxy.repair.closeness import nearest as nearest_word

MAX_OFFERED = 2000
_NAMESPACE = re.compile(r"__|[./:]")
_TAIL = re.compile(r"(?:\(\s*\)|<\|.*)$", re.DOTALL)
_FEWEST = 0.7


def nearest(name: str, offered: Sequence[str]) -> str | None:
    """The one offered tool that `name` must mean (itself, if it is offered), or None."""
    if name in offered:
        return name
    if len(offered) > MAX_OFFERED:
        return None
    bare = _TAIL.sub("", name.strip()).strip()
    for same in (str, folded):
        equal = [tool for tool in offered if same(tool) == same(bare)]
        if equal:
            return equal[0] if len(equal) == 1 else None
    return _within_namespaces(bare, offered) or nearest_word(bare, offered)


def _within_namespaces(bare: str, offered: Sequence[str]) -> str | None:
    """The one tool whose name is the other's without its namespace."""
    short, *_ = reversed(_NAMESPACE.split(bare))
    if len(short) < 2:
        return None
    has_namespace = short != bare
    equal = [
        tool
        for tool in offered
        if (last := folded(_NAMESPACE.split(tool)[-1])) == folded(short) and (folded(tool) == last) is has_namespace
    ]
    return equal[0] if len(equal) == 1 else None


def suggestions(name: str, offered: Iterable[str], n: int = 3) -> list[str]:
    """At most `n` offered names that resemble `name`, the most similar first."""
    choices = list(offered)[:MAX_OFFERED]
    bare = folded(_NAMESPACE.split(_TAIL.sub("", name[:200]))[-1])
    found = process.extract(bare, choices, scorer=JaroWinkler.similarity, processor=folded, limit=n)
    return [choice for choice, score, _ in found if score >= _FEWEST]
