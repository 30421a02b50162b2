"""How policies meet an ask or a reply: in order, each in its mode, and what it costs when one fails.

Observed changes are chained on a copy (the shadow), so that an observing pack predicts what its enforcing twin would
do, up to the first Reask or Halt. While shadow and real value are the same object, each hook runs once.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from proxy.journal import Journal
from proxy.memo import steady
from proxy.model import Ask, Note, Put, Reply, Run, Spend, Taking, replace
from proxy.policies.policy import Policy
from proxy.verdicts import Add, Answers, Claim, Command, Event, Halt, Health, Need, Read, Reask, Report, Request, Settle

Hook = Callable[[Policy, Any, Run], Any]
Playing = Generator[Command, Event, Any]

_IMAGINED = "imagined:"
_ROUNDS = 8
"""Times that one hook may ask for more before it counts as broken."""


class Bound(msgspec.Struct, frozen=True):
    """A policy as the pack wants it."""

    policy: Policy
    mode: Literal["observe", "enforce"]
    closed: bool = False
    """A failure of the policy becomes an error for the agent, instead of going on without it."""


class _Raised(msgspec.Struct, frozen=True):
    """A hook raised."""

    error: Any


class StoreDownError(RuntimeError):
    """A policy needs the store, and it is down: the policy has failed, and its `fail` says what that means."""


class Broken(msgspec.Struct, frozen=True):
    """A policy with `fail: closed` failed."""

    policy: str


class Hooks:
    """Plays the hooks of one exchange. `run` grows with what was learnt."""

    __slots__ = ("_bounds", "_minds_words", "journal", "run", "spends")

    def __init__(self, bounds: Sequence[Bound], run: Run, journal: Journal) -> None:
        self._bounds = bounds
        self._minds_words = any(bound.policy.minds_words for bound in bounds)
        self.run = run
        self.journal = journal
        self.spends: list[Spend] = []
        """Budgets that are only watched."""

    def ask(self, ask: Ask, bounds: Sequence[Bound]) -> Playing:
        """Ask | Halt | Broken: what goes upstream. `bounds`: the policies that mind it."""
        return (yield from self._chain(bounds, ask, lambda policy, value, run: policy.on_ask(value, run)))

    def reply(self, reply: Reply, ask: Ask, after: str = "") -> Playing:
        """Reply | Reask | Halt | Broken: what becomes of a whole reply. `after`: for those behind this policy only."""
        if not self._minds_words and not reply.calls:
            return reply
        bounds = list(reversed(self._bounds))
        if after:
            names = [bound.policy.name for bound in bounds]
            bounds = bounds[names.index(after) + 1 :] if after in names else []
        return (yield from self._chain(bounds, reply, lambda policy, value, run: policy.on_reply(value, ask, run)))

    def _chain(self, bounds: Sequence[Bound], value: Any, hook: Hook) -> Playing:
        real, shadow = value, value
        for bound in bounds:
            observes = bound.mode == "observe"
            seen = shadow if observes else real
            if seen is None:
                continue
            first = self._said(bound, seen, hook)
            same = shadow is real
            if first is seen and (observes or same):
                continue  # most policies leave most values as they are, and that should cost no more
            if observes:
                shadow = yield from self._observed(bound, shadow, hook, first)
                continue
            verdict = yield from self._enforced(bound, real, hook, first)
            if not isinstance(verdict, (Ask, Reply)):
                return verdict
            real = verdict
            if same:
                shadow = real
            elif shadow is not None:
                shadow = yield from self._shadowed(bound, shadow, hook)
        return real

    def _said(self, bound: Bound, value: Any, hook: Hook) -> Any:
        """What the hook says at once; a `_Raised` if it raises."""
        try:
            return hook(bound.policy, value, self.run)
        except Exception as error:  # noqa: BLE001 - whatever a policy raises must not cost the exchange
            return _Raised(error)

    def _enforced(self, bound: Bound, value: Any, hook: Hook, first: Any) -> Playing:
        try:
            verdict = yield from self._consult(bound, value, hook, first)
        except Exception as error:  # noqa: BLE001 - whatever a policy raises must not cost the exchange
            return (yield from self._failed(bound, value, error))
        yield from self.tell(verdict.notes, "enforce")
        if not isinstance(verdict, (Ask, Reply)):
            return verdict
        if verdict.puts:
            yield from self.write(verdict.puts)
        return _plain(verdict, value, bound)

    def _observed(self, bound: Bound, shadow: Any, hook: Hook, first: Any) -> Playing:
        """What the shadow becomes; None once the prediction ends."""
        try:
            verdict = yield from self._consult(bound, shadow, hook, first)
        except Exception as error:  # noqa: BLE001 - the same
            yield from self._failed(replace_closed(bound), shadow, error)
            return shadow
        yield from self.tell(verdict.notes, "observe")
        if isinstance(verdict, Ask) and verdict.puts:
            yield from self._imagined(verdict.puts)
        if isinstance(verdict, (Reask, Halt)):
            did = "would_halt" if isinstance(verdict, Halt) else "would_reask"
            detail = {"by": verdict.by} if isinstance(verdict, Halt) else {}
            yield from self.tell((Note(verdict.policy, did, detail),), "observe")
            return None
        if isinstance(verdict, Ask) and verdict.spends:
            self.spends += [replace(spend, reserved=0) for spend in verdict.spends[len(shadow.spends) :]]
        return _plain(verdict, shadow, bound)

    def _shadowed(self, bound: Bound, shadow: Any, hook: Hook) -> Playing:
        """An enforced policy's effect on the shadow, told nowhere: the real value has told it."""
        try:
            first = self._said(bound, shadow, hook)
            verdict = yield from self._consult(bound, shadow, hook, first, peek=True)
        except Exception:  # noqa: BLE001 - told for the real value
            return shadow
        return _plain(verdict, shadow, bound) if isinstance(verdict, (Ask, Reply)) else None

    def _consult(self, bound: Bound, value: Any, hook: Hook, first: Any, *, peek: bool = False) -> Playing:
        """The hook's last word; `first` is what it said so far. Raises what it raises."""
        verdict = first
        for _ in range(_ROUNDS):
            if isinstance(verdict, _Raised):
                raise verdict.error
            if not isinstance(verdict, Need):
                return verdict
            if bound.mode == "observe":
                known = yield from self._foreseen(verdict.requests)
            else:
                known = yield from self.need(verdict.requests, peek=peek)
            self.run = replace(self.run, known={**self.run.known, **known})
            verdict = self._said(bound, value, hook)
        raise RuntimeError("the policy never stops asking")

    def claim(self, takings: Mapping[Claim, Taking]) -> Playing:
        """The claims that somebody else holds; Broken where the store is down and the policy must not fail."""
        try:
            known = yield from self.need(tuple(takings))
        except StoreDownError as error:
            names = {one.policy for one in takings.values()}
            owners = [bound for bound in self._bounds if bound.policy.name in names]
            for owner in owners:
                yield from self._failed(owner, None, error)
            return next((Broken(owner.policy.name) for owner in owners if owner.closed), ())
        self.run = replace(self.run, known={**self.run.known, **known})
        return tuple(claim for claim, standing in known.items() if standing is not None)

    def need(self, requests: Sequence[Request], *, peek: bool = False) -> Playing:
        """The answers to requests. `peek`: nothing is taken; a claim is only looked at, and adding adds nothing."""
        asked = tuple(map(_peeked, requests)) if peek else tuple(requests)
        answers = yield Settle(requests=asked)
        if not isinstance(answers, Answers):
            raise TypeError("the shell answered a Settle with something else")
        self.run = replace(self.run, wall=answers.wall, mono=answers.mono)
        if answers.failed:
            raise StoreDownError("the store could not be asked")
        known = {request: answers.known.get(to) for request, to in zip(requests, asked, strict=True)}
        kinds = [type(request).__name__ for request in asked if _tells(request)]
        if kinds:
            yield self.journal.line("need", self.run.round, {"requests": kinds})
        return known

    def _foreseen(self, requests: Sequence[Request]) -> Playing:
        """The answers for a policy that only watches: what it imagined, else what stands; nothing is taken."""
        own = {one: _imagined(one) for one in requests if isinstance(one, Read) and one.final}
        known: dict[Request, Any] = {}
        if own:
            found = yield from self.need(tuple(own.values()), peek=True)
            known = {one: found[other] for one, other in own.items() if found[other] is not None}
        if rest := tuple(one for one in requests if one not in known):
            known |= yield from self.need(rest, peek=True)
        return known

    def write(self, puts: Sequence[Put]) -> Playing:
        answers = yield Settle(puts=tuple(puts))
        if isinstance(answers, Answers):
            self.run = replace(self.run, wall=answers.wall, mono=answers.mono)

    def _imagined(self, puts: Sequence[Put]) -> Playing:
        """Keeps within the process what would have been frozen: the next prediction goes on from there, and what it
        cost is not spent again at each step.
        """
        frozen = [replace(put, key=_IMAGINED + put.key, local=True) for put in puts if put.final and not put.local]
        if frozen:
            yield from self.write(frozen)

    def tell(self, notes: Sequence[Note], mode: str) -> Generator[Command, Any, None]:
        if notes:
            yield from self.journal.notes(notes, self.run.round, mode)

    def _failed(self, bound: Bound, value: Any, error: Exception) -> Playing:
        note = Note(bound.policy.name, "failed", {"error": f"{type(error).__name__}: {error}"[:500]})
        yield from self.tell((note,), "enforce")
        return Broken(bound.policy.name) if bound.closed else value


def _plain(verdict: Any, value: Any, bound: Bound) -> Any:
    """What becomes of a value, once what was said about it is told.

    Turns that are changed just as at the step before are the same objects as then, for whoever comes next.
    """
    changed: dict[str, Any] = {"notes": (), "puts": ()} if verdict.notes or verdict.puts else {}
    if isinstance(verdict, Ask) and verdict.turns is not value.turns:
        turns = steady(verdict.memory, bound.policy, verdict.turns, value.turns)
        if turns is not verdict.turns:
            changed["turns"] = turns
    return replace(verdict, **changed) if changed else verdict


def replace_closed(bound: Bound) -> Bound:
    return replace(bound, closed=False)


def _imagined(read: Read) -> Read:
    return replace(read, key=_IMAGINED + read.key, local=True)


def _tells(request: Request) -> bool:
    """Whether asking it changed something for others, or its answer came from somewhere that nobody can read again."""
    if isinstance(request, Add):
        return request.amount != 0
    return not isinstance(request, (Read, Report))


def _peeked(request: Request) -> Request:
    if isinstance(request, Claim):
        return Read(request.key)
    if isinstance(request, Add):
        return replace(request, amount=0, limit=None)
    if isinstance(request, Health):
        return replace(request, take=False)
    return request
