"""Reads a tool result: is the whole of it a failure, and which? And writes the structured error.

    read(Result(tool, description, arguments, text), Known()) -> Failure | EmptyRows | None
    structured(failure, lang="en") -> str

Pure: no I/O, no clock, no randomness; work is bounded whatever the text holds.
"""

from proxy.failures.read import read, warm
from proxy.failures.reading import (
    Action,
    Declared,
    Earlier,
    EmptyRows,
    ErrorForm,
    Failure,
    Known,
    Result,
    Wrapper,
)
from proxy.failures.written import structured

__all__ = [
    "Action",
    "Declared",
    "Earlier",
    "EmptyRows",
    "ErrorForm",
    "Failure",
    "Known",
    "Result",
    "Wrapper",
    "read",
    "structured",
    "warm",
]
