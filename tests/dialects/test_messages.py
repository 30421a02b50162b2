"""The dialect of `/v1/messages`: requests, unstreamed answers, hidden rounds."""

import json
from typing import Any

import pytest

from proxy.dialects.dialect import Dialect, UnreadableError
from proxy.dialects.messages import Messages
from proxy.model import Tool, ToolCall, ToolResult, Turn, Usage, replace
from tests.dialects.messages_script import call, end, ids, play, raw, read, start, text, thinking

DIALECT: Dialect = Messages()

CACHED = {"cache_control": {"type": "ephemeral"}}
TOOL = {"name": "read", "description": "d", "input_schema": {"type": "object"}}
ASK: dict[str, Any] = {
    "model": "m",
    "max_tokens": 50,
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "system": [{"type": "text", "text": "rules", **CACHED}],
    "tools": [TOOL],
    "context_management": {"edits": []},
    "messages": [
        {"role": "user", "content": "Read both"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln+/="},
                {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "a"}},
                {"type": "tool_use", "id": "tu1", "name": "read", "input": {}},
                {"type": "tool_use", "id": "tu2", "name": "read", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "tu1", "content": "ok"},
                {"type": "tool_result", "tool_use_id": "tu2", "is_error": True, "content": "Traceback: b.txt"},
                {"type": "text", "text": "go on", **CACHED},
            ],
        },
    ],
}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s=="}
USE = {"type": "tool_use", "id": "tu9", "name": "read", "input": {"p": 1}}


def ask(**more):
    return DIALECT.read_ask(raw({**ASK, **more}))


def written(made):
    return json.loads(DIALECT.write_ask(made))


def answer(*content, stop="tool_use", **more):
    usage = {"input_tokens": 9, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 1}
    body = {"id": "msg1", "type": "message", "role": "assistant", "model": "m", "content": list(content)}
    return raw({**body, "stop_reason": stop, "stop_sequence": None, "usage": usage, **more})


def reply_to(made, *content, **more):
    return DIALECT.read_reply(answer(*content, **more), made, ids())


@pytest.mark.parametrize(
    ("method", "path", "matches"),
    [
        ("POST", "/v1/messages", True),
        ("POST", "/v1/messages/", True),
        ("POST", "/as/bot/v1/messages", True),
        ("POST", "/api/anthropic/v1/messages", True),
        ("GET", "/v1/messages", False),
        ("POST", "/v1/messages/count_tokens", False),
        ("POST", "/v1/messages/batches", False),
        ("GET", "/v1/messages/batches/b/results", False),
        ("POST", "/v1/threads/t/messages", False),
        ("POST", "/v1/chat/completions", False),
    ],
)
def test_the_generation_call_alone_is_read(method, path, matches):
    assert DIALECT.matches(method, path) is matches


# ------------------------------------------------------------------ asks


def test_what_a_request_reads_as():
    made = ask(stream=True, tool_choice={"type": "any"})
    assert (made.dialect, made.model, made.stream, made.limit, made.n) == ("messages", "m", True, 50, 1)
    assert [turn.role for turn in made.turns] == ["system", "user", "assistant", "tool"]
    assert made.turns[0].texts == ("rules",)
    assert made.tool_choice == "required"
    assert [tool.name for tool in made.tools] == ["read"]
    assert made.size == len(raw({**ASK, "stream": True, "tool_choice": {"type": "any"}}))


def test_an_unchanged_request_is_the_received_object():
    body = raw(ASK, indent=1)
    assert DIALECT.write_ask(DIALECT.read_ask(body)) is body


def test_half_a_surrogate_pair_is_mended_since_no_provider_takes_it():
    body = b'{"model":"m","messages":[{"role":"user","content":"a\\ud83d"}]}'
    assert json.loads(DIALECT.write_ask(DIALECT.read_ask(body)))["messages"][0]["content"] == "a\ufffd"


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages":5}', b'{"messages":[1]}', b"\xff", b'{"messages":['])
def test_what_can_not_be_read_says_so(body):
    with pytest.raises(UnreadableError):
        DIALECT.read_ask(body)


def test_numbers_of_any_size_and_odd_schemas_are_no_obstacle():
    body = b'{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"n":%s}}]}]}'
    made = DIALECT.read_ask(body % (b"9" * 5000))
    assert made.turns[0].calls[0].args == '{"n":' + "9" * 5000 + "}"
    assert DIALECT.write_ask(replace(made, turns=(*made.turns, Turn("user", ("x",))))).count(b"9") == 5000


