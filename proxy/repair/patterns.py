"""Regular expressions of a schema, run on a linear-time engine or not at all.

A pattern comes from whoever wrote the tool and meets text that a model wrote; a backtracking engine can be held for
seconds by the two together. RE2 cannot. What RE2 does not know (lookaround, back references) is not checked, and the
caller reports that as a finding.
"""

import re
from functools import lru_cache
from typing import Any

import re2

MAX_PATTERN = 4096
_ESCAPED_UNIT = re.compile(r"(\\\\)|\\u([0-9A-Fa-f]{4})")


class Pattern:
    """A compiled pattern; `text` is the source as the schema wrote it."""

    __slots__ = ("_engine", "text")

    def __init__(self, text: str, engine: Any) -> None:
        self.text = text
        self._engine = engine

    def found(self, text: str) -> bool:
        """Whether the pattern matches anywhere in `text`, as JSON Schema wants it."""
        return self._engine.search(text.encode("utf-8", "replace")) is not None


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 2 << 20
    return options


_OPTIONS = _options()


@lru_cache(maxsize=256)
def compiled(text: str) -> Pattern | None:
    """The pattern ready to run, or None where the engine does not know its syntax."""
    if len(text) > MAX_PATTERN:
        return None
    try:
        return Pattern(text, re2.compile(_for_re2(text), _OPTIONS))
    except (re2.error, UnicodeEncodeError):
        return None


def _for_re2(text: str) -> str:
    r"""ECMA writes a code unit as \uXXXX, RE2 as \x{XXXX}; everything else that both know is written alike."""
    return _ESCAPED_UNIT.sub(lambda m: m[0] if m[1] else f"\\x{{{m[2]}}}", text)
