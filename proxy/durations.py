"""How long things of one kind took, and what is slow for them. Pure: whoever measures brings the seconds."""

from collections import deque

SEEN = 1000
"""Latest ones that are looked at."""
ENOUGH = 200
"""How many are needed before anything is concluded from them."""
_EVERY = 50


class Durations:
    """The latest durations, and their P99."""

    __slots__ = ("_count", "_p99", "_seen")

    def __init__(self) -> None:
        self._seen: deque[float] = deque(maxlen=SEEN)
        self._count = 0
        self._p99: float | None = None

    def add(self, seconds: float) -> None:
        self._seen.append(seconds)
        self._count += 1
        if len(self._seen) >= ENOUGH and (self._p99 is None or self._count % _EVERY == 0):
            self._p99 = sorted(self._seen)[int(len(self._seen) * 0.99)]

    @property
    def p99(self) -> float | None:
        """Seconds; None: not enough was seen."""
        return self._p99
