"""An import that is spared fails as if nothing were installed, and only there."""

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
    code = (
        "import sys; from proxy.spared import spared\n"
        "with spared('rich'): import structlog\n"
        "import proxy.app, proxy.breakers, proxy.store.disk; print('redis' in sys.modules, 'rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
