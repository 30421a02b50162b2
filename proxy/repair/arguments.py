"""The one entry point: a call's arguments as text, and a checker, to a verdict.

`Fine` leaves byte for byte. `Repaired` carries new text that was read and validated again, and every change made.
`Rejected` says what is wrong, in terms that advice.py can tell the model. Repairing a repaired text finds it fine.

Work is bounded before it starts: text beyond `MAX_TEXT` is not read at all, and a value too large to be checked whole
passes as it is, with a note. A reply that was cut by a limit is only judged (`cut`): what was lost cannot be repaired.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from proxy.repair.edits import Repair
from proxy.repair.literals import is_not_finite, write
from proxy.repair.overlays import Overlay, overlaid
from proxy.repair.problems import Problem, made, problem
from proxy.repair.schema import Checker
from proxy.repair.syntax import Fix, shortened
from proxy.repair.text import (
    NOT_A_NUMBER,
    NOT_AN_OBJECT,
    NOTHING,
    Mended,
    Parsed,
    Unreadable,
    has_lone_surrogate,
    mend,
    parse,
)
from proxy.repair.tree import Path, pointer, replaced
from proxy.repair.values import Mender, Outcome
from proxy.repair.violations import Report

__all__ = ["Fine", "Overlay", "Rejected", "Repair", "Repaired", "Verdict", "repair"]

MAX_TEXT = 512 * 1024
RAW_SHOWN = 2000
VALUE_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Fine:
    """The arguments are right as they stand, or could not be checked; `notes` (English) are for the log."""

    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repaired:
    """New arguments, valid JSON and valid against the schema, and what was changed."""

    text: str
    repairs: tuple[Repair, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """Arguments that must be asked for again.

    `raw` is the text as it came, shortened; `is_object` tells whether it is a JSON object. `partial` are the repairs
    that would have been made, had the rest been right.
    """

    problems: tuple[Problem, ...]
    raw: str
    is_object: bool
    partial: tuple[Repair, ...] = ()


Verdict = Fine | Repaired | Rejected


def repair(text: str, checker: Checker, *, overlays: Mapping[str, Overlay] | None = None, cut: bool = False) -> Verdict:
    """Judges the arguments of one call, and repairs them where that is certain. Never raises."""
    if len(text) > MAX_TEXT:
        return Fine((f"not checked: {len(text)} characters",))
    checker = overlaid(checker, overlays or {})
    parsed = parse(text)
    if isinstance(parsed, Parsed) and isinstance(parsed.value, dict) and not has_lone_surrogate(text):
        return _object(text, parsed, checker, cut=cut)
    if cut:
        return _unreadable(text, parsed if isinstance(parsed, Unreadable) else Unreadable(NOT_AN_OBJECT))
    mended = mend(text)
    if isinstance(mended, Unreadable):
        return _unreadable(text, mended)
    return _mended(text, mended, checker) if checker.usable else _unchecked(text, mended, checker)


def _object(text: str, parsed: Parsed, checker: Checker, *, cut: bool) -> Verdict:
    """The verdict on a JSON object as it came."""
    report = checker.check(parsed.value)
    if not report.violations:
        notes = [f"duplicate key: {shortened(name)}" for name in parsed.duplicates]
        notes += [] if report.complete else ["not checked whole: too many parts"]
        return Fine(tuple(notes))
    if cut:
        return Rejected(tuple(map(problem, report.violations)), shortened(text, RAW_SHOWN), is_object=True)
    exact = parse(text, exact=True)
    outcome = Mender(checker).mend(exact.value if isinstance(exact, Parsed) else parsed.value)
    verdict = _proven(write(outcome.value), outcome.repairs, checker) if outcome.report.clean else None
    return verdict or _rejected(text, report, outcome, is_object=True)


def _mended(text: str, mended: Mended, checker: Checker) -> Verdict:
    """The verdict on text that is a JSON object only now."""
    mender = Mender(checker)
    value, repairs = _without_nan(mended.value, mender)
    repairs = (*map(_recorded, mended.fixes), *repairs)
    report = checker.check(value)
    outcome = mender.mend(value)
    outcome = replace(outcome, repairs=(*repairs, *outcome.repairs))
    verdict = None
    if outcome.report.clean and not any(True for _ in _not_finite(outcome.value, ())):
        changed = len(outcome.repairs) > len(mended.fixes)
        verdict = _proven(write(outcome.value) if changed else mended.text, outcome.repairs, checker)
    return verdict or _rejected(text, report, outcome, is_object=False)


def _unchecked(text: str, mended: Mended, checker: Checker) -> Verdict:
    """Without a schema to go by, broken text is made an object, but no value is invented."""
    emptied = any(fix.kind == "empty arguments" for fix in mended.fixes)
    if emptied and (not isinstance(checker.schema, dict) or checker.schema.get("required")):
        return _unreadable(text, Unreadable(NOTHING))
    verdict = _proven(mended.text, tuple(map(_recorded, mended.fixes)), checker)
    return verdict or _unreadable(text, Unreadable(NOT_A_NUMBER))


def _proven(text: str, repairs: tuple[Repair, ...], checker: Checker) -> Repaired | None:
    """The repaired text, if a strict reader and the schema take it as it would be sent."""
    parsed = parse(text)
    if isinstance(parsed, Unreadable) or not isinstance(parsed.value, dict) or has_lone_surrogate(text):
        return None
    return Repaired(text, tuple(map(_brief, repairs))) if checker.check(parsed.value).clean else None


def _rejected(text: str, first: Report, outcome: Outcome, *, is_object: bool) -> Rejected:
    """Names what was wrong at first and what came to light behind it."""
    known = {(found.steps, found.keyword) for found in first.violations}
    later = [found for found in outcome.report.violations if (found.steps, found.keyword) not in known]
    numbers = (made(pointer(path), "number", "number", str(number)) for path, number in _not_finite(outcome.value, ()))
    problems = (*map(problem, first.violations), *map(problem, later), *numbers)
    return Rejected(problems, shortened(text, RAW_SHOWN), is_object, tuple(map(_brief, outcome.repairs)))


def _unreadable(text: str, why: Unreadable) -> Rejected:
    return Rejected((made("", "json", why.said("en")),), shortened(text, RAW_SHOWN), is_object=False)


def _without_nan(value: Any, mender: Mender) -> tuple[Any, tuple[Repair, ...]]:
    """Null for each NaN and Infinity at whose place the schema takes null."""
    repairs: list[Repair] = []
    for path, number in list(_not_finite(value, ())):
        nulled = replaced(value, path, None)
        if mender.settles(mender.checker.root, nulled, path):
            value = nulled
            repairs.append(Repair(pointer(path), "NaN to null", str(number), None))
    return value, tuple(repairs)


def _not_finite(value: Any, path: Path) -> Iterator[tuple[Path, float]]:
    """Every NaN and Infinity in a value, with its place."""
    if is_not_finite(value):
        yield path, value
    elif isinstance(value, dict | list):
        for step, child in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(child, float | dict | list):
                yield from _not_finite(child, (*path, step))


def _recorded(fix: Fix) -> Repair:
    return Repair("", fix.kind, fix.before, fix.after)


def _brief(made_here: Repair) -> Repair:
    """The same with values that are plain and short enough for a log line."""
    return replace(made_here, before=_shown(made_here.before), after=_shown(made_here.after))


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return shortened(value)
    text = str(value) if is_not_finite(value) else write(value)
    return json.loads(text) if len(text) <= VALUE_SHOWN else shortened(text)
