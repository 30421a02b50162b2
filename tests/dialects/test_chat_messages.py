"""Messages of Chat Completions: read into turns, written back."""

import json
from typing import Any

import pytest

from proxy.dialects import chat_messages
from proxy.dialects.chat_messages import (
    content,
    misread,
    read_call,
    read_calls,
    read_texts,
    read_turns,
    write_call,
    write_turns,
)
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.wire import COMPACT, SPACED, items
from proxy.model import ToolCall, ToolResult, Turn, replace
from tests.playbook import call

USER = {"role": "user", "content": "Go"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [call("a", "find", '{"q":1}'), call("b", "look", {})]}


def raw(value: Any) -> bytes:
    return json.dumps(value).encode()


def turns(*messages: Any) -> tuple[Turn, ...]:
    return read_turns(items(raw(list(messages))))


def written(*made: Turn) -> list[Any]:
    return [json.loads(bytes(one)) for one in write_turns(made)]


def result(key: str, text: Any = "found") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "content": text}


# ---------------------------------------------------------------- reading


def test_all_results_of_a_turn_are_one_turn() -> None:
    made = turns(USER, CALLED, result("a"), result("b"), {"role": "assistant", "content": "ok"}, result("c"))
    assert [turn.role for turn in made] == ["user", "assistant", "tool", "assistant", "tool"]
    assert [(one.call_id, one.tool) for one in made[2].results] == [("a", "find"), ("b", "look")]
    assert made[4].results[0].tool == ""


def test_a_result_may_name_its_tool_itself() -> None:
    (made,) = turns({"role": "tool", "name": "find", "content": "x"})
    assert (made.results[0].tool, made.results[0].call_id) == ("find", "")


@pytest.mark.parametrize("role", ["system", "developer"])
def test_rules_are_system_turns(role: str) -> None:
    assert turns({"role": role, "content": "Be brief."})[0].role == "system"


@pytest.mark.parametrize(
    ("said", "texts", "places"),
    [
        ("a", ("a",), None),
        (None, (), None),
        ([], (), ()),
        (5, (), None),
        (
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "b"}],
            ("a", "b"),
            (0, 2),
        ),
        (["a", {"type": "text"}, {"text": 5}], ("a",), (0,)),
    ],
)
def test_texts_and_their_places(said: Any, texts: tuple[str, ...], places: Any) -> None:
    assert read_texts(said) == (texts, places)


@pytest.mark.parametrize(("made", "kind", "tool", "args"), [
    (call("a", "find", '{"q": 1}'), "function", "find", '{"q": 1}'),
    ({"id": "a", "function": {"name": "find", "arguments": {"q": 1}}}, "function", "find", '{"q":1}'),
    ({"id": "a", "type": "", "function": {"name": "find", "arguments": None}}, "function", "find", ""),
    ({"id": "a", "type": "custom", "custom": {"name": "write", "input": "no JSON"}}, "custom", "write", "no JSON"),
    ({"id": "a", "type": "web_search", "function": {"name": "x", "arguments": ""}}, "builtin", "x", ""),
    ({"type": "function"}, "function", "", ""),
    ({"type": "function", "function": "odd"}, "function", "", ""),
])  # fmt: skip
def test_a_call_and_its_kind(made: Any, kind: str, tool: str, args: str) -> None:
    read = read_call(made, raw(made))
    assert (read.kind, read.tool, read.args, read.name, read.arguments) == (kind, tool, args, tool, args)


def test_shapes_that_are_not_known_stay_on_the_wire() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [5, call("a", "find", {}), None]}
    assert [one.id for one in read_calls(message, raw(message))] == ["a"]
    assert written(*turns(message)) == [message]
    assert read_calls({"tool_calls": "odd"}, b"{}") == ()


@pytest.mark.parametrize("messages", [[5], [None], [{"role": "wizard"}], [{}], [{"role": None}], [{"role": ["user"]}]])
def test_an_unreadable_message_is_named(messages: list[Any]) -> None:
    with pytest.raises(UnreadableError, match=r"messages\[0\]"):
        turns(*messages)


# ---------------------------------------------------------------- writing


def test_what_was_read_is_written_as_it_was_read() -> None:
    messages = [USER, {**CALLED, "reasoning_content": "hm", "extra": [1.50]}, result("a"), {**result("b"), "cache": {}}]
    raws = [raw(message) for message in messages]
    made = turns(*messages)
    assert [bytes(one) for one in write_turns(made)] == raws
    assert [bytes(one) for one in write_turns(tuple(map(replace, made)))] == raws


def test_a_changed_result_leaves_its_siblings_alone() -> None:
    made = turns(CALLED, result("a"), {**result("b"), "extra": 1})
    changed = replace(made[1], results=(replace(made[1].results[0], texts=("other",)), made[1].results[1]))
    assert written(made[0], changed)[1:] == [result("a", "other"), {**result("b"), "extra": 1}]


