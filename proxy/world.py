"""Everything that a `Settle` may ask for, behind one port: the store, the breakers of tools, the catalogues."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from proxy.breakers import Breakers
from proxy.catalogs import Catalogs
from proxy.model import Put
from proxy.store import Store
from proxy.verdicts import Add, Health, Lookup, Read, Report

_LOCAL = 10_000
_FINAL_BYTES = 4 * 1024 * 1024
_FINAL_SECONDS = 3600.0
"""Seconds after which what stays as it is is looked for again: the store may have let go of it."""


class World:
    """A store that also knows what is not stored."""

    def __init__(self, store: Store, breakers: Breakers, catalogs: Catalogs) -> None:
        self._store, self._breakers = store, breakers
        self.catalogs = catalogs
        self._local: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._counts: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._finals: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._seen_bytes = 0

    def try_settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any] | None:
        """As `settle`, at once; None where it must be waited for, and then nothing was done."""
        others, mine, seen = self._split(requests)
        if any(isinstance(one, Lookup) and self.catalogs.at_once(one.catalog) is None for one in others):
            return None
        shared = [put for put in puts if not put.local] if puts else ()
        stored = self._store.try_settle(mine, shared) if mine or shared else {}
        if stored is None:
            return None
        self._keep(puts)
        self._saw(stored)
        if not others:
            return stored
        looked = {one: self.catalogs.at_once(one.catalog) for one in others if isinstance(one, Lookup)}
        return {**stored, **self._own_answers(others), **looked, **seen}

    async def settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any]:
        """Answers by request. Raises StoreError."""
        others, mine, seen = self._split(requests)
        looked = {one: await self.catalogs.look_up(one.catalog) for one in others if isinstance(one, Lookup)}
        shared = [put for put in puts if not put.local]
        stored = await self._store.settle(mine, shared) if mine or shared else {}
        self._keep(puts)
        self._saw(stored)
        return {**stored, **self._own_answers(others), **looked, **seen}

    def later(self, adds: Sequence[Add]) -> None:
        for add in adds:
            if add.local:
                self._count(add)
        shared = [add for add in adds if not add.local]
        if shared:
            self._store.later(shared)

    def _count(self, add: Add) -> int:
        """The total of a counter that only this process keeps, after the addition."""
        total, until = self._counts.get(add.key, (0, 0.0))
        now = monotonic()
        if until < now:
            total, until = 0, now + add.ttl
        total += add.amount
        if add.amount:
            self._counts[add.key] = total, until
            self._counts.move_to_end(add.key)
            if len(self._counts) > _LOCAL:
                self._counts.popitem(last=False)
        return total

    def _own_answers(self, requests: Sequence[Any]) -> dict[Any, Any]:
        answers: dict[Any, Any] = {
            one: self._breakers.answer(one) for one in requests if isinstance(one, (Health, Report))
        }
        answers.update((one, self._remembered(one)) for one in requests if isinstance(one, Read) and one.local)
        answers.update((one, self._count(one)) for one in requests if isinstance(one, Add))
        return answers

    def _split(self, requests: Sequence[Any]) -> tuple[list[Any], Sequence[Any], dict[Any, Any]]:
        """What is answered here, what the store is asked, and answers that were seen before and stay as they are."""
        others = [request for request in requests if self._is_own(request)]
        mine = [request for request in requests if request not in others] if others else requests
        return others, mine, {one: self._final(one.key) for one in others if isinstance(one, Read) and one.final}

    def _remembered(self, read: Read) -> bytes | None:
        """What this process alone put there, as long as it stands."""
        found = self._local.get(read.key)
        return found[0] if found is not None and monotonic() < found[1] else None

    def _keep(self, puts: Sequence[Put]) -> None:
        """Keeps what is only for this process, and what stays as it is."""
        for put in puts:
            if put.value is None:
                continue
            if put.final:
                self._see(put.key, put.value)
            elif put.local:
                self._local[put.key] = (put.value, monotonic() + put.ttl)
                self._local.move_to_end(put.key)
        while len(self._local) > _LOCAL:
            self._local.popitem(last=False)

    def _saw(self, stored: Mapping[Any, Any]) -> None:
        for request, value in stored.items():
            if value is not None and isinstance(request, Read) and request.final:
                self._see(request.key, value)

    def _see(self, key: str, value: bytes) -> None:
        old = self._finals.pop(key, None)
        self._seen_bytes += len(value) - (len(old[0]) if old else 0)
        self._finals[key] = value, monotonic() + _FINAL_SECONDS
        while len(self._finals) > _LOCAL or self._seen_bytes > _FINAL_BYTES:
            self._seen_bytes -= len(self._finals.popitem(last=False)[1][0])

    def _final(self, key: str) -> bytes | None:
        found = self._finals.get(key)
        return found[0] if found is not None and monotonic() < found[1] else None

    def _is_own(self, request: Any) -> bool:
        """Whether a request is answered here, and not by the store."""
        if isinstance(request, Read):
            return request.local or (request.final and self._final(request.key) is not None)
        return isinstance(request, (Health, Lookup, Report)) or (isinstance(request, Add) and request.local)
