"""Imports a library without what it takes along only because that happens to be installed.

pybreaker brings in the whole Redis client, structlog rich: 11 MB, and a process that serves uses neither.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def spared(*optional: str) -> Iterator[None]:
    """Inside, importing one of these fails as if it were not installed, unless it was imported before."""
    known: dict[str, Any] = sys.modules
    missing = [name for name in optional if name not in known]
    known.update(dict.fromkeys(missing))  # None: the import system's own word for "not to be had"
    try:
        yield
    finally:
        for name in missing:
            if known.get(name, name) is None:
                del known[name]
