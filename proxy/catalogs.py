"""What the pack's catalogues hold: fixed names, or the tables and columns of a database.

A database is only looked at (its schema is reflected, nothing is selected, nothing is written), off the event loop, at
most once in a while. One that is dead, slow or not installed costs nothing but what it would have added.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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
        self._running: dict[str, asyncio.Future[Tables]] = {}
        self._threads = ThreadPoolExecutor(1, "catalog")

    def at_once(self, name: str) -> Tables | None:
        """What is known without waiting; None: it must be looked up."""
        catalog = self._catalogs.get(name)
        if catalog is None:
            return {}
        if catalog.url is None:
            values = {"values": tuple(map(str, catalog.values))} if catalog.values else {}
            return {**values, **{table: tuple(columns) for table, columns in catalog.tables.items()}}
        found = self._known.get(name)
        return found[1] if found is not None and self._clock() < found[0] else None

    async def look_up(self, name: str) -> Tables:
        """The tables and their columns; empty where they can't be had in time."""
        known = self.at_once(name)
        if known is not None:
            return known
        running = self._running.get(name)
        if running is None:
            loop = asyncio.get_running_loop()
            running = loop.run_in_executor(self._threads, _reflect, self._catalogs[name].url or "")
            self._running[name] = running
            running.add_done_callback(lambda done: self._done(name, done))
        done, _ = await asyncio.wait({running}, timeout=PATIENCE)
        return self._known[name][1] if done and name in self._known else {}

    def _done(self, name: str, done: "asyncio.Future[Tables]") -> None:
        self._running.pop(name, None)
        if done.cancelled():
            return
        error = done.exception()
        if error is not None:
            log.warning("catalogue not available", catalog=name, error=type(error).__name__)
        tables = {} if error is not None else done.result()
        seconds = _AGAIN if error is not None else self._catalogs[name].refresh_s
        self._known[name] = (self._clock() + seconds, tables)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _reflect(url: str) -> Tables:
    """The schema of a database. Raises what the driver raises."""
    from sqlalchemy import create_engine, inspect  # noqa: PLC0415 - an extra that need not be installed
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    engine = create_engine(url, poolclass=NullPool, connect_args=_short(url))
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
