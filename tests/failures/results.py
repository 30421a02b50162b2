"""Short ways to a reading, for the tests of this folder."""

import json
from collections.abc import Mapping
from typing import Any

from proxy.failures.read import read
from proxy.failures.reading import EmptyRows, Failure, Known, Result
from proxy.failures.written import structured


def reading(
    text: str,
    *,
    tool: str = "call_service",
    arguments: Mapping[str, Any] | str | None = None,
    known: Known | None = None,
    is_error: bool | None = None,
) -> Failure | EmptyRows | None:
    """How `text` is read as the result of a call."""
    return read(Result(tool, "", arguments or {}, text, is_error), known or Known())


def failure(
    text: str,
    *,
    tool: str = "call_service",
    arguments: Mapping[str, Any] | str | None = None,
    known: Known | None = None,
    is_error: bool | None = None,
) -> Failure:
    """The failure that `text` has to be."""
    found = reading(text, tool=tool, arguments=arguments, known=known, is_error=is_error)
    assert isinstance(found, Failure), text
    return found


def told(found: Failure) -> dict[str, Any]:
    """The structured error as the model reads it."""
    error: dict[str, Any] = json.loads(structured(found))
    return error
