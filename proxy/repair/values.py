"""Makes a value valid against its schema, one certain edit at a time, driven by what the checker finds.

Only what has a problem is looked at, so a valid value is never touched. Each problem is asked for the one edit that
could solve it; the edits of a round are applied to a copy and the whole is checked again, until nothing is wrong or
nothing more can be done. A union is solved by the one branch that the value can be made to fit: first among the
branches of the value's own JSON type, then among the others; two different results are none.

It works within a budget of node visits, and knows neither text nor tool.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from proxy.repair.closeness import is_placeholder
from proxy.repair.edits import PROPOSALS, Case, Edit, Repair
from proxy.repair.nodes import Node, admits_type, same_json
from proxy.repair.schema import MAX_VIOLATIONS, Checker
from proxy.repair.tree import Path, removed, replaced
from proxy.repair.violations import OF_THE_OBJECT, Report

ROUNDS = 8
MAX_UNIONS = 6
BUDGET = 4000
_NULL_WORDS = frozenset(("null", "none", "nil"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """A value after its repairs, and what is still wrong with it."""

    value: Any
    repairs: tuple[Repair, ...]
    report: Report


@dataclass(slots=True)
class Mender:
    """Repairs values for one checker; `left` is the number of node visits it may still make."""

    checker: Checker
    left: int = field(default=BUDGET)

    def mend(self, value: Any) -> Outcome:
        return self._mend(self.checker.root, value, (), 0)

    def settles(self, node: Node, tree: Any, steps: Path) -> bool:
        """Whether `node` has nothing against what stands at `steps` of `tree`, nor against its absence."""
        report = self._check(node, tree)
        return report.complete and not any(found.steps[: len(steps)] == steps for found in report.violations)

    def _check(self, node: Node, value: Any) -> Report:
        report = self.checker.check_at(node, value, max(0, self.left))
        self.left -= report.visits
        return report

    def _mend(self, node: Node, value: Any, base: Path, unions: int) -> Outcome:
        repairs: list[Repair] = []
        report = self._check(node, value)
        for _ in range(ROUNDS):
            edits = self._edits(report, value, node, base, unions)
            if not edits:
                break
            for edit in edits:
                value = edit.applied(value)
                repairs += edit.repairs
            flooded = len(report.violations) >= MAX_VIOLATIONS
            report = self._check(node, value)
            if flooded and len(report.violations) >= MAX_VIOLATIONS:
                break
        return Outcome(value, tuple(repairs), report)

    def _edits(self, report: Report, value: Any, node: Node, base: Path, unions: int) -> list[Edit]:
        """At most one edit for each place, none inside another."""
        edits: list[Edit] = []
        taken, around = set[Path](), set[Path]()
        for found in report.violations if report.complete else ():
            if self.left <= 0:
                break
            edit = self._edit(Case(found, value, node, base, unions))
            if edit is None or edit.steps in around or any(above in taken for above in _upwards(edit.steps)):
                continue
            edits.append(edit)
            taken.add(edit.steps)
            around.update(_upwards(edit.steps))
        return edits

    def _edit(self, case: Case) -> Edit | None:
        found = case.found
        if found.keyword not in OF_THE_OBJECT:
            if found.value is None:
                return self._without_null(case)
            if isinstance(found.value, str) and is_placeholder(found.value):
                return None
        if found.keyword in ("anyOf", "oneOf"):
            edit = self._branched(case)
        else:
            propose = PROPOSALS.get(found.keyword)
            edit = propose(case) if propose else None
        return edit or self._null_word(case)

    def _without_null(self, case: Case) -> Edit | None:
        """Leaves out a property that is null, if it may be left out."""
        steps = case.found.steps
        if not steps or not isinstance(steps[-1], str):
            return None
        optional = self.settles(case.node, removed(case.tree, steps), steps)
        return case.left_out("null left out") if optional else None

    def _null_word(self, case: Case) -> Edit | None:
        """Null for the word "null" or "none", if null is allowed there and the word is not."""
        value, steps = case.found.value, case.found.steps
        if not isinstance(value, str) or value.strip().lower() not in _NULL_WORDS:
            return None
        allowed = self.settles(case.node, replaced(case.tree, steps, None), steps)
        return case.set_to(None, "null as a word") if allowed else None

    def _branched(self, case: Case) -> Edit | None:
        """The one result to which the branches of a union can bring the value."""
        found = case.found
        if case.unions >= MAX_UNIONS:
            return None
        for own_type in (True, False):
            branches = (b for b in found.expected if admits_type(b, found.value) is own_type)
            outcomes = self._results(branches, case)
            if outcomes:
                return self._only(outcomes, case)
        return None

    def _results(self, branches: Iterable[Node], case: Case) -> list[Outcome]:
        results: list[Outcome] = []
        for branch in branches:
            outcome = self._mend(branch, case.found.value, case.place, case.unions + 1)
            if outcome.report.clean and not any(same_json(outcome.value, other.value) for other in results):
                results.append(outcome)
        return results

    def _only(self, outcomes: list[Outcome], case: Case) -> Edit | None:
        """The edit to the one result, if the union takes it (a second branch of a oneOf may not)."""
        if len(outcomes) != 1:
            return None
        steps, value = case.found.steps, outcomes[0].value
        if not outcomes[0].repairs or not self.settles(case.node, replaced(case.tree, steps, value), steps):
            return None
        return Edit(steps, "set", value, outcomes[0].repairs)


def _upwards(steps: Path) -> Iterable[Path]:
    """The path itself and every path above it."""
    return (steps[:length] for length in range(len(steps) + 1))
