"""Cuts a JSON string, or the source of a value that can't be taken apart, so that a valid JSON string remains.

A string is cut in its source: never inside an escape or between the two halves of a surrogate pair. Its mark counts the
characters that the string really has, not those of its source.
"""

import json
import re

from proxy.paging import measure
from proxy.paging.json_parts import decoded

PIECE = 16
"""Bytes that are shown at least: more than the longest escape, so each page makes progress."""

_UNITS = re.compile(
    r"""(?:[^\\]++
      | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
      | \\u[dD][89abAB][0-9a-fA-F]{2}(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4})
      | \\u(?![dD][89abAB])[0-9a-fA-F]{4}
      | \\[^u])*+""",
    re.DOTALL | re.VERBOSE,
)
"""Whole characters of a string's source; a high surrogate only where it can be seen that no low one follows."""
_LONE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})")

Cut = tuple[str, int | None]
"""A JSON string, and where reading goes on (None: shown to its end)."""


def string(text: str, span: tuple[int, int], at: int, budget: int, mark: str) -> Cut:
    """The string literal in the span, from `at` on."""
    start, end = span
    begin, close = max(at, start + 1), end - 1
    begin = _edge(text, start + 1, begin) if begin > start + 1 else begin
    if measure.bounded(text, begin, close, budget) <= budget - 2:
        return f'"{text[begin:close]}"', None
    total = f"{len(decoded(text[start:end])):,}"
    furthest = measure.reach(text, begin, close, max(_room(mark, total, budget), PIECE))
    cut = _edge(text, begin, measure.pleasant(text, begin, furthest))
    if cut <= begin:
        cut = _edge(text, begin, furthest)
    if cut >= close or cut <= begin:
        return f'"{text[begin:close]}"', None
    shown = len(decoded(f'"{text[start + 1 : cut]}"'))
    return f'"{text[begin:cut]}{mark.format(shown=f"{shown:,}", total=total)}"', cut


def opaque(text: str, span: tuple[int, int], at: int, budget: int, mark: str) -> Cut:
    """The source of any value in the span, from `at` on, as a string."""
    start, end = span
    begin = max(at, start)
    if end - begin <= budget:
        rest = _quoted(text[begin:end])
        if measure.size(rest) <= budget:
            return rest, None
    total = f"{end - start:,}"
    room = max(_room(mark, total, budget), PIECE)
    cut = measure.pleasant(text, begin, measure.reach(text, begin, end, room))
    for _ in range(4):
        size = measure.size(_quoted(text[begin:cut])) - 2
        if size <= room or cut - begin <= PIECE:
            break
        cut = measure.whole(text, begin, begin + max((cut - begin) * room // size, PIECE))
    if cut >= end:
        return _quoted(text[begin:end]), None
    return _quoted(text[begin:cut])[:-1] + mark.format(shown=f"{cut - start:,}", total=total) + '"', cut


def _room(mark: str, total: str, budget: int) -> int:
    return budget - 2 - measure.size(mark.format(shown=total, total=total))


def _edge(text: str, begin: int, cut: int) -> int:
    """The last edge between two characters of the string at or before `cut`."""
    found = _UNITS.match(text, begin, cut)
    edge = found.end() if found else begin
    return cut if cut - edge == 6 and _LONE.match(text, edge) else edge


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
