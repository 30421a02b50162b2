"""What exchanges share beyond their own lifetime: one protocol, kept on disk or on Redis.

The core asks in frozen data (`verdicts.Read`, `Claim`, `Add`; `model.Put`), a store answers by request. Requests are
carried out in order, then the writes; everything in one `settle` happens at once or not at all. Other requests (of
catalogs, of breakers) are not the store's and get no answer.

Keys are text that the core makes, already scoped to the caller. Here they are only made fit to be stored: short and
printable, else hashed. Values are bytes, never objects: what is unpickled is run (CVE-2025-69872).
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from proxy.model import Put
from proxy.verdicts import Add

_LONGEST_KEY = 250
_SCHEMES = ("redis://", "rediss://", "unix://", "valkey://", "valkeys://")


class StoreError(Exception):
    """The store can't be reached or written; nothing of this `settle` was promised. The text has no values in it."""


class Store(Protocol):
    """Shared by all exchanges of a process; called on its event loop."""

    failed: int
    """Writes that were lost, and requests that got no answer."""
    error: str
    """What went wrong last; empty when the last operation went well."""

    def try_settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any] | None:
        """As `settle`, at once; None where it must be waited for, and then nothing was done."""

    async def settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any]:
        """Answers by request. Durable writes are on disk when it returns, others soon after. Raises StoreError."""

    def later(self, adds: Sequence[Add]) -> None:
        """Adds to counters soon; nobody waits, and nothing is refused."""

    def close(self) -> None:
        """Writes what is still to be written, and lets go."""


def check_address(url: str) -> None:
    """Raises ValueError for what can't be the address of a store; never quotes it, since it may hold a password."""
    if not url.startswith(_SCHEMES):
        raise ValueError(f"--store: an address begins with {', '.join(_SCHEMES)}")
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise ValueError("--store: its port is no number from 0 to 65535") from None


def open_store(data: Path, url: str = "") -> Store:
    """The store of a data folder, or the one at a `redis://` address. Raises OSError, ValueError for a bad address."""
    if url:
        from proxy.store.redis import RedisStore  # noqa: PLC0415 - an extra that need not be installed

        return RedisStore(url)
    from proxy.store.disk import DiskStore  # noqa: PLC0415 - takes SQLite with it

    return DiskStore(data / "store")


def fit(key: str) -> str:
    """The key as it is stored."""
    if len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable() and not key.startswith("~"):
        return key
    return "~" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
