"""Circuit breakers: for tools, fed by what policies read from results, and for upstreams, fed by what the wire did.

pybreaker is the state machine (closed, open, half-open); what it lacks is here: a window with a success rate beside
failures in a row, a clock that is given, and one probe that is given back when it told nothing. Only the shell holds
these; the core asks and reports in frozen data.
"""

import sys
from collections import OrderedDict, deque
from collections.abc import Callable

from proxy.durations import Durations
from proxy.spared import spared
from proxy.verdicts import Health, Report, Rules

with spared("redis"):
    from pybreaker import CircuitBreaker

_MOST = 10_000
_SEEN = 50_000
_WINDOW = 1000


class Breaker:
    """One breaker. Times are seconds on one clock of the caller's."""

    __slots__ = ("_machine", "_probe_until", "_until", "_window", "rules")

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._machine = CircuitBreaker(fail_max=sys.maxsize, reset_timeout=rules.reset)
        self._window: deque[tuple[float, bool]] = deque(maxlen=_WINDOW)
        self._until = self._probe_until = 0.0

    def ask(self, now: float, *, take: bool = True) -> tuple[str, float]:
        """closed, probe or open, and until when it stays open. `take`: the one probe is taken, if there is one."""
        state = self._machine.current_state
        if state == "closed":
            return "closed", 0.0
        if state == "open" and now < self._until:
            return "open", self._until
        if state == "open":
            self._machine.half_open()
        if now < self._probe_until:
            return "open", self._probe_until
        if take:
            self._probe_until = now + self.rules.reset
        return "probe", 0.0

    def report(self, now: float, *, good: bool) -> None:
        """What came of a call."""
        state = self._machine.current_state
        if state == "open":
            return
        if state == "half-open":
            self._probe_until = 0.0
            self._close() if good else self._open(now)
            return
        self._window.append((now, good))
        if not good and self._fails(now):
            self._open(now)

    def give_back(self) -> None:
        """A probe told nothing (the caller was wrong, or left): another may be made at once."""
        self._probe_until = 0.0

    def _open(self, now: float) -> None:
        self._machine.open()
        self._until = now + self.rules.reset

    def _close(self) -> None:
        self._machine.close()
        self._window.clear()

    def _fails(self, now: float) -> bool:
        rules, window = self.rules, self._window
        while window and window[0][0] < now - rules.window:
            window.popleft()
        if rules.failures is not None and len(window) >= rules.failures:
            last = [good for _, good in window][-rules.failures :]
            if not any(last):
                return True
        if rules.success_rate is None or len(window) < rules.min_calls:
            return False
        return sum(good for _, good in window) < rules.success_rate * len(window)


class Breakers:
    """Breakers by key; the least recently used are forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._breakers: OrderedDict[str, Breaker] = OrderedDict()
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._durations: OrderedDict[str, Durations] = OrderedDict()

    def get(self, key: str, rules: Rules) -> Breaker:
        found = self._breakers.get(key)
        if found is None or found.rules != rules:  # new, or judged by a pack that was reloaded
            found = self._breakers[key] = Breaker(rules)
            if len(self._breakers) > _MOST:
                self._breakers.popitem(last=False)
        self._breakers.move_to_end(key)
        return found

    def answer(self, request: Health | Report) -> tuple[str, float] | float | None:
        """Carries out what the core asks for: the state for a Health, what took long before this for a Report."""
        breaker = self.get(request.key, request.rules)
        now = self._clock()
        if isinstance(request, Health):
            return breaker.ask(now, take=request.take)
        if request.call in self._seen:
            return None
        self._seen[request.call] = None
        if len(self._seen) > _SEEN:
            self._seen.popitem(last=False)
        breaker.report(now, good=request.good)
        return self._slow(request.key, request.seconds)

    def _slow(self, key: str, seconds: float | None) -> float | None:
        """The P99 of the tool before this call, which is taken in."""
        if seconds is None:
            return None
        durations = self._durations.get(key)
        if durations is None:
            durations = self._durations[key] = Durations()
            if len(self._durations) > _MOST:
                self._durations.popitem(last=False)
        before = durations.p99
        durations.add(seconds)
        return before
