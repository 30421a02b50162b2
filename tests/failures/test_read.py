"""What tools of many kinds return, and the right reading: whole results in, one structured error (or nothing) out.

The modules of `proxy.failures` are parts of one reader, so they are tested as what they are: adding a case is adding a
line to `cases.jsonl`, which holds input and expected outcome together.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.failures.read import read
from proxy.failures.reading import Failure, Known, Result
from proxy.failures.written import structured

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text().splitlines()]
CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


def _forms(word: str) -> list[str]:
    return [word.lower(), json.dumps(word, ensure_ascii=False)[1:-1].lower(), json.dumps(word)[1:-1].lower()]


def _has(fact: str | list[str], text: str) -> bool:
    return any(form in text.lower() for one in ([fact] if isinstance(fact, str) else fact) for form in _forms(one))


def _noisy(noise: str, text: str) -> bool:
    plain = text.replace("\\n", "\n").replace('\\"', '"')
    if noise.startswith("re:"):
        return bool(re.search(noise[3:], plain) or re.search(noise[3:], text))
    return noise in text or json.dumps(noise)[1:-1] in text


def _read(case: dict[str, Any]) -> Any:
    return read(Result(case["tool"], case["description"], case["arguments"], case["content"]), Known())


@pytest.mark.parametrize("case", [one for one in CASES if one["is_error"]], ids=lambda case: case["id"])
def test_a_failure_is_read_as_what_it_is(case: dict[str, Any]) -> None:
    found = _read(case)
    if found is None and case.get("unsure"):
        return
    assert isinstance(found, Failure)
    assert found.type in case["type"]
    assert found.retry in case["retry"]
    assert CODE.fullmatch(found.code)
    text = found.wrapper.put(structured(found, attempts=2, elapsed_s=1.5))
    assert [fact for fact in case["keep"] if not _has(fact, text)] == []
    assert [noise for noise in case["drop"] if _noisy(noise, text)] == []


@pytest.mark.parametrize("case", [one for one in CASES if not one["is_error"]], ids=lambda case: case["id"])
def test_data_is_left_alone(case: dict[str, Any]) -> None:
    found = _read(case)
    assert found is None or case.get("unsure")


def test_the_structured_error_is_whole_and_always_the_same() -> None:
    case = next(one for one in CASES if one["is_error"] and not one.get("unsure"))
    found = _read(case)
    error = json.loads(structured(found, attempts=1, elapsed_s=0.5))
    keys = list(error)
    assert {"status", "code", "type", "message", "retryable", "retry", "suggested_action"} <= set(keys)
    assert keys[-2:] == ["attempts", "elapsed_s"]
    assert error["retryable"] is (error["retry"] != "no")
    assert structured(found) == structured(_read(case))
    assert "attempts" not in json.loads(structured(found))


def test_an_error_is_told_in_the_language_of_the_task() -> None:
    found = _read(next(one for one in CASES if one["is_error"] and not one.get("unsure")))
    assert re.search(r"[\u4e00-\u9fff]", json.loads(structured(found, lang="zh"))["suggested_action"])


def test_a_permanent_failure_that_comes_again_ends_in_asking_a_human() -> None:
    found = next(found for one in CASES if isinstance(found := _read(one), Failure) and found.retry == "no")
    assert structured(found, repeated=3) != structured(found)


@given(st.text(max_size=400), st.sampled_from([None, True, False]))
def test_no_text_is_too_odd_to_be_read(text: str, is_error: bool | None) -> None:  # noqa: FBT001 - the API's flag
    found = read(Result("tool", "", {}, text, is_error), Known())
    if isinstance(found, Failure):
        assert json.loads(structured(found))["status"] == "error"
