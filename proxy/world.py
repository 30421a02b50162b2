"""Everything that a `Settle` may ask for, behind one port: the store, the breakers of tools, the catalogues."""

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.breakers import Breakers
from proxy.catalogs import Catalogs
from proxy.model import Put
from proxy.store import Store
from proxy.verdicts import Health, Lookup, Report


class World:
    """A store that also knows what is not stored."""

    def __init__(self, store: Store, breakers: Breakers, catalogs: Catalogs) -> None:
        self._store, self._breakers = store, breakers
        self.catalogs = catalogs

    def try_settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any] | None:
        """As `settle`, at once; None where it must be waited for, and then nothing was done."""
        others = [request for request in requests if isinstance(request, (Health, Lookup, Report))]
        if not others:
            return self._store.try_settle(requests, puts)
        if any(isinstance(one, Lookup) and self.catalogs.at_once(one.catalog) is None for one in others):
            return None
        stored = self._store.try_settle([one for one in requests if one not in others], puts)
        if stored is None:
            return None
        looked = {one: self.catalogs.at_once(one.catalog) for one in others if isinstance(one, Lookup)}
        return {**stored, **self._health(others), **looked}

    async def settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any]:
        """Answers by request. Raises StoreError."""
        others = [request for request in requests if isinstance(request, (Health, Lookup, Report))]
        looked = {one: await self.catalogs.look_up(one.catalog) for one in others if isinstance(one, Lookup)}
        mine = [one for one in requests if one not in others] if others else requests
        stored = await self._store.settle(mine, puts) if mine or puts else {}
        return {**stored, **self._health(others), **looked}

    def _health(self, requests: Sequence[Any]) -> dict[Any, Any]:
        return {one: self._breakers.answer(one) for one in requests if isinstance(one, (Health, Report))}
