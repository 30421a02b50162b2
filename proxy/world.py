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


class World:
    """A store that also knows what is not stored."""

    def __init__(self, store: Store, breakers: Breakers, catalogs: Catalogs) -> None:
        self._store, self._breakers = store, breakers
        self.catalogs = catalogs
        self._local: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._counts: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def try_settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any] | None:
        """As `settle`, at once; None where it must be waited for, and then nothing was done."""
        if not requests and not any(put.local for put in puts):
            return self._store.try_settle(requests, puts)
        others = [request for request in requests if _is_own(request)]
        if not others:
            return self._store.try_settle(requests, self._shared(puts))
        if any(isinstance(one, Lookup) and self.catalogs.at_once(one.catalog) is None for one in others):
            return None
        stored = self._store.try_settle([one for one in requests if not _is_own(one)], self._shared(puts))
        if stored is None:
            return None
        looked = {one: self.catalogs.at_once(one.catalog) for one in others if isinstance(one, Lookup)}
        return {**stored, **self._health(others), **looked}

    async def settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any]:
        """Answers by request. Raises StoreError."""
        others = [request for request in requests if _is_own(request)]
        looked = {one: await self.catalogs.look_up(one.catalog) for one in others if isinstance(one, Lookup)}
        mine = [one for one in requests if not _is_own(one)] if others else requests
        shared = self._shared(puts)
        stored = await self._store.settle(mine, shared) if mine or shared else {}
        return {**stored, **self._health(others), **looked}

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

    def _health(self, requests: Sequence[Any]) -> dict[Any, Any]:
        answers: dict[Any, Any] = {
            one: self._breakers.answer(one) for one in requests if isinstance(one, (Health, Report))
        }
        answers.update((one, self._remembered(one.key)) for one in requests if isinstance(one, Read))
        answers.update((one, self._count(one)) for one in requests if isinstance(one, Add))
        return answers

    def _remembered(self, key: str) -> bytes | None:
        """What this process alone put there, as long as it stands."""
        found = self._local.get(key)
        return found[0] if found is not None and monotonic() < found[1] else None

    def _shared(self, puts: Sequence[Put]) -> Sequence[Put]:
        """The writes that are for the store; the others are kept here."""
        if not any(put.local for put in puts):
            return puts
        for put in puts:
            if put.local and put.value is not None:
                self._local[put.key] = (put.value, monotonic() + put.ttl)
                self._local.move_to_end(put.key)
        while len(self._local) > _LOCAL:
            self._local.popitem(last=False)
        return [put for put in puts if not put.local]


def _is_own(request: Any) -> bool:
    """Whether a request is answered here, and not by the store."""
    return isinstance(request, (Health, Lookup, Report)) or (isinstance(request, (Add, Read)) and request.local)
