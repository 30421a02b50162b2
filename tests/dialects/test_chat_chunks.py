"""Held chunks written anew: the calls whole, all else as it came."""

import json
from itertools import count
from typing import Any

import pytest

from proxy.dialects import sse
from proxy.dialects.chat_chunks import ChunkWriter
from proxy.dialects.chat_stream import ChatStream
from proxy.model import Reply, ToolCall, Turn, Usage, replace
from tests.playbook import call, chunk

USAGE = chunk(None, usage={"prompt_tokens": 7, "completion_tokens": 3})


def ids() -> Any:
    numbers = count(1)
    return lambda: f"made{next(numbers)}"


def piece(index: int, args: str, name: str = "find", **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, **call(f"call_{index}", name, args)}], **more}


def read(*payloads: Any, hidden: Usage | None = None, after: ChatStream | None = None) -> tuple[ChatStream, Reply]:
    stream = ChatStream(ids(), after, hidden)
    for payload in payloads:
        stream.feed(sse.event(json.dumps(payload).encode()))
    stream.feed(sse.event(b"[DONE]"))
    return stream, stream.reply(whole=True)


def told(raw: bytes) -> list[Any]:
    payloads = [p for event in sse.Splitter().feed(raw) if (p := sse.data(event))]
    assert payloads.pop() == b"[DONE]"
    return [json.loads(one) for one in payloads]


def parts(raw: bytes) -> list[Any]:
    return [part for one in told(raw) for part in one["choices"]]


def with_args(reply: Reply, args: str) -> Reply:
    turn = replace(reply.turns[0], calls=tuple(replace(one, args=args) for one in reply.turns[0].calls))
    return replace(reply, turns=(turn,))


def test_calls_leave_whole_where_their_first_fragment_stood() -> None:
    rest = {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}
    pieces = (piece(0, '{"a"'), rest, piece(1, "{}", "look"))
    stream, reply = read(*map(chunk, pieces), chunk({}, "tool_calls"), USAGE)
    out = parts(stream.write(with_args(reply, '{"b":2}')))
    assert [one["delta"]["tool_calls"] for one in out if "tool_calls" in one["delta"]] == [
        [{"index": 0, **call("call_0", "find", '{"b":2}')}],
        [{"index": 1, **call("call_1", "look", '{"b":2}')}],
    ]


def test_the_end_and_the_usage_stay() -> None:
    stream, reply = read(chunk(piece(0, "{}")), chunk({}, "tool_calls"), USAGE)
    out = told(stream.write(with_args(reply, '{"b":2}')))
    assert [part["finish_reason"] for one in out for part in one["choices"]] == [None, "tool_calls"]
    assert out[-1] == USAGE


@pytest.mark.parametrize("hidden", [None, Usage(5, 1)])
def test_hidden_tokens_stand_beside_the_usage(hidden: Usage | None) -> None:
    stream, reply = read(chunk(piece(0, "{}")), chunk({}, "tool_calls"), USAGE, hidden=hidden)
    usage = told(stream.write(with_args(reply, '{"b":2}')))[-1]["usage"]
    assert usage.get("handrail", {}).get("hidden_prompt_tokens") == (5 if hidden else None)
    assert usage["prompt_tokens"] == 7


def test_what_else_a_fragment_says_is_kept() -> None:
    stream, reply = read(chunk(piece(0, "{}", reasoning_content="hm")), chunk({}, "tool_calls"))
    first = [part["delta"] for part in parts(stream.write(with_args(reply, '{"b":2}')))]
    assert {"reasoning_content": "hm"} in first


def test_without_calls_a_turn_ends_as_text() -> None:
    stream, reply = read(chunk({"content": "Hm."}), chunk(piece(0, "{}")), chunk({}, "tool_calls"))
    turn = replace(reply.turns[0], calls=(), appended=("It was not called.",), finish="stop")
    out = parts(stream.write(replace(reply, turns=(turn,))))
    assert [one["delta"].get("content") for one in out if one["delta"].get("content")] == ["It was not called."]
    assert not any("tool_calls" in one["delta"] for one in out)
    assert [one["finish_reason"] for one in out if one["finish_reason"]] == ["stop"]


def test_a_call_that_is_added_is_numbered() -> None:
    stream, reply = read(chunk(piece(0, "{}")), chunk({}, "tool_calls"))
    new = ToolCall("c", "new", "{}", "new", "{}")
    turn = replace(reply.turns[0], calls=(new, *reply.turns[0].calls))
    out = [
        part["delta"]["tool_calls"][0] for part in parts(stream.write(replace(reply, turns=(turn,)))) if part["delta"]
    ]
    assert [(one["index"], one["id"]) for one in out] == [(0, "c"), (1, "call_0")]


def test_a_second_round_is_of_the_first_ones_stream() -> None:
    first, _ = read(chunk({"role": "assistant", "content": "Hm."}), chunk(piece(0, "{}")), chunk({}, "tool_calls"))
    second, reply = read(
        {**chunk(piece(0, "{}")), "id": "other", "created": 9}, {**chunk({}, "tool_calls"), "id": "other"}, after=first
    )
    assert {one["id"] for one in told(second.write(with_args(reply, '{"b":2}')))} == {"chatcmpl-1"}


def test_choices_that_are_odd_stay_as_they_are() -> None:
    stream, reply = read(chunk(piece(0, "{}")), chunk({}, "tool_calls"))
    writer = ChunkWriter(stream, {0: reply.turns[0]}, {}, mute=False)
    odd = {**chunk(), "choices": [5, {"index": 7, "delta": {"content": "x"}}]}
    event = sse.event(json.dumps(odd).encode())
    assert writer.chunk(event, odd) == [event]


@pytest.mark.parametrize("mute", [False, True])
def test_text_that_waited_is_said_unless_it_is_muted(mute: bool) -> None:  # noqa: FBT001
    stream, reply = read(chunk({"content": "Hm."}), chunk(piece(0, "{}")), chunk({}, "tool_calls"))
    writer = ChunkWriter(stream, {0: reply.turns[0]}, {0: "More."}, mute=mute)
    held = chunk(piece(0, "{}"))
    out = b"".join(writer.chunk(sse.event(json.dumps(held).encode()), held))
    assert (b"More." in out) is not mute
    assert b"call_0" in out


def test_a_choice_that_never_ended_is_ended() -> None:
    stream, reply = read(chunk(piece(0, "{}")))
    writer = ChunkWriter(stream, {0: Turn("assistant", ("Hm.",), finish="stop")}, {0: "Hm."}, mute=False)
    out = [json.loads(sse.data(one) or b"") for one in writer.rest()]
    assert [part["delta"].get("content") for one in out for part in one["choices"]] == ["Hm.", None]
    assert out[-1]["choices"][0]["finish_reason"] == "stop"
    assert writer.rest() == [], "once"
    del reply
