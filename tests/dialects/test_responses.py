import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.dialect import Dialect, UnreadableError
from proxy.dialects.responses import Responses
from proxy.dialects.sse import data
from proxy.model import Reply, ToolCall, Turn, Usage, replace
from tests.dialects import responses_sample as sample
from tests.dialects.responses_sample import call, message, play, reasoning, response, stream

DIALECT: Dialect = Responses()
TOOL = {"type": "function", "name": "query", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}


def body(**more):
    return json.dumps({"model": "gpt-x", "input": "hello", "tools": [TOOL], **more}).encode()


def ask_of(**more):
    return DIALECT.read_ask(body(**more))


def sent(ask):
    return json.loads(DIALECT.write_ask(ask))


def reply_of(output, ask=None, **more):
    return DIALECT.read_reply(json.dumps(response(output, **more)).encode(), ask or ask_of(), sample.ids())


@pytest.mark.parametrize(
    ("method", "path", "is_ours"),
    [
        ("POST", "/v1/responses", True),
        ("POST", "/v1/responses/", True),
        ("POST", "/openai/v1/responses", True),
        ("POST", "/backend-api/codex/responses", True),
        ("GET", "/v1/responses", False),
        ("POST", "/v1/responses/resp_1", False),
        ("POST", "/v1/responses/resp_1/cancel", False),
        ("POST", "/v1/responses/compact", False),
        ("POST", "/v1/responses/input_tokens", False),
        ("GET", "/v1/responses/resp_1/input_items", False),
    ],
)
def test_only_the_generation_call_is_ours(method, path, is_ours):
    assert DIALECT.matches(method, path) is is_ours


# ---------------------------------------------------------------- asks


def test_a_request_is_read():
    ask = ask_of(
        instructions="Be brief.",
        input=[
            {"role": "user", "content": "x"},
            call(),
            {"type": "function_call_output", "call_id": "call_1", "output": "1"},
        ],
        stream=True,
        max_output_tokens=50,
        tool_choice="required",
    )
    assert [turn.role for turn in ask.turns] == ["system", "user", "assistant", "tool"]
    assert (ask.model, ask.stream, ask.limit, ask.tool_choice, ask.n) == ("gpt-x", True, 50, "required", 1)
    assert (ask.chained, ask.previous, ask.concerns_tools) == (False, "", True)
    assert ask.turns[3].results[0].tool == "query"


@pytest.mark.parametrize(
    ("more", "previous"),
    [
        ({"previous_response_id": "resp_1"}, "resp_1"),
        ({"conversation": "conv_1"}, ""),
        ({"conversation": {"id": "conv_1"}}, ""),
        ({"input": [{"type": "item_reference", "id": "fc_1"}]}, ""),
    ],
)
def test_history_at_the_provider_is_chained(more, previous):
    ask = ask_of(**more)
    assert (ask.chained, ask.previous) == (True, previous)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"input": None},
        {"input": [], "instructions": ""},
        {"instructions": "x", "store": False, "include": ["reasoning.encrypted_content"], "background": True},
        {"tools": None, "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": []}},
    ],
)
def test_an_unchanged_ask_is_the_received_object(more):
    received = body(**more)
    assert DIALECT.write_ask(DIALECT.read_ask(received)) is received


@given(st.text(), st.booleans())
def test_a_changed_ask_keeps_everything_else(text, spaced):
    separators = (", ", ": ") if spaced else (",", ":")
    received = (
        b'{"model":"m",  "temperature":1.50,"big":123456789012345678901234567890,"input":'
        + json.dumps(
            [{"role": "user", "content": text}, {"role": "user", "content": "b"}], separators=separators
        ).encode()
        + b"}"
    )
    ask = DIALECT.read_ask(received)
    changed = replace(ask, turns=(ask.turns[0], replace(ask.turns[1], texts=("c",))))
    written = DIALECT.write_ask(changed)
    assert b'"temperature":1.50' in written
    assert b"123456789012345678901234567890" in written
    assert json.loads(written)["input"] == [{"role": "user", "content": text}, {"role": "user", "content": "c"}]


def test_bodies_that_cannot_be_read():
    for bad in (b"[]", b"{", b'{"input":3}', b'{"input":[3]}'):
        with pytest.raises(UnreadableError):
            DIALECT.read_ask(bad)


