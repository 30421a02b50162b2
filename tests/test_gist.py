"""One line that says what a body is about, whatever API it belongs to."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.gist import gist, shortened


def events(*values):
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values) + b"data: [DONE]\n\n"


CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}

BODIES = [
    (
        {"messages": [{"role": "user", "content": "Hi\nthere"}], "tools": [1]},
        "1 items, 1 tools; user: Hi there",
    ),
    (
        {"messages": [{}, {"role": "tool", "tool_call_id": "c", "content": "sunny"}]},
        "2 items; tool: sunny",
    ),
    (
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "42"}]}]},
        "1 items; user: 42",
    ),
    ({"input": "Hello"}, "1 items; user: Hello"),
    (
        {"input": [{"type": "function_call_output", "call_id": "c", "output": "42"}]},
        "1 items; function_call_output: 42",
    ),
    (
        {"choices": [{"message": {"content": "Let me", "tool_calls": [CALL, CALL]}}]},
        'Let me calls look {"a": 1}, calls look {"a": 1}',
    ),
    (
        {"content": [{"type": "text", "text": "So"}, {"type": "tool_use", "name": "look", "input": {"a": 1}}]},
        "So calls look",
    ),
    ({"output": [{"type": "function_call", "name": "look", "arguments": "{}"}]}, "calls look {}"),
    ({"error": {"message": "no such model"}}, "error: no such model"),
    ({"error": "bad"}, "error: bad"),
    ({"data": [1]}, '{"data": [1]}'),
]


@pytest.mark.parametrize(("value", "wanted"), BODIES)
def test_a_json_body(value, wanted):
    assert gist(json.dumps(value).encode()).startswith(wanted)


STREAMS = [
    events(
        {"choices": [{"delta": {"role": "assistant", "content": "Let "}}]},
        {"choices": [{"delta": {"content": "me"}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "look", "arguments": ""}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}}]},
    ),
    b"event: message_start\n"
    + events(
        {"type": "message_start", "message": {"content": []}},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Let me"}},
        {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "look", "input": {}}},
        {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": '{"a"'}},
        {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": ":1}"}},
    ),
    events(
        {"type": "response.created", "response": {"output": []}},
        {"type": "response.output_text.delta", "delta": "Let me"},
        {"type": "response.output_text.done", "text": "Let me"},
        {"type": "response.output_item.added", "item": {"type": "function_call", "name": "look", "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "delta": '{"a":1}'},
        {"type": "response.function_call_arguments.done", "arguments": '{"a":1}'},
        {"type": "response.completed", "response": {"output": [{"type": "message"}]}},
    ),
]


@pytest.mark.parametrize("body", STREAMS)
def test_a_streamed_body(body):
    assert gist(body) == 'Let me calls look {"a":1}'


def test_what_is_not_known_is_shown_by_its_beginning():
    assert gist(b"") == ""
    assert gist(b"<html>\n<b>502\x1b[2J</b>") == "<html> <b>502 [2J</b>"
    assert gist(b"\xff\xfe") == "\ufffd\ufffd"
    assert gist(b"[" * 100_000).startswith("[[[")


def test_a_long_text_is_shortened():
    assert shortened("a" * 30, 10) == "aaaaaaaaa…"
    assert shortened(" " * 10_000 + "a", 10) == "…"


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["messages", "input", "choices", "delta", "content", "type", "name", "error", "tools", "output"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@settings(deadline=None)
@given(JSON, st.booleans())
def test_any_shape_is_one_line(value, stream):
    body = events(value) if stream else json.dumps(value).encode()
    line = gist(body)
    assert len(line) <= 160
    assert "\n" not in line
