"""Messages of many libraries, runtimes and kinds of business, written for this project: which type each is read as, and
what is data although it speaks of failures.

A case is a line of `messages.jsonl`; `type` lists what may be said of it, null means that it is data.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from proxy.failures.read import read
from proxy.failures.reading import Failure, Known, Result

CASES = [json.loads(line) for line in (Path(__file__).parent / "messages.jsonl").read_text().splitlines()]
FAILURES = [case for case in CASES if case["type"]]
DATA = [case for case in CASES if not case["type"]]


def _read(case: dict[str, Any]) -> Any:
    return read(Result(case["tool"], "", case["arguments"], case["content"]), Known())


@pytest.mark.parametrize("case", FAILURES, ids=lambda case: case["content"][:40])
def test_a_message_of_a_failure_is_read_as_one_of_its_type(case: dict[str, Any]) -> None:
    found = _read(case)
    assert isinstance(found, Failure)
    assert found.type in case["type"]


@pytest.mark.parametrize("case", DATA, ids=lambda case: case["content"][:40])
def test_what_only_speaks_of_failures_is_data(case: dict[str, Any]) -> None:
    assert _read(case) is None
