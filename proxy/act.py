"""What one exchange has done so far, for the parts that play it: rounds, usage, made-up ids, headers. No decisions."""

from collections.abc import Generator
from hashlib import blake2b
from typing import Any

from proxy.hooks import Hooks
from proxy.journal import Journal
from proxy.model import Usage
from proxy.plan import Plan
from proxy.rounds import Agent, Round
from proxy.verdicts import Command, Event, Start

Playing = Generator[Command, Event, Any]

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Act:
    """The state of one exchange."""

    __slots__ = (
        "_added_since",
        "_made",
        "agent",
        "dialect",
        "hooks",
        "how",
        "journal",
        "plan",
        "rounds",
        "start",
        "unseen",
        "usage",
    )

    journal: Journal
    hooks: Hooks

    def __init__(self, start: Start, plan: Plan) -> None:
        self.start, self.plan, self.dialect = start, plan, plan.dialect
        self.agent = Agent(start.wall, start.mono)
        self.rounds: list[Round] = []
        self.unseen: Usage | None = None
        """Tokens of rounds that the agent does not see."""
        self.usage: Usage | None = None
        """Tokens of the round whose answer the agent sees."""
        self.how = "done"
        self._made = 0
        self._added_since: float | None = None

    @property
    def count(self) -> int:
        return len(self.rounds)

    @property
    def rounds_left(self) -> int:
        return self.plan.rounds - len(self.rounds)

    def round(self) -> Round:
        self.rounds.append(Round(len(self.rounds) + 1, self.dialect, self.new_id, self.agent, self.journal))
        return self.rounds[-1]

    def seconds_left(self) -> float:
        """Of the time that Handrail may add, counted from the first whole reply."""
        if self._added_since is None:
            self._added_since = self.agent.mono
        return self._added_since + self.plan.step - self.agent.mono

    def hide(self, usage: Usage | None) -> None:
        if usage is not None:
            self.unseen = usage if self.unseen is None else self.unseen + usage

    def used(self) -> Usage:
        """Tokens of all rounds, whether they came to their end or not."""
        used = Usage(0, 0)
        for one in self.rounds:
            used = used + (one.used or Usage(0, 0))
        return used

    def headers(self) -> None:
        """Brings the headers that every answer carries up to date."""
        self.agent.extra = (("x-run-id", self.journal.run), ("x-handrail", self.journal.header()))

    def new_id(self) -> str:
        """An id for a call that came without one: 9 letters and digits, which every provider takes."""
        self._made += 1
        seed = self.start.random + self._made.to_bytes(4, "big")
        number = int.from_bytes(blake2b(seed, digest_size=8).digest(), "big")
        out = ""
        for _ in range(9):
            number, digit = divmod(number, 62)
            out += _ALPHABET[digit]
        return out
