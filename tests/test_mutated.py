"""Mutated exchanges: whatever agent and upstream send, the agent gets an answer or a broken connection, and no policy's
failure or engine's fault is behind it.
"""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxy.settings import parse_pack
from tests.playbook import SSE, Answer, World, call, chat, chunk, tool

PACK = (
    "policies: {gates: {steps: 8, repeats: 3, tokens: 100000}, explain_errors: {}, truncate_results: {bytes: 256},"
    " fold_history: {}, pin_task: {after_step: 1}, tool_health: {failures: 2}, run_once: {}, repair_arguments: {},"
    " rescue_text_calls: {}, constrain_tools: {names: portable}}\n"
    "tools: {send: {side_effect: true, idempotency_key: key, strict: true}}"
)
TOOLS = [
    tool("send", {"to": {"type": "string"}, "n": {"type": "integer"}, "key": {"type": "string"}}, ["to"]),
    tool("search", {"q": {"type": "string", "format": "date"}}),
]
MESSAGES = [
    {"role": "system", "content": "Never send twice."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Send it"}, {"type": "image_url", "image_url": {"url": "x"}}],
    },
    {"role": "assistant", "content": None, "tool_calls": [call("c1", "send", {"to": "a"}), call("c2", "search", "{")]},
    {"role": "tool", "tool_call_id": "c1", "content": "Traceback (most recent call last):\nKeyError: 'x'"},
    {"role": "tool", "tool_call_id": "c2", "content": json.dumps([{"id": n} for n in range(60)])},
]
CHAT = {"model": "m", "messages": MESSAGES, "tools": TOOLS}
CHAT_ANSWER = chat("so", [("d1", "send", {"to": "b", "n": "7"}), ("d2", "search", '{"q": "5 March 2024"')])
CHAT_STREAM = [
    chunk({"role": "assistant", "content": "so"}),
    chunk({"tool_calls": [{"index": 0, **call("d1", "send", '{"to": ')}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"b", "n": "7"}'}}]}),
    chunk({}, "tool_calls"),
    chunk(None, usage={"prompt_tokens": 3, "completion_tokens": 2}),
]
RESPONSES = {
    "model": "m",
    "input": [
        {"role": "user", "content": "Send it"},
        {"type": "function_call", "call_id": "c1", "name": "send", "arguments": '{"to": "a"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "Error: timeout"},
    ],
    "tools": [{"type": "function", **one["function"]} for one in TOOLS],
}
_ITEM = {"type": "function_call", "id": "fc", "call_id": "d1", "name": "send", "arguments": '{"to": "b", "n": "7"}'}
RESPONSES_ANSWER = {"id": "r", "object": "response", "status": "completed", "output": [_ITEM], "usage": None}
RESPONSES_STREAM = [
    {"type": "response.created", "sequence_number": 0, "response": {"id": "r", "status": "in_progress", "output": []}},
    {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": {**_ITEM, "arguments": ""}},
    {
        "type": "response.function_call_arguments.delta",
        "sequence_number": 2,
        "output_index": 0,
        "delta": _ITEM["arguments"],
    },
    {"type": "response.output_item.done", "sequence_number": 3, "output_index": 0, "item": _ITEM},
    {"type": "response.completed", "sequence_number": 4, "response": RESPONSES_ANSWER},
]
_USE = {"type": "tool_use", "id": "d1", "name": "send", "input": {"to": "b", "n": "7"}}
MESSAGES_ASK = {
    "model": "m",
    "max_tokens": 9,
    "messages": [
        {"role": "user", "content": "Send it"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "t", "signature": "s"}, {**_USE, "id": "c1"}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "Error: no", "is_error": True}],
        },
    ],
    "tools": [{"name": one["function"]["name"], "input_schema": one["function"]["parameters"]} for one in TOOLS],
}
MESSAGES_ANSWER = {
    "id": "m", "type": "message", "role": "assistant", "content": [_USE], "stop_reason": "tool_use", "usage": {},
}  # fmt: skip
MESSAGES_STREAM = [
    {"type": "message_start", "message": {**MESSAGES_ANSWER, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {**_USE, "input": {}}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"to": "b"}'}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]
APIS: dict[str, tuple[Any, Any, Any]] = {
    "/v1/chat/completions": (CHAT, CHAT_ANSWER, CHAT_STREAM),
    "/v1/responses": (RESPONSES, RESPONSES_ANSWER, RESPONSES_STREAM),
    "/v1/messages": (MESSAGES_ASK, MESSAGES_ANSWER, MESSAGES_STREAM),
}
ODD: Any = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1e308,
        10**40,
        "",
        "x",
        "\ud83d",
        "😀",
        [],
        {},
        [[]],
        [None],
        {"": {}},
        "{",
        [{"type": 1}],
        "\x00",
    ]
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    out = [path] if path else []
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        out += _places(inner, (*path, key))
    return out


@st.composite
def mutated(draw: Any, value: Any) -> bytes:
    """JSON with some places replaced, taken out or doubled; sometimes bytes that are cut or flipped."""
    value = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(0, 3))):
        places = _places(value)
        if not places:
            break
        *path, last = draw(st.sampled_from(places))
        parent = value
        for key in path:
            parent = parent[key]
        how = draw(st.sampled_from(["odd", "gone", "twice"]))
        if how == "odd":
            parent[last] = deepcopy(draw(ODD))
        elif how == "gone":
            del parent[last]
        elif isinstance(parent, list):
            parent.insert(last, parent[last])
    raw = json.dumps(value, ensure_ascii=draw(st.booleans())).encode("utf-8", "replace")
    if draw(st.integers(0, 9)) == 0:
        raw = raw[: draw(st.integers(0, len(raw)))]
    if draw(st.integers(0, 9)) == 0 and raw:
        at = draw(st.integers(0, len(raw) - 1))
        raw = raw[:at] + bytes([draw(st.integers(0, 255))]) + raw[at + 1 :]
    return raw


@st.composite
def exchanges(draw: Any, path: str) -> tuple[bytes, list[Answer]]:
    ask, answer, stream = APIS[path]
    streamed = draw(st.booleans())
    body = draw(mutated({**ask, "stream": True} if streamed else ask))
    answers = []
    for _ in range(14):
        fails = draw(st.sampled_from(["", "", "", "", "reset", "timeout"]))
        if draw(st.booleans()) if draw(st.integers(0, 9)) == 0 else streamed:
            parts = [b"data: " + draw(mutated(one)) + b"\n\n" for one in stream]
            answers.append(Answer([*parts, *([b"data: [DONE]\n\n"] if draw(st.booleans()) else [])], 200, SSE, fails))
        else:
            status = draw(st.sampled_from([200, 200, 200, 200, 400, 500]))
            answers.append(Answer([draw(mutated(answer))], status, fails=fails))
    return body, answers


def test_the_pack_is_sound() -> None:
    assert parse_pack(PACK).effective_mode("gates") == "enforce"


@pytest.mark.parametrize("path", list(APIS))
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_exchange_goes_wrong(path: str, data: st.DataObject) -> None:
    body, answers = data.draw(exchanges(path))
    played = World(PACK).play(body, answers, path=path)
    assert not played.notes("failed"), played.notes("failed")
    assert played.status or played.aborted, "no answer at all"
    if played.status == 200 and not played.aborted:
        assert played.body or not answers[0].chunks[0], "an empty 200"
    assert played.records[-1].kind == "end"
