"""Which of the allowed words a misspelt word was meant to be, if that is certain.

Serves enum values, property names and tool names. Case, blanks, underscores and hyphens carry no meaning; letters do.
A typo is taken for its neighbour only within two edits, with a clear margin to the next one, and never across a change
that can turn the meaning round: opposites are spelled alike ("unpaid"/"paid", "increase"/"decrease", "minor"/"major",
"payer"/"payee", "get_x"/"set_x", "v1"/"v2"). Typing errors rarely touch a word's first letter, prefixes always do.
"""

import re
from collections.abc import Iterable

from rapidfuzz.distance import OSA

MAX_LENGTH = 100
_MARGIN = 2
_SHORTEST = 5
_LONG = 8
_SEPARATORS = re.compile(r"[\s_\-]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_PLACEHOLDER = re.compile(r"<[^<>]*>|\{\{.*\}\}|\$\{.*\}|\[[A-Z_ ]+\]", re.DOTALL)
_NEGATIONS = frozenset(("no", "not", "non", "never", "none", "without", "dont", "cannot", "un", "anti", "ex", "off"))
# Opposites with the same first letter that lie within two edits; those with different ones need no list.
_OPPOSITES = frozenset(
    map(
        frozenset,
        (
            ("minimum", "maximum"), ("minimal", "maximal"), ("minimize", "maximize"), ("minimise", "maximise"),
            ("minor", "major"), ("micro", "macro"), ("hyper", "hypo"), ("private", "privacy"),
        ),
    )
)  # fmt: skip
_OPPOSED_ENDINGS = (("er", "ee"), ("or", "ee"), ("teen", "ty"), ("th", "ty"), ("ful", "less"))


def is_placeholder(text: str) -> bool:
    """Whether the text stands for a value that its writer did not know: <UNKNOWN>, {{id}}, ${ID}, [DATE]."""
    return _PLACEHOLDER.fullmatch(text.strip()) is not None


def folded(text: str) -> str:
    """The text without case, blanks, underscores and hyphens."""
    return _SEPARATORS.sub("", text.casefold())


def words(text: str) -> list[str]:
    """The words of a name in any style: getUser, get_user, "Get user", HTTPServer2."""
    return [word.casefold() for word in _WORD.findall(text)]


def nearest(text: str, allowed: Iterable[str]) -> str | None:
    """The one allowed word that `text` must mean, or None where there is none or more than one."""
    if len(text) > MAX_LENGTH or is_placeholder(text):
        return None
    candidates = [word for word in allowed if len(word) <= MAX_LENGTH]
    for same in (lambda word: word.strip().casefold(), folded):
        equal = [word for word in candidates if same(word) == same(text)]
        if equal:
            return equal[0] if len(equal) == 1 else None
    return _typo(text, candidates)


def _typo(text: str, candidates: list[str]) -> str | None:
    written = folded(text)
    if len(written) < _SHORTEST or not written.isascii():
        return None
    limit = 2 if len(written) >= _LONG else 1
    scored = sorted((OSA.distance(written, folded(word), score_cutoff=limit + _MARGIN), word) for word in candidates)
    if not scored or scored[0][0] > limit:
        return None
    best, word = scored[0]
    if len(scored) > 1 and scored[1][0] < best + _MARGIN:
        return None
    return word if _same_meaning(text, word) else None


def _same_meaning(text: str, word: str) -> bool:
    """Whether nothing between the two can be more than a slip of the fingers."""
    one, other = words(text), words(word)
    if _marks(one) != _marks(other) or folded(text)[:1] != folded(word)[:1]:
        return False
    if len(one) != len(other):
        return True
    return all(a == b or _same_word(a, b) for a, b in zip(one, other, strict=True))


def _marks(parts: list[str]) -> list[str]:
    """The words that must not differ at all: numbers and negations."""
    return [part for part in parts if part.isdigit() or part in _NEGATIONS]


def _same_word(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SHORTEST or one[0] != other[0] or frozenset((one, other)) in _OPPOSITES:
        return False
    endings = (*_OPPOSED_ENDINGS, *((b, a) for a, b in _OPPOSED_ENDINGS))
    return not any(one.endswith(a) and other.endswith(b) for a, b in endings)
