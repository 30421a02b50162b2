"""What the pack's catalogues hold: fixed names, or the tables and columns of a database.

A database is only looked at (its schema is reflected, nothing is selected, nothing is written), off the event loop, at
most once in a while. One that is dead, slow or not installed costs nothing but what it would have added: only who asks
first waits for it, and not for long. Each look has a thread of its own, which holds up neither another catalogue nor
the end of the process.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import structlog

from proxy.settings.pack import Catalog

Tables = Mapping[str, tuple[str, ...]]

PATIENCE = 1.0
"""Seconds that an exchange waits; the look-up itself goes on, for the next one."""
_AGAIN = 30.0
_TABLES, _COLUMNS = 200, 200
log: Any = structlog.get_logger("handrail")


class Catalogs:
    """Look-ups by name of catalogue; used on one event loop."""

    def __init__(self, catalogs: Mapping[str, Catalog], clock: Callable[[], float]) -> None:
        self._catalogs = catalogs
        self._clock = clock
        self._known: dict[str, tuple[float, Tables]] = {}
        self._running: dict[str, asyncio.Event] = {}
        self._slow: set[str] = set()
        """Catalogues that somebody has waited for in vain."""

    def at_once(self, name: str) -> Tables | None:
        """What is known without waiting; None: it must be looked up."""
        catalog = self._catalogs.get(name)
        if catalog is None:
            return {}
        if catalog.url is None:
            values = {"values": tuple(map(str, catalog.values))} if catalog.values else {}
            return {**values, **{table: tuple(columns) for table, columns in catalog.tables.items()}}
        found = self._known.get(name)
        if found is not None and self._clock() < found[0]:
            return found[1]
        return (found[1] if found is not None else {}) if name in self._slow else None

    async def look_up(self, name: str) -> Tables:
        """The tables and their columns; those of the last look where new ones can't be had in time, else none."""
        known = self.at_once(name)
        if known is not None:
            return known
        done = self._running.get(name) or self._start(name)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), PATIENCE)
        if not done.is_set():
            self._slow.add(name)
        return self._known[name][1] if name in self._known else {}

    def _start(self, name: str) -> asyncio.Event:
        loop, url = asyncio.get_running_loop(), self._catalogs[name].url or ""
        done = self._running[name] = asyncio.Event()

        def look() -> None:
            try:
                tables, error = _reflect(url), ""
            except Exception as failed:  # noqa: BLE001 - whatever a driver raises
                tables, error = {}, type(failed).__name__
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(self._done, name, tables, error)

        threading.Thread(target=look, name=f"catalog {name}", daemon=True).start()
        return done

    def _done(self, name: str, tables: Tables, error: str) -> None:
        if error:
            log.warning("catalogue not available", catalog=name, error=error)
            tables = self._known[name][1] if name in self._known else {}
        seconds = _AGAIN if error else self._catalogs[name].refresh_s
        self._known[name] = (self._clock() + seconds, tables)
        self._slow.discard(name)
        self._running.pop(name).set()


def _reflect(url: str) -> Tables:
    """The schema of a database. Raises what the driver raises."""
    from sqlalchemy import create_engine, inspect, make_url  # noqa: PLC0415 - an extra that need not be installed
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    address = make_url(url)
    if address.get_backend_name() == "sqlite" and address.database and not address.database.startswith("file:"):
        address = address.set(database=f"file:{quote(address.database)}", query={"mode": "ro", "uri": "true"})
    engine = create_engine(address, poolclass=NullPool, connect_args=_short(url))
    try:
        found = inspect(engine)
        names = [*found.get_table_names(), *found.get_view_names()][:_TABLES]
        return {name: tuple(str(column["name"]) for column in found.get_columns(name))[:_COLUMNS] for name in names}
    finally:
        engine.dispose()


def _short(url: str) -> dict[str, Any]:
    """Connection settings that keep a dead server from holding the thread, and that keep the session from writing."""
    if url.startswith("postgresql"):
        return {"connect_timeout": 2, "options": "-c default_transaction_read_only=on -c statement_timeout=5000"}
    if url.startswith("mysql"):
        return {"connect_timeout": 2}
    return {}
