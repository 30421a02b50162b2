import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects import sse
from proxy.dialects.chat_stream import ChatStream
from proxy.model import Reply, ToolCall, replace
from tests.playbook import chunk


def _ids() -> Any:
    numbers: Iterator[int] = count(1)
    return lambda: f"made{next(numbers)}"


def _events(*payloads: Any, done: bool = True) -> list[bytes]:
    events = [sse.event(json.dumps(one).encode()) for one in payloads]
    return [*events, sse.event(b"[DONE]")] if done else events


def _read(events: list[bytes]) -> tuple[ChatStream, bytes, Reply]:
    stream = ChatStream(_ids())
    early = b"".join(stream.feed(event) for event in events)
    return stream, early, stream.reply(whole=True)


def _piece(index: int | None, args: str = "", name: str | None = None, call_id: str | None = None, **more: Any) -> Any:
    fragment: dict[str, Any] = {"function": {"arguments": args}, **more}
    if name is not None:
        fragment["function"]["name"] = name
    if index is not None:
        fragment["index"] = index
    if call_id is not None:
        fragment |= {"id": call_id, "type": "function"}
    return {"tool_calls": [fragment]}


def _merged(raw: bytes) -> list[dict[str, Any]]:
    """Calls as a naive client merges them: by index, strings appended."""
    calls: dict[int, dict[str, Any]] = {}
    splitter = sse.Splitter()
    for event in splitter.feed(raw):
        payload = sse.data(event)
        if payload is None or payload == b"[DONE]":
            continue
        for choice in json.loads(payload)["choices"]:
            for one in choice["delta"].get("tool_calls") or ():
                call = calls.setdefault(one["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += one.get("id") or ""
                call["name"] += one["function"].get("name") or ""
                call["arguments"] += one["function"].get("arguments") or ""
    return [calls[index] for index in sorted(calls)]


SOUND = _events(
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Let me "}),
    chunk({"content": "look."}),
    chunk(_piece(0, "", "weather", "c1")),
    chunk(_piece(0, '{"city":')),
    chunk(_piece(0, '"Oslo"}')),
    chunk({}, "tool_calls"),
    chunk(None, usage={"prompt_tokens": 7, "completion_tokens": 3}),
)


def test_text_leaves_at_once_and_calls_are_held_with_all_behind_them() -> None:
    stream, early, reply = _read(SOUND)
    assert early == b"".join(SOUND[:3])
    assert stream.unchanged() == b"".join(SOUND[3:])
    assert [(call.id, call.tool, call.args) for call in reply.calls] == [("c1", "weather", '{"city":"Oslo"}')]
    turn = reply.turns[0]
    assert (turn.text, turn.finish, turn.cut) == ("Let me look.", "tool_calls", False)
    assert reply.usage is not None
    assert reply.usage.total == 10
    assert not stream.malformed


@given(st.data())
def test_any_cutting_of_the_bytes_reads_the_same(data: st.DataObject) -> None:
    raw = b"".join(SOUND)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=20)))
    splitter = sse.Splitter()
    stream = ChatStream(_ids())
    out = b""
    for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True):
        out += b"".join(stream.feed(event) for event in splitter.feed(raw[a:b]))
    assert out + stream.unchanged() == raw
    assert stream.reply(whole=True).calls[0].args == '{"city":"Oslo"}'


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ([_piece(0, '{"p":1}', "a", "x"), _piece(0, '{"p":2}', "a", "y")], "an index used twice"),
        ([_piece(None, '{"p":1}', "a", "x"), _piece(None, '{"p":2}', "a", "y")], "a call without index"),
        ([_piece(None, '{"p":1}', "a"), _piece(None, '{"p":2}', "a")], "a call without index"),
        ([_piece(0, '{"p":', "a", "x"), _piece(0, "1}", "a", "x"), _piece(1, '{"p":2}', "a", "y")], "repeated"),
        ([_piece(0, '{"p":', "a", ""), _piece(0, "1}", None, ""), _piece(1, '{"p":2}', "a", "")], "without id"),
        ([_piece(0, '{"p":1}', "a", "x"), _piece(1, '{"p":2}', "a", "x")], "two calls with one id"),
    ],
)
def test_deviating_fragments_become_two_sound_calls(pieces: list[Any], why: str) -> None:
    events = _events(*(chunk(piece) for piece in pieces), chunk({}, "tool_calls"))
    stream, early, reply = _read(events)
    assert why in stream.malformed
    assert [json.loads(call.args) for call in reply.calls] == [{"p": 1}, {"p": 2}]
    merged = _merged(early + stream.write(reply))
    assert [json.loads(call["arguments"]) for call in merged] == [{"p": 1}, {"p": 2}]
    assert len({call["id"] for call in merged}) == 2
    assert all(call["name"] == "a" for call in merged)