def test_half_of_a_surrogate_pair_is_mended_before_it_goes_on():
    received = b'{"model":"m","input":"\\ud83d"}'
    assert DIALECT.write_ask(DIALECT.read_ask(received)) == b'{"model":"m","input":"\\ufffd"}'


def test_a_plain_string_stays_one_until_something_else_joins_it():
    ask = ask_of()
    assert sent(replace(ask, turns=(replace(ask.turns[0], appended=("pin",)),)))["input"] == "hello\n\npin"
    assert sent(replace(ask, turns=(*ask.turns, Turn("user", ("x",)))))["input"] == [
        {"role": "user", "content": "hello"},
        {"role": "user", "content": "x"},
    ]


def test_instructions_stay_in_their_field():
    ask = ask_of(instructions="Be brief.")
    system, user = ask.turns
    changed = sent(replace(ask, turns=(replace(system, texts=("Be long.",), appended=("And kind.",)), user)))
    assert (changed["instructions"], changed["input"]) == ("Be long.\n\nAnd kind.", "hello")
    assert "instructions" not in sent(replace(ask, turns=(user,)))


def test_tools_and_choice_are_edited():
    ask = ask_of(tool_choice="required")
    changed = sent(replace(ask, tools=(replace(ask.tools[0], description="Asks."),), tool_choice="auto"))
    assert (changed["tools"], changed["tool_choice"]) == ([{**TOOL, "description": "Asks."}], "auto")
    assert "tools" not in sent(replace(ask_of(tools=None), tools=())) or sent(ask_of(tools=None))["tools"] is None


def test_the_response_that_an_ask_chains_on_can_be_changed():
    ask = ask_of(previous_response_id="resp_1")
    assert sent(replace(ask, previous="resp_2"))["previous_response_id"] == "resp_2"
    assert "previous_response_id" not in sent(replace(ask, previous=""))


# ---------------------------------------------------------------- hidden rounds


def test_a_hidden_round_says_the_rejected_output_again_and_its_results():
    ask = ask_of(previous_response_id="resp_0", input=[{"role": "user", "content": "x"}])
    output = [reasoning(), message(), call(), call(arguments="{oops", number=2)]
    further = DIALECT.extend(ask, reply_of(output, ask), {"call_1": "not run", "call_2": "no JSON"}, fix=True)
    body_sent = sent(further)
    assert body_sent["previous_response_id"] == "resp_0"
    assert body_sent["input"] == [
        {"role": "user", "content": "x"},
        *output[:3],
        call(arguments="{}", number=2),
        {"type": "function_call_output", "call_id": "call_1", "output": "not run"},
        {"type": "function_call_output", "call_id": "call_2", "output": "no JSON"},
    ]
    assert [turn.role for turn in further.turns[-2:]] == ["assistant", "tool"]


def test_a_second_hidden_round_goes_behind_the_first():
    ask = ask_of()
    one = DIALECT.extend(ask, reply_of([call()], ask), {"call_1": "a"}, fix=True)
    two = DIALECT.extend(one, reply_of([call(number=2)], ask), {"call_2": "b"}, fix=True)
    assert [item.get("call_id") for item in sent(two)["input"]] == [None, "call_1", "call_1", "call_2", "call_2"]


def test_in_a_conversation_only_the_results_are_sent():
    ask = ask_of(conversation="conv_1", instructions="Be brief.")
    further = DIALECT.extend(ask, reply_of([reasoning(), sample.custom()], ask), {"cc_1": "no"}, fix=True)
    assert sent(further)["input"] == [{"type": "custom_tool_call_output", "call_id": "cc_1", "output": "no"}]
    assert sent(further)["instructions"] == "Be brief."
    assert [turn.role for turn in further.turns[-2:]] == ["assistant", "tool"]


def test_where_nothing_is_stored_reasoning_without_ciphertext_stays_away():
    bare = {"type": "reasoning", "id": "rs_1", "summary": []}
    kept = sent(DIALECT.extend(ask_of(), reply_of([bare, call()]), {}, fix=True))["input"]
    gone = sent(DIALECT.extend(ask_of(store=False), reply_of([bare, call()]), {}, fix=True))["input"]
    assert [item.get("type") for item in kept][1:] == ["reasoning", "function_call", "function_call_output"]
    assert [item.get("type") for item in gone][1:] == ["function_call", "function_call_output"]


