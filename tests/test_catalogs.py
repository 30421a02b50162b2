"""Catalogues over real databases: a SQLite file and a PostgreSQL server."""

import asyncio
import json
import socket
import sqlite3
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from proxy import catalogs
from proxy.catalogs import Catalogs, Tables
from proxy.settings import parse_pack
from tests.postgres import postgres, programs
from tests.serving import serving
from tests.wire import Client, Peer, Provider, Seen

SHOP = {"orders": ("id", "customer", "city"), "totals": ("city", "sum")}
TABLES = "CREATE TABLE orders (id INTEGER, customer TEXT, city TEXT);"
VIEW = "CREATE VIEW totals AS SELECT city, count(*) AS sum FROM orders GROUP BY city;"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def known(pack: str, clock: Clock | None = None) -> Catalogs:
    return Catalogs(parse_pack(f"catalogs: {pack}\n").catalogs, clock or Clock())


def of(url: str, more: str = "") -> str:
    return f"{{shop: {{url: '{url}'{more}}}}}"


async def got(some: Catalogs, name: str = "shop") -> Tables:
    """What is known once the look-up is over, however busy the machine is."""
    await some.look_up(name)
    if running := some._running.get(name):
        await running.wait()
    return await some.look_up(name)


def _folder(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def _move_away(file: Path) -> None:
    file.rename(file.with_name("away"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "the shop #1.db"
    connection = sqlite3.connect(path)
    connection.executescript(TABLES + VIEW)
    connection.close()
    return path


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if programs() is None:
        pytest.skip("no PostgreSQL on this machine (make services installs it)")
    reader = "CREATE ROLE reader LOGIN; GRANT SELECT ON orders, totals TO reader;"
    with postgres(TABLES + VIEW + reader) as address:
        yield address


# ---------------------------------------------------------------- fixed


async def test_fixed_names_are_known_at_once() -> None:
    some = known("{shop: {tables: {orders: [id, city]}}, kinds: [a, 7]}")
    assert some.at_once("shop") == {"orders": ("id", "city")}
    assert some.at_once("kinds") == {"values": ("a", "7")}
    assert await some.look_up("kinds") == {"values": ("a", "7")}
    assert some.at_once("other") == await some.look_up("other") == {}


# ---------------------------------------------------------------- SQLite


async def test_tables_and_views_of_a_file(file: Path) -> None:
    some = known(of(f"sqlite:///{file}"))
    assert some.at_once("shop") is None
    assert await got(some) == SHOP
    assert some.at_once("shop") == SHOP


async def test_a_file_is_only_read(file: Path) -> None:
    before = _folder(file.parent)
    await got(known(of(f"sqlite:///{file}")))
    assert _folder(file.parent) == before


async def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert await got(known(of(f"sqlite:///{tmp_path / 'none.db'}"))) == {}
    assert _folder(tmp_path) == {}


async def test_what_was_read_is_kept_for_a_while(file: Path) -> None:
    clock = Clock()
    some = known(of(f"sqlite:///{file}", ", refresh_s: 100"), clock)
    await got(some)
    connection = sqlite3.connect(file)
    connection.execute("ALTER TABLE orders ADD COLUMN state TEXT")
    connection.close()
    clock.now = 99.0
    assert await got(some) == SHOP
    clock.now = 100.0
    assert (await got(some))["orders"] == ("id", "customer", "city", "state")


async def test_it_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    connection = sqlite3.connect(path)
    connection.executescript("".join(f"CREATE TABLE t{n} (a INTEGER);" for n in range(300)))
    connection.execute(f"CREATE TABLE a ({', '.join(f'c{n} INTEGER' for n in range(300))})")
    connection.close()
    found = await got(known(of(f"sqlite:///{path}")))
    assert len(found) == 200
    assert max(map(len, found.values())) == 200


# ---------------------------------------------------------------- dead, slow, wrong


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize("url", [
    "postgresql+psycopg://reader@127.0.0.1:{port}/shop", "nosuchdialect://x", "not an address",
    "postgresql+nosuchdriver://x/y", "sqlite:///{folder}",
])  # fmt: skip
async def test_what_cannot_be_read_is_empty_and_asked_again_later(url: str, tmp_path: Path) -> None:
    clock = Clock()
    some = known(of(url.format(port=_free_port(), folder=tmp_path)), clock)
    assert await got(some) == {}
    assert some.at_once("shop") == {}, "nobody waits for it now"
    clock.now = 29.0
    assert some.at_once("shop") == {}
    clock.now = 30.0
    assert some.at_once("shop") is None


async def test_what_was_known_stays_while_a_database_is_dead(file: Path) -> None:
    clock = Clock()
    some = known(of(f"sqlite:///{file}", ", refresh_s: 10"), clock)
    await got(some)
    _move_away(file)
    clock.now = 11.0
    assert await got(some) == SHOP
    assert some.at_once("shop") == SHOP


async def test_one_that_hangs_is_waited_for_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogs, "PATIENCE", 0.01)
    hang = threading.Event()
    reflect = catalogs._reflect

    def hanging(url: str) -> Tables:
        hang.wait()
        return reflect(url)

    monkeypatch.setattr(catalogs, "_reflect", hanging)
    some = known(f"{{shop: {{url: 'sqlite:///{file}'}}, kinds: [a]}}")
    assert await some.look_up("shop") == {}
    assert some.at_once("shop") == {}, "who comes later does not wait"
    assert some.at_once("kinds") == {"values": ("a",)}
    running = some._running["shop"]
    hang.set()
    await running.wait()
    assert some.at_once("shop") == SHOP


async def test_many_who_ask_at_once_make_one_look(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []
    reflect = catalogs._reflect

    def counted(url: str) -> Tables:
        looks.append(url)
        return reflect(url)

    monkeypatch.setattr(catalogs, "_reflect", counted)
    some = known(of(f"sqlite:///{file}"))
    await asyncio.gather(*(got(some) for _ in range(20)))
    assert len(looks) == 1


# ---------------------------------------------------------------- PostgreSQL


async def test_tables_and_views_of_a_server(server: str) -> None:
    assert await got(known(of(f"postgresql+psycopg://reader@{server}/postgres"))) == SHOP


async def test_the_session_could_not_write_if_it_wanted_to(server: str) -> None:
    address = f"postgresql+psycopg://tester@{server}/postgres"
    with psycopg.connect(f"postgresql://tester@{server}/postgres", **catalogs._short(address)) as connection:
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("CREATE TABLE x (a INTEGER)")
        connection.rollback()
        assert connection.execute("SHOW statement_timeout").fetchone() == ("5s",)


async def test_a_raw_traceback_of_psycopg_is_told_with_the_columns_there_are(server: str, tmp_path: Path) -> None:
    """End to end: a real server, the failure as its driver prints it, a real process between agent and provider."""
    sql = "SELECT id, custmer FROM orders"
    failure = _traceback(server, sql)
    assert "Traceback" in failure
    pack = (
        "policies: {explain_errors: {}}\ntools: {query: {catalog: shop}}\n"
        f"catalogs: {of(f'postgresql+psycopg://reader@{server}/postgres')}\n"
    )

    async def answer(_: Seen, peer: Peer) -> None:
        message = {"role": "assistant", "content": "ok"}
        body = {"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        await peer.reply(200, json.dumps(body).encode(), "content-type: application/json")

    async with Provider(answer) as provider, serving(f"http://127.0.0.1:{provider.port}/v1", tmp_path, pack) as served:
        client = await Client.connect(served.port)
        for _ in range(60):  # the first look may take longer than an exchange waits
            await client.ask("POST /v1/chat/completions", "content-type: application/json", body=_asked(sql, failure))
            error = json.loads(json.loads(provider.seen[-1].body)["messages"][-1]["content"])
            if "available_columns" in error:
                break
        client.close()
    assert error["code"] == "UNKNOWN_COLUMN"
    assert error["available_columns"] == ["id", "customer", "city"]
    assert error["did_you_mean"][0].endswith("customer")
    assert (error["type"], error["retry"]) == ("validation", "with_changes")


def _traceback(server: str, sql: str) -> str:
    try:
        with psycopg.connect(f"postgresql://reader@{server}/postgres") as connection:
            connection.execute(sql.encode())
    except psycopg.Error:
        return traceback.format_exc()
    raise AssertionError("the query worked")


def _asked(sql: str, result: str) -> bytes:
    function = {"name": "query", "arguments": json.dumps({"sql": sql})}
    schema = {"type": "object", "properties": {"sql": {"type": "string"}}}
    called: dict[str, Any] = {"id": "call_1xyz", "type": "function", "function": function}
    messages = [
        {"role": "user", "content": "Who ordered?"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_1xyz", "content": result},
    ]
    tools = [{"type": "function", "function": {"name": "query", "parameters": schema}}]
    return json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
