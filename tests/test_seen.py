import json
from typing import Any

from proxy.plan import DIALECTS
from proxy.seen import Evidence, block, candidates, look
from tests.playbook import call, tool

CHAT = DIALECTS[0]


def _seen(*steps: tuple[str, Any, str]) -> dict[str, Evidence]:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for at, (name, arguments, result) in enumerate(steps):
        messages.append({"role": "assistant", "content": None, "tool_calls": [call(f"c{at}", name, arguments)]})
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": result})
    body = {"model": "m", "messages": messages, "tools": [tool(name, {}) for name in {one[0] for one in steps}]}
    evidence: dict[str, Evidence] = {}
    look(CHAT.read_ask(json.dumps(body).encode()), evidence)
    return evidence


def _facts(evidence: Evidence) -> list[str]:
    return [fact for fact, _ in candidates(evidence)]


def test_a_tool_that_changes_something_is_a_candidate_with_its_evidence() -> None:
    mail = {"to": "a", "body": "b"}
    seen = _seen(("send_email", mail, "sent"), ("send_email", dict(reversed(mail.items())), "sent"))
    assert _facts(seen["send_email"]) == ["side_effect: true"]
    assert "again with equal arguments 1 times" in dict(candidates(seen["send_email"]))["side_effect: true"]


def test_reading_tools_are_none() -> None:
    seen = _seen(("get_order", {"id": 1}, "x"), ("listPosts", {}, "y"))
    assert _facts(seen["get_order"]) == []
    assert _facts(seen["listPosts"]) == []


def test_equal_calls_with_other_results_are_polling() -> None:
    seen = _seen(*(("job_status", {"id": 5}, f"{n} %") for n in range(4)))
    assert _facts(seen["job_status"]) == ["polling: true"]


def test_long_exact_results_are_exempt_candidates() -> None:
    seen = _seen(("read_file", {"path": "a"}, "x" * 9000), ("query_rows", {"q": 1}, "y" * 9000))
    assert _facts(seen["read_file"]) == ["exempt: true"]
    assert _facts(seen["query_rows"]) == ["bytes: 16384"]


def test_the_block_is_a_pack_that_loads_and_changes_nothing_by_itself() -> None:
    from proxy.settings import parse_pack  # noqa: PLC0415

    seen = _seen(("send_email", {"to": "a"}, "sent"), ("odd name!", {}, "Error: failed"))
    text = "\n".join(block(list(seen.values())))
    pack = parse_pack(text)
    assert not pack.tool("send_email").side_effect
    assert "# send_email: {side_effect: true}" in text