def test_a_streamed_reply_goes_back_the_same_way():
    ask = ask_of(stream=True)
    reader = DIALECT.stream(ask, sample.ids(), None, None, mute=False)
    play(reader, stream([reasoning(), message(), call()]))
    further = DIALECT.extend(ask, reader.reply(whole=True), {"call_1": "no"}, fix=True)
    assert sent(further)["input"][1:4] == [reasoning(), message(), call()]


def test_a_closing_round_may_call_nothing():
    asked = [
        {"role": "user", "content": "x"},
        call(),
        {"type": "function_call_output", "call_id": "call_1", "output": "1"},
    ]
    closing = sent(DIALECT.closing(ask_of(input=asked, tool_choice="required"), "Sum up."))
    assert closing["tool_choice"] == "none"
    assert closing["tools"] == [TOOL]
    assert closing["input"][3]["content"] == [{"type": "input_text", "text": "Sum up."}]
    assert sent(DIALECT.closing(ask_of(), "Sum up."))["input"] == "hello\n\nSum up."
    assert sent(DIALECT.closing(ask_of(input=None, tools=[]), "Sum up."))["input"] == [
        {"role": "user", "content": "Sum up."}
    ]


# ---------------------------------------------------------------- replies


def test_an_answer_is_read_and_written_back_as_it_came():
    received = json.dumps(response([reasoning(), message(), call()])).encode()
    reply = DIALECT.read_reply(received, ask_of(), sample.ids())
    turn = reply.turns[0]
    assert (turn.texts, turn.finish, turn.cut, reply.usage) == (("Let me look.",), "tool_calls", False, Usage(5, 3, 2))
    assert (reply.id, reply.model) == ("resp_1", "gpt-x")
    assert DIALECT.write_reply(reply) is received
    assert DIALECT.malformed(reply) == ""


def test_a_repaired_answer():
    reply = reply_of([reasoning(), call()])
    turn = reply.turns[0]
    changed = replace(reply, turns=(replace(turn, calls=(replace(turn.calls[0], args='{"n":42}'),)),))
    assert json.loads(DIALECT.write_reply(changed)) == response([reasoning(), call(arguments='{"n":42}')])


def test_an_answer_that_is_malformed_is_made_sound():
    reply = reply_of([{**call(), "call_id": "", "arguments": {"n": 1}}])
    assert DIALECT.malformed(reply) == "a call without id"
    written = json.loads(DIALECT.write_reply(reply))["output"][0]
    assert (written["call_id"], written["arguments"]) == ("made00001", '{"n":1}')


def test_hidden_usage_in_an_answer():
    written = json.loads(DIALECT.write_reply(reply_of([call()]), Usage(1, 2)))
    assert written["usage"].pop("handrail")["hidden_input_tokens"] == 1
    assert written == response([call()])


def test_an_answer_in_the_background_has_not_ended():
    turn = reply_of([], status="queued").turns[0]
    assert (turn.finish, turn.cut, turn.calls) == ("", False, ())


def test_an_error_is_no_reply():
    with pytest.raises(UnreadableError):
        DIALECT.read_reply(b'{"error":{"message":"x"}}', ask_of(), sample.ids())


# ---------------------------------------------------------------- our own


def test_a_composed_answer_streamed_and_not():
    reply = DIALECT.compose(ask_of(), "What I found.", sample.ids(), 1700000000.5)
    written = json.loads(DIALECT.write_reply(reply))
    assert written["output"][0]["content"][0]["text"] == "What I found."
    assert sample.legal(DIALECT.write_stream(reply, None)) == written
    assert written["id"] == reply.id
    assert reply.turns[0].finish == "stop"


def test_a_composed_call_takes_the_namespace_of_its_tool():
    ask = ask_of(tools=[{"type": "namespace", "name": "ns", "tools": [TOOL]}])
    reply = DIALECT.compose(ask, "", sample.ids(), 0, ("query", '{"n":1}'))
    item = sample.legal(DIALECT.write_stream(reply, None))["output"][0]
    assert (item["namespace"], item["name"], item["arguments"]) == ("ns", "query", '{"n":1}')
    assert reply.turns[0].calls == (ToolCall("made00001", "query", '{"n":1}', "query", '{"n":1}'),)