def test_a_call_can_be_added_changed_and_taken_out() -> None:
    (made,) = turns(CALLED)
    first, second = made.calls
    new = ToolCall("c", "new", "{}", "new", '{"x":1}')
    assert written(replace(made, calls=(replace(first, args='{"q":2}'), new)))[0]["tool_calls"] == [
        call("a", "find", '{"q":2}'),
        call("c", "new", '{"x":1}'),
    ]
    assert written(replace(made, calls=(second,)))[0]["tool_calls"] == [call("b", "look", {})]
    assert written(replace(made, calls=(), texts=("done",))) == [{"role": "assistant", "content": "done"}]


def test_text_is_added_behind_what_was_said() -> None:
    plain, parts, empty = turns(
        USER,
        {"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {}}]},
        {"role": "assistant", "content": None},
    )
    added = [replace(turn, appended=("more",)) for turn in (plain, parts, empty)]
    assert [one["content"] for one in written(*added)] == [
        "Go\n\nmore",
        [{"type": "text", "text": "a", "cache_control": {}}, {"type": "text", "text": "more"}],
        "more",
    ]


def test_text_behind_results_stands_behind_the_last_one() -> None:
    made = turns(CALLED, result("a"), result("b", [{"type": "text", "text": "found"}]))
    one, two = written(replace(made[1], appended=("note",)))
    assert one == result("a")
    assert two == result("b", [{"type": "text", "text": "found"}, {"type": "text", "text": "note"}])
    single = turns(CALLED, result("a"))
    assert written(replace(single[1], appended=("note",))) == [result("a", "found\n\nnote")]


def test_turns_of_our_own() -> None:
    new = ToolCall("c", "new", "{}", "new", "{}")
    made = (
        Turn("user", ("a", "b"), appended=("c",)),
        Turn("assistant", calls=(new,)),
        Turn("tool", results=(ToolResult("c", ("found",)), ToolResult("", ("x",), "old"))),
    )
    assert written(*made) == [
        {"role": "user", "content": "a\n\nb\n\nc"},
        {"role": "assistant", "content": None, "tool_calls": [call("c", "new", {})]},
        result("c"),
        {"role": "function", "name": "old", "content": "x"},
    ]


def test_the_senders_separators_are_used() -> None:
    new = Turn("user", ("a",))
    assert write_turns((new,), SPACED) == [b'{"role": "user", "content": "a"}']
    assert write_turns((new,), COMPACT) == [b'{"role":"user","content":"a"}']


@pytest.mark.parametrize(
    ("said", "texts", "out"),
    [
        ("a", ("b",), "b"),
        (None, ("b",), "b"),
        (
            [{"type": "text", "text": "a", "x": 1}, {"type": "image_url"}],
            ("b",),
            [{"type": "text", "text": "b", "x": 1}, {"type": "image_url"}],
        ),
        (["a", {"type": "text", "text": "c"}], ("a", "d"), ["a", {"type": "text", "text": "d"}]),
        (
            [{"type": "text", "text": "a"}],
            ("a", "more"),
            [{"type": "text", "text": "a"}, {"type": "text", "text": "more"}],
        ),
    ],
)
def test_a_content_keeps_its_form(said: Any, texts: tuple[str, ...], out: Any) -> None:
    assert json.loads(content(None if said is None else raw(said), texts, (), COMPACT)) == out


# ---------------------------------------------------------------- calls that a client would misread


@pytest.mark.parametrize(("made", "why"), [
    (call("a", "find", {}), ""),
    ({"id": "a", "function": {"name": "find", "arguments": "{}"}}, "a call without type"),
    ({"id": "a", "type": "function", "function": {"name": "find", "arguments": {}}}, "arguments that are no string"),
    ({"id": "a", "type": "function", "function": {"name": "find", "arguments": None}}, "arguments that are no string"),
    ({"id": "a", "type": "function", "function": {"name": "find"}}, "arguments that are no string"),
])  # fmt: skip
def test_what_a_plain_client_would_misread(made: Any, why: str) -> None:
    origin = read_call(made, raw(made)).wire
    assert isinstance(origin, chat_messages.CallOrigin)
    assert misread(origin) == why
    if why:
        sound = json.loads(bytes(write_call(read_call(made, raw(made)))))
        assert sound["type"] == "function"
        assert isinstance(sound["function"]["arguments"], str)


def test_arguments_that_are_no_object_go_back_as_an_empty_one() -> None:
    for args in ("{broken", "", "[]", '"x"', "null"):
        read = read_call(call("a", "find", args), raw(call("a", "find", args)))
        assert json.loads(bytes(write_call(read, fix=True)))["function"]["arguments"] == "{}"
        assert json.loads(bytes(write_call(read)))["function"]["arguments"] == args
    custom = {"id": "a", "type": "custom", "custom": {"name": "write", "input": "no JSON"}}
    assert json.loads(bytes(write_call(read_call(custom, raw(custom)), fix=True))) == custom


def test_a_custom_call_keeps_its_form_when_it_changes() -> None:
    custom = {"id": "a", "type": "custom", "custom": {"name": "write", "input": "one"}}
    read = replace(read_call(custom, raw(custom)), args="two")
    assert json.loads(bytes(write_call(read))) == {
        "id": "a",
        "type": "custom",
        "custom": {"name": "write", "input": "two"},
    }
