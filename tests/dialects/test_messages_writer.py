"""The held part of a stream, written anew: legal for the strictest client, and nothing is lost that was not changed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.messages_stream import MessagesStream
from proxy.model import ToolCall, Usage, replace
from tests.dialects.messages_script import PING, call, end, event, ids, play, read, start, text, thinking


def played(data, **options):
    reader = MessagesStream(ids(), **options)
    return reader, play(reader, data)


def changed(reader, **turn):
    reply = reader.reply(whole=True)
    return replace(reply, turns=(replace(reply.turns[0], **turn),))


def calls_of(reader):
    return reader.reply(whole=True).turns[0].calls


def test_a_repaired_call_is_written_whole():
    reader, early = played(
        start() + text(0, "hi") + call(1, '{"a":', '"x"}', caller={"type": "direct"}) + end(output_tokens=3)
    )
    (one,) = calls_of(reader)
    out = reader.write(changed(reader, calls=(replace(one, args='{"a":1}'),)), b": note\n\n")
    assert out.count(b"partial_json") == 1
    assert out.endswith(b': note\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n')
    message = read(early + out)
    assert message["content"] == [
        {"type": "text", "text": "hi"},
        {"type": "tool_use", "id": "tu1", "name": "read", "input": {"a": 1}, "caller": {"type": "direct"}},
    ]
    assert message["stop_reason"] == "tool_use"
    assert message["usage"] == {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 3}


def test_only_the_changed_call_is_written_anew():
    data = start() + call(0, '{"a', '":1}') + call(1, '{"b":', "2}", call_id="tu2") + end()
    reader, early = played(data)
    first, second = calls_of(reader)
    out = reader.write(changed(reader, calls=(replace(first, tool="r2"), second)))
    assert call(1, '{"b":', "2}", call_id="tu2") in out
    assert [(one["id"], one["name"], one["input"]) for one in read(early + out)["content"]] == [
        ("tu1", "r2", {"a": 1}),
        ("tu2", "read", {"b": 2}),
    ]


def test_a_call_that_is_gone_leaves_no_gap():
    reader, early = played(start() + text(0, "a") + call(1, "{}") + text(2, "b") + call(3, "{}", call_id="tu2") + end())
    out = reader.write(changed(reader, calls=calls_of(reader)[1:]))
    assert [one.get("id") or one["text"] for one in read(early + out)["content"]] == ["a", "b", "tu2"]


def test_a_turn_without_calls_ends_as_one():
    reader, early = played(start() + call(0, "{") + end())
    out = reader.write(changed(reader, calls=(), appended=("cut off", "")))
    message = read(early + out)
    assert message["content"] == [{"type": "text", "text": "cut off"}]
    assert message["stop_reason"] == "end_turn"


def test_text_of_our_own_stands_before_the_calls():
    reader, early = played(start() + call(0, "{}") + end())
    out = reader.write(changed(reader, appended=("first",)))
    assert [one["type"] for one in read(early + out)["content"]] == ["text", "tool_use"]


def test_carried_and_new_calls_get_blocks():
    other, _ = played(start() + call(0, '{"x":1}', call_id="old", caller={"type": "direct"}) + end())
    (carried,) = calls_of(other)
    reader, early = played(start() + call(0, "{}") + end())
    new = ToolCall("new", "n", "", "n", '{"y":2}')
    out = reader.write(changed(reader, calls=(carried, *calls_of(reader), new)))
    assert [(one["id"], one["input"], one.get("caller")) for one in read(early + out)["content"]] == [
        ("old", {"x": 1}, {"type": "direct"}),
        ("tu1", {}, None),
        ("new", {"y": 2}, None),
    ]


def test_a_reason_that_does_not_fit_is_changed_only_for_a_changed_turn():
    reader, early = played(start() + call(0, "{}") + end("end_turn"))
    assert read(early + reader.unchanged())["stop_reason"] == "end_turn"
    reader, early = played(start() + call(0, "{}") + end("end_turn"))
    (one,) = calls_of(reader)
    assert (
        read(early + reader.write(changed(reader, calls=(replace(one, args='{"a":1}'),))))["stop_reason"] == "tool_use"
    )


def test_calls_of_a_dead_stream_that_a_policy_took_away_end_it_honestly():
    reader, early = played(start() + text(0, "hm") + call(1, '{"a', stop=False))
    out = reader.write(changed(reader, calls=(), appended=("cut off",)), b": note\n\n")
    message = read(early + out)
    assert [one["text"] for one in message["content"]] == ["hm", "cut off"]
    assert message["stop_reason"] == "end_turn"
    assert b": note" in out


def test_an_unchanged_dead_stream_gets_no_end():
    reader, _ = played(start() + call(0, "{}", stop=False), hidden=Usage(1, 1))
    assert b"message_stop" not in reader.write(reader.reply(whole=False))


def test_hidden_usage_stands_in_the_last_usage():
    reader, early = played(start() + call(0, "{}") + end(), hidden=Usage(30, 4, 10))
    usage = read(early + reader.unchanged())["usage"]
    assert usage["output_tokens"] == 7
    assert usage["handrail"] == {
        "hidden_input_tokens": 20,
        "hidden_cache_read_input_tokens": 10,
        "hidden_output_tokens": 4,
        "estimated": False,
    }


def test_a_message_delta_without_usage_still_tells_hidden_rounds():
    tail = end().replace(b',"usage":{"output_tokens":7}', b"")
    reader, early = played(start() + call(0, "{}") + tail, hidden=Usage(1, 1))
    assert read(early + reader.unchanged())["usage"]["handrail"]["hidden_input_tokens"] == 1


def test_what_belongs_to_no_block_is_kept_or_left_out():
    stray = event("content_block_delta", index=9, delta={"type": "text_delta", "text": "x"})
    reader, early = played(start() + call(0, "{}") + event("new_event", x=1) + stray + end())
    (one,) = calls_of(reader)
    out = reader.write(changed(reader, calls=(replace(one, tool="x"),)))
    assert event("new_event", x=1) in out
    assert stray not in out
    assert read(early + out)["content"][0]["name"] == "x"


BLOCKS = st.lists(
    st.one_of(
        st.tuples(st.just("text"), st.text(max_size=4)),
        st.tuples(st.just("thinking"), st.text(max_size=4)),
        st.tuples(st.just("call"), st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)),
    ),
    max_size=6,
)


def streamed(blocks):
    out = start()
    for at, (kind, value) in enumerate(blocks):
        if kind == "text":
            out += text(at, *value)
        elif kind == "thinking":
            out += thinking(at, value)
        else:
            written = json.dumps(value)
            out += call(at, written[:2], written[2:], call_id=f"t{at}") + PING
    return out + end("tool_use" if any(kind == "call" for kind, _ in blocks) else "end_turn")


@given(BLOCKS, st.data())
def test_whatever_is_changed_a_strict_client_reads_what_is_meant(blocks, data):
    reader, early = played(streamed(blocks))
    calls = calls_of(reader)
    kept = tuple(
        replace(one, args='{"new":true}') if data.draw(st.booleans()) else one
        for one in calls
        if data.draw(st.integers(0, 3))
    )
    message = read(early + reader.write(changed(reader, calls=kept)))
    uses = [one for one in message["content"] if one["type"] == "tool_use"]
    assert [(one["id"], one["input"]) for one in uses] == [(one.id, json.loads(one.args)) for one in kept]
    assert [one["text"] for one in message["content"] if one["type"] == "text"] == [
        value for kind, value in blocks if kind == "text"
    ]
    assert [one["thinking"] for one in message["content"] if one["type"] == "thinking"] == [
        value for kind, value in blocks if kind == "thinking"
    ]
    assert message["stop_reason"] == ("tool_use" if kept else "end_turn")


@pytest.mark.parametrize("mute", [True, False])
def test_muted_text_is_left_out_beside_calls_and_thinking_is_not(mute):
    first, early = played(start() + text(0, "I will read.") + call(1, "{") + end())
    again = start() + thinking(0) + text(1, "I will read.") + call(2, "{}", call_id="tu2") + end()
    second, more = played(again, after=first, hidden=Usage(1, 1), mute=mute)
    message = read(early + more + second.unchanged())
    assert [one["type"] for one in message["content"]] == [
        "text",
        "thinking",
        *([] if mute else ["text"]),
        "tool_use",
    ]
