import json

import pytest

from proxy.dialects.call_names import CallNames
from proxy.dialects.responses_items import (
    Called,
    called,
    kind_of,
    message,
    note,
    read_call,
    read_result,
    read_texts,
    returnable,
    waits,
    write_call,
    write_result,
    write_texts,
)
from proxy.dialects.responses_names import named
from proxy.model import ToolCall, ToolResult, Turn, replace
from tests.dialects import responses_sample as sample

PARTS = [
    {"type": "input_text", "text": "one"},
    {"type": "input_image", "image_url": "data:x"},
    {"type": "input_text", "text": "two"},
]


def raw(item):
    return json.dumps(item).encode()


def read(item, names=None):
    return read_call(item, raw(item)) if names is None else read_call(item, raw(item), names)


def test_texts_of_a_string_and_of_parts():
    assert read_texts("a") == (("a",), None)
    assert read_texts(PARTS) == (("one", "two"), ((0, "text"), (2, "text")))
    assert read_texts(None) == ((), None)
    assert read_texts([{"type": "refusal", "refusal": "no"}, "odd"]) == ((), ())


def test_changed_texts_are_written_into_the_form_that_the_content_had():
    assert write_texts(b'"a"', ["b"], ["c"]) == b'"b\\n\\nc"'
    written = json.loads(write_texts(raw(PARTS), ["one", "TWO"], ["three"]))
    assert written == [PARTS[0], PARTS[1], {**PARTS[2], "text": "TWO"}, {"type": "input_text", "text": "three"}]


def test_parts_that_no_text_is_left_for_go_and_pictures_stay():
    assert json.loads(write_texts(raw(PARTS), ["short"])) == [{**PARTS[0], "text": "short"}, PARTS[1]]


def test_an_untouched_part_keeps_its_bytes():
    content = b'[{"type": "input_text",  "text": "\\u0061"}, {"type":"input_text","text":"b"}]'
    assert b'{"type": "input_text",  "text": "\\u0061"}' in write_texts(content, ["a", "c"])


def test_a_call_that_was_not_changed_is_the_very_object_that_was_read():
    item = raw(sample.call())
    call = read_call(sample.call(), item)
    assert (call.id, call.name, call.tool, call.args, call.kind) == (
        "call_1", "query", "query", '{"n":"42"}', "function",
    )  # fmt: skip
    assert write_call(replace(call)) is item


def test_only_what_was_changed_is_written():
    item = (
        b'{"id":"fc_1", "type":"function_call","call_id":"c","name":"q","arguments":"{}","status":"completed","x":1.50}'
    )
    call = read_call(json.loads(item), item)
    written = write_call(replace(call, args='{"n":1}'))
    assert written == item.replace(b'", "', b'","').replace(b'"{}"', b'"{\\"n\\":1}"')
    assert json.loads(write_call(replace(call, id="d")))["call_id"] == "d"


def test_a_custom_call_holds_free_text():
    call = read(sample.custom())
    assert (call.kind, call.args) == ("custom", "SELECT 1")
    assert json.loads(write_call(replace(call, args="SELECT 2")))["input"] == "SELECT 2"
    assert json.loads(write_call(replace(call), fix=True)) == sample.custom()


def test_a_namespace_stays_with_its_call():
    names = named([("mcp__bench", "query"), ("mcp__shop", "order")])
    item = sample.call(namespace="mcp__bench")
    call = read(item, names)
    assert (call.name, call.tool) == ("mcp__bench.query", "query")
    assert json.loads(write_call(replace(call, args="{}"), names)) == {**item, "arguments": "{}"}
    moved = json.loads(write_call(replace(call, tool="order"), names))
    assert (moved["namespace"], moved["name"]) == ("mcp__shop", "order")


def test_a_namespace_that_no_tool_declares_is_kept():
    call = read(sample.call(namespace="query"))
    assert json.loads(write_call(replace(call, args="{}")))["namespace"] == "query"


def test_a_call_without_its_namespace_gets_it():
    names = named([("mcp__bench", "query")])
    call = read(sample.call(name="mcp__bench__query"), names)
    assert call.tool == "query"
    written = json.loads(write_call(call, names))
    assert (written["namespace"], written["name"]) == ("mcp__bench", "query")


def test_arguments_that_are_an_object_become_text():
    call = read({**sample.call(), "arguments": {"n": 1}})
    assert call.args == '{"n":1}'
    assert json.loads(write_call(call))["arguments"] == '{"n":1}'


def test_a_call_of_a_policy_is_written_whole():
    call = ToolCall("c", "q", "{}", "q", "{}")
    assert json.loads(write_call(call)) == {"type": "function_call", "call_id": "c", "name": "q", "arguments": "{}"}
    spaced = json.loads(write_call(call, named([("ns", "q")])))
    assert (spaced["namespace"], spaced["name"]) == ("ns", "q")
    assert json.loads(write_call(replace(call, kind="custom")))["input"] == "{}"


