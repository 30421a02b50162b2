"""What one exchange did, told three ways: lines for the run log, the `x-handrail` header, notes for metrics.

Pure: it makes commands, the shell writes them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from proxy.model import Note, Usage
from proxy.verdicts import Record

_SHOWN = ("rewrote", "repaired", "reasked", "replayed", "halted", "observed", "failed")


class Journal:
    """Collects the notes of an exchange in the order in which they came."""

    __slots__ = ("_acts", "run")

    def __init__(self, run: str) -> None:
        self.run = run
        self._acts: dict[tuple[str, str, str], int] = {}
        """How often each policy did what, and by which of its limits."""

    def line(
        self, kind: Any, turn: int, fields: Mapping[str, Any], bodies: Mapping[str, bytes] | None = None
    ) -> Record:
        return Record(self.run, kind, turn, fields, bodies or {})

    def notes(self, notes: Iterable[Note], turn: int, mode: str) -> list[Record]:
        """Lines for what a policy said it did; what it only would have done is told as observed."""
        out = []
        for note in notes:
            did = note.did if mode == "enforce" else "observed"
            if did in _SHOWN:
                act = note.policy, did, str(note.detail.get("by", ""))
                self._acts[act] = self._acts.get(act, 0) + 1
            fields: dict[str, Any] = {"policy": note.policy, "did": did, "mode": mode}
            if mode == "observe":
                fields["would"] = note.detail.get("would", note.did)
            out.append(self.line("verdict", turn, {**fields, "detail": note.detail}))
        return out

    def header(self) -> str:
        """The `x-handrail` value: an RFC 9651 list, one item per policy, act and limit; `none` if nothing was done."""
        items = (
            f"{policy};did={did};n={times}" + (f";by={by}" if by else "")
            for (policy, did, by), times in self._acts.items()
        )
        return ", ".join(items) or "none"

    @property
    def acted(self) -> bool:
        """Whether a policy did something, not only observed."""
        return any(did != "observed" for _, did, _ in self._acts)


def usage_fields(usage: Usage | None) -> dict[str, Any] | None:
    """Usage as the log holds it; `basis` is provider or estimated."""
    if usage is None:
        return None
    return {
        "input": usage.input,
        "output": usage.output,
        "cached": usage.cached,
        "tokens": usage.total,
        "basis": "estimated" if usage.estimated else "provider",
    }


def estimate(sent: bytes, got: bytes) -> Usage:
    """Tokens of a round that the provider did not count: a third per ASCII byte, three fifths per other character."""
    return Usage(tokens(sent), tokens(got), estimated=True)


def tokens(data: bytes) -> int:
    """Tokens of a text, estimated; at least one."""
    wide = len(data) - len(data.translate(None, _WIDE))
    return max(1, (len(data) - wide) // 3 + wide // 5)


_WIDE = bytes(range(128, 256))