def test_one_changed_result_changes_nothing_else():
    made = ask()
    told = made.turns[3]
    changed = replace(told, results=(told.results[0], replace(told.results[1], texts=("better",))))
    out = written(replace(made, turns=(*made.turns[:3], changed)))
    expected = json.loads(raw(ASK))
    expected["messages"][2]["content"][1]["content"] = "better"
    assert out == expected


def test_the_sender_s_spacing_and_key_order_are_kept():
    body = raw(ASK)
    assert b'", "' in body
    made = DIALECT.read_ask(body)
    user = made.turns[1]
    out = DIALECT.write_ask(replace(made, turns=(made.turns[0], replace(user, texts=("Read one",)), *made.turns[2:])))
    assert out == body.replace(b"Read both", b"Read one")


def test_a_pin_is_the_last_text_and_sets_no_marker():
    made = ask()
    last = replace(made.turns[-1], appended=("pin",))
    out = DIALECT.write_ask(replace(made, turns=(*made.turns[:-1], last)))
    assert out.count(b"cache_control") == raw(ASK).count(b"cache_control")
    assert json.loads(out)["messages"][-1]["content"][-2:] == [
        {"type": "text", "text": "go on", **CACHED},
        {"type": "text", "text": "pin"},
    ]


def test_system_can_be_changed_added_and_taken_out():
    made = ask()
    system, *rest = made.turns
    assert written(replace(made, turns=tuple(rest))).get("system") is None
    changed = written(replace(made, turns=(replace(system, appended=("more",)), *rest)))
    assert changed["system"] == [*ASK["system"], {"type": "text", "text": "more"}]
    assert changed["messages"] == ASK["messages"]
    bare = DIALECT.read_ask(raw({"model": "m", "messages": ASK["messages"]}))
    assert written(replace(bare, turns=(Turn("system", ("new",)), *bare.turns)))["system"] == "new"


def test_tools_and_the_choice_are_edited():
    made = ask(tool_choice={"type": "auto", "disable_parallel_tool_use": True})
    more = Tool("more", "d", b'{"type":"object"}')
    out = written(replace(made, tools=(*made.tools, more), tool_choice="=more"))
    assert out["tools"] == [TOOL, {"name": "more", "description": "d", "input_schema": {"type": "object"}}]
    assert out["tool_choice"] == {"type": "tool", "name": "more", "disable_parallel_tool_use": True}
    assert "tool_choice" not in written(replace(made, tool_choice=""))


def test_closing_forbids_calls_and_says_what_is_wanted_last():
    made = ask(tool_choice={"type": "tool", "name": "read"})
    out = written(DIALECT.closing(made, "sum up"))
    assert out["tool_choice"] == {"type": "none"}
    assert out["tools"] == [TOOL]
    assert out["thinking"] == ASK["thinking"]
    assert out["messages"][:2] == ASK["messages"][:2]
    assert out["messages"][2]["content"] == [*ASK["messages"][2]["content"], {"type": "text", "text": "sum up"}]


def test_closing_without_tools_or_after_an_assistant():
    out = written(DIALECT.closing(DIALECT.read_ask(raw({"messages": [{"role": "user", "content": "a"}]})), "b"))
    assert out == {"messages": [{"role": "user", "content": "a\n\nb"}]}
    out = written(DIALECT.closing(DIALECT.read_ask(raw({"messages": [{"role": "assistant", "content": "a"}]})), "b"))
    assert out["messages"][1] == {"role": "user", "content": "b"}
    assert written(DIALECT.closing(DIALECT.read_ask(raw({"messages": []})), "b"))["messages"] == [
        {"role": "user", "content": "b"}
    ]


# ------------------------------------------------------------------ answers


def test_what_an_answer_reads_as():
    reply = reply_to(ask(), THOUGHT, {"type": "text", "text": "a"}, USE)
    (turn,) = reply.turns
    assert (reply.id, reply.model, reply.usage) == ("msg1", "m", Usage(129, 1, 100))
    assert (turn.role, turn.texts, turn.finish, turn.cut) == ("assistant", ("a",), "tool_calls", False)
    assert [(one.id, one.tool, one.args) for one in reply.calls] == [("tu9", "read", '{"p": 1}')]
    assert reply_to(ask(), stop="max_tokens").turns[0].cut


@pytest.mark.parametrize("body", [b"", b"{}", b'{"content":"x"}', b'{"type":"error","error":{}}'])
def test_an_answer_that_is_none_says_so(body):
    with pytest.raises(UnreadableError):
        DIALECT.read_reply(body, ask(), ids())


def test_an_unchanged_answer_is_the_received_object():
    body = answer(THOUGHT, USE)
    assert DIALECT.write_reply(DIALECT.read_reply(body, ask(), ids())) is body


