"""The targets on the handed cases, and the messages that real agents sent."""

import json
from pathlib import Path

import pytest

from proxy.failures.read import read
from proxy.failures.reading import Failure, Known, Result
from tests.failures import score

AGENTS = Path(__file__).parents[3] / "shared" / "agents" / "error_shapes.jsonl"
_FAILING = ("b_", "b2_", "c_raise")

pytestmark = pytest.mark.shared


@pytest.mark.skipif(not score.FOLDER.exists(), reason="the handed cases are not there")
def test_the_handed_cases_are_read_to_the_targets():
    found = score.measured(score.cases())
    assert found.read_right >= 0.97 * found.cases, found.faults
    assert found.kept_and_dropped >= 0.98 * found.rewritten, found.faults
    assert found.data_touched == 0, found.faults


@pytest.mark.skipif(not AGENTS.exists(), reason="the agents' messages are not there")
def test_the_errors_of_real_agents_are_read_as_errors_and_their_data_is_left():
    wrong = []
    for line in AGENTS.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        message, call = record["tool_message"], record["call"] or {}
        content = message.get("content", message.get("output"))
        if content is None:
            continue
        parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        text = "\n".join(parts)
        inner = call.get("function", call)
        result = Result(
            inner.get("name", "tool"),
            "",
            inner.get("arguments", inner.get("input")) or {},
            text,
            message.get("is_error"),
        )
        is_data = "ORD-1045" in text or "lorem ipsum" in text or 'sent": true' in text or 'sent\\": true' in text
        if is_data or record["scenario"].startswith(_FAILING):
            failed = isinstance(read(result, Known()), Failure)
            if failed == is_data:
                wrong.append((record["agent"], record["scenario"], text[:200]))
    assert wrong == []
