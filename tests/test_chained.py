"""Agents that chain on an answer's id and send only what is new."""

import json
from typing import Any

import pytest

from tests.playbook import Answer, World

TOOL = {
    "type": "function",
    "name": "search",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
}
PATH = "/v1/responses"


def _ask(new: list[Any], previous: str = "") -> dict[str, Any]:
    return {"model": "m", "input": new, "tools": [TOOL], **({"previous_response_id": previous} if previous else {})}


def _answer(response_id: str, *output: Any) -> Answer:
    usage = {"input_tokens": 5, "output_tokens": 5, "total_tokens": 10}
    body = {"id": response_id, "object": "response", "status": "completed", "model": "m", "output": list(output)}
    return Answer.json({**body, "usage": usage})


def _call(call_id: str, q: Any = "lee", name: str = "search", **arguments: Any) -> dict[str, Any]:
    args = json.dumps(arguments or {"q": q})
    item = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name}
    return {**item, "arguments": args, "status": "completed"}


def _text(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}


def _result(call_id: str, text: str = "nothing") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


USER = {"role": "user", "content": "Find the invoices of lee"}


def test_steps_that_stand_at_the_provider_count_all_the_same() -> None:
    world = World("policies: {gates: {repeats: 3}}")
    first = world.play(_ask([USER]), [_answer("resp_1", _call("c1"))], path=PATH)
    second = world.play(_ask([_result("c1")], "resp_1"), [_answer("resp_2", _call("c2"))], path=PATH)
    assert second.headers["x-run-id"] == first.headers["x-run-id"]
    third = world.play(
        _ask([_result("c2")], "resp_2"),
        [_answer("resp_3", _call("c3")), _answer("resp_4", _text("Nothing."))],
        path=PATH,
    )
    assert third.headers["x-handrail"].startswith("gates;did=halted")
    assert [item["type"] for item in third.json["output"]] == ["message"]
    assert third.asks[0]["input"] == [_result("c2")], "nothing of the earlier steps is written to the wire"


@pytest.mark.parametrize(("store", "kept"), [({}, 1), ({"store": True}, 1), ({"store": False}, 0)])
def test_steps_are_kept_only_where_an_ask_may_chain_on_the_answer(store: dict[str, Any], kept: int) -> None:
    world = World("policies: {gates: {repeats: 3}}")
    world.play({**_ask([USER]), **store}, [_answer("resp_1", _call("c1"))], path=PATH)
    assert len([key for key in world.store if key.startswith("t:")]) == kept


def test_an_answer_of_handrails_own_can_be_chained_on() -> None:
    world = World("policies: {gates: {steps: 1}}")
    world.play(_ask([USER]), [_answer("resp_1", _call("c1"))], path=PATH)
    halted = world.play(
        _ask([_result("c1")], "resp_1"), [_answer("resp_2", _call("c2")), Answer.json({"error": {}}, 500)], path=PATH
    )
    own = halted.json["id"]
    go_on = {"role": "user", "content": "And those of kim?"}
    after = world.play(_ask([go_on], own), [_answer("resp_3", _text("None."))], path=PATH)
    sent = after.asks[0]
    assert sent["previous_response_id"] == "resp_1"
    assert sent["input"][0] == _result("c1")
    assert sent["input"][-1] == go_on
    assert sent["input"][1]["content"][0]["text"] == halted.json["output"][0]["content"][0]["text"]


def test_results_that_handrail_gave_itself_reach_the_provider_with_the_agents() -> None:
    world = World("policies: {run_once: {}}\ntools: {search: {side_effect: true}}")
    world.play(_ask([USER]), [_answer("resp_1", _call("c1"), _call("c2"), _call("c3", "kim"))], path=PATH)
    played = world.play(_ask([_result("c1"), _result("c3")], "resp_1"), [_answer("resp_2", _text("done"))], path=PATH)
    answered = {item["call_id"] for item in played.asks[0]["input"]}
    assert answered == {"c1", "c2", "c3"}


def test_an_id_that_nothing_is_known_of_passes() -> None:
    world = World("policies: {repair_arguments: {}}")
    body = _ask([_result("c9")], "resp_unknown")
    played = world.play(body, [_answer("resp_9", _text("ok"))], path=PATH)
    assert played.sent == [json.dumps(body).encode()]


def test_a_new_task_opens_a_run_in_the_same_conversation() -> None:
    world = World("policies: {gates: {steps: 1}}")
    first = world.play(_ask([USER]), [_answer("resp_1", _call("c1"))], path=PATH)
    done = world.play(_ask([_result("c1")], "resp_1"), [_answer("resp_2", _text("None."))], path=PATH)
    task = {"role": "user", "content": "Now find those of kim"}
    other = world.play(_ask([task], "resp_2"), [_answer("resp_3", _call("c3", "kim"))], path=PATH)
    assert done.headers["x-run-id"] == first.headers["x-run-id"]
    assert other.headers["x-run-id"] != first.headers["x-run-id"]
    assert other.json["output"][0]["type"] == "function_call", "its steps are counted anew"
    go_on = world.play(
        _ask([{"role": "user", "content": "continue"}], "resp_3"), [_answer("r4", _text("x"))], path=PATH
    )
    assert go_on.headers["x-run-id"] == other.headers["x-run-id"]
