"""Requests that have grown out of earlier ones: what was read before is not read again.

An agent sends its whole history with each step, so a request mostly begins with the bytes of the one before. The items
of that beginning (messages, input items) are taken over as the very turns that they were read as; only what follows is
read, out of a short body: the beginning up to the list, and from the first new item on. Since policies remember by turn
too, all work on a history is done once.

What is taken over follows from equal bytes alone, so a reading is the same with or without; where anything is unusual
(a key twice, escapes in a key, halves of surrogate pairs) the body is read as a whole.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from proxy.dialects.dialect import UnreadableError
from proxy.dialects.wire import Bytes, Raw, dump, items, opened
from proxy.model import Memory, Turn, replace

_MOST_BYTES = 4 * 1024 * 1024
"""Of the beginnings that are remembered; the turns read from them take about twice as much again."""
_MOST = 64
_LEAST_BYTES = 4096
"""A shorter beginning is read as quickly as it is found."""
_BRANCHES = 8
"""Of these, the latest that a request is compared with if it goes on with none of them."""
_BETWEEN = re.compile(rb"[ \t\r\n,]*")
_COLON = re.compile(rb"[ \t\r\n:]*")
_END_OF_OBJECT = ord("}")
_Ints = tuple[int, ...]

Parts = Callable[[Turn], Sequence[Bytes]]
"""The items that a turn was read from."""


class Opened(msgspec.Struct, frozen=True):
    """A body with its members, and the items of its list."""

    whole: bytes
    """The body; with halves of surrogate pairs mended, if it could not be read otherwise."""
    members: Mapping[str, Raw]
    items: Sequence[Bytes] = ()
    listed: bool = True
    """Whether there is a list; else there are no items."""
    kept: tuple[Turn, ...] = ()
    """Turns that were read before, and begin the list."""
    count: int = 0
    """The items of these."""
    by: object = None
    """What they were read by, as it was given to `keep`."""
    new: Sequence[Bytes] = ()
    """The items behind these."""
    last: Turn | None = None
    """What was read from the first of the new items, if nothing has joined them since."""
    at: int = -1
    """Where in the body the new items begin; -1: nobody knows."""
    base: "_Known | None" = None
    memory: Memory = {}
    """What was worked out about these turns before."""

    def anew(self) -> "Opened":
        """The same, with no turn taken over."""
        if self.base is None:
            return self
        at = self.base.at
        return replace(self, kept=(), count=0, new=self.items, last=None, at=at, base=None, memory={})


class _Known(msgspec.Struct, frozen=True):
    """The beginning of a body, up to the end of the last item."""

    prefix: memoryview
    held: int
    """Bytes that are kept for it."""
    at: int
    """Behind the bracket that opens the list."""
    starts: _Ints
    """Where each turn begins."""
    ends: _Ints
    firsts: _Ints
    """Which item each turn begins with."""
    turns: tuple[Turn, ...]
    items: tuple[Bytes, ...]
    by: object
    memory: Memory


class Grown:
    """Reads bodies with a list under `key`; remembers the latest of them."""

    def __init__(self, key: str, parts: Parts) -> None:
        self.least = _LEAST_BYTES
        self._key = key
        self._parts = parts
        self._known: deque[_Known] = deque()
        self._held = 0

    def open(self, body: bytes) -> Opened:
        """Raises UnreadableError."""
        base, count = self._base(body) if len(body) >= self.least else (None, 0)
        if base is not None and count > 1:
            found = self._short(body, base, count - 1)
            if found is not None:
                return found
        whole, members = opened(body)
        raw = members.get(self._key)
        if raw is None or bytes(memoryview(raw)[:1]) != b"[":
            return Opened(whole, members, listed=False)
        listed: Sequence[Bytes] = items(raw)
        if memoryview(raw).nbytes * 2 < len(body):
            listed = [bytes(one) for one in listed]  # a view would keep all that stands around the list
        at = _value_at(body, members, self._key) if whole is body and len(body) >= self.least else -1
        return Opened(whole, members, listed, new=listed, at=at + 1 if at >= 0 else -1)

    def keep(self, read: Opened, turns: Sequence[Turn], by: object = None) -> tuple[Turn, ...]:
        """Remembers what the list was read as: the turns that were kept, and behind them those of the new items.

        Returns all of them. `by`: what else the reading depended on.
        """
        if read.last is not None and turns and len(self._parts(turns[0])) == len(self._parts(read.last)):
            turns = (read.last, *turns[1:])  # of the same bytes, so the same
        whole = (*read.kept, *turns)
        if read.at < 0 or not turns:
            return whole
        places = self._places(read, turns)
        if places is None or places[1][-1] < self.least:
            return whole
        starts, ends, firsts = places
        base, kept = read.base, len(read.kept)
        at = read.at
        if base is not None:
            starts, ends, firsts = base.starts[:kept] + starts, base.ends[:kept] + ends, base.firsts[:kept] + firsts
            at = base.at
            if len(base.turns) <= kept + 1:
                self._forget(base)
        body, end = read.whole, ends[-1]
        prefix = memoryview(body)[:end] if end * 2 > len(body) else memoryview(body[:end])
        held = prefix.obj
        size = len(held) if isinstance(held, bytes) else end
        known = _Known(prefix, size, at, starts, ends, firsts, whole, tuple(read.items), by, read.memory)
        self._known.appendleft(known)
        self._held += known.held
        while len(self._known) > _MOST or (self._held > _MOST_BYTES and len(self._known) > 1):
            self._held -= self._known.pop().held
        return whole

    def _forget(self, base: _Known) -> None:
        for at, known in enumerate(self._known):
            if known is base:
                del self._known[at]
                self._held -= base.held
                return

    def _base(self, body: bytes) -> tuple[_Known | None, int]:
        """The request that this one has grown out of, and how many of its turns stand in both."""
        size = len(body)
        for known in self._known:
            if len(known.prefix) < size and body.startswith(known.prefix):
                return known, len(known.turns)
        best: tuple[_Known | None, int] = (None, 0)
        for known in list(self._known)[:_BRANCHES]:
            if body.startswith(known.prefix[: known.at]):
                same = _common(body, known.prefix)
                count = bisect_right(known.ends, same)
                if count and (best[0] is None or known.ends[count - 1] > best[0].ends[best[1] - 1]):
                    best = known, count
        return best

    def _short(self, body: bytes, base: _Known, count: int) -> Opened | None:
        """The body with so many turns taken over; None: it must be read as a whole."""
        begin = base.starts[count]
        short = body[: base.at] + body[begin:]
        try:
            whole, members = opened(short)
            raw = members.get(self._key)
            if whole is not short or raw is None or _value_at(short, members, self._key) != base.at - 1:
                return None
            new = [bytes(one) for one in items(raw)]  # not views, which would keep all of the body
        except UnreadableError:
            return None
        end = base.at - 1 + memoryview(raw).nbytes + begin - base.at
        members[self._key] = Raw(memoryview(body)[base.at - 1 : end])
        first = base.firsts[count]
        return Opened(
            body,
            members,
            (*base.items[:first], *new),
            kept=base.turns[:count],
            count=first,
            by=base.by,
            new=new,
            last=base.turns[count],
            at=begin,
            base=base,
            memory=base.memory,
        )

    def _places(self, read: Opened, turns: Sequence[Turn]) -> tuple[_Ints, _Ints, _Ints] | None:
        """Where in the body each turn begins and ends, and with which item; None: nobody can tell for certain."""
        body, at, number = read.whole, read.at, 0
        starts: list[int] = []
        ends: list[int] = []
        firsts: list[int] = []
        for turn in turns:
            count = len(self._parts(turn))
            if not count or number + count > len(read.new):
                return None
            firsts.append(read.count + number)
            starts.append(_skip(body, at, _BETWEEN))
            for raw in read.new[number : number + count]:
                at = _skip(body, at, _BETWEEN) + memoryview(raw).nbytes
            if body[at - 1] != _END_OF_OBJECT:
                return None
            ends.append(at)
            number += count
        return (tuple(starts), tuple(ends), tuple(firsts)) if number == len(read.new) else None


def _skip(body: bytes, at: int, what: "re.Pattern[bytes]") -> int:
    found = what.match(body, at)
    return found.end() if found else at


def _value_at(body: bytes, members: Mapping[str, Raw], key: str) -> int:
    """Where the value of a member stands; -1 if a key is there twice, or is spelt with escapes.

    Walks over all members up to the end of the object: whatever is there twice does not fit into that.
    """
    at, found = body.find(b"{") + 1, -1
    for name, raw in members.items():
        at = _skip(body, at, _BETWEEN)
        spelt = dump(name)
        if not body.startswith(spelt, at):
            return -1
        at = _skip(body, at + len(spelt), _COLON)
        if name == key:
            if not body.startswith(memoryview(raw), at):
                return -1
            found = at
        at += memoryview(raw).nbytes
    at = _skip(body, at, _BETWEEN)
    return found if body[at : at + 1] == b"}" else -1


def _common(body: bytes, known: memoryview) -> int:
    """Bytes that both begin with."""
    low, high = 0, min(len(body), len(known))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if body.startswith(known[low:middle], low) else (low, middle - 1)
    return low
