"""The folder: bytes only, for the owner only, and traffic goes on when it is full."""

import asyncio
import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path

import diskcache
import pytest

from proxy.model import Put
from proxy.store import StoreError
from proxy.store.disk import BytesOnly, DiskStore
from proxy.verdicts import Add, Claim, Read


@pytest.fixture
def store(tmp_path):
    opened = DiskStore(tmp_path / "store")
    yield opened
    opened.close()


async def value_of(store, key):
    return (await store.settle((Read(key),), ()))[Read(key)]


async def test_the_folder_is_for_its_owner(tmp_path, store):
    await store.settle((Claim("c", b"v", 9),), ())
    folder = tmp_path / "store"
    assert folder.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes == {"cache.db": 0o600, "cache.db-wal": 0o600, "cache.db-shm": 0o600}


async def test_large_values_make_no_files(tmp_path, store):
    await store.settle((), (Put("k", b"x" * 3_000_000, durable=True),))
    assert len(await value_of(store, "k")) == 3_000_000
    assert {path.name for path in (tmp_path / "store").iterdir()} == {"cache.db", "cache.db-wal", "cache.db-shm"}


class Trap:
    """Tells on whoever unpickles it."""

    sprung = False

    def __reduce__(self):
        return setattr, (Trap, "sprung", True)


@pytest.mark.parametrize("mode", [4, 1, 2, 3])
async def test_a_planted_pickle_is_never_opened(tmp_path, store, mode):
    """As somebody would who can write into the folder, but not run anything."""
    await store.settle((), (Put("k", b"good", durable=True),))
    planted = pickle.dumps(Trap())
    (tmp_path / "store" / "f").write_bytes(planted)
    with sqlite3.connect(tmp_path / "store" / "cache.db") as other:
        value, name = (planted, None) if mode == 4 else ("text", None) if mode == 1 else (None, "f")
        other.execute("UPDATE Cache SET mode = ?, value = ?, filename = ?", (mode, value, name))
    other.close()
    assert await value_of(store, "k") is None
    assert await store.settle((Claim("k", b"mine", 9),), ()) == {Claim("k", b"mine", 9): None}
    assert await value_of(store, "k") == b"mine"
    assert not Trap.sprung


def test_objects_are_refused(tmp_path):
    cache = diskcache.Cache(str(tmp_path), disk=BytesOnly)
    for key, value in (("k", "text"), ("k", {"a": 1}), ("k", 1), (b"k", b"v"), (("k",), b"v"), (1, b"v")):
        with pytest.raises(TypeError):
            cache.set(key, value)
    cache.set("k", b"v")
    assert list(cache) == ["k"]
    cache.close()


async def test_own_writes_are_seen_before_they_are_on_disk(store):
    for number in range(200):
        assert store.try_settle((), (Put("k", b"%d" % number),)) == {}
        assert store.try_settle((Read("k"), Add("n", 0, None, 9)), ()) == {
            Read("k"): b"%d" % number,
            Add("n", 0, None, 9): 0,
        }
    store.try_settle((), (Put("k", None),))
    assert store.try_settle((Read("k"),), ()) == {Read("k"): None}


async def test_a_pending_write_expires_too(store):
    store.try_settle((), (Put("k", b"v", ttl=-1),))
    assert store.try_settle((Read("k"),), ()) == {Read("k"): None}


async def test_expired_rows_are_removed_as_others_come(tmp_path, store):
    await store.settle((), [Put(f"old{number}", b"v", ttl=0.01, durable=True) for number in range(100)])
    for number in range(20):
        await asyncio.sleep(0.002)
        await store.settle((), (Put(f"new{number}", b"v", durable=True),))
    with sqlite3.connect(tmp_path / "store" / "cache.db") as other:
        assert other.execute("SELECT count(*) FROM Cache").fetchone() == (20,)
    other.close()


async def test_nothing_is_evicted_before_its_time(tmp_path, store):
    await store.settle((Claim("c", b"v", 1000),), ())
    with sqlite3.connect(tmp_path / "store" / "cache.db") as other:
        settings = dict(other.execute("SELECT key, value FROM Settings").fetchall())
    other.close()
    assert settings["eviction_policy"] == "none"


