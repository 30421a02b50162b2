"""A tool's parameters as a checker: compiled once, kept by the schema's bytes, and never raising.

`compile_schema` takes whatever stands in a request. A schema that cannot be used gives a checker that is not `usable`
and says why in `findings`; it accepts everything. A check is bounded in work: a value too large to be checked whole is
reported as such (`Report.complete`), so that the caller can let it pass instead of blocking or guessing.

It must not repair, and must not know which tool the schema belongs to.
"""

import json
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, NoReturn

from proxy.repair.nodes import Exhausted, Meter, Node
from proxy.repair.normalise import Builder, Finding, Unfit
from proxy.repair.problems import Problem, problem
from proxy.repair.violations import Report, Violation, violation

__all__ = ["Checker", "Finding", "Problem", "compile_schema"]

MAX_SCHEMA = 512 * 1024
MAX_VIOLATIONS = 64
# Node visits per check, at about 2 microseconds each. Values that are valid by their type alone cost none.
BUDGET = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Checker:
    """A compiled schema. `schema` is what the bytes parsed to, `root` its normalised form."""

    raw: bytes
    schema: Any
    root: Node
    findings: tuple[Finding, ...]
    usable: bool
    meter: Meter = field(repr=False)

    def problems(self, value: Any) -> tuple[Problem, ...]:
        """At most 64 problems of `value`; none means valid (or too large to be checked)."""
        return tuple(map(problem, self.check(value).violations))

    def check(self, value: Any) -> Report:
        return self.check_at(self.root, value)

    def check_at(self, node: Node, value: Any, budget: int = BUDGET) -> Report:
        """The same for one subschema of this checker, within `budget` node visits."""
        self.meter.left = budget
        self.meter.following.clear()
        found: list[Violation] = []
        complete = True
        try:
            found.extend(map(violation, islice(node.errors(value), MAX_VIOLATIONS)))
        except (Exhausted, RecursionError, OverflowError, ValueError):
            complete = False
        return Report(tuple(found), complete, budget - self.meter.left)


def compile_schema(raw: bytes) -> Checker:
    """The checker of a parameters schema, given as its JSON bytes. Never raises; compiled once while it is in use.

    No bytes, and null, are a tool that declares no parameters: every object is right.
    """
    return _compiled_large(raw) if len(raw) > 32 * 1024 else _compiled(raw)


def _compile(raw: bytes) -> Checker:
    if len(raw) > MAX_SCHEMA:
        return _unusable(raw, None, Finding("", "too_large", f"the schema has more than {MAX_SCHEMA} bytes"))
    try:
        document = json.loads(raw or b"{}", parse_constant=_refuse)
        document = {} if document is None else document
    except (ValueError, RecursionError) as error:
        return _unusable(raw, None, Finding("", "bad_schema", f"the schema cannot be read: {str(error)[:200]}"))
    meter = Meter()
    builder = Builder(document, meter)
    try:
        root = builder.root()
    except Unfit as unfit:
        return _unusable(raw, document, *builder.findings, unfit.finding)
    return Checker(raw, document, root, tuple(builder.findings), usable=True, meter=meter)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def _unusable(raw: bytes, document: Any, *findings: Finding) -> Checker:
    """Accepts everything: a bad schema switches off checking for its own tool alone."""
    meter = Meter()
    return Checker(raw, document, Node(meter), findings, usable=False, meter=meter)


# Two sizes, so that a few huge schemas cannot fill the memory nor push out the many small ones.
_compiled = lru_cache(maxsize=256)(_compile)
_compiled_large = lru_cache(maxsize=16)(_compile)
