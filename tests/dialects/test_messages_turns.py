"""Messages into turns and back: grouping, order, and identity of what nobody touched."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.dialect import UnreadableError
from proxy.dialects.messages_content import read_content
from proxy.dialects.messages_turns import (
    Merge,
    SystemOrigin,
    is_system,
    read_system,
    read_turns,
    reply_content,
    reply_origin,
    write_system,
    write_turn,
    write_turns,
)
from proxy.dialects.wire import SPACED, Raw, items
from proxy.model import ToolCall, ToolResult, Turn, replace

USER = {"role": "user", "content": "task"}
CALLS: dict[str, Any] = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln+/="},
        {"type": "text", "text": "let me see"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "a"}},
        {"type": "tool_use", "id": "t1", "name": "read", "input": {"p": 1}},
        {"type": "tool_use", "id": "t2", "name": "list", "input": {}},
    ],
}
RESULTS: dict[str, Any] = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "no"}], "is_error": True},
        {"type": "text", "text": "go on", "cache_control": {"type": "ephemeral"}},
        {"type": "image", "source": {}},
    ],
}


def turns(*messages):
    return read_turns(items(json.dumps(messages).encode()))


def written(*made):
    return [json.loads(bytes(one)) for one in write_turns(made)]


def test_what_a_conversation_reads_as():
    user, said, told = turns(USER, CALLS, RESULTS)
    assert (user.role, user.texts) == ("user", ("task",))
    assert (said.role, said.texts, [one.id for one in said.calls]) == ("assistant", ("let me see",), ["t1", "t2"])
    assert (told.role, told.texts) == ("tool", ("go on",))
    assert [(one.call_id, one.tool, one.text, one.is_error) for one in told.results] == [
        ("t1", "read", "ok", None),
        ("t2", "list", "no", True),
    ]


def test_untouched_turns_are_the_objects_that_came():
    raws = items(json.dumps([USER, CALLS, RESULTS]).encode())
    out = write_turns(read_turns(raws))
    assert all(one is raw for one, raw in zip(out, raws, strict=True))


def test_results_in_several_messages_are_one_group():
    one = {"role": "user", "content": [RESULTS["content"][0]]}
    two = {"role": "user", "content": RESULTS["content"][1:]}
    _, _, told = made = turns(USER, CALLS, one, two)
    assert [result.call_id for result in told.results] == ["t1", "t2"]
    assert written(*made) == [USER, CALLS, one, two]
    changed = replace(told, results=(told.results[0], replace(told.results[1], texts=("new",))), appended=("pin",))
    first, second = written(changed)
    assert first == one
    assert second["content"][0] == {**RESULTS["content"][1], "content": [{"type": "text", "text": "new"}]}
    assert second["content"][-1] == {"type": "text", "text": "pin"}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "robot", "content": "x"}, "messages[0] has the role 'robot'"),
        ("x", r"messages[0]: Expected `object`, got `str`"),
        ({"role": 1}, "messages[0]: "),
        ({"content": "x"}, "messages[0] has the role ''"),
    ],
)
def test_what_is_no_message_is_named(message, said):
    with pytest.raises(UnreadableError) as caught:
        turns(message)
    assert str(caught.value).startswith(said)


def test_instructions_in_mid_conversation_are_messages():
    (_, late) = turns(USER, {"role": "system", "content": [{"type": "tool_addition", "tool": {}}]})
    assert late.role == "system"
    assert not is_system(late)


def test_only_what_was_changed_of_an_assistant_is_written_anew():
    _, said = turns(USER, CALLS)
    (out,) = written(replace(said, calls=(replace(said.calls[0], args='{"p":2}'), said.calls[1])))
    assert out["content"][3] == {"type": "tool_use", "id": "t1", "name": "read", "input": {"p": 2}}
    assert [one for at, one in enumerate(out["content"]) if at != 3] == [
        one for at, one in enumerate(CALLS["content"]) if at != 3
    ]


def test_a_call_that_is_gone_takes_its_block_and_a_new_one_gets_one():
    _, said = turns(USER, CALLS)
    new = ToolCall("t3", "write", "{}", "write", "{}")
    (out,) = written(replace(said, calls=(said.calls[1], new)))
    assert [one.get("id") for one in out["content"]] == [None, None, "s", "t2", "t3"]


def test_a_result_put_back_stands_among_the_others_and_before_the_text():
    _, _, told = turns(USER, CALLS, RESULTS)
    back = ToolResult("t0", ("page",), "more")
    (out,) = written(replace(told, results=(back, *told.results)))
    assert [one.get("tool_use_id") for one in out["content"]] == ["t0", "t1", "t2", None, None]
    (out,) = written(replace(told, results=(*told.results, back)))
    assert [one.get("tool_use_id") for one in out["content"]] == ["t1", "t2", "t0", None, None]
    (out,) = written(replace(told, results=(back,)))
    assert [one.get("tool_use_id") for one in out["content"]] == ["t0", None, None]


def test_results_stay_in_front_of_what_a_policy_adds():
    _, _, told = turns(USER, CALLS, RESULTS)
    (out,) = written(replace(told, appended=("pin", "")))
    assert out["content"] == [*RESULTS["content"], {"type": "text", "text": "pin"}]


def test_text_added_to_a_string_stays_a_string():
    (user,) = turns(USER)
    assert written(replace(user, appended=("pin",))) == [{"role": "user", "content": "task\n\npin"}]


def test_text_added_to_an_assistant_stands_before_its_calls():
    _, said = turns(USER, CALLS)
    (out,) = written(replace(said, appended=("first",)))
    assert [one["type"] for one in out["content"]] == [
        "thinking",
        "text",
        "server_tool_use",
        "text",
        "tool_use",
        "tool_use",
    ]
    (out,) = written(replace(said, appended=("instead",), calls=()))
    assert out["content"][-1] == {"type": "text", "text": "instead"}


def test_a_string_that_gets_calls_becomes_blocks():
    (said,) = turns({"role": "assistant", "content": "hm"})
    (out,) = written(replace(said, calls=(ToolCall("t", "n", "{}", "n", "{}"),)))
    assert [one["type"] for one in out["content"]] == ["text", "tool_use"]


def test_a_message_of_which_nothing_is_left_is_not_sent():
    _, said, told = turns(
        USER, {**CALLS, "content": CALLS["content"][3:]}, {**RESULTS, "content": RESULTS["content"][:2]}
    )
    assert written(replace(said, calls=()), replace(told, results=())) == []
    assert written(Turn("user"), Turn("assistant", ("",))) == []


def test_new_turns():
    call = ToolCall("t", "n", "{}", "n", '{"a":1}')
    assert written(
        Turn("user", ("a",)),
        Turn("assistant", ("b",), (call,)),
        Turn("tool", ("d",), results=(ToolResult("t", ("c",)),), appended=("e",)),
    ) == [
        {"role": "user", "content": "a"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "b"},
                {"type": "tool_use", "id": "t", "name": "n", "input": {"a": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": "c"},
                {"type": "text", "text": "d"},
                {"type": "text", "text": "e"},
            ],
        },
    ]


def test_the_sender_s_spacing_is_kept():
    (user,) = turns(USER)
    assert bytes(write_turn(replace(user, appended=("p",)), SPACED)[0]) == b'{"role": "user", "content": "task\\n\\np"}'


def test_system_stays_in_its_field_and_in_its_form():
    assert read_system(None) is None
    assert read_system(Raw(b"null")) is None
    plain, listed = Raw(b'"rules"'), Raw(b'[{"type":"text","text":"rules","cache_control":{"type":"ephemeral"}}]')
    for given_raw in (plain, listed):
        system = read_system(given_raw)
        assert system is not None
        assert is_system(system)
        assert system.texts == ("rules",)
        assert isinstance(system.wire, SystemOrigin)
        assert write_system(system) is system.wire.raw
        assert bytes(system.wire.raw) == bytes(given_raw)
    system = read_system(listed)
    assert system is not None
    assert json.loads(bytes(write_system(replace(system, texts=("new",), appended=("more",))))) == [
        {"type": "text", "text": "new", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "more"},
    ]
    assert write_system(Turn("system", ("a", "b"))) == b'"a\\n\\nb"'


def test_an_answer_goes_back_as_the_api_takes_it():
    content = (
        b'[{"type":"thinking","thinking":"","signature":"s=="},{"type":"text","text":" "},'
        b'{"type":"text","text":"a","citations":null},{"type":"tool_use","id":"t","name":"n","input":"oops"}]'
    )
    read = read_content(Raw(content))
    origin = reply_origin(content, read)
    assert bytes(reply_content(origin)) == content
    (out,) = written(Turn("assistant", read.texts, read.calls, wire=origin))
    assert out["content"] == [
        {"type": "thinking", "thinking": "", "signature": "s=="},
        {"type": "text", "text": "a", "citations": None},
        {"type": "tool_use", "id": "t", "name": "n", "input": {}},
    ]


class Item:
    def __init__(self, wire):
        self.wire = wire


@given(st.lists(st.booleans(), max_size=6), st.data())
def test_merged_items_are_written_once_each_in_their_order(kept, data):
    old = [Item(object()) for _ in kept]
    new = [one for one, stays in zip(old, kept, strict=True) if stays]
    for _ in range(data.draw(st.integers(0, 3))):
        new.insert(data.draw(st.integers(0, len(new))), Item(data.draw(st.sampled_from([None, "elsewhere"]))))
    merge = Merge(new)
    out = [one for slot in old for one in merge.at(slot)]
    out += merge.rest()
    assert out == new
    assert merge.rest() == []


def test_items_in_another_order_follow_the_turn():
    first, second = Item("a"), Item("b")
    merge = Merge([second, first])
    assert [*merge.at(first), *merge.at(second), *merge.rest()] == [second, first]
