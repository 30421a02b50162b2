"""What is wrong with a pack, as values: a place, a path of keys, a sentence.

One form for every kind of problem, whether YAML, a type or two keys that contradict each other; sorted and printed in
one place, so that an operator sees them all at once. Knows neither YAML nor pydantic.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_SHOWN = 50

_BARE = re.compile(r"[^\s.\[\]\"']+")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file; line and column count from 1, 0 means the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. A warning is legal but has no effect; everything else keeps the pack from loading."""

    place: Place
    path: Path
    message: str
    warning: bool = False

    def __str__(self) -> str:
        kind = "warning: " if self.warning else ""
        path = f"{path_text(self.path)}: " if self.path else ""
        return f"{self.place}: {kind}{path}{self.message}"


class PackError(Exception):
    """A pack does not load. `problems` has one entry for each reason, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        shown = [str(problem) for problem in self.problems[:MAX_SHOWN]]
        if len(self.problems) > MAX_SHOWN:
            shown.append(f"… and {len(self.problems) - MAX_SHOWN} more")
        super().__init__("\n".join(shown))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By place, each said once (an agent's part repeats what the pack itself has wrong)."""
    first: dict[tuple[Place, str], Problem] = {}
    for problem in problems:
        first.setdefault((problem.place, problem.message), problem)
    return tuple(sorted(first.values(), key=lambda problem: problem.place))


def path_text(path: Path) -> str:
    """`tools."a.b".errors[0]`: keys joined by dots, quoted where a dot would mislead."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            bare = key if _BARE.fullmatch(key) else '"' + key.replace('"', '\\"') + '"'
            text += f".{bare}" if text else bare
    return text
