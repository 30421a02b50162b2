"""Blocks: read, and written back with nothing lost that was not changed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.messages_content import (
    NOTHING,
    TextEdits,
    is_object,
    read_content,
    slots,
    text_block,
    write_call,
    write_result,
    write_texts,
)
from proxy.dialects.wire import COMPACT, SPACED, Raw
from proxy.model import ToolCall, ToolResult, replace

CACHED = '"cache_control":{"type":"ephemeral"}'


def content(text):
    return read_content(Raw(text.encode()))


def test_a_string_is_one_text_and_nothing_is_none():
    assert content('"hi"').texts == ("hi",)
    assert read_content(NOTHING).texts == ()
    assert content("null").texts == ()
    assert slots(b'"hi"') is None
    assert slots(None) is None


def test_only_text_calls_and_results_are_read():
    found = content(
        '[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"},'
        '{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},'
        '{"type":"mcp_tool_use","id":"m1","name":"x","server_name":"y","input":{}},'
        '{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"text","text":"no"}]},'
        '{"type":"document","text":"no"},{"type":"text","text":"b"},'
        '{"type":"tool_use","id":"t1","name":"read","input":{"a": 1.50}}]'
    )
    assert found.texts == ("a", "b")
    assert [(one.id, one.name, one.args, one.kind) for one in found.calls] == [
        ("t1", "read", '{"a": 1.50}', "function")
    ]
    assert found.results == ()


def test_a_call_keeps_the_bytes_of_its_input():
    (found,) = content(
        '[{"type":"tool_use","id":"t","name":"n","input":{"n":12345678901234567890123,"s":"\\u00e9"}}]'
    ).calls
    assert found.args == '{"n":12345678901234567890123,"s":"\\u00e9"}'


@pytest.mark.parametrize(("given_input", "args"), [("null", ""), ('"{}"', '"{}"'), ("[1]", "[1]"), ("{}", "{}")])
def test_input_of_any_shape_is_read(given_input, args):
    (found,) = content(f'[{{"type":"tool_use","id":"t","name":"n","input":{given_input}}}]').calls
    assert found.args == args


def test_a_member_of_a_toolset_is_no_tool_of_the_request():
    (found,) = content('[{"type":"tool_use","id":"t","name":"click","toolset_name":"computer","input":{}}]').calls
    assert found.kind == "builtin"


def test_blocks_of_odd_shapes_are_left_alone():
    found = content(
        '[1,"x",null,{"type":5},{"type":"text","text":null},{"type":"tool_use","id":null,"name":7,"input":{}},'
        '{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":[],"is_error":"yes","content":"r"}]'
    )
    assert found.texts == ("a",)
    assert [(one.id, one.name) for one in found.calls] == [("", "")]
    assert [(one.call_id, one.is_error, one.texts) for one in found.results] == [("", None, ("r",))]


def test_results_in_all_their_forms():
    found = content(
        '[{"type":"tool_result","tool_use_id":"a","content":"one","is_error":true},'
        '{"type":"tool_result","tool_use_id":"b","is_error":false},'
        '{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"x"},{"type":"image"},'
        '{"type":"text","text":"y"},{"type":"tool_reference","tool_name":"z"}]}]'
    ).results
    assert [(one.call_id, one.texts, one.is_error) for one in found] == [
        ("a", ("one",), True),
        ("b", (), False),
        ("c", ("x", "y"), None),
    ]


def test_what_is_not_changed_is_written_as_the_very_object():
    found = content('[{"type":"tool_use","id":"t","name":"n","input":{}},{"type":"tool_result","tool_use_id":"t"}]')
    assert write_call(found.calls[0]) is found.calls[0].wire.raw
    assert write_result(found.results[0]) is found.results[0].wire.raw


def test_a_changed_call_keeps_the_rest_of_its_block():
    text = f'[{{"type":"tool_use","id":"t","name":"n","input":{{}},"caller":{{"type":"direct"}},{CACHED}}}]'
    (found,) = content(text).calls
    written = write_call(replace(found, tool="m", args='{"a":1}'))
    assert (
        written
        == f'{{"type":"tool_use","id":"t","name":"m","input":{{"a":1}},"caller":{{"type":"direct"}},{CACHED}}}'.encode()
    )


def test_input_that_is_no_object_never_leaves_unless_it_came_so():
    (found,) = content('[{"type":"tool_use","id":"t","name":"n","input":"oops"}]').calls
    assert write_call(found) is found.wire.raw
    assert json.loads(bytes(write_call(replace(found, args="{broken"))))["input"] == "oops"
    assert json.loads(write_call(found, fix=True))["input"] == {}
    assert json.loads(write_call(ToolCall("t", "n", "", "n", "{broken")))["input"] == {}


def test_a_changed_result_keeps_its_form_and_its_marker():
    found = content(
        f'[{{"type":"tool_result","tool_use_id":"a","content":"one",{CACHED},"is_error":true}},'
        f'{{"type":"tool_result","tool_use_id":"b","content":[{{"type":"image"}},{{"type":"text","text":"x",{CACHED}}}]}},'
        '{"type":"tool_result","tool_use_id":"c"}]'
    ).results
    first, second, third = (json.loads(write_result(replace(one, texts=("new",)))) for one in found)
    assert first == {
        "type": "tool_result",
        "tool_use_id": "a",
        "content": "new",
        "cache_control": {"type": "ephemeral"},
        "is_error": True,
    }
    assert second["content"] == [
        {"type": "image"},
        {"type": "text", "text": "new", "cache_control": {"type": "ephemeral"}},
    ]
    assert third["content"] == "new"


def test_the_flag_of_a_result_can_be_set_and_taken_off():
    (found,) = content('[{"type":"tool_result","tool_use_id":"a","content":"one"}]').results
    assert json.loads(write_result(replace(found, is_error=True)))["is_error"] is True
    (found,) = content('[{"type":"tool_result","tool_use_id":"a","is_error":true}]').results
    assert "is_error" not in json.loads(write_result(replace(found, is_error=None)))


def test_new_blocks():
    assert json.loads(write_result(ToolResult("a", ("x", "y"), is_error=True))) == {
        "type": "tool_result",
        "tool_use_id": "a",
        "content": "x\n\ny",
        "is_error": True,
    }
    assert json.loads(write_result(ToolResult("a", ("",)))) == {"type": "tool_result", "tool_use_id": "a"}
    assert text_block("é", SPACED) == '{"type": "text", "text": "é"}'.encode()


def blocks(*texts):
    return json.dumps([{"type": "text", "text": one, "n": at} for at, one in enumerate(texts)]).encode()


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (["a", "b"], ["a", "B"], [("a", 0), ("B", 1)]),
        (["a", "b"], ["a", "b", "c"], [("a", 0), ("b", 1), ("c", None)]),
        (["a", "b", "c"], ["a", "c"], [("a", 0), ("c", 2)]),
        (["a", "b", "c"], ["c"], [("c", 2)]),
        (["a", "b"], ["x"], [("x", 1)]),
        (["a", "b"], ["", "b"], [("b", 1)]),
        (["a"], [], []),
        (["", "b"], ["", "c"], [("", 0), ("c", 1)]),
    ],
)
def test_texts_keep_their_blocks(old, new, left):
    written = json.loads(write_texts(blocks(*old), old, new, COMPACT))
    assert [(one["text"], one.get("n")) for one in written] == left


@given(st.lists(st.text(min_size=1, max_size=3), max_size=5), st.lists(st.text(min_size=1, max_size=3), max_size=5))
def test_new_texts_are_all_there_in_order(old, new):
    written = json.loads(write_texts(blocks(*old), old, new, COMPACT))
    assert [one["text"] for one in written] == new


def test_pruned_texts_are_not_even_kept_where_they_were_blank():
    (slot,) = slots(blocks(" \n")) or []
    assert TextEdits([" \n"], [" \n"], prune=True).at(slot, COMPACT) == []
    assert TextEdits([" \n"], [" \n"]).at(slot, COMPACT) == [slot.raw]


@pytest.mark.parametrize(
    ("text", "sound"),
    [("{}", True), (' {"a":1} ', True), ("", False), ("[]", False), ("{}x", False), ('{"a":' + "9" * 5000 + "}", True)],
)
def test_objects_are_known(text, sound):
    assert is_object(text) is sound
