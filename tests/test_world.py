import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proxy.breakers import Breakers
from proxy.catalogs import Catalogs
from proxy.model import Put
from proxy.settings import parse_pack
from proxy.store import Store, StoreError, open_store
from proxy.verdicts import Add, Claim, Health, Lookup, Read, Report, Rules
from proxy.world import World

PACK = "catalogs: {shop: {tables: {orders: [id, city]}}, kinds: [a, b], db: {url: 'sqlite:///%s'}}\n"
RULES = Rules(failures=1)
HEALTH = Health("find", RULES)
FAILED = Report("find", "call_1", good=False, rules=RULES)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    catalogs = parse_pack(PACK % (tmp_path / "none.db")).catalogs
    return World(store, Breakers(lambda: 0.0), Catalogs(catalogs, lambda: 0.0))


ALL: tuple[Any, ...] = (
    Read("k"),
    Claim("c", b"v", 5.0),
    Add("n", 2, None, 5.0),
    FAILED,
    HEALTH,
    Lookup("shop"),
    Lookup("no"),
)
SHOP = {"orders": ("id", "city")}


async def test_what_is_final_here_alone_is_never_stored(world: World, store: Store) -> None:
    read = Read("f", final=True)
    assert await world.settle((), [Put("f", b"text", local=True, final=True)]) == {}
    assert world.try_settle((read,), ()) == {read: b"text"}
    assert await store.settle((read,), ()) == {read: None}


async def test_everything_is_asked_behind_one_port(world: World) -> None:
    known = await world.settle(ALL, [Put("k", b"new", durable=True)])
    assert known == {
        Read("k"): None,
        Claim("c", b"v", 5.0): None,
        Add("n", 2, None, 5.0): 2,
        FAILED: None,
        HEALTH: ("open", 30.0),
        Lookup("shop"): SHOP,
        Lookup("no"): {},
    }
    assert (await world.settle([Read("k")], []))[Read("k")] == b"new"


async def test_what_needs_no_waiting_is_answered_at_once(world: World) -> None:
    assert world.try_settle([FAILED, HEALTH, Lookup("shop"), Lookup("kinds")], []) == {
        FAILED: None,
        HEALTH: ("open", 30.0),
        Lookup("shop"): SHOP,
        Lookup("kinds"): {"values": ("a", "b")},
    }
    assert world.try_settle([], []) == {}


async def test_what_must_be_waited_for_is_not_begun(world: World) -> None:
    assert world.try_settle([FAILED, Lookup("db")], []) is None
    assert world.try_settle([HEALTH], []) == {HEALTH: ("closed", 0.0)}, "nothing was done"
    assert world.try_settle([FAILED, Claim("c", b"v", 5.0)], []) is None
    assert world.try_settle([HEALTH], []) == {HEALTH: ("closed", 0.0)}


class Down:
    """A store that can't be reached."""

    failed, error = 1, "refused"

    def try_settle(self, *_: object) -> None:
        return None

    async def settle(self, *_: object) -> dict[Any, Any]:
        raise StoreError("refused")

    def later(self, *_: object) -> None: ...

    def close(self) -> None: ...


async def test_breakers_and_catalogues_need_no_store() -> None:
    world = World(Down(), Breakers(lambda: 0.0), Catalogs({}, lambda: 0.0))
    assert await world.settle([HEALTH, Lookup("no")], []) == {HEALTH: ("closed", 0.0), Lookup("no"): {}}
    with pytest.raises(StoreError):
        await world.settle([HEALTH, Read("k")], [])


async def test_what_only_this_process_knows_needs_no_store() -> None:
    world = World(Down(), Breakers(lambda: 0.0), Catalogs({}, lambda: 0.0))
    put, read = Put("b:1", b"r1", 60.0, local=True), Read("b:1", local=True)
    assert await world.settle([read], [put]) == {read: b"r1"}
    assert await world.settle([Read("b:2", local=True)], []) == {Read("b:2", local=True): None}
    assert await world.settle([read], [Put("b:1", b"r1", -1.0, local=True)]) == {read: None}, "it ends"


async def test_a_budget_that_is_only_watched_needs_no_store() -> None:
    world = World(Down(), Breakers(lambda: 0.0), Catalogs({}, lambda: 0.0))
    look = Add("n", 0, None, 60.0, local=True)
    assert await world.settle([look], []) == {look: 0}
    world.later([Add("n", 5, None, 60.0, local=True), Add("n", 2, None, 60.0, local=True)])
    assert await world.settle([look], []) == {look: 7}
    world.later([Add("m", 5, None, -1.0, local=True)])
    ended = Add("m", 0, None, 60.0, local=True)
    assert await world.settle([ended], []) == {ended: 0}, "it ends"


class Counting:
    """A store of two values that counts how often it is asked."""

    failed, error = 0, ""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.values = {"a": b"1"}

    def try_settle(self, requests: Any, puts: Any) -> dict[Any, Any]:
        self.asked += [one.key for one in requests]
        self.values.update({put.key: put.value for put in puts})
        return {one: self.values.get(one.key) for one in requests}

    async def settle(self, requests: Any, puts: Any) -> dict[Any, Any]:
        return self.try_settle(requests, puts)

    def later(self, *_: object) -> None: ...

    def close(self) -> None: ...


async def test_what_stays_as_it_is_is_asked_for_once() -> None:
    store = Counting()
    world = World(store, Breakers(lambda: 0.0), Catalogs({}, lambda: 0.0))
    first, absent, other = Read("a", final=True), Read("b", final=True), Read("a")
    for _ in range(2):
        assert world.try_settle([first, absent, other], []) == {first: b"1", absent: None, other: b"1"}
    assert store.asked == ["a", "b", "a", "b", "a"], "what is not there yet may come"
    assert await world.settle([], [Put("b", b"2", 60.0, final=True)]) == {}
    assert await world.settle([absent], []) == {absent: b"2"}
    assert store.asked == ["a", "b", "a", "b", "a"]
    assert store.values["b"] == b"2"


async def test_what_is_put_while_a_catalogue_is_asked_is_not_lost() -> None:
    class Slow:
        """A catalogue that answers when it is told to."""

        def __init__(self) -> None:
            self.told = asyncio.Event()

        def at_once(self, _: str) -> None:
            return None

        async def look_up(self, _: str) -> dict[str, Any]:
            await self.told.wait()
            return {}

    slow: Any = Slow()
    world = World(Counting(), Breakers(lambda: 0.0), slow)
    read = Read("f", final=True)
    asked = asyncio.create_task(world.settle([read, Lookup("shop")], []))
    await asyncio.sleep(0)
    world.try_settle([], [Put("f", b"first", 60.0, final=True)])
    slow.told.set()
    assert (await asked)[read] == b"first"


async def test_what_was_seen_is_looked_for_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Counting()
    world = World(store, Breakers(lambda: 0.0), Catalogs({}, lambda: 0.0))
    read = Read("a", final=True)
    world.try_settle([read], [])
    monkeypatch.setattr("proxy.world.monotonic", lambda: time.monotonic() + 4000)
    del store.values["a"]
    assert world.try_settle([read], []) == {read: None}


async def test_what_was_seen_is_bounded() -> None:
    world = World(Counting(), Breakers(lambda: 0.0), Catalogs({}, lambda: 0.0))
    for number in range(50):
        await world.settle([], [Put(f"k{number}", b"x" * 200_000, 60.0, final=True)])
    assert sum(len(value) for value, _ in world._finals.values()) == world._seen_bytes <= 4 * 1024 * 1024
    assert "k49" in world._finals
