"""Warnings about a pack that loads: settings that are legal, but cannot do what they seem to say.

A fact about a tool that only a policy reads which is off, a limit that is stronger than its policy, an upstream behind
one that takes everything. `handrail check` prints them; none keeps a pack from loading.
"""

from collections.abc import Iterator

from proxy.settings.document import Keys, key_place
from proxy.settings.fields import least
from proxy.settings.pack import Pack
from proxy.settings.policies import PIPELINE_NAMES
from proxy.settings.problems import Path, Problem
from proxy.settings.upstreams import Match

# fact about a tool → the policies of which one has to be on for it to matter
READERS: dict[str, tuple[str, ...]] = {
    "side_effect": ("run_once",),
    "idempotency_key": ("run_once",),
    "expires_s": ("run_once",),
    "strict": ("constrain_tools",),
    "polling": ("gates",),
    "instead": ("tool_health", "explain_errors"),
    "when_open": ("tool_health",),
    "catalog": ("explain_errors",),
    "returns": ("explain_errors",),
    "errors": ("explain_errors", "tool_health", "gates", "run_once"),
    "permanent": ("explain_errors",),
    "exempt": ("truncate_results",),
    "bytes": ("truncate_results",),
    "text_bytes": ("truncate_results",),
}


def advise(pack: Pack, root: Keys) -> Iterator[Problem]:
    """All warnings about a pack that was made of `root`."""
    yield from _modes(pack, root)
    yield from _unread_facts(pack, root)
    yield from _unreachable(pack, root)
    yield from _unpaid(pack, root)


def _unpaid(pack: Pack, root: Keys) -> Iterator[Problem]:
    """A pin that is paid out of what others save, where nobody saves."""
    pin = pack.policies.pin_task
    savers = ("truncate_results", "fold_history")
    if pin.when == "pays" and pin.mode != "off" and all(pack.effective_mode(name) == "off" for name in savers):
        yield _warning(root, ("policies", "pin_task", "when"), f"never pays while {' and '.join(savers)} are off")


def _modes(pack: Pack, root: Keys) -> Iterator[Problem]:
    gates = pack.policies.gates
    for name, limit in gates.limits():
        if limit.mode and gates.mode != "off" and least(limit.mode, gates.mode) != limit.mode:
            message = f"says {limit.mode}, but gates is on {gates.mode}"
            yield _warning(root, ("policies", "gates", name, "mode"), message)
    if gates.mode != "off" and not any(gates.limits()):
        yield _warning(root, ("policies", "gates"), "has no limit, so it never acts")


def _unread_facts(pack: Pack, root: Keys) -> Iterator[Problem]:
    on = {name for name in PIPELINE_NAMES if pack.effective_mode(name) != "off"}
    for tool, facts in pack.tools.items():
        for fact in sorted(facts.model_fields_set & READERS.keys()):
            readers = READERS[fact]
            if getattr(facts, fact) and not on.intersection(readers):
                message = f"has no effect while {' and '.join(readers)} {'is' if len(readers) == 1 else 'are'} off"
                yield _warning(root, ("tools", tool, fact), message)
        if facts.idempotency_key and not facts.side_effect:
            yield _warning(root, ("tools", tool, "idempotency_key"), "has no effect without side_effect: true")


def _unreachable(pack: Pack, root: Keys) -> Iterator[Problem]:
    for i, entry in enumerate(pack.upstreams[:-1]):
        if entry.match == Match():
            yield _warning(root, ("upstreams", i), "matches everything, so the entries after it are never used")
            return


def _warning(root: Keys, path: Path, message: str) -> Problem:
    return Problem(key_place(root, path), path, message, warning=True)
