"""Scripted Messages traffic for tests: events of a stream as the API sends them, and how an agent reads them.

`read` is a client of our own, as strict as the official one: blocks must count up without a gap, each event must
belong to a block that is open, and the parts of an input must make JSON.
"""

import itertools
import json
from typing import Any

from proxy.dialects import sse


def ids():
    """A maker of ids, the same ones each time."""
    numbers = itertools.count(1)
    return lambda: f"made{next(numbers):05d}"


def event(kind, **members):
    payload = json.dumps({"type": kind, **members}, ensure_ascii=False, separators=(",", ":"))
    return f"event: {kind}\ndata: {payload}\n\n".encode()


def start(input_tokens=10, **message):
    usage = {"input_tokens": input_tokens, "cache_read_input_tokens": 5, "output_tokens": 1}
    body: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
    }
    return event("message_start", message={**body, "stop_sequence": None, "usage": usage, **message})


def block(index, content_block, *deltas, stop=True):
    out = event("content_block_start", index=index, content_block=content_block)
    for delta in deltas:
        out += event("content_block_delta", index=index, delta=delta)
    return out + (event("content_block_stop", index=index) if stop else b"")


def text(index, *pieces, stop=True):
    return block(
        index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces), stop=stop
    )


def thinking(index, thought="hm", signature="c2ln+/=", *, stop=True):
    deltas = [{"type": "thinking_delta", "thinking": thought}, {"type": "signature_delta", "signature": signature}]
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas, stop=stop)


def call(index, *pieces, name="read", call_id="tu1", stop=True, **more):
    begun = {"type": "tool_use", "id": call_id, "name": name, "input": {}, **more}
    return block(index, begun, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces), stop=stop)


def end(reason="tool_use", **usage):
    delta = {"stop_reason": reason, "stop_sequence": None}
    return event("message_delta", delta=delta, usage={"output_tokens": 7, **usage}) + event("message_stop")


PING = event("ping")


def events(data):
    return sse.Splitter().feed(data)


def play(reader, data):
    """What leaves at once."""
    return b"".join(reader.feed(one) for one in events(data))


def read(data):
    """The message that a client puts together."""
    message: dict[str, Any] = {}
    parts: dict[int, str] = {}
    ended: set[int] = set()
    stopped = False
    for one in events(data):
        payload = sse.data(one)
        if payload is None:
            continue
        found = json.loads(payload)
        kind = found["type"]
        assert sse.name(one) == kind.encode()
        assert not stopped, "nothing comes after message_stop"
        if kind == "message_start":
            assert not message, "one message"
            message = found["message"]
        elif kind == "content_block_start":
            assert found["index"] == len(message["content"]), "blocks count up"
            message["content"].append(found["content_block"])
        elif kind in ("content_block_delta", "content_block_stop"):
            assert found["index"] < len(message["content"]), "the block has begun"
            assert found["index"] not in ended, "the block is open"
            grow(message["content"], parts, ended, found)
        elif kind == "message_delta":
            message |= found["delta"]
            message["usage"] |= found["usage"]
        elif kind == "message_stop":
            stopped = True
    assert stopped
    assert len(ended) == len(message["content"]), "every block has ended"
    return message


def grow(content, parts, ended, found):
    index = found["index"]
    if found["type"] == "content_block_stop":
        ended.add(index)
        if parts.get(index):
            content[index]["input"] = json.loads(parts[index])
        return
    delta = found["delta"]
    if delta["type"] == "input_json_delta":
        parts[index] = parts.get(index, "") + delta["partial_json"]
    elif delta["type"] == "text_delta":
        content[index]["text"] += delta["text"]
    elif delta["type"] == "thinking_delta":
        content[index]["thinking"] += delta["thinking"]
    elif delta["type"] == "signature_delta":
        content[index]["signature"] = delta["signature"]
    elif delta["type"] == "citations_delta":
        content[index]["citations"] = [*(content[index].get("citations") or []), delta["citation"]]


def raw(data, **style):
    return json.dumps(data, ensure_ascii=False, **style).encode()
