"""Stop reasons, usage, ids."""

import json

import pytest

from proxy.dialects.messages_reply import (
    finish_of,
    hidden_usage,
    leading_thinking,
    missing_input,
    read_finish,
    read_usage,
    sound_calls,
    stop_edits,
    stop_reason,
)
from proxy.model import ToolCall, Turn, Usage
from tests.dialects.messages_script import ids

CALL = ToolCall("t", "n", "{}", "n", "{}")


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "filter"),
        ("pause_turn", "other"),
        ("compaction", "other"),
        (None, ""),
        ("", ""),
        (5, ""),
    ],
)
def test_stop_reasons(reason, finish):
    assert read_finish(reason) == finish


@pytest.mark.parametrize(
    ("finish", "calls", "fits", "said"),
    [
        ("stop", (CALL,), "tool_calls", "tool_use"),
        ("", (CALL,), "tool_calls", "tool_use"),
        ("tool_calls", (), "stop", "end_turn"),
        ("tool_calls", (CALL,), "tool_calls", "tool_use"),
        ("length", (CALL,), "length", "max_tokens"),
        ("filter", (), "filter", "refusal"),
        ("", (), "", "end_turn"),
    ],
)
def test_the_reason_fits_the_turn(finish, calls, fits, said):
    turn = Turn("assistant", (), calls, finish=finish)
    assert finish_of(turn) == fits
    assert stop_reason(turn) == said


def test_the_reason_is_edited_only_where_it_is_another():
    turn = Turn("assistant", (), (CALL,), finish="tool_calls")
    assert stop_edits(turn, "tool_use") == {}
    assert stop_edits(turn, "end_turn") == {"stop_reason": b'"tool_use"', "stop_sequence": b"null"}
    assert stop_edits(Turn("assistant", finish="stop"), "stop_sequence") == {}
    assert stop_edits(Turn("assistant", finish="other"), "pause_turn") == {}


def test_calls_get_ids_of_their_own():
    calls = tuple(ToolCall(one, "n", "", "n", "") for one in ("a", "", "a", "b"))
    sound, why = sound_calls(calls, ids())
    assert [one.id for one in sound] == ["a", "made00001", "made00002", "b"]
    assert why == "a call without id"
    assert sound_calls(calls[:1] * 2, ids())[1] == "two calls with one id"


def test_sound_calls_are_the_ones_that_came():
    calls = (CALL,)
    assert sound_calls(calls, ids()) == (calls, "")
    assert sound_calls(calls, ids())[0] is calls


def test_all_input_counts_and_cached_input_is_told():
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 7}
    assert read_usage(usage) == Usage(123, 7, 100)
    assert read_usage({"input_tokens": 3, "cache_read_input_tokens": None}, estimated=True) == Usage(
        3, 0, estimated=True
    )


@pytest.mark.parametrize("usage", [None, {}, "x", {"input_tokens": 0, "output_tokens": 0}, {"input_tokens": True}])
def test_usage_that_says_nothing_is_none(usage):
    assert read_usage(usage) is None


def test_input_counts_are_those_of_the_round_that_is_shown():
    begun = {"input_tokens": 3, "cache_read_input_tokens": 0, "output_tokens": 1}
    assert missing_input({"output_tokens": 7}, begun) == {"input_tokens": b"3", "cache_read_input_tokens": b"0"}
    assert missing_input({"input_tokens": 4, "cache_read_input_tokens": None}, begun) == {
        "cache_read_input_tokens": b"0"
    }
    assert missing_input(None, None) == {}


def test_hidden_usage_is_in_this_api_s_words():
    assert json.loads(hidden_usage(Usage(123, 7, 100))) == {
        "hidden_input_tokens": 23,
        "hidden_cache_read_input_tokens": 100,
        "hidden_output_tokens": 7,
        "estimated": False,
    }


def test_leading_thinking():
    kinds = ["thinking", "redacted_thinking", "text", "thinking"]
    content = json.dumps([{"type": kind} for kind in kinds]).encode()
    assert [json.loads(bytes(one))["type"] for one in leading_thinking(content)] == ["thinking", "redacted_thinking"]
    assert leading_thinking(b'[{"type":"text","text":"c"}]') == ()
    assert leading_thinking(None) == ()
