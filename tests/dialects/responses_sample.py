"""Responses streams as OpenAI sends them, built from plain output items; and what a strict client checks of one."""

import itertools
import json
from typing import Any

from proxy.dialects import sse
from proxy.dialects.sse import Splitter

KEYS = {"function_call": "arguments", "custom_tool_call": "input"}
FAMILIES = {
    "function_call": "response.function_call_arguments",
    "custom_tool_call": "response.custom_tool_call_input",
}


def call(name="query", arguments='{"n":"42"}', number=1, **more) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": arguments,
        "status": "completed",
        **more,
    }


def custom(text="SELECT 1", number=1) -> dict[str, Any]:
    return {
        "type": "custom_tool_call",
        "id": f"ctc_{number}",
        "call_id": f"cc_{number}",
        "name": "sql",
        "input": text,
        "status": "completed",
    }


def message(text="Let me look.", number=1) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}


def reasoning(summary="", number=1) -> dict[str, Any]:
    parts = [{"type": "summary_text", "text": summary}] if summary else []
    return {"type": "reasoning", "id": f"rs_{number}", "summary": parts, "encrypted_content": f"gAAA{number}"}


def search(number=1) -> dict[str, Any]:
    action = {"type": "search", "query": "x"}
    return {"type": "web_search_call", "id": f"ws_{number}", "status": "completed", "action": action}


def response(output=(), number=1, status="completed", **more) -> dict[str, Any]:
    usage = {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 2}, "output_tokens": 3, "total_tokens": 8}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1700000000 + number,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "gpt-x",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage if status in ("completed", "incomplete") else None,
        **more,
    }


def told(items, number=1, end="completed", **more) -> list[dict[str, Any]]:
    """The events of a whole stream, in OpenAI's order."""
    begun = response((), number, "in_progress")
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(items):
        events += item_events(item, index)
    events.append({"type": f"response.{end}", "response": response(items, number, end, **more)})
    counter = itertools.count()
    return [{"type": event["type"], "sequence_number": next(counter), **event} for event in events]


def item_events(item, index) -> list[dict[str, Any]]:
    at = {"output_index": index}
    of = {"item_id": item["id"], **at}
    middle: list[dict[str, Any]] = []
    begun = {**item}
    if item["type"] in KEYS:
        key, family = KEYS[item["type"]], FAMILIES[item["type"]]
        begun |= {key: "", "status": "in_progress"}
        middle = [{"type": f"{family}.delta", **of, "delta": piece} for piece in pieces(item[key])]
        middle.append({"type": f"{family}.done", **of, key: item[key]})
    elif item["type"] == "message":
        begun |= {"content": [], "status": "in_progress"}
        for number, part in enumerate(item["content"]):
            place = {**of, "content_index": number}
            middle.append({"type": "response.content_part.added", **place, "part": {**part, "text": ""}})
            middle += [
                {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
                for piece in pieces(part["text"])
            ]
            middle.append({"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []})
            middle.append({"type": "response.content_part.done", **place, "part": part})
    elif item["type"] == "reasoning":
        begun |= {"summary": [], "encrypted_content": ""}
        for number, part in enumerate(item["summary"]):
            place = {**of, "summary_index": number}
            family = "response.reasoning_summary_text"
            middle.append({"type": "response.reasoning_summary_part.added", **place, "part": {**part, "text": ""}})
            middle += [{"type": f"{family}.delta", **place, "delta": piece} for piece in pieces(part["text"])]
            middle.append({"type": f"{family}.done", **place, "text": part["text"]})
            middle.append({"type": "response.reasoning_summary_part.done", **place, "part": part})
    elif item["type"] == "web_search_call":
        middle = [{"type": f"response.web_search_call.{state}", **of} for state in ("in_progress", "completed")]
    return [
        {"type": "response.output_item.added", **at, "item": begun},
        *middle,
        {"type": "response.output_item.done", **at, "item": item},
    ]


def pieces(text: str, size=5) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def encode(events, *, named=True) -> bytes:
    return b"".join(
        sse.event(
            json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode(),
            event["type"].encode() if named else None,
        )
        for event in events
    )


def stream(items, number=1, end="completed", *, named=True, **more) -> bytes:
    return encode(told(items, number, end, **more), named=named)


def ids():
    counter = itertools.count(1)
    return lambda: f"made{next(counter):05d}"


def play(reader, data: bytes) -> bytes:
    """What leaves at once."""
    splitter = Splitter()
    out = [reader.feed(event) for event in splitter.feed(data)]
    rest = splitter.rest()
    return b"".join([*out, reader.feed(rest) if rest else b""])


def events_of(data: bytes) -> list[dict[str, Any]]:
    """The JSON events of a stream, after checking what holds for each legal one."""
    splitter = Splitter()
    raw = splitter.feed(data)
    assert splitter.rest() == b""
    found = []
    for event in raw:
        payload = sse.data(event)
        if payload is None or payload.strip() == b"[DONE]":
            continue
        one = json.loads(payload)
        assert sse.name(event) in (None, one["type"].encode())
        found.append(one)
    assert len({sse.name(event) is None for event in raw if sse.data(event)}) <= 1
    numbers = [one["sequence_number"] for one in found]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers
    return found


def legal(data: bytes) -> dict[str, Any]:
    """Reads a whole stream as a strict client does; the last response. Every copy of an item must say the same."""
    events = events_of(data)
    assert [one["type"] for one in events].count("response.created") == 1
    assert events[0]["type"] == "response.created"
    open_items: dict[int, dict[str, Any]] = {}
    whole: dict[int, dict[str, Any]] = {}
    deltas: dict[int, str] = {}
    for one in events[:-1]:
        kind: str = one["type"]
        index: Any = one.get("output_index")
        if kind == "response.output_item.added":
            assert index == len(open_items), "indexes rise without holes"
            open_items[index] = one["item"]
            deltas[index] = ""
            assert one["item"].get(KEYS.get(one["item"]["type"], ""), "") == ""
        elif index is not None:
            assert index in open_items
            assert index not in whole
            assert one.get("item_id", open_items[index]["id"]) == open_items[index]["id"]
        if kind.endswith(("arguments.delta", "input.delta", "output_text.delta")):
            deltas[index] += one["delta"]
        if kind.endswith(("arguments.done", "input.done")):
            assert deltas[index] == one[KEYS[open_items[index]["type"]]]
        if kind == "response.output_item.done":
            assert one["item"]["id"] == open_items[index]["id"]
            whole[index] = one["item"]
            if one["item"]["type"] in KEYS:
                assert one["item"][KEYS[one["item"]["type"]]] == deltas[index]
            if one["item"]["type"] == "message":
                assert "".join(part["text"] for part in one["item"]["content"]) == deltas[index]
    assert open_items.keys() == whole.keys()
    last = events[-1]
    assert last["type"] == "response." + last["response"]["status"]
    assert last["response"]["id"] == events[0]["response"]["id"]
    listed = last["response"]["output"]
    assert [item for item in whole.values() if item in listed] == listed
    missing = [item["type"] for item in whole.values() if item not in listed]
    assert set(missing) <= {"reasoning"}
    found: dict[str, Any] = last["response"]
    return found


def types_of(data: bytes) -> list[str]:
    return [one["type"].removeprefix("response.") for one in events_of(data)]