@pytest.mark.parametrize(
    ("first", "listed"),
    [([call()], []), ([message(), call()], ["msg_1"]), ([reasoning("hm"), call()], [])],
)
def test_a_composed_answer_goes_on_with_the_stream_that_has_begun(first, listed):
    reader = DIALECT.stream(ask_of(), sample.ids(), None, None, mute=False)
    out = play(reader, stream(first))
    reply = DIALECT.compose(ask_of(), "Enough.", sample.ids(), 0)
    last = sample.legal(out + DIALECT.write_stream(reply, reader))
    assert [item["id"] for item in last["output"]][:-1] == listed
    assert last["output"][-1]["content"][0]["text"] == "Enough."
    assert last["id"] == ("resp_1" if out else reply.id)


def test_only_answers_of_our_own_are_composed():
    with pytest.raises(TypeError):
        DIALECT.write_stream(reply_of([call()]), None)
    with pytest.raises(TypeError):
        DIALECT.write_reply(Reply(()))
    with pytest.raises(TypeError):
        DIALECT.write_ask(replace(ask_of(), wire=None))


def test_errors_in_the_shapes_of_this_api():
    error = json.loads(DIALECT.error(504, "Too late.", "timeout", "handrail_error"))
    assert error == {"error": {"message": "Too late.", "type": "handrail_error", "param": None, "code": "timeout"}}
    event = DIALECT.stream_error("Too late.", "timeout", "handrail_error")
    told = json.loads(data(event) or b"")
    assert event.startswith(b"event: error\n")
    assert (told["type"], told["code"], told["message"]) == ("error", "timeout", "Too late.")
    assert told["error"] == error["error"]


def test_hidden_turns_survive_the_store():
    ask = ask_of()
    reply = reply_of([reasoning(), message(), call(), sample.custom()])
    turns = DIALECT.extend(ask, reply, {"call_1": "a", "cc_1": "b"}, fix=True).turns[-2:]
    unpacked = DIALECT.unpack_turns(DIALECT.pack_turns(turns))
    assert [turn.role for turn in unpacked] == ["assistant", "tool"]
    assert DIALECT.pack_turns(unpacked) == DIALECT.pack_turns(turns)
    assert [result.text for result in unpacked[1].results] == ["a", "b"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(0, 3)
    | st.sampled_from(["", "a", "text", "message", "user", "function_call"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "text", "name", "tools"]), inner)
    ),
    max_leaves=5,
)
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            [
                "message",
                "function_call",
                "custom_tool_call",
                "function_call_output",
                "shell_call_output",
                "additional_tools",
            ]
        )
        | JSON,
        "role": st.sampled_from(["user", "assistant", "developer"]) | JSON,
        **dict.fromkeys(
            ("content", "output", "call_id", "name", "arguments", "input", "tools", "status", "action"), JSON
        ),
    },
)
KEYS = ("input", "tools", "tool_choice", "instructions", "previous_response_id", "conversation", "max_output_tokens")


@given(st.fixed_dictionaries({"input": st.lists(ITEM) | JSON}, optional=dict.fromkeys(KEYS[1:], JSON)))
def test_whatever_is_asked_is_unreadable_or_leaves_as_it_came(asked):
    received = json.dumps(asked).encode()
    try:
        ask = DIALECT.read_ask(received)
    except UnreadableError:
        return
    assert DIALECT.write_ask(ask) is received
    touched = replace(ask, turns=tuple(map(replace, ask.turns)), tools=tuple(map(replace, ask.tools)))
    assert json.loads(DIALECT.write_ask(touched)) == asked
    DIALECT.write_ask(DIALECT.closing(ask, "x"))


@given(st.lists(ITEM | JSON))
def test_whatever_is_answered_is_unreadable_or_leaves_as_it_came(output):
    received = json.dumps({"id": "r", "output": output}).encode()
    try:
        reply = DIALECT.read_reply(received, ask_of(), sample.ids())
    except UnreadableError:
        return
    if not DIALECT.malformed(reply):
        assert DIALECT.write_reply(reply) is received
    json.loads(DIALECT.write_reply(replace(reply, turns=tuple(map(replace, reply.turns)))))
    sent(DIALECT.extend(ask_of(), reply, {}, fix=True))