def test_a_changed_call_changes_nothing_else():
    reply = reply_to(ask(), THOUGHT, {"type": "text", "text": ""}, USE, stop="end_turn")
    (turn,) = reply.turns
    fixed = replace(turn, calls=(replace(turn.calls[0], args='{"p":2}'),))
    body = json.loads(DIALECT.write_reply(replace(reply, turns=(fixed,))))
    expected = json.loads(answer(THOUGHT, {"type": "text", "text": ""}, {**USE, "input": {"p": 2}}))
    assert body == expected


def test_an_answer_that_lost_its_calls_ends_with_text():
    reply = reply_to(ask(), THOUGHT, USE)
    left = replace(reply.turns[0], calls=(), appended=("honest",), finish="stop")
    body = json.loads(DIALECT.write_reply(replace(reply, turns=(left,))))
    assert body["content"] == [THOUGHT, {"type": "text", "text": "honest"}]
    assert body["stop_reason"] == "end_turn"
    gone = replace(reply_to(ask(), USE).turns[0], calls=())
    assert json.loads(DIALECT.write_reply(replace(reply_to(ask(), USE), turns=(gone,))))["content"] == []


def test_hidden_rounds_are_told_beside_the_usage():
    body = json.loads(DIALECT.write_reply(reply_to(ask(), USE), Usage(5, 2)))
    assert body["content"] == [USE]
    assert body["usage"]["input_tokens"] == 9
    assert body["usage"]["handrail"]["hidden_input_tokens"] == 5
    bare = DIALECT.read_reply(b'{"content":[]}', ask(), ids())
    assert json.loads(DIALECT.write_reply(bare, Usage(5, 2)))["usage"]["handrail"]["hidden_output_tokens"] == 2


def test_calls_that_a_client_would_misread_are_made_sound():
    reply = reply_to(ask(), {**USE, "id": ""}, USE, USE)
    assert DIALECT.malformed(reply) == "a call without id"
    body = json.loads(DIALECT.write_reply(reply))
    assert [one["id"] for one in body["content"]] == ["made00001", "tu9", "made00002"]
    assert DIALECT.malformed(reply_to(ask(), USE)) == ""
    assert DIALECT.malformed(DIALECT.compose(ask(), "x", ids(), 0.0)) == ""


def test_only_this_api_s_values_are_written():
    made, reply = ask(), reply_to(ask(), USE)
    with pytest.raises(TypeError):
        DIALECT.write_ask(replace(made, wire=None))
    with pytest.raises(TypeError):
        DIALECT.write_reply(replace(reply, wire=None))


# ------------------------------------------------------------------ hidden rounds


WRONG = '{"status":"error","code":"INVALID_ARGUMENTS"}'


def test_a_hidden_round_carries_the_turn_as_it_was_said():
    made = ask()
    reply = reply_to(made, THOUGHT, {"type": "text", "text": "a", "citations": None}, USE, {**USE, "id": "tu8"})
    out = written(DIALECT.extend(made, reply, {"tu9": WRONG, "tu8": "a page"}, fix=True))
    assert out["messages"][:3] == ASK["messages"]
    assert out["messages"][3:] == [
        {
            "role": "assistant",
            "content": [THOUGHT, {"type": "text", "text": "a", "citations": None}, USE, {**USE, "id": "tu8"}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "tu9", "content": WRONG, "is_error": True},
                {"type": "tool_result", "tool_use_id": "tu8", "content": "a page"},
            ],
        },
    ]


@pytest.mark.parametrize("page", ['{"rows":[]}', '{"status":"ok"}', '{"status":', "status: error", '["error"]', ""])
def test_results_that_are_no_errors_are_not_marked(page):
    made = ask()
    out = written(DIALECT.extend(made, reply_to(made, USE), {"tu9": page}, fix=True))
    assert "is_error" not in out["messages"][-1]["content"][0]


def test_a_streamed_turn_goes_back_whole_and_input_that_is_no_json_as_nothing():
    made = ask()
    reader = DIALECT.stream(made, ids(), None, None, mute=False)
    play(reader, start() + thinking(0) + text(1, "a") + text(2, "") + call(3, '{"p": tru', call_id="") + end())
    reply = reader.reply(whole=True)
    out = written(DIALECT.extend(made, reply, {"made00001": "not JSON"}, fix=False))
    assert out["messages"][3]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln+/="},
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "made00001", "name": "read", "input": {}},
    ]
    assert out["messages"][4]["content"] == [
        {"type": "tool_result", "tool_use_id": "made00001", "content": "not JSON", "is_error": True}
    ]