def test_a_changed_call_replaces_its_fragments_and_nothing_else() -> None:
    stream, early, reply = _read(SOUND)
    turn = reply.turns[0]
    changed = replace(turn, calls=(replace(turn.calls[0], args='{"city":"Bergen"}'),))
    raw = early + stream.write(replace(reply, turns=(changed,)), b": handrail x\n\n")
    assert b"Oslo" not in raw
    assert _merged(raw) == [{"id": "c1", "name": "weather", "arguments": '{"city":"Bergen"}'}]
    assert raw.endswith(b": handrail x\n\n" + SOUND[-1])
    assert SOUND[-2] in raw, "the usage chunk is as it came"
    assert raw.count(b'"finish_reason": "tool_calls"') == 1


def test_all_members_of_a_call_survive_a_rewrite() -> None:
    piece = _piece(0, "{}", "a", "x", extra_content={"google": {"thought_signature": "s=="}})
    stream, _, reply = _read(_events(chunk({**piece, "reasoning_content": "so"}), chunk({}, "tool_calls")))
    turn = replace(reply.turns[0], calls=(replace(reply.calls[0], args='{"n":1}'),))
    raw = stream.write(replace(reply, turns=(turn,)))
    assert b'"thought_signature":"s=="' in raw
    assert b'"reasoning_content": "so"' in raw or b'"reasoning_content":"so"' in raw


def test_legacy_function_calls_are_read_and_written() -> None:
    events = _events(
        chunk({"function_call": {"name": "a", "arguments": '{"n":'}}),
        chunk({"function_call": {"arguments": '"1"}'}}),
        chunk({}, "function_call"),
    )
    stream, _, reply = _read(events)
    assert reply.calls[0].args == '{"n":"1"}'
    turn = replace(reply.turns[0], calls=(replace(reply.calls[0], args='{"n":1}'),), finish="tool_calls")
    raw = stream.write(replace(reply, turns=(turn,)))
    assert b'"function_call":{"name":"a","arguments":"{\\"n\\":1}"}' in raw
    assert b'"finish_reason": "function_call"' in raw


def test_a_stream_that_ends_early_is_cut() -> None:
    stream = ChatStream(_ids())
    for event in _events(chunk(_piece(0, '{"a":', "t", "x")), done=False):
        stream.feed(event)
    assert stream.reply(whole=False).turns[0].cut
    assert stream.reply(whole=True).turns[0].cut, "no finish reason and no [DONE]: nobody said that it is whole"


def test_only_the_native_reason_tells_of_a_cut() -> None:
    last = chunk({}, "tool_calls")
    last["choices"][0]["native_finish_reason"] = "MAX_TOKENS"
    _, _, reply = _read(_events(chunk(_piece(0, "{", "t", "x")), last))
    assert reply.turns[0].cut


def test_a_later_round_goes_on_with_the_stream_that_was_begun() -> None:
    first, early, _ = _read(SOUND)
    second = ChatStream(_ids(), first, mute=True)
    other: dict[str, Any] = {"id": "other", "created": 5}
    rest = _events(
        chunk({"role": "assistant", "content": ""}, **other),
        chunk({"content": "Sorry, again."}, **other),
        chunk(_piece(0, '{"city":"Nice"}', "weather", "c2"), **other),
        chunk({}, "tool_calls", **other),
    )
    passed = b"".join(second.feed(event) for event in rest)
    raw = early + passed + second.write(second.reply(whole=True))
    payloads = [json.loads(p) for e in sse.Splitter().feed(raw) if (p := sse.data(e)) and p != b"[DONE]"]
    assert {(one["id"], one["created"]) for one in payloads} == {("chatcmpl-1", 1700000000)}
    assert "".join(c["delta"].get("content") or "" for one in payloads for c in one["choices"]) == "Let me look."
    assert _merged(raw) == [{"id": "c2", "name": "weather", "arguments": '{"city":"Nice"}'}]


def test_text_of_a_muted_round_without_calls_is_said_after_all() -> None:
    first, _, _ = _read(SOUND)
    second = ChatStream(_ids(), first, mute=True)
    passed = b"".join(second.feed(event) for event in _events(chunk({"content": "It rains."}), chunk({}, "stop")))
    assert passed == b""
    assert b"It rains." in second.write(second.reply(whole=True))


