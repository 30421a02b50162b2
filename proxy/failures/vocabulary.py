"""The words in which failures are told, in English and Chinese, and what each means.

Ordered lists of general patterns: the first that fits decides. Exception names and codes are read as words too
(`ResourceNotFoundException` is "resource not found exception", `OUT_OF_STOCK` is "out of stock"), so a library never
seen before is understood by what its authors called things. No pattern knows a tool or a sentence of one library
where a general form does.

The tables (words_*.py) are text: a code at the start of a line, below it its alternatives, one a line; a line that is
indented further goes on with the one above. A code with `~` has words that occur in good news too: they tell the
kind of a failure but never that there is one. The patterns run on a linear-time engine, whatever the text holds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import re2

from proxy.failures import words_business, words_form, words_general, words_specific

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_URL = re.compile(r"\b[a-z][a-z0-9+]{1,15}://[^\s'\"<>]{1,2000}(?<![.,:;)'\"])")
_LIMIT = 2000


@dataclass(frozen=True, slots=True)
class Rule:
    """What a pattern means. `weak`: its words occur in good news too."""

    code: str
    weak: bool


class Rules:
    """An ordered list of patterns.

    Matched in groups: one automaton for all would remember too much, and most texts are decided by an early group.
    """

    _GROUP = 8

    def __init__(self, table: str) -> None:
        rows = list(_rows(table))
        self._rules = [Rule(code.lstrip("~"), code.startswith("~")) for code, _ in rows]
        patterns = [pattern for _, pattern in rows]
        self._groups = [_automaton(patterns[at : at + self._GROUP]) for at in range(0, len(rows), self._GROUP)]

    def found(self, text: str) -> Iterator[Rule]:
        """Every rule that fits, the most telling first."""
        for number, group in enumerate(self._groups):
            for index in sorted(group.Match(text) or ()):
                yield self._rules[number * self._GROUP + index]

    def first(self, text: str) -> Rule | None:
        return next(self.found(text), None)


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """Code and pattern of each rule."""
    code, alternatives = "", [""]
    for line in [*table.strip().splitlines(), "END"]:
        if not line.startswith(" "):
            if code:
                yield code, "|".join(_whole_word(alternative) for alternative in alternatives)
            code, alternatives = line.strip(), []
        elif line.startswith("        "):
            alternatives[-1] += line.strip()
        else:
            alternatives.append(line.strip())


def _whole_word(alternative: str) -> str:
    """An alternative in Latin letters begins at the beginning of a word ("age limit" is not in "usage limit")."""
    latin = alternative[0].isalpha() or alternative.startswith("(")
    return f"\\b(?:{alternative})" if latin and alternative.isascii() else alternative


def _automaton(patterns: list[str]) -> re2.Set:
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 8 << 20
    options.log_errors = False
    automaton = re2.Set.SearchSet(options)
    for pattern in patterns:
        automaton.Add(pattern)
    automaton.Compile()
    return automaton


specific = Rules(words_specific.TABLE)
business = Rules(words_business.TABLE)
general = Rules(words_general.TABLE + words_form.TABLE.lstrip("\n"))


def spoken(text: str) -> str:
    """`text` as words: CamelCase and snake_case come apart, URLs go. Head and tail of a long one."""
    text = _URL.sub(" ", text) if "://" in text else text
    if len(text) > _LIMIT:
        text = text[: _LIMIT // 2] + "\n" + text[-_LIMIT // 2 :]
    return _HUMP.sub(" ", text.replace(" IS NOT NULL", " ")).replace("_", " ")


def tells(text: str) -> bool:
    """Whether `text` has words that only a failure has."""
    words = spoken(text)
    return any((rule := rules.first(words)) is not None and not rule.weak for rules in (specific, business, general))