def test_calls_that_follow_hidden_thinking_get_it_back():
    made = ask()
    hidden = DIALECT.extend(made, reply_to(made, THOUGHT, USE), {"tu9": WRONG}, fix=True)
    again = DIALECT.extend(hidden, reply_to(hidden, USE), {"tu9": WRONG}, fix=True)
    reply = reply_to(again, USE)
    assert DIALECT.malformed(reply) == "calls without the thinking that led to them"
    assert json.loads(DIALECT.write_reply(reply, Usage(1, 1)))["content"] == [THOUGHT, USE]
    own = {**THOUGHT, "thinking": "new"}
    assert json.loads(DIALECT.write_reply(reply_to(again, own, USE), Usage(1, 1)))["content"] == [own, USE]
    said = {"type": "text", "text": "done"}
    assert json.loads(DIALECT.write_reply(reply_to(again, said), Usage(1, 1)))["content"] == [said]
    packed = json.loads(DIALECT.pack_turns(reply.turns))
    assert packed == [{"role": "assistant", "content": [USE]}]


@pytest.mark.parametrize(
    ("sent", "goes"),
    [
        (None, "c1"),
        ("own", "own"),
        ({"id": "own", "skills": []}, {"id": "own", "skills": []}),
        ({"skills": []}, {"skills": [], "id": "c1"}),
    ],
)
def test_a_container_of_the_hidden_turn_is_named(sent, goes):
    made = ask(container=sent) if sent is not None else ask()
    hidden = DIALECT.extend(made, reply_to(made, USE, container={"id": "c1"}), {"tu9": WRONG}, fix=True)
    again = DIALECT.extend(hidden, reply_to(hidden, USE), {"tu9": WRONG}, fix=True)
    assert written(again)["container"] == goes
    assert "container" not in written(DIALECT.extend(ask(), reply_to(made, USE), {}, fix=True))


def test_hidden_turns_are_the_same_after_storage():
    made = ask()
    hidden = DIALECT.extend(made, reply_to(made, THOUGHT, USE), {"tu9": "page"}, fix=True)
    data = DIALECT.pack_turns(hidden.turns[-2:])
    said, told = DIALECT.unpack_turns(data)
    assert [one.id for one in said.calls] == ["tu9"]
    assert [(one.call_id, one.tool, one.text) for one in told.results] == [("tu9", "read", "page")]
    assert DIALECT.pack_turns((said, told)) == data
    assert written(replace(made, turns=(*made.turns, said, told)))["messages"][3:] == json.loads(data)


def test_a_withheld_call_is_put_back_among_those_that_the_agent_got():
    made = DIALECT.read_ask(
        raw(
            {
                "messages": [
                    {"role": "user", "content": "task"},
                    {"role": "assistant", "content": [THOUGHT, USE]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "tu9", "content": "ok"}]},
                ]
            }
        )
    )
    user, said, told = made.turns
    back = replace(said, calls=(ToolCall("tu8", "more", "{}", "more", "{}"), *said.calls))
    answered = replace(told, results=(ToolResult("tu8", ("page",), "more"), *told.results))
    out = written(replace(made, turns=(user, back, answered)))["messages"]
    assert [one.get("id") for one in out[1]["content"]] == [None, "tu8", "tu9"]
    assert [one["tool_use_id"] for one in out[2]["content"]] == ["tu8", "tu9"]


# ------------------------------------------------------------------ streams, own answers, errors


def test_streams_go_on_with_readers_of_this_api_only():
    made = ask()
    first = DIALECT.stream(made, ids(), None, None, mute=False)
    early = play(first, start() + text(0, "hm") + call(1, "{") + end())
    second = DIALECT.stream(made, ids(), first, Usage(1, 1), mute=True)
    early += play(second, start() + text(0, "hm") + call(1, "{}") + end())
    out = DIALECT.write_stream(DIALECT.compose(made, "honest", ids(), 0.0), second)
    message = read(early + out)
    assert [one["text"] for one in message["content"]] == ["hm", "honest"]
    assert message["stop_reason"] == "end_turn"
    assert DIALECT.malformed(second.reply(whole=True)) == ""


def test_a_composed_answer_needs_no_round_before_it():
    made = ask()
    reply = DIALECT.compose(made, "", ids(), 0.0, ("finish", '{"a":1}'))
    whole = json.loads(DIALECT.write_reply(reply))
    assert read(DIALECT.write_stream(reply, None)) == whole
    assert whole["content"] == [{"type": "tool_use", "id": "made00001", "name": "finish", "input": {"a": 1}}]


def test_errors_have_the_api_s_shape():
    body = json.loads(DIALECT.error(504, "late", "timeout", "handrail_error"))
    assert body == {"type": "error", "error": {"type": "timeout_error", "message": "late", "code": "timeout"}}
    assert DIALECT.stream_error("late", "timeout", "x").startswith(b"event: error\ndata: ")