def test_choices_are_kept_apart() -> None:
    def at(index: int, delta: Any, finish: str | None = None) -> Any:
        return {**chunk(), "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}

    events = _events(
        at(0, _piece(0, '{"n":1}', "a", "x")),
        at(1, _piece(0, '{"n":"2"}', "a", "y")),
        at(0, {}, "tool_calls"),
        at(1, {}, "tool_calls"),
    )
    stream, _, reply = _read(events)
    assert [turn.choice for turn in reply.turns] == [0, 1]
    second = replace(reply.turns[1], calls=(replace(reply.turns[1].calls[0], args='{"n":2}'),))
    raw = stream.write(replace(reply, turns=(reply.turns[0], second)))
    written = [json.loads(p)["choices"][0] for e in sse.Splitter().feed(raw) if (p := sse.data(e)) and p != b"[DONE]"]
    args = {
        one["index"]: one["delta"]["tool_calls"][0]["function"]["arguments"]
        for one in written
        if one["delta"].get("tool_calls")
    }
    assert args == {0: '{"n":1}', 1: '{"n":2}'}
    assert [one["index"] for one in written if one["finish_reason"]] == [0, 1]


# ---------------------------------------------------------------- text that may become calls


class Doubt:
    """Text waits from `<` on, until `>`."""

    def __init__(self) -> None:
        self.text = ""

    def waits(self, text: str) -> bool:
        self.text += text
        return self.text.rfind("<") > self.text.rfind(">")


DOUBTFUL = _events(
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "So "}),
    chunk({"content": "a <"}),
    chunk({"content": "call"}),
    chunk({}, "stop"),
    chunk(None, usage={"prompt_tokens": 7, "completion_tokens": 3}),
)


def _made(reply: Reply, text: str) -> Reply:
    turn = replace(reply.turns[0], texts=(text,), calls=(ToolCall("c1", "t", "{}", "t", "{}"),), finish="tool_calls")
    return replace(reply, turns=(turn,))


def _said(raw: bytes) -> str:
    payloads = [json.loads(p) for e in sse.Splitter().feed(raw) if (p := sse.data(e)) and p != b"[DONE]"]
    return "".join(choice["delta"].get("content") or "" for one in payloads for choice in one["choices"])


def test_doubtful_text_waits_with_all_behind_it() -> None:
    stream = ChatStream(_ids(), watch=Doubt)
    assert b"".join(map(stream.feed, DOUBTFUL)) == b"".join(DOUBTFUL[:2])
    assert stream.held
    assert stream.unchanged() == b"".join(DOUBTFUL[2:])


def test_text_that_was_no_call_leaves_as_it_came_once_it_shows() -> None:
    stream = ChatStream(_ids(), watch=Doubt)
    shown = _events(chunk({"content": "a <"}), chunk({"content": "b>"}), chunk({"content": " c"}), done=False)
    assert [stream.feed(event) for event in shown] == [b"", shown[0] + shown[1], shown[2]]
    assert stream.spoke


@pytest.mark.parametrize(("text", "left"), [("So a", "So a"), ("So ", "So "), ("So", "So "), ("", "So ")])
def test_a_call_in_words_is_taken_out_of_what_has_not_left(text: str, left: str) -> None:
    stream = ChatStream(_ids(), watch=Doubt)
    early = b"".join(map(stream.feed, DOUBTFUL))
    raw = early + stream.write(_made(stream.reply(whole=True), text))
    assert _said(raw) == left
    assert _merged(raw) == [{"id": "c1", "name": "t", "arguments": "{}"}]
    assert b'"stop"' not in raw
    assert DOUBTFUL[-2] in raw


def test_text_that_only_waited_was_not_said_for_the_round_after() -> None:
    first = ChatStream(_ids(), watch=Doubt)
    early = b"".join(map(first.feed, _events(chunk({"content": "<call"}))))
    second = ChatStream(_ids(), first, mute=True, watch=Doubt)
    events = _events(chunk({"content": "It "}), chunk({"content": "rains."}), chunk({}, "stop"))
    early += b"".join(map(second.feed, events))
    raw = early + second.unchanged()
    assert _said(raw) == "It rains."
    assert b"<call" not in raw


def test_a_muted_round_leaves_its_text_out_where_a_call_was_made_of_it() -> None:
    first, early, _ = _read(SOUND)
    second = ChatStream(_ids(), first, mute=True, watch=Doubt)
    early += b"".join(map(second.feed, _events(chunk({"content": "Again <call"}), chunk({}, "stop"))))
    raw = early + second.write(_made(second.reply(whole=True), "Again"))
    assert _said(raw) == "Let me look."
    assert [one["id"] for one in _merged(raw)] == ["c1"]


def test_a_turn_that_never_ended_gets_its_call_and_an_end() -> None:
    stream = ChatStream(_ids(), watch=Doubt)
    early = b"".join(map(stream.feed, _events(chunk({"content": "a <call"}))))
    raw = early + stream.write(_made(stream.reply(whole=True), "a "), b": c\n\n")
    assert raw.endswith(b": c\n\ndata: [DONE]\n\n")
    assert _said(raw) == "a "
    assert raw.count(b'"finish_reason":"tool_calls"') == 1
