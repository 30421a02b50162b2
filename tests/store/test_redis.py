"""Redis comes and goes; a claim is never taken twice, and an error is an error."""

import socket

import pytest

from proxy.model import Put
from proxy.store import StoreError
from proxy.store import open_store as open_any
from proxy.store.redis import RedisStore
from proxy.verdicts import Add, Claim, Read


def open_store(folder, url) -> RedisStore:
    opened = open_any(folder, url)
    assert isinstance(opened, RedisStore)
    return opened


@pytest.fixture
async def store(tmp_path, server):
    opened = open_store(tmp_path, server.url)
    yield opened
    await opened.aclose()


async def test_a_server_that_is_gone_is_an_error_and_may_come_back(store, server):
    claim = Claim("c", b"mine", 60)
    assert await store.settle((claim,), (Put("k", b"v"),)) == {claim: None}
    server.kill()
    for requests, puts in (((Read("k"),), ()), ((claim,), ()), ((), (Put("k", b"w"),))):
        with pytest.raises(StoreError):
            await store.settle(requests, puts)
    assert store.failed == 3
    assert "ConnectionError" in store.error
    server.start()
    answers = None
    for _ in range(2):  # the first may meet a connection that the old server left behind
        try:
            answers = await store.settle((Read("k"), claim), ())
        except StoreError:
            continue
        break
    assert answers == {Read("k"): b"v", claim: b"mine"}
    assert store.error == ""


async def test_reads_and_writes_survive_a_stale_connection(store, server):
    await store.settle((), (Put("k", b"v"),))
    server.kill()
    server.start()
    assert await store.settle((Read("k"),), (Put("w", b"v"),)) == {Read("k"): b"v"}


async def test_what_is_not_a_counter_is_an_error(store):
    await store.settle((), (Put("n", b"text"),))
    with pytest.raises(StoreError):
        await store.settle((Add("n", 1, None, 60),), ())
    assert await store.settle((Read("n"),), ()) == {Read("n"): b"text"}


async def test_a_server_that_never_answers_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("proxy.store.redis._ANSWER_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        store = open_store(tmp_path, f"redis://:hunter2@127.0.0.1:{silent.getsockname()[1]}/0")
        with pytest.raises(StoreError) as raised:
            await store.settle((Claim("c", b"v", 9),), ())
        assert "hunter2" not in str(raised.value) + store.error
        await store.aclose()


@pytest.mark.parametrize("url", ["http://host", "nonsense", "redis://host:port"])
def test_a_bad_address_is_told_at_once(tmp_path, url):
    with pytest.raises(ValueError, match=r".+"):
        open_store(tmp_path, url)


async def test_valkey_is_the_same(tmp_path, server):
    store = open_store(tmp_path, server.url.replace("redis://", "valkey://"))
    await store.settle((), (Put("k", b"v"),))
    assert await store.settle((Read("k"),), ()) == {Read("k"): b"v"}
    store.close()
    assert store._closing is not None
    await store._closing
