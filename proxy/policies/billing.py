"""What a request costs where the provider keeps a prompt cache: tokens that the one before began with count a tenth,
if there are enough of them.

Not a policy: those that change what a history costs share it. Sizes are characters, since only shares are compared.
"""

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from proxy.memo import along
from proxy.model import Ask, Turn

CACHED = 0.1
"""What a cached token costs beside one that is not; most providers bill so."""
_TOKEN = 3.0
"""Characters of a token, about."""
_LEAST = 1024 * _TOKEN
"""A shorter prefix is not cached."""
SHARE = CACHED / 2
"""Of what a request is shorter than the agent's own, how much may be spent again: half of what that is worth."""
_TURN = 60
"""Characters that an API puts around the texts of a turn, about."""


def cost(size: float, common: float) -> float:
    """Of a prompt of this size, the first part of which was in the prompt before: in characters at the full price."""
    return size - (1 - CACHED) * common if common >= _LEAST else size


def sizes(ask: Ask, who: object) -> list[int]:
    """Characters up to the end of each turn, those of the tools included; the first entry is the tools alone."""
    turns = ask.turns
    each = along(ask.memory, (who, "size"), turns, lambda at: _size(turns[at]))
    return list(accumulate(each, initial=tools_size(ask)))


def tools_size(ask: Ask) -> int:
    return sum(len(tool.name) + len(tool.description) + len(tool.schema) + _TURN for tool in ask.tools)


def _size(turn: Turn) -> int:
    said = sum(map(len, (*turn.texts, *turn.appended)))
    called = sum(len(call.tool) + len(call.args) + _TURN for call in turn.calls)
    return _TURN + said + called + sum(sum(map(len, result.texts)) + _TURN for result in turn.results)


class Bill(msgspec.Struct):
    """What a conversation has cost so far, as the agent sent it and as it went up, one request after each step."""

    saved: float = 0.0
    folded: int = 0
    """Steps."""
    gone: int = 0
    """Characters that folding took away."""
    direct: int = 0
    """Size of the latest request as the agent sent it, and …"""
    through: int = 0
    """… as it went up."""


class Folding(msgspec.Struct, frozen=True):
    """A conversation whose steps may be folded. Sizes as of `sizes`, before anything is folded."""

    direct: Sequence[int]
    through: Sequence[int]
    steps: Sequence[tuple[int, int]]
    """Of each step, its first turn and the one behind its last."""
    lines: Sequence[int]
    """Sizes of the lines that steps would become."""
    keep: int
    batch: int

    def worth(self) -> int:
        """How many steps are to be folded by now.

        A fold is worth it if it is paid for by what was saved before (half of it; the other half is for others to
        spend), and comes back within as many requests as there were so far. So no request makes the whole dearer than
        it is without Handrail, and what was folded once stays folded, for it follows from what stood there then.
        """
        bill = Bill()
        came = self._tool_came()
        for number, (_, end) in enumerate(self.steps, 1):
            anew = bill.direct < came <= self.direct[end]
            self._request(bill, number, end, 0 if anew else bill.through)
        return bill.folded

    def _request(self, bill: Bill, number: int, end: int, common: int) -> None:
        direct, through = self.direct[end], self.through[end] - bill.gone
        asked = cost(direct, bill.direct)
        paid = cost(through, common)
        upto = max(number - self.keep, 0) // self.batch * self.batch
        if upto > bill.folded:
            first = self.steps[0][0]
            begin = self.through[first] + sum(self.lines[: bill.folded])
            old = self.through[self.steps[upto - 1][1]] - self.through[self.steps[bill.folded][0]]
            less = old - sum(self.lines[bill.folded : upto])
            folded = cost(through - less, min(begin, common))
            spare = bill.saved / 2 + asked - folded - SHARE * max(direct - through + less, 0)
            if spare >= 0 and folded - paid <= CACHED * less * number:
                bill.folded, bill.gone = upto, bill.gone + less
                paid, through = folded, through - less
        bill.saved += asked - paid
        bill.direct, bill.through = direct, through

    def _tool_came(self) -> int:
        """Size of the agent's request with which a tool was added, which stands in front of all that was cached."""
        added = self.direct[0] - self.through[0]
        pairs = zip(self.direct, self.through, strict=True)
        return next((old for old, new in pairs if old - new > added), 0) if added else 0
