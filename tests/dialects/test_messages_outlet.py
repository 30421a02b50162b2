"""The agent's stream: indices count up, and nothing stays open."""

import json

from proxy.dialects.messages_content import CallOrigin
from proxy.dialects.messages_outlet import Outlet, block_stop, event, relabelled
from proxy.dialects.sse import Splitter, data
from proxy.model import ToolCall


def payloads(stream):
    return [json.loads(data(one) or b"") for one in Splitter().feed(stream)]


def test_indices_count_up_over_all_owners():
    outlet = Outlet()
    first, second = object(), object()
    assert outlet.start(first) == 0
    outlet.stop(0)
    assert outlet.start(second) == 1
    assert outlet.last is second
    assert payloads(outlet.text("a"))[0]["index"] == 2
    assert outlet.start(first, 7) == 7
    assert outlet.next == 8


def test_blocks_left_open_are_ended_once():
    outlet = Outlet()
    mine, other = object(), object()
    outlet.start(other)
    outlet.start(mine)
    assert outlet.shut(mine) == block_stop(0)
    assert outlet.shut() == block_stop(1)
    assert outlet.shut() == b""


def test_a_text_of_our_own():
    assert payloads(Outlet().text("hé")) == [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hé"}},
        {"type": "content_block_stop", "index": 0},
    ]


def test_a_call_says_all_that_the_model_s_block_said():
    origin = CallOrigin(
        b'{"type":"tool_use","id":"","name":"n","input":{"a":1},"caller":{"type":"direct"}}', "", "n", "x"
    )
    begun, grown, _ = payloads(Outlet().call(ToolCall("t", "n", "x", "m", '{"a":2}', wire=origin)))
    assert begun["content_block"] == {
        "type": "tool_use",
        "id": "t",
        "name": "m",
        "input": {},
        "caller": {"type": "direct"},
    }
    assert grown["delta"] == {"type": "input_json_delta", "partial_json": '{"a":2}'}


def test_events_are_named_like_their_type():
    assert event("message_stop", {}) == b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    payload = b'{"type":"content_block_stop", "index":3, "x":1.50}'
    assert relabelled("content_block_stop", payload, {"index": b"4"}) == (
        b'event: content_block_stop\ndata: {"type":"content_block_stop","index":4,"x":1.50}\n\n'
    )