@pytest.mark.parametrize("text", ["[1]", "{", '"x"', ""])
def test_arguments_that_are_no_object_go_back_as_an_empty_one(text):
    call = read(sample.call(arguments=text))
    assert json.loads(write_call(call, fix=True))["arguments"] == "{}"
    assert json.loads(write_call(call))["arguments"] == text


def test_the_agents_shell_and_patch_are_calls_that_nobody_edits():
    action = {"type": "exec", "command": ["ls"], "env": {}}
    item = {"type": "local_shell_call", "id": "l", "call_id": "c", "action": action, "status": "completed"}
    call = read(item)
    assert (call.kind, call.tool, json.loads(call.args)) == ("builtin", "local_shell", action)
    assert json.loads(write_call(replace(call, args="{}"), fix=True)) == item


def test_what_the_agent_must_act_on_waits():
    assert all(
        map(waits, [sample.call(), sample.custom(), {"type": "computer_call"}, {"type": "mcp_approval_request"}])
    )
    assert waits({"type": "tool_search_call", "execution": "client"})
    assert not waits({"type": "tool_search_call", "execution": "server"})
    assert not any(map(waits, [sample.message(), sample.reasoning(), sample.search(), {"type": "mcp_call"}]))


def test_a_message_may_leave_its_type_out():
    assert kind_of({"role": "user", "content": "x"}) == "message"
    assert kind_of({"content": "x"}) == ""


# ---------------------------------------------------------------- results


def test_a_result_knows_its_tool_and_keeps_its_object():
    item = {"type": "function_call_output", "call_id": "c", "output": PARTS}
    body = raw(item)
    result = read_result(
        item, body, CallNames([Turn("assistant", calls=(ToolCall("c", "query", "{}", "query", "{}"),))])
    )
    assert (result.call_id, result.texts, result.tool, result.is_error) == ("c", ("one", "two"), "query", None)
    assert write_result(replace(result), Called()) is body
    written = json.loads(write_result(replace(result, texts=("1", "two")), Called()))
    assert written == {**item, "output": [{**PARTS[0], "text": "1"}, *PARTS[1:]]}


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("function_call", {"call_id": "c", "output": "42"}),
        ("custom_tool_call", {"call_id": "c", "output": "42"}),
        ("local_shell_call", {"id": "c", "output": "42"}),
        ("apply_patch_call", {"call_id": "c", "status": "failed", "output": "42"}),
    ],
)
def test_a_new_result_has_the_shape_that_its_call_asks_for(kind, more):
    written = json.loads(write_result(ToolResult("c", ("42",)), Called(kind)))
    assert written == {"type": f"{kind}_output", **more}
    read_again = read_result(written, raw(written), CallNames())
    assert (read_again.call_id, read_again.texts) == ("c", ("42",))
    assert (read_again.is_error is True) == (kind == "apply_patch_call")


def test_a_shell_result_has_two_streams():
    written = json.loads(write_result(ToolResult("c", ("no",)), Called("shell_call")))
    result = read_result(written, raw(written), CallNames())
    assert result.texts == ("", "no")
    changed = json.loads(write_result(replace(result, texts=("out", "")), Called("shell_call")))
    assert (changed["output"][0]["stdout"], changed["output"][0]["stderr"]) == ("out", "")


def test_a_result_goes_back_to_the_program_that_called():
    caller = {"type": "program", "caller_id": "p"}
    call = called(raw(sample.call(caller=caller)))
    assert json.loads(write_result(ToolResult("c", ("1",)), call))["caller"] == caller


# ---------------------------------------------------------------- what goes back


def test_a_rejected_output_goes_back_verbatim():
    output = [raw(item) for item in (sample.reasoning(), sample.message(), sample.search(), sample.call())]
    assert returnable(output, stored=True) == tuple(output)
    assert returnable(output, stored=False) == tuple(output)


def test_reasoning_that_a_provider_could_not_find_again_stays_away():
    bare = raw({"type": "reasoning", "id": "rs_1", "summary": []})
    readable = raw({"type": "reasoning", "id": "rs_1", "content": [{"type": "reasoning_text", "text": "x"}]})
    assert returnable([bare, readable], stored=False) == (readable,)
    assert returnable([bare, readable], stored=True) == (bare, readable)


def test_what_only_the_agent_could_answer_stays_away_with_its_reasoning():
    click = raw({"type": "computer_call", "call_id": "c", "action": {"type": "click"}})
    kept = [raw(sample.message()), raw(sample.call())]
    assert returnable([kept[0], raw(sample.reasoning()), click, kept[1]], stored=True) == tuple(kept)


def test_messages_of_our_own():
    assert json.loads(message(Turn("user", ("a",), appended=("b",)))) == {"role": "user", "content": "a\n\nb"}
    parts = json.loads(note(["a", "b"]))["content"]
    assert parts == [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
