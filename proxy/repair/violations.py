"""What a check found wrong, with everything that a repair needs to know about it.

Not for logs or models: it holds nodes, which may be circular. `problems.py` makes plain data of it.
"""

from dataclasses import dataclass
from typing import Any, cast

from jsonschema import ValidationError

from proxy.repair.nodes import Node
from proxy.repair.tree import Path

# Keywords that judge an object and are told at one of its properties: missing, unknown or misnamed.
OF_THE_OBJECT = frozenset(("additionalProperties", "propertyNames", "required"))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Violation:
    """One keyword of `schema` that refuses `value` at `steps`.

    `expected` is the keyword's value: types, allowed values, a format, a limit, branches as nodes. For a missing or an
    unknown property it is the property's name, `steps` leads to that property, and `value` is the object around it.
    """

    steps: Path
    keyword: str
    expected: Any
    value: Any
    schema: Node


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What one check found, in how many node visits; not `complete` where the value was too large or too deep."""

    violations: tuple[Violation, ...]
    complete: bool
    visits: int

    @property
    def clean(self) -> bool:
        return self.complete and not self.violations


def violation(error: ValidationError) -> Violation:
    schema = cast("Node", error.schema)
    return Violation(tuple(error.path), str(error.validator), error.validator_value, error.instance, schema)
