"""Scores the reading of failures on the handed cases: `python -m tests.failures.score`.

Prints how many results are read right (is it an error, type, retry; the code apart), how many rewritten texts keep
every fact and drop every noise, and how many results that are no failures were touched. With `-v` it names the cases
that are not right.
"""

import importlib.util
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proxy.failures.read import read
from proxy.failures.reading import Failure, Known, Result
from proxy.failures.written import structured

FOLDER = Path(__file__).parents[3] / "shared" / "tool-failures"
_RETRY = {"as_is": "retry as is", "with_changes": "retry with changed arguments", "no": "no"}


@dataclass
class Score:
    """Counts over all cases, and the faults by case."""

    cases: int = 0
    read_right: int = 0
    kind_right: int = 0
    type_right: int = 0
    retry_right: int = 0
    coded: int = 0
    code_right: int = 0
    rewritten: int = 0
    kept_and_dropped: int = 0
    data: int = 0
    data_touched: int = 0
    faults: dict[str, list[str]] = field(default_factory=dict)

    def told(self) -> str:
        def share(part: int, whole: int) -> str:
            return f"{part}/{whole} ({100 * part / max(whole, 1):.1f} %)"

        return "\n".join(
            [
                f"read right:            {share(self.read_right, self.cases)}",
                f"  is it an error:      {share(self.kind_right, self.cases)}",
                f"  type:                {share(self.type_right, self.cases)}",
                f"  retry:               {share(self.retry_right, self.cases)}",
                f"code (apart):          {share(self.code_right, self.coded)}",
                f"all kept, all dropped: {share(self.kept_and_dropped, self.rewritten)}",
                f"non-failures touched:  {share(self.data_touched, self.data)}",
            ]
        )


def cases() -> list[dict[str, Any]]:
    with (FOLDER / "cases.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _judge() -> Any:
    """The scorer that came with the cases."""
    spec = importlib.util.spec_from_file_location("tool_failures_score", FOLDER / "score.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(all_cases: list[dict[str, Any]]) -> Score:
    judge, score = _judge(), Score()
    for case in all_cases:
        _count(case, judge, score)
    return score


def _count(case: dict[str, Any], judge: Any, score: Score) -> None:
    expected, content = case["expected"], case["content"]
    found = read(Result(case["tool_name"], case["tool_description"], case["arguments"], content), Known())
    failure = found if isinstance(found, Failure) else None
    text = failure.wrapper.put(structured(failure)) if failure else content
    of_kind = (failure is not None) in (expected["is_error"], expected.get("is_error_also"))
    of_type = failure is None or failure.type in (expected["type"], *expected.get("type_also", ()))
    retry = _RETRY[failure.retry] if failure else ""
    of_retry = failure is None or retry in (expected["retryable"], *expected.get("retryable_also", ()))
    faults = judge.score(case, failure is not None, failure.type if failure else None, retry or None, text)
    score.cases += 1
    score.kind_right += of_kind
    score.type_right += of_kind and of_type
    score.retry_right += of_kind and of_retry
    score.read_right += of_kind and of_type and of_retry
    if not expected["is_error"]:
        score.data += 1
        score.data_touched += text != content and expected["unchanged"] == "must"
    else:
        score.rewritten += 1
        score.kept_and_dropped += not any(fault.startswith(("lost", "noise", "left", "is_error")) for fault in faults)
        if failure:
            score.coded += 1
            score.code_right += failure.code in (expected.get("code"), *expected.get("code_also", ()))
    if faults:
        score.faults[case["id"]] = faults


def main() -> None:
    score = measured(cases())
    print(score.told())
    if "-v" in sys.argv[1:]:
        for case, faults in score.faults.items():
            print(f"{case}: {'; '.join(faults)}")


if __name__ == "__main__":
    main()
