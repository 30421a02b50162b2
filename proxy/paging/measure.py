"""Sizes in bytes, and places where a text may be cut: never inside what a reader sees as one character.

Texts are `str`, limits are bytes of UTF-8. A lone surrogate (an agent's broken emoji) counts as three bytes and is
carried along; it must never raise here. Nothing here knows what a form is.
"""

import re
import unicodedata

WINDOW = 32
"""How far back a cut looks for the start of a cluster of characters."""

_JOINER = "\u200d"
_BREAKS = (
    re.compile(r"(?s:.*)\n[ \t\r]*\n"),
    re.compile(r"(?s:.*)\n"),
    re.compile(r"(?s:.*)(?:[.!?;,}\]][\"')]*[ \t]|[。！？；，、])"),
    re.compile(r"(?s:.*)\s"),
)
"""Ends of paragraphs, lines, sentences and clauses, words: the better ones first."""


def size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def bounded(text: str, start: int, end: int, most: int) -> int:
    """Bytes of `text[start:end]`, or anything over `most` if they are more: big spans are not looked at."""
    return end - start if end - start > most else size(text[start:end])


def reach(text: str, start: int, end: int, budget: int) -> int:
    """The furthest position up to which `text[start:]` has at most `budget` bytes (at most `end`)."""
    chunk = text[start : min(end, start + max(budget, 0))]
    if chunk.isascii():
        return start + len(chunk)
    data = chunk.encode("utf-8", "surrogatepass")
    if len(data) <= budget:
        return start + len(chunk)
    while budget > 0 and data[budget] & 0xC0 == 0x80:
        budget -= 1
    return start + len(data[:budget].decode("utf-8", "surrogatepass"))


def reach_back(text: str, start: int, budget: int) -> int:
    """The earliest position (not before `start`) from which the text has at most `budget` bytes."""
    chunk = text[max(start, len(text) - max(budget, 0)) :]
    if chunk.isascii():
        return len(text) - len(chunk)
    data = chunk.encode("utf-8", "surrogatepass")
    skip = max(len(data) - budget, 0)
    while skip < len(data) and data[skip] & 0xC0 == 0x80:
        skip += 1
    return len(text) - len(data[skip:].decode("utf-8", "surrogatepass"))


def _joined(left: str, right: str) -> bool:
    """Whether the two characters are seen as one: combining marks, joined emoji, skin tones, flags, CR LF."""
    if left.isascii() and right.isascii():
        return left == "\r" and right == "\n"
    if _JOINER in {left, right} or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    if "\U0001f1e6" <= left <= "\U0001f1ff" and "\U0001f1e6" <= right <= "\U0001f1ff":
        return True
    return unicodedata.category(right) in {"Mn", "Me", "Mc"}


def whole(text: str, start: int, cut: int) -> int:
    """`cut` moved back to the edge of a cluster; left alone at the end, or if the cluster has no near edge."""
    if cut >= len(text):
        return cut
    for place in range(cut, max(start, cut - WINDOW), -1):
        if not _joined(text[place - 1], text[place]):
            return place
    return cut


def pleasant(text: str, start: int, cut: int) -> int:
    """`cut` moved back to an end of a paragraph, line, sentence or word, if one stands in the last part."""
    if cut >= len(text):
        return cut
    span = cut - start
    for pattern, share in zip(_BREAKS, (2, 3, 4, 4), strict=True):
        found = pattern.match(text, cut - span // share, cut)
        if found:
            return whole(text, start, found.end())
    return whole(text, start, cut)