async def test_a_claim_that_was_given_up_in_time_is_not_taken(tmp_path, store):
    """The agent left while another process held the lock."""
    lock = sqlite3.connect(tmp_path / "store" / "cache.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    first = asyncio.ensure_future(store.settle((Add("n", 1, None, 9),), ()))
    await asyncio.sleep(0.05)
    second = asyncio.ensure_future(store.settle((Claim("c", b"v", 9),), ()))
    await asyncio.sleep(0.05)
    second.cancel()
    lock.execute("ROLLBACK")
    lock.close()
    await first
    assert await value_of(store, "c") is None


async def test_reads_go_on_while_another_process_writes(tmp_path, store):
    await store.settle((), (Put("k", b"v", durable=True),))
    lock = sqlite3.connect(tmp_path / "store" / "cache.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    assert store.try_settle((Read("k"),), (Put("w", b"v"),)) == {Read("k"): b"v"}
    lock.execute("ROLLBACK")
    lock.close()


async def test_a_closed_store_says_so(tmp_path):
    store = DiskStore(tmp_path / "store")
    store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.settle((Claim("c", b"v", 9),), ())


def test_a_folder_that_can_not_be_used_is_an_error(tmp_path):
    (tmp_path / "store").write_text("a file")
    with pytest.raises(OSError, match="store"):
        DiskStore(tmp_path / "store")


def test_a_file_that_is_no_database_is_an_error(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "cache.db").write_bytes(b"no database at all" * 1000)
    with pytest.raises(OSError, match="cannot open the store"):
        DiskStore(tmp_path / "store")


FULL = """
import asyncio, resource, sys
from pathlib import Path
from proxy.model import Put
from proxy.store import StoreError
from proxy.store.disk import DiskStore
from proxy.verdicts import Claim, Read

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

async def main(folder):
    store = DiskStore(folder)
    await store.settle((Claim("before", b"v", 99),), ())
    limit(300_000)
    for number in range(40):
        # Nobody waits for these, and all are seen.
        assert store.try_settle((), (Put(f"k{number}", b"%d" % number * 20_000),)) == {}
    errors = 0
    for number in range(5):
        try:
            await store.settle((Claim(f"c{number}", b"v" * 50_000, 99),), ())
        except StoreError as error:
            errors += 1
    assert errors == 5, errors
    assert store.failed >= 5
    assert store.error, store.error
    answers = await store.settle((Read("before"), Read("k39"), Read("k0"), Read("c0")), ())
    assert [value and len(value) for value in answers.values()] == [1, 40_000, 20_000, None], answers
    limit(-1)
    won = await store.settle((Claim("c0", b"v", 99),), ())
    assert list(won.values()) == [None], won
    await store.settle((), (Put("last", b"v", durable=True),))
    assert store.error == "", store.error
    store.close()
    again = DiskStore(folder)
    answers = await again.settle((Read("k39"), Read("k0"), Read("c0"), Read("last")), ())
    assert [value and len(value) for value in answers.values()] == [40_000, 20_000, 1, 1], answers
    again.close()

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_full_disk_costs_what_must_last_and_nothing_else(tmp_path):
    """The limit on a file's size stands for a full disk."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "store")], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0


async def test_what_waits_for_a_broken_disk_is_bounded(tmp_path, store, monkeypatch):
    monkeypatch.setattr(store._pending, "_most", 100_000)
    lock = sqlite3.connect(tmp_path / "store" / "cache.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    for number in range(100):
        store.try_settle((), (Put(f"k{number}", b"x" * 10_000),))
    assert len(store._pending) < 10
    assert store.try_settle((Read("k99"), Read("k0")), ()) == {Read("k99"): b"x" * 10_000, Read("k0"): None}
    lock.execute("ROLLBACK")
    lock.close()
    await store.settle((), (Put("after", b"v", durable=True),))
    assert len(store._pending) == 0, "written in order"
    assert await value_of(store, "k99") == b"x" * 10_000
    assert await value_of(store, "k0") is None


async def test_what_is_added_later_is_there_soon(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "later")
    store.later([Add("n", 5, 3, 60.0), Add("n", 4, None, 60.0)])
    look = Add("n", 0, None, 60.0)
    for _ in range(200):
        if (await store.settle([look], []))[look] == 9:
            break
        await asyncio.sleep(0.02)
    assert (await store.settle([look], []))[look] == 9, "nothing is refused"
    store.close()
