"""Cuts broken JSON text into tokens, so that a repair can never touch what stands inside a string.

The grammar is wider than JSON (single quotes, bare words) and every character belongs to exactly one token, so joining
the tokens gives the text back. It must not judge: whether the tokens make sense is for the strict parser to say.
"""

import re
from typing import NamedTuple

MAX_TOKENS = 4000

_TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\r\n]+)
  | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
  | (?P<quoted>'[^'\\]*(?:\\.[^'\\]*)*')
  | (?P<open>["'].*)
  | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
  | (?P<word>(?:[^\W\d]|\$)[\w$-]*)
  | (?P<mark>[{}\[\]:,])
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One token. `kind` is a group of the pattern above; a `mark` has its own character as its kind."""

    kind: str
    text: str


def tokens(text: str) -> list[Token] | None:
    """The tokens of `text`, or None where there are too many to be looked at in time."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        piece = match[0]
        found.append(Token(piece if kind == "mark" else kind, piece))
        if len(found) > MAX_TOKENS:
            return None
    return found


def joined(parts: list[Token]) -> str:
    return "".join(part.text for part in parts)


def kind_beside(parts: list[Token], index: int, step: int) -> str:
    """The kind of the next token (step 1) or the one before (step -1) that is not blank; "" at the end of the text."""
    index += step
    while 0 <= index < len(parts) and parts[index].kind == "blank":
        index += step
    return parts[index].kind if 0 <= index < len(parts) else ""
