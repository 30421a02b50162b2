"""The one edit that could heal a violation, by the keyword that found it: pure proposals, checked by values.py.

A proposal is made only where the value can mean one thing. Keywords that are not in the table (a bound, a length,
`not`) leave nothing to be read differently, so they are asked again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from proxy.repair.coerce import coerced
from proxy.repair.dates import READERS
from proxy.repair.enums import read_enum
from proxy.repair.nodes import Node
from proxy.repair.properties import meant_by, standing_for
from proxy.repair.tree import Path, pointer, removed, renamed, replaced
from proxy.repair.violations import Violation


@dataclass(frozen=True, slots=True)
class Repair:
    """One change: where (a JSON pointer into the arguments), of what kind, and the value before and after."""

    path: str
    kind: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that is proposed: set, drop or rename what stands at `steps`."""

    steps: Path
    action: Literal["set", "drop", "rename"]
    value: Any
    repairs: tuple[Repair, ...]

    def applied(self, tree: Any) -> Any:
        if self.action == "drop":
            return removed(tree, self.steps)
        if self.action == "rename":
            return renamed(tree, self.steps, self.value)
        return replaced(tree, self.steps, self.value)


@dataclass(frozen=True, slots=True)
class Case:
    """A violation of `tree` as judged by `node`; `base` is where the tree stands in the arguments.

    `unions` counts the unions around it.
    """

    found: Violation
    tree: Any
    node: Node
    base: Path
    unions: int

    @property
    def place(self) -> Path:
        return self.base + self.found.steps

    def set_to(self, value: Any, kind: str) -> Edit:
        found = self.found
        return Edit(found.steps, "set", value, (Repair(pointer(self.place), kind, found.value, value),))

    def left_out(self, kind: str) -> Edit:
        found = self.found
        return Edit(found.steps, "drop", None, (Repair(pointer(self.place), kind, found.value, None),))


def _typed(case: Case) -> Edit | None:
    names = [step for step in case.place if isinstance(step, str)]
    reading = coerced(case.found.value, case.found.schema, names[-1] if names else "")
    return None if reading is None else case.set_to(reading.value, reading.kind)


def _allowed(case: Case) -> Edit | None:
    expected = case.found.expected
    meant = read_enum(case.found.value, expected if case.found.keyword == "enum" else [expected])
    return case.set_to(meant[0], "enum spelling") if meant else None


def _formatted(case: Case) -> Edit | None:
    text = case.found.value
    reader = READERS.get(case.found.expected)
    if reader is None:
        return case.set_to(text.strip(), "outer blanks") if text != text.strip() else None
    read = reader(text)
    return None if read is None else case.set_to(read, "date format")


def _matched(case: Case) -> Edit | None:
    text = case.found.value
    bare = text.strip()
    fits = bare != text and case.found.schema["pattern"].found(bare)
    return case.set_to(bare, "outer blanks") if fits else None


def _known(case: Case) -> Edit | None:
    return _renamed(case, str(case.found.steps[-1]), None)


def _present(case: Case) -> Edit | None:
    required = case.found.expected
    old = standing_for(required, case.found.value, case.found.schema)
    return None if old is None else _renamed(case, old, required)


def _renamed(case: Case, old: str, required: str | None) -> Edit | None:
    found = case.found
    new = meant_by(old, found.value, found.schema, required)
    if new is None:
        return None
    steps = (*found.steps[:-1], old)
    return Edit(steps, "rename", new, (Repair(pointer(case.base + steps), "property name", old, new),))


PROPOSALS: Mapping[str, Callable[[Case], Edit | None]] = {
    "additionalProperties": _known,
    "const": _allowed,
    "enum": _allowed,
    "format": _formatted,
    "pattern": _matched,
    "required": _present,
    "type": _typed,
}
