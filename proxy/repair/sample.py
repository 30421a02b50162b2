"""A short text that a regular expression matches, for examples.

Reads the common part of the syntax and takes the first and shortest way through it; what it does not know gives none.
The caller checks the text against the pattern itself, so a wrong reading here is an example less, never a wrong one.
"""

import re

from proxy.repair.patterns import compiled

MAX_LENGTH = 200

_ESCAPES = {"d": "0", "D": "a", "w": "a", "W": "-", "s": " ", "S": "a", "b": "", "B": "", "n": "\n", "t": "\t", "A": ""}
_GROUP = re.compile(r"\((?:\?(?::|P?<\w+>))?")
_REPEAT = re.compile(r"(?:([*?])|(\+)|\{(\d{1,3})(?:,\d*)?\})\??")
_OTHERS = "aA0-_ .b1"


class _Unknown(Exception):  # noqa: N818 - not an error: the pattern is beyond this reader
    """The pattern has something that is not read here."""


def sample(pattern: str) -> str | None:
    """A text that `pattern` probably matches, or None."""
    reader = _Reader(pattern)
    try:
        text = reader.choice()
    except (_Unknown, RecursionError):
        return None
    return text if reader.at == len(pattern) and len(text) <= MAX_LENGTH else None


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def choice(self) -> str:
        """The first of the alternatives that stand here; the others are read and left."""
        first = self._sequence()
        while self._next() == "|":
            self.at += 1
            self._sequence()
        return first

    def _sequence(self) -> str:
        text = ""
        while self._next() not in ("", "|", ")"):
            atom = self._atom()
            repeat = _REPEAT.match(self.pattern, self.at)
            if repeat is not None:
                self.at = repeat.end()
                atom *= 0 if repeat[1] else int(repeat[3] or 1)
            text += atom
            if len(text) > MAX_LENGTH:
                raise _Unknown
        return text

    def _next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        character = self._next()
        if not character:
            raise _Unknown
        self.at += 1
        return character

    def _atom(self) -> str:
        if self._next() == "(":
            return self._group()
        character = self._take()
        if character == "[":
            return self._class()
        if character == "\\":
            return self._escape()
        if character in "^$":
            return ""
        return "a" if character == "." else character

    def _group(self) -> str:
        opening = _GROUP.match(self.pattern, self.at)
        if opening is None or self.pattern[opening.end() : opening.end() + 1] == "?":
            raise _Unknown
        self.at = opening.end()
        text = self.choice()
        self._take()  # what ends a choice inside a group is its bracket, or the end of the pattern
        return text

    def _escape(self) -> str:
        character = self._take()
        if character.isalnum() and character not in _ESCAPES:
            raise _Unknown
        return _ESCAPES.get(character, character)

    def _class(self) -> str:
        """One character of a class; of a negated one, one that is in none of its members."""
        negated = self._next() == "^"
        self.at += negated
        start = self.at
        first = None
        while self._next() != "]" or self.at == start:
            member = self._take()
            member = self._escape() if member == "\\" else member
            first = member if first is None else first
        body = self.pattern[start : self.at]
        self.at += 1
        if not negated:
            return first or ""
        excluded = compiled(f"[{body}]")
        other = next((one for one in _OTHERS if excluded and not excluded.found(one)), None)
        if other is None:
            raise _Unknown
        return other
