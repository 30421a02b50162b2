import json

import pytest

from proxy.dialects.dialect import UnreadableError
from proxy.dialects.responses_names import NO_NAMES
from proxy.dialects.responses_reply import (
    as_output,
    ends_well,
    made_id,
    new_message,
    output_of,
    read_finish,
    read_output,
    read_usage,
    sound_calls,
    with_hidden,
    write_output,
    write_response,
)
from proxy.model import ToolCall, Turn, Usage, replace
from tests.dialects import responses_sample as sample


def raw(item):
    return json.dumps(item).encode()


def turn_of(*output):
    return read_output([raw(item) for item in output], NO_NAMES, sample.ids())


def test_the_whole_output_is_one_turn():
    turn, why = turn_of(sample.reasoning(), sample.message(), sample.search(), sample.call(), sample.custom())
    assert (turn.texts, why, turn.cut) == (("Let me look.",), "", False)
    assert [call.tool for call in turn.calls] == ["query", "sql"]


def test_a_shell_that_the_provider_ran_is_no_call():
    ran = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
    assert turn_of(ran, {"type": "shell_call_output", "call_id": "s", "output": []})[0].calls == ()
    assert len(turn_of(ran)[0].calls) == 1


def test_calls_without_an_id_of_their_own_get_one():
    turn, why = turn_of({**sample.call(), "call_id": ""}, sample.call(number=2), sample.call(number=2))
    assert [call.id for call in turn.calls] == ["made00001", "call_2", "made00002"]
    assert why == "a call without id"
    assert sound_calls(turn.calls[1:], sample.ids())[1] == ""
    assert turn_of(sample.call(), sample.call())[1] == "two calls with one id"


def test_a_call_that_is_marked_incomplete_is_cut():
    assert turn_of(sample.call(status="incomplete"))[0].cut
    assert not turn_of(sample.call(status="in_progress"))[0].cut


def test_what_is_no_item_is_named():
    with pytest.raises(UnreadableError, match=r"output\[1\]"):
        turn_of(sample.call(), 3)


@pytest.mark.parametrize(
    ("state", "calls", "finish"),
    [
        ({"status": "completed"}, True, ("tool_calls", False)),
        ({"status": "completed"}, False, ("stop", False)),
        ({}, False, ("stop", False)),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, True, ("length", True)),
        ({"status": "incomplete", "incomplete_details": None}, True, ("length", True)),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, False, ("filter", True)),
        ({"status": "incomplete", "incomplete_details": {"reason": "other"}}, False, ("other", True)),
        ({"status": "failed"}, True, ("other", True)),
        ({"status": "queued"}, False, ("", False)),
        ({"status": "in_progress"}, False, ("", False)),
    ],
)
def test_why_it_ended(state, calls, finish):
    assert read_finish(state, calls=calls) == finish


def test_usage():
    assert read_usage(sample.response()["usage"]) == Usage(5, 3, 2)
    assert read_usage({"input_tokens": 1, "output_tokens": 1}) == Usage(1, 1)
    assert [read_usage(odd) for odd in (None, {}, {"input_tokens": 0, "output_tokens": 0}, 3)] == [None] * 4


def test_hidden_usage_stands_beside_the_own():
    told = json.loads(with_hidden(b'{"input_tokens":1}', Usage(7, 8, 9, estimated=True)))
    assert told == {
        "input_tokens": 1,
        "handrail": {
            "hidden_input_tokens": 7,
            "hidden_output_tokens": 8,
            "hidden_cached_tokens": 9,
            "estimated": True,
        },
    }
    assert "handrail" in json.loads(with_hidden(b"null", Usage(1, 1)))


def test_an_output_keeps_the_objects_that_nobody_changed():
    turn, _ = turn_of(sample.reasoning(), sample.call(), sample.call(number=2))
    one, two = turn.calls
    written = write_output(replace(turn, calls=(one, replace(two, args="{}"))), NO_NAMES, "resp_1")
    assert written[0] is turn.wire.items[0]
    assert written[1] is turn.wire.items[1]
    assert json.loads(written[2])["arguments"] == "{}"


def test_texts_in_place_of_calls_come_last_as_a_message():
    turn, _ = turn_of(sample.reasoning(), sample.call())
    written = [json.loads(one) for one in write_output(replace(turn, appended=("a", "b")), NO_NAMES, "resp_1")]
    assert [item["type"] for item in written] == ["reasoning", "function_call", "message"]
    assert [part["text"] for part in written[2]["content"]] == ["a", "b"]
    assert all(part["annotations"] == [] for part in written[2]["content"])


def test_new_items_get_ids_that_only_this_reply_has():
    call = ToolCall("c", "q", "{}", "q", "{}")
    one, other = (json.loads(write_output(Turn("assistant", calls=(call,)), NO_NAMES, seed)[0]) for seed in ("a", "b"))
    assert one["id"].startswith("fc_")
    assert one["id"] != other["id"]
    assert (one["status"], one["call_id"]) == ("completed", "c")
    assert json.loads(new_message(["x"], "a"))["id"].startswith("msg_")
    assert made_id("p", "a", "bc") != made_id("p", "ab", "c")


def test_an_item_that_ends_with_calls_is_completed():
    cut = raw(sample.call(status="incomplete"))
    assert json.loads(as_output(cut, "s", Turn("assistant", finish="tool_calls")))["status"] == "completed"
    assert as_output(cut, "s", Turn("assistant", finish="length")) is cut


def test_the_response_with_another_output():
    cut = raw(sample.response([sample.call()], status="incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert ends_well(cut, "tool_calls")
    assert not ends_well(cut, "length")
    assert not ends_well(raw(sample.response()), "stop")
    changed = json.loads(write_response(cut, [b"{}"], "tool_calls", Usage(1, 2), {"id": b'"other"'}))
    assert (changed["status"], changed["incomplete_details"], changed["output"]) == ("completed", None, [{}])
    assert (changed["id"], changed["usage"]["handrail"]["hidden_output_tokens"]) == ("other", 2)
    same = json.loads(write_response(cut, [], "length", None, {}))
    assert same == {**json.loads(cut), "output": []}


def test_the_text_that_some_providers_tell_again_follows():
    body = raw({**sample.response([sample.message("old")]), "output_text": "old"})
    assert json.loads(write_response(body, [raw(sample.message("new"))], "stop", None, {}))["output_text"] == "new"


def test_an_answer_without_output_cannot_be_read():
    for body in (b"{}", b'{"output":null}', b'{"error":{}}'):
        with pytest.raises(UnreadableError, match="no output"):
            output_of(body)
