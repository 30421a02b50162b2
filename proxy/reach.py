"""How the upstreams of this process are doing: a circuit breaker for each, and how long their answers take.

A breaker opens on faults of the provider (no connection, timeouts, resets, 5xx); what the caller did wrong, a rate
limit and an agent that left tell nothing, and give a probe back. The time that a request may take is twice the P99 of
what was seen for this upstream, model and form, once there is enough of it. In memory: a restart learns anew.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from proxy.breakers import Breaker, Breakers
from proxy.durations import Durations
from proxy.settings import Pack
from proxy.verdicts import Rules

_SERIES = 1000
FAULTS = frozenset({"connect", "timeout", "reset", "protocol"})


@dataclass(slots=True)
class Watch:
    """One upstream call; says what became of it, once."""

    breaker: Breaker | None
    durations: Durations
    clock: Callable[[], float] = monotonic
    began: float = 0.0
    over: bool = False

    def head(self, status: int, *, streamed: bool) -> None:
        """The answer began."""
        if status >= 500:
            self._tell(good=False)
        elif status >= 400:
            self._tell(good=None)
        elif streamed:
            self.durations.add(self.clock() - self.began)
            self._tell(good=True)

    def end(self) -> None:
        """The answer came to its end."""
        if not self.over:
            self.durations.add(self.clock() - self.began)
            self._tell(good=True)

    def failed(self, kind: str) -> None:
        self._tell(good=False if kind in FAULTS else None)

    def left(self) -> None:
        """It was broken off from our side."""
        self._tell(good=None)

    def _tell(self, *, good: bool | None) -> None:
        if self.over:
            return
        self.over = True
        if self.breaker is None:
            return
        if good is None:
            self.breaker.give_back()
        else:
            self.breaker.report(self.clock(), good=good)


class Reach:
    """The upstreams by name (host and port)."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._breakers = Breakers(clock)
        self._durations: OrderedDict[tuple[str, str, bool], Durations] = OrderedDict()

    def is_open(self, name: str, pack: Pack) -> float | None:
        """Seconds until the upstream is asked again; None: it may be asked now. Who only observes may always ask."""
        rules = _rules(pack)
        if rules is None or pack.mode != "enforce":
            return None
        state, until = self._breaker(name, rules).ask(self._clock())
        return max(until - self._clock(), 0.0) if state == "open" else None

    def seconds(self, name: str, model: str, pack: Pack, *, streamed: bool) -> float:
        """What a request may take: twice the P99 seen, within floor and ceiling; observing, the ceiling."""
        times = pack.upstream.request
        if pack.mode != "enforce":
            return times.ceiling
        seen = self._of(name, model, streamed=streamed).p99
        return times.ceiling if seen is None else min(max(2 * seen, times.floor), times.ceiling)

    def watch(self, name: str, model: str, pack: Pack, *, streamed: bool) -> Watch:
        """To be told what becomes of a call that begins now."""
        rules = _rules(pack)
        breaker = self._breaker(name, rules) if rules is not None else None
        return Watch(breaker, self._of(name, model, streamed=streamed), self._clock, self._clock())

    def _breaker(self, name: str, rules: Rules) -> Breaker:
        """By upstream and rules: agents of one pack may have rules of their own."""
        return self._breakers.get(f"{name} {rules}", rules)

    def _of(self, name: str, model: str, *, streamed: bool) -> Durations:
        key = (name, model, streamed)
        found = self._durations.get(key)
        if found is None:
            found = self._durations[key] = Durations()
            if len(self._durations) > _SERIES:
                self._durations.popitem(last=False)
        self._durations.move_to_end(key)
        return found


def _rules(pack: Pack) -> Rules | None:
    breaker = pack.upstream.breaker
    if breaker is None:
        return None
    rate, least = breaker.success_rate, breaker.min_calls
    return Rules(breaker.failures, rate, least, breaker.window_seconds, breaker.reset_seconds)
