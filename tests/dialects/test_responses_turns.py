import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.dialect import UnreadableError
from proxy.dialects.responses_turns import again, plain, read_turns, write_turns
from proxy.dialects.wire import items
from proxy.model import ToolCall, ToolResult, Turn, replace
from tests.dialects import responses_sample as sample


def raws(*given_items):
    return items(json.dumps(list(given_items)).encode())


def user(text="hello"):
    return {"role": "user", "content": text}


def output(number=1, text="42"):
    return {"type": "function_call_output", "call_id": f"call_{number}", "output": text}


def written(turns, **options):
    return [json.loads(bytes(one)) for one in write_turns(turns, **options)]


def test_what_follows_each_other_of_one_side_is_one_turn():
    turns = read_turns(
        raws(
            {"role": "developer", "content": "be good"},
            user(),
            sample.reasoning(),
            sample.message(),
            sample.call(),
            sample.custom(),
            output(),
            {"type": "custom_tool_call_output", "call_id": "cc_1", "output": "rows"},
            sample.search(),
            sample.message("done", 2),
            user("a"),
            user("b"),
        )
    )
    assert [turn.role for turn in turns] == ["system", "user", "assistant", "tool", "assistant", "user", "user"]
    assert turns[2].texts == ("Let me look.",)
    assert [call.id for call in turns[2].calls] == ["call_1", "cc_1"]
    assert [(result.call_id, result.tool, result.text) for result in turns[3].results] == [
        ("call_1", "query", "42"),
        ("cc_1", "sql", "rows"),
    ]


def test_steps_that_alternate_stay_apart():
    turns = read_turns(raws(sample.call(number=1), output(1), sample.call(number=2), output(2)))
    assert [turn.role for turn in turns] == ["assistant", "tool", "assistant", "tool"]


def test_what_the_provider_ran_by_itself_is_no_call():
    turns = read_turns(raws(sample.search(), {"type": "mcp_call", "name": "x", "arguments": "{}", "output": "1"}))
    assert [turn.role for turn in turns] == ["assistant"]
    assert turns[0].calls == ()


def test_items_that_nobody_knows_belong_to_the_assistant():
    turns = read_turns(raws({"type": "compaction", "encrypted_content": "x"}, {"type": "item_reference", "id": "fc_1"}))
    assert [turn.role for turn in turns] == ["assistant"]


@pytest.mark.parametrize(("bad", "said"), [(["x"], "input[1]"), ([{"role": "robot", "content": ""}], "robot")])
def test_what_is_no_item_is_named(bad, said):
    with pytest.raises(UnreadableError, match=said.replace("[", r"\[")):
        read_turns(raws(user(), *bad))


ITEMS = st.lists(
    st.sampled_from(
        [
            user(),
            user([{"type": "input_text", "text": "x"}, {"type": "input_image", "image_url": "y"}]),
            {"role": "assistant", "content": "said"},
            sample.message(),
            sample.reasoning("why"),
            sample.call(),
            sample.call(number=2, namespace="ns"),
            sample.custom(),
            output(1),
            output(2, [{"type": "input_text", "text": "part"}]),
            sample.search(),
            {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "call_id": "s", "output": [{"stdout": "a", "stderr": "b"}]},
        ]
    )
)


@given(ITEMS)
def test_writing_what_was_read_gives_the_same_objects(given_items):
    received = raws(*given_items)
    assert [id(one) for one in write_turns(read_turns(received))] == [id(one) for one in received]


@given(ITEMS)
def test_writing_it_although_nothing_was_changed_says_the_same(given_items):
    touched = [
        replace(
            turn,
            texts=(*turn.texts,),
            calls=tuple(map(replace, turn.calls)),
            results=tuple(map(replace, turn.results)),
        )
        for turn in read_turns(raws(*given_items))
    ]
    assert written(touched) == given_items


def test_a_pin_is_an_item_of_its_own_behind_results():
    turns = read_turns(raws(sample.call(), output()))
    last = replace(turns[-1], appended=("pin",))
    assert written([turns[0], last])[2:] == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "pin"}]}
    ]


def test_a_pin_is_a_part_of_its_own_in_a_list_and_a_paragraph_in_a_string():
    listed, said = read_turns(raws(user([{"type": "input_text", "text": "task"}]), user("task")))
    parts = written([replace(listed, appended=("pin",))])[0]["content"]
    assert parts == [{"type": "input_text", "text": "task"}, {"type": "input_text", "text": "pin"}]
    assert written([replace(said, appended=("pin",))]) == [user("task\n\npin")]


def test_changed_texts_of_messages():
    turn = read_turns(raws(sample.reasoning(), sample.message(), sample.call(), sample.message("b", 2)))[0]
    out = written([replace(turn, texts=("Let me look.", "B"))])
    assert out[:3] == [sample.reasoning(), sample.message(), sample.call()]
    assert out[3]["content"][0]["text"] == "B"


def test_a_text_that_is_added_to_a_turn_with_calls_stands_before_them():
    turn = read_turns(raws(sample.call()))[0]
    out = written([replace(turn, texts=("new",))])
    assert [item["type"] for item in out] == ["message", "function_call"]
    assert out[0]["content"][0]["text"] == "new"


def test_calls_are_taken_out_changed_and_put_in_at_their_places():
    turn = read_turns(raws(sample.reasoning(), sample.call(number=1), sample.call(number=2), sample.message()))[0]
    one, two = turn.calls
    extra = ToolCall("x", "other", "{}", "other", "{}")
    out = written([replace(turn, calls=(extra, replace(two, args="{}")))])
    assert [item.get("call_id", item["type"]) for item in out] == ["reasoning", "x", "call_2", "message"]
    assert out[2]["arguments"] == "{}"
    swapped = written([replace(turn, calls=(two, one))])
    assert [item.get("call_id", item["type"]) for item in swapped] == ["reasoning", "call_2", "call_1", "message"]
    behind = written([replace(turn, calls=(one, two, extra))])
    assert [item.get("call_id", item["type"]) for item in behind][-2:] == ["message", "x"]


def test_a_new_result_takes_its_kind_from_the_call_before_it():
    calls = read_turns(raws(sample.custom()))[0]
    results = Turn("tool", results=(ToolResult("cc_1", ("rows",)), ToolResult("unknown", ("x",))))
    assert [item["type"] for item in written([calls, results])[1:]] == [
        "custom_tool_call_output",
        "function_call_output",
    ]
    assert written([calls, results], skip=1)[0]["type"] == "custom_tool_call_output"


def test_new_turns():
    made = [
        Turn("user", ("hi",)),
        Turn("assistant", ("yes",), (ToolCall("c", "q", "{}", "q", "{}"),)),
        Turn("system", ("s",)),
    ]
    out = written(made)
    assert out[0] == user("hi")
    assert [item["type"] for item in out[1:3]] == ["message", "function_call"]
    assert out[3] == {"role": "system", "content": "s"}


def test_a_reply_said_again_is_fixed_where_its_arguments_are_no_object():
    turn = read_turns(raws(sample.reasoning(), sample.call(arguments="{oops")))[0]
    assert written([again(turn, stored=True, fix=True)])[1]["arguments"] == "{}"
    assert written([again(turn, stored=True, fix=False)])[1]["arguments"] == "{oops"
    assert again(Turn("assistant"), stored=True, fix=True) == Turn("assistant")


def test_a_plain_string_is_a_user_message():
    assert json.loads(plain(b'"x"')) == user("x")
