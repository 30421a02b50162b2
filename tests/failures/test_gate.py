"""The gate lets big data through, and keeps back no failure that stands at an edge of it."""

import json

import pytest

from proxy.failures.gate import plainly_data
from proxy.failures.reading import Failure, Result
from tests.failures.results import reading

ROWS = [{"id": number, "city": "Rome", "total": number * 1.5} for number in range(3000)]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROWS),
        json.dumps({"rows": ROWS, "error": None}),
        json.dumps({"rows": ROWS, "errors": [], "hasError": False}),
        "The quick brown fox jumps over the lazy dog. " * 3000,
        "QUJD" * 30000,
    ],
    ids=["rows", "no error", "no errors", "prose", "base64"],
)
def test_big_data_passes_at_the_gate(text: str):
    assert plainly_data(Result("search", "", {}, text))


def test_what_the_wire_calls_an_error_never_passes_at_the_gate():
    assert not plainly_data(Result("search", "", {}, "x" * 5000, is_error=True))


@pytest.mark.parametrize(
    "text",
    [
        "Traceback (most recent call last):\nKeyError: 'x'",
        "[Errno 13] Permission denied: '/x/a'",
        "[exit code: 124]",
        "panic: runtime error: index out of range [5] with length 3",
        "bash: line 1: foo: command not found",
        "FATAL:  sorry, too many clients already",
        "Connection reset by peer",
        "HTTP 503",
        "Segmentation fault (core dumped)",
        "gave up waiting for the lock",
        "系统维护中，预计 2 小时后恢复",
        "请求过于频繁",
        "Error: boom",
    ],
)
def test_no_failure_is_kept_back_behind_or_before_much_text(text: str):
    filler = "row " * 2000
    assert not plainly_data(Result("t", "", {}, f"{filler}\n{text}"))
    assert not plainly_data(Result("t", "", {}, f"{text}\n{filler}"))


def test_a_traceback_behind_much_output_is_read():
    text = (
        "loading row\n" * 20000 + "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n"
    )
    assert isinstance(reading(text, tool="run_script", arguments={"code": "f()\nx = 1"}), Failure)
