"""An import that is spared fails as if nothing were installed, and only there."""

import os
import subprocess
import sys
from importlib import import_module

import pytest

from proxy.spared import spared


def test_what_is_spared_can_not_be_imported_inside_and_can_outside() -> None:
    sys.modules.pop("colorsys", None)
    with spared("colorsys"), pytest.raises(ImportError):
        import_module("colorsys")
    assert import_module("colorsys").rgb_to_hsv(0, 0, 0) == (0, 0, 0)


def test_what_was_there_before_stays() -> None:
    with spared("sys"):
        assert import_module("sys") is sys


def test_it_is_given_back_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), spared("chunk_of_nothing"):
        raise ZeroDivisionError
    assert "chunk_of_nothing" not in sys.modules


def test_a_process_that_serves_takes_in_neither_redis_nor_rich() -> None:
    """`serve` as far as it goes without an upstream: everything that it needs of libraries is imported by then."""
    command = [sys.executable, "-X", "importtime", "-m", "proxy", "serve", "--pack", "default"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}, check=False)
    assert done.returncode == 2
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert {"structlog", "aiohttp.web", "proxy.app"} <= imported
    assert imported.isdisjoint({"redis.client", "rich.console"})
