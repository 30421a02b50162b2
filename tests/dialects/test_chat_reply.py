import json
from itertools import count
from typing import Any

import pytest

from proxy.dialects.chat_reply import (
    Choice,
    hidden_usage,
    read_answer,
    read_choice,
    read_finish,
    read_usage,
    sound_calls,
    write_choice,
    write_finish,
)
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.wire import Raw, items
from proxy.model import ToolCall, Turn, Usage, replace
from tests.playbook import call


def ids() -> Any:
    numbers = count(1)
    return lambda: f"made{next(numbers)}"


def chosen(raw: Raw) -> Choice:
    return read_answer(b'{"choices":[' + bytes(raw) + b"]}").choices[0]


def read(choice: Any, at: int = 0) -> tuple[Turn, str]:
    (one,) = items(json.dumps([choice]).encode())
    return read_choice(chosen(one), at, ids())


def choice(finish: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"index": 0, "message": {"role": "assistant", "content": "ok", **more}, "finish_reason": finish}


@pytest.mark.parametrize(
    ("reason", "native", "finish", "cut"),
    [
        ("stop", None, "stop", False),
        ("eos", None, "stop", False),
        ("tool_calls", None, "tool_calls", False),
        ("function_call", None, "tool_calls", False),
        ("length", None, "length", True),
        ("content_filter", None, "filter", False),
        ("tool_calls", "MAX_TOKENS", "tool_calls", True),
        ("stop", "max_output_tokens", "stop", True),
        ("stop", "STOP", "stop", False),
        ("odd", None, "other", False),
        ("", None, "", False),
        (None, None, "", False),
        (5, 5, "", False),
    ],
)
def test_why_a_reply_ended(reason: Any, native: Any, finish: str, cut: bool) -> None:  # noqa: FBT001
    assert read_finish(reason, native) == (finish, cut)


@pytest.mark.parametrize(("finish", "written"), [
    ("stop", "stop"), ("tool_calls", "tool_calls"), ("length", "length"), ("filter", "content_filter"),
    ("other", "stop"), ("", "stop"),
])  # fmt: skip
def test_the_reason_is_written_in_the_apis_words(finish: Any, written: str) -> None:
    assert write_finish(Turn("assistant", finish=finish)) == written


def test_a_choice_is_a_turn() -> None:
    turn, why = read({**choice("tool_calls", tool_calls=[call("a", "find", {})]), "index": 3})
    assert (turn.text, turn.choice, turn.finish, why) == ("ok", 3, "tool_calls", "")
    assert [one.id for one in turn.calls] == ["a"]
    assert read({"message": {}}, 2)[0].choice == 2


@pytest.mark.parametrize("odd", [{"message": 5}, {"message": None}, {"message": []}])
def test_a_choice_without_a_message_is_unreadable(odd: Any) -> None:
    with pytest.raises(UnreadableError, match=r"choices\[1\]"):
        read(odd, 1)


def test_a_choice_that_is_not_changed_keeps_its_bytes() -> None:
    (raw,) = items(json.dumps([{**choice(), "logprobs": None, "message": {"content": "ok", "refusal": None}}]).encode())
    turn, _ = read_choice(chosen(raw), 0, ids())
    assert json.loads(write_choice(raw, turn)) == json.loads(bytes(raw))
    assert write_choice(raw, Turn("assistant", ("new",))) is raw, "not read from here"


def test_a_changed_choice_says_why_it_ends_now() -> None:
    (raw,) = items(json.dumps([choice("stop", reasoning="hm")]).encode())
    turn, _ = read_choice(chosen(raw), 0, ids())
    new = ToolCall("c", "find", "{}", "find", "{}")
    written = json.loads(write_choice(raw, replace(turn, calls=(new,), finish="tool_calls")))
    assert written["finish_reason"] == "tool_calls"
    assert written["message"] == {
        "role": "assistant",
        "content": "ok",
        "reasoning": "hm",
        "tool_calls": [call("c", "find", {})],
    }


# ---------------------------------------------------------------- calls made sound


def test_calls_get_an_id_of_their_own() -> None:
    turn, why = read(
        choice("tool_calls", tool_calls=[call("a", "find", {}), call("a", "look", {}), call("", "look", {})])
    )
    assert [one.id for one in turn.calls] == ["a", "made1", "made2"]
    assert why == "two calls with one id"


def test_sound_calls_are_left_alone() -> None:
    turn, _ = read(choice("tool_calls", tool_calls=[call("a", "find", {}), call("b", "find", {})]))
    sound, why = sound_calls(turn.calls, ids())
    assert all(one is other for one, other in zip(sound, turn.calls, strict=True))
    assert why == ""


def test_the_first_form_of_the_api_has_no_id() -> None:
    turn, why = read(choice("function_call", function_call={"name": "find", "arguments": "{}"}))
    assert ([one.id for one in turn.calls], why) == ([""], "")
    assert write_finish(turn) == "function_call"


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ({"function": {"name": "find", "arguments": "{}"}}, "a call without id"),
        ({"id": "a", "function": {"name": "find", "arguments": "{}"}}, "a call without type"),
        (
            {"id": "a", "type": "function", "function": {"name": "find", "arguments": {"q": 1}}},
            "arguments that are no string",
        ),
    ],
)
def test_what_a_plain_client_would_misread_is_named(odd: Any, why: str) -> None:
    assert read(choice("tool_calls", tool_calls=[odd]))[1] == why


# ---------------------------------------------------------------- usage


@pytest.mark.parametrize(("usage", "tokens"), [
    ({"prompt_tokens": 9, "completion_tokens": 3}, Usage(9, 3)),
    ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}, Usage(9, 3, 4)),
    ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": None}, Usage(9, 3)),
    ({"prompt_tokens": 0, "completion_tokens": 0}, None),
    ({"prompt_tokens": None, "completion_tokens": 3}, None),
    ({}, None), (None, None), ([], None),
])  # fmt: skip
def test_tokens_as_the_provider_counted_them(usage: Any, tokens: Usage | None) -> None:
    assert read_usage(usage) == tokens


def test_hidden_tokens_stand_beside() -> None:
    assert json.loads(hidden_usage(Usage(9, 3, 4, estimated=True))) == {
        "hidden_prompt_tokens": 9,
        "hidden_completion_tokens": 3,
        "hidden_cached_tokens": 4,
        "estimated": True,
    }


@pytest.mark.parametrize("body", [b"{}", b'{"choices":5}', b'{"choices":null}', b'{"choices":[7]}', b"[]", b"{"])
def test_an_answer_without_choices_can_not_be_read(body: bytes) -> None:
    with pytest.raises(UnreadableError):
        read_answer(body)


def test_halves_of_surrogate_pairs_do_not_hide_an_answer() -> None:
    answer = read_answer(b'{"id":"\\ud83d","choices":[{"message":{"content":"ok"}}]}')
    assert answer.id == "\ufffd"
    assert bytes(answer.choices[0].message) == b'{"content":"ok"}'
