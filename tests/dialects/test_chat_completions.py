"""The dialect of `/chat/completions`: requests, unstreamed answers, hidden rounds, answers of our own."""

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects import sse
from proxy.dialects.chat_completions import ChatCompletions
from proxy.dialects.chat_stream import ChatStream
from proxy.dialects.dialect import Dialect, UnreadableError
from proxy.model import Ask, Tool, ToolResult, Turn, Usage, replace
from tests.playbook import call, chat

DIALECT: Dialect = ChatCompletions()
FIND = {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": {"type": "object"}}}
BODY: dict[str, Any] = {
    "model": "m",
    "temperature": 0.70,
    "messages": [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "Find both"},
        {"role": "assistant", "content": None, "tool_calls": [call("a", "find", '{"q": 1.50}'), call("b", "find", {})]},
        {"role": "tool", "tool_call_id": "a", "content": "found"},
        {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "also"}], "extra": 1},
    ],
    "tools": [FIND],
    "tool_choice": "auto",
    "seed": 12345678901234567890123,
}


def ids() -> Any:
    numbers = count(1)
    return lambda: f"made{next(numbers):05d}"


def raw(body: Any, **style: Any) -> bytes:
    return json.dumps(body, **style).encode()


def ask(**more: Any) -> Ask:
    return DIALECT.read_ask(raw({**BODY, **more}))


def sent(made: Ask) -> Any:
    return json.loads(DIALECT.write_ask(made))


def fresh(made: Ask) -> Ask:
    """The same ask, of which every turn and tool counts as changed."""
    return replace(made, turns=tuple(map(replace, made.turns)), tools=tuple(map(replace, made.tools)))


# ---------------------------------------------------------------- asks


@pytest.mark.parametrize(("method", "path", "ours"), [
    ("POST", "/v1/chat/completions", True), ("POST", "/chat/completions/", True),
    ("GET", "/v1/chat/completions", False),
    ("POST", "/v1/completions", False), ("POST", "/openai/deployments/x/chat/completions", True),
])  # fmt: skip
def test_its_generation_call(method: str, path: str, ours: bool) -> None:  # noqa: FBT001
    assert DIALECT.matches(method, path) is ours


def test_what_a_request_says() -> None:
    made = ask(stream=True, n=2, max_completion_tokens=70)
    assert (made.model, made.stream, made.n, made.limit, made.tool_choice) == ("m", True, 2, 70, "auto")
    assert [turn.role for turn in made.turns] == ["system", "user", "assistant", "tool"]
    assert [(tool.name, tool.description, tool.schema) for tool in made.tools] == [
        ("find", "Finds.", b'{"type": "object"}')
    ]
    assert [(one.call_id, one.text, one.tool) for one in made.turns[3].results] == [
        ("a", "found", "find"),
        ("b", "also", "find"),
    ]
    assert made.size == len(raw({**BODY, "stream": True, "n": 2, "max_completion_tokens": 70}))


@pytest.mark.parametrize("style", [{}, {"separators": (",", ":")}, {"indent": 2}, {"ensure_ascii": False}])
def test_nothing_changed_is_the_received_object(style: dict[str, Any]) -> None:
    body = raw(BODY, **style)
    assert DIALECT.write_ask(DIALECT.read_ask(body)) is body


@pytest.mark.parametrize("style", [{}, {"separators": (",", ":")}])
def test_values_that_were_not_changed_keep_their_bytes(style: dict[str, Any]) -> None:
    body = raw(BODY, **style)
    made = DIALECT.read_ask(body)
    assert DIALECT.write_ask(fresh(made)) == body
    changed = replace(made, turns=(*made.turns[:1], replace(made.turns[1], texts=("Find one",)), *made.turns[2:]))
    assert DIALECT.write_ask(changed) == body.replace(b"Find both", b"Find one")


@pytest.mark.parametrize("body", [
    b"", b"[]", b'{"model": "m"}', b'{"messages": 5}', b'{"messages": [5]}', b'{"messages": [{"role": "wizard"}]}',
    b"\xff",
    b'{"messages": [{"content": "x"}]}', b'{"messages": [{"role": 5}]}', b'{"messages"', b'{"messages": [],}',
])  # fmt: skip
def test_what_is_no_request_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableError):
        DIALECT.read_ask(body)


@pytest.mark.parametrize(("choice", "read"), [
    ("none", "none"), ("required", "required"), ({"type": "function", "function": {"name": "find"}}, "=find"),
    ({"type": "allowed_tools", "mode": "required"}, "required"), (5, ""), (None, ""),
    ({"type": "custom", "custom": {"name": "write"}}, "=write"),
])  # fmt: skip
def test_the_choice_of_a_tool(choice: Any, read: str) -> None:
    assert ask(tool_choice=choice).tool_choice == read


@pytest.mark.parametrize(("choice", "written"), [
    ("none", "none"), ("=look", {"type": "function", "function": {"name": "look"}}), ("", None),
])  # fmt: skip
def test_another_choice_is_written(choice: str, written: Any) -> None:
    assert sent(replace(ask(), tool_choice=choice)).get("tool_choice") == written


def test_a_tool_that_is_added_comes_last_and_one_that_is_changed_keeps_the_rest() -> None:
    odd = {"type": "function", "cache": True, "function": {**FIND["function"], "strict": False}}  # type: ignore[dict-item]
    made = ask(tools=[odd, {"type": "web_search"}])
    assert [(tool.name, tool.kind) for tool in made.tools] == [("find", "function"), ("web_search", "builtin")]
    more = replace(made.tools[0], schema=b'{"type":"string"}', strict=True, description="Other.", name="seek")
    added = Tool("read_more", "Reads.", b'{"type":"object"}')
    tools = sent(replace(made, tools=(more, made.tools[1], added)))["tools"]
    assert tools[0] == {
        "type": "function",
        "cache": True,
        "function": {"name": "seek", "description": "Other.", "parameters": {"type": "string"}, "strict": True},
    }
    assert tools[1] == {"type": "web_search"}
    assert tools[2]["function"] == {"name": "read_more", "description": "Reads.", "parameters": {"type": "object"}}


def test_the_first_form_of_the_api_is_read_and_written() -> None:
    function = {"name": "find", "parameters": {"type": "object"}}
    body = {"model": "m", "messages": [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": "{}"}},
        {"role": "function", "name": "find", "content": "found"},
    ], "functions": [function], "function_call": {"name": "find"}}  # fmt: skip
    made = DIALECT.read_ask(raw(body))
    assert (made.tools[0].name, made.tool_choice) == ("find", "=find")
    assert (made.turns[1].calls[0].id, made.turns[2].results[0].tool) == ("", "find")
    assert sent(fresh(made)) == body
    changed = sent(replace(made, tools=(*made.tools, Tool("more")), tool_choice="none"))
    assert [one["name"] for one in changed["functions"]] == ["find", "more"]
    assert changed["function_call"] == "none"


def test_half_characters_are_mended_and_everything_else_is_kept() -> None:
    body = raw(BODY).replace(b"Find both", b"Find \\ud83d both")
    made = DIALECT.read_ask(body)
    assert "�" in made.turns[1].text
    assert DIALECT.write_ask(made) == body.replace(b"\\ud83d", b"\\ufffd")


# ---------------------------------------------------------------- hidden and closing rounds


def test_a_hidden_round_is_added_as_the_model_said_it() -> None:
    body = chat("Hm.", [("c", "find", '{"q": 1.50}'), ("d", "find", "{broken")])
    body["choices"][0]["message"]["reasoning_content"] = "so"
    reply = DIALECT.read_reply(raw(body), ask(), ids())
    more = sent(DIALECT.extend(ask(), reply, {"c": "wrong", "d": "also wrong"}, fix=True))["messages"]
    assert more[:5] == BODY["messages"]
    assert more[5]["reasoning_content"] == "so"
    assert [one["function"]["arguments"] for one in more[5]["tool_calls"]] == ['{"q": 1.50}', "{}"]
    assert more[6:] == [
        {"role": "tool", "tool_call_id": "c", "content": "wrong"},
        {"role": "tool", "tool_call_id": "d", "content": "also wrong"},
    ]
    plain = sent(DIALECT.extend(ask(), reply, {}, fix=False))["messages"]
    assert plain[5]["tool_calls"][1]["function"]["arguments"] == "{broken"


def test_a_closing_round_keeps_the_tools_and_calls_none() -> None:
    closing = sent(DIALECT.closing(ask(tool_choice="required"), "Sum up."))
    assert (closing["tools"], closing["tool_choice"]) == ([FIND], "none")
    assert closing["messages"][-1]["content"] == [{"type": "text", "text": "also"}, {"type": "text", "text": "Sum up."}]
    said = DIALECT.closing(
        ask(messages=[{"role": "user", "content": "Go"}, {"role": "assistant", "content": "ok"}]), "Sum up."
    )
    assert sent(said)["messages"][-1] == {"role": "user", "content": "Sum up."}
    bare = sent(DIALECT.closing(DIALECT.read_ask(b'{"messages": [{"role": "user", "content": "Go"}]}'), "Sum up."))
    assert bare == {"messages": [{"role": "user", "content": "Go\n\nSum up."}]}


def test_turns_are_kept_and_come_back() -> None:
    turns = (*ask().turns[2:], Turn("tool", results=(ToolResult("z", ("new",)),)))
    back = DIALECT.unpack_turns(DIALECT.pack_turns(turns))
    assert [turn.role for turn in back] == ["assistant", "tool"]
    assert [one.call_id for one in back[1].results] == ["a", "b", "z"]
    assert DIALECT.pack_turns(back) == DIALECT.pack_turns(turns)


# ---------------------------------------------------------------- answers


def test_an_answer_that_is_not_changed_is_the_received_object() -> None:
    body = raw(chat("ok", [("a", "find", {})]), indent=1)
    reply = DIALECT.read_reply(body, ask(), ids())
    assert DIALECT.write_reply(reply) is body
    assert (reply.id, reply.model, reply.usage) == ("chatcmpl-1", "m", Usage(50, 10))
    assert not DIALECT.malformed(reply)


def test_a_changed_answer_keeps_all_else() -> None:
    body = {**chat("ok", [("a", "find", {"q": "5"})]), "system_fingerprint": "fp", "service_tier": "default"}
    reply = DIALECT.read_reply(raw(body), ask(), ids())
    turn = replace(reply.turns[0], calls=(replace(reply.calls[0], args='{"q": 5}'),))
    written = json.loads(DIALECT.write_reply(replace(reply, turns=(turn,)), Usage(7, 3, 1)))
    assert written["choices"][0]["message"]["tool_calls"][0] == call("a", "find", '{"q": 5}')
    assert written["usage"].pop("handrail") == {
        "hidden_prompt_tokens": 7,
        "hidden_completion_tokens": 3,
        "hidden_cached_tokens": 1,
        "estimated": False,
    }
    assert {key: value for key, value in written.items() if key != "choices"} == {
        key: value for key, value in body.items() if key != "choices"
    }


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"choices": []}', b'{"choices": {}}', b'{"choices": [{"message": 5}]}', b"<html>"]
)
def test_what_is_no_answer_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableError):
        DIALECT.read_reply(body, ask(), ids())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("called", [None, ("done", '{"text":"It is so."}')])
def test_an_answer_of_our_own_is_one_of_the_api(stream: bool, called: Any) -> None:  # noqa: FBT001
    reply = DIALECT.compose(ask(), "It is so.", ids(), 1_700_000_000.5, called)
    if stream:
        payloads = [p for event in sse.Splitter().feed(DIALECT.write_stream(reply, None)) if (p := sse.data(event))]
        assert payloads[-1] == b"[DONE]"
        chunks = [json.loads(one) for one in payloads[:-1]]
        message, finish = chunks[0]["choices"][0]["delta"], chunks[-1]["choices"][0]["finish_reason"]
        assert {one["object"] for one in chunks} == {"chat.completion.chunk"}
    else:
        body = json.loads(DIALECT.write_reply(reply, None))
        message, finish = body["choices"][0]["message"], body["choices"][0]["finish_reason"]
        assert (body["object"], body["created"], body["usage"]["total_tokens"]) == ("chat.completion", 1_700_000_000, 0)
    assert message["role"] == "assistant"
    if called is None:
        assert (message["content"], finish) == ("It is so.", "stop")
    else:
        assert (message["tool_calls"][0]["function"]["name"], finish) == ("done", "tool_calls")
        assert message["tool_calls"][0]["id"]


def test_an_answer_of_our_own_goes_on_with_a_stream() -> None:
    stream = ChatStream(ids())
    stream.feed(
        sse.event(raw({"id": "x1", "object": "chat.completion.chunk", "created": 5, "model": "q", "choices": []}))
    )
    reply = DIALECT.compose(ask(), "It is so.", ids(), 1.0)
    payloads = [p for event in sse.Splitter().feed(DIALECT.write_stream(reply, stream)) if (p := sse.data(event))]
    assert {(one["id"], one["model"]) for one in map(json.loads, payloads[:-1])} == {("x1", "q")}


def test_errors_have_the_apis_shape() -> None:
    error = {"message": "no", "type": "handrail_error", "param": None, "code": "timeout"}
    assert json.loads(DIALECT.error(504, "no", "timeout", "handrail_error")) == {"error": error}
    event = DIALECT.stream_error("no", "timeout", "handrail_error")
    assert json.loads(sse.data(event) or b"") == {"error": error}


def test_what_belongs_to_another_api_is_refused() -> None:
    with pytest.raises(TypeError):
        DIALECT.write_ask(replace(ask(), wire=None))
    with pytest.raises(TypeError):
        DIALECT.write_reply(replace(DIALECT.compose(ask(), "x", ids(), 1.0), wire=None))


# ---------------------------------------------------------------- laws

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
PART = st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=5)})
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "developer", "function"])},
    optional={
        "content": st.text(max_size=5) | st.lists(PART | JSON, max_size=2) | JSON,
        "tool_calls": st.lists(
            st.builds(call, st.text(max_size=2), st.text(max_size=3), st.text(max_size=5)) | JSON, max_size=2
        )
        | JSON,
        "tool_call_id": JSON,
        "name": JSON,
        "function_call": JSON,
    },
)


@given(st.lists(MESSAGE, max_size=6), st.lists(JSON, max_size=2), JSON)
def test_whatever_is_asked_is_unreadable_or_leaves_as_it_came(messages: Any, tools: Any, choice: Any) -> None:
    body = raw({"messages": messages, "tools": tools, "tool_choice": choice})
    try:
        made = DIALECT.read_ask(body)
    except UnreadableError:
        return
    assert DIALECT.write_ask(made) is body
    assert json.loads(DIALECT.write_ask(fresh(made))) == json.loads(body)


@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"message": MESSAGE | JSON, "index": JSON, "finish_reason": JSON}) | JSON
    ),
    JSON,
)
def test_whatever_is_answered_is_unreadable_or_leaves_as_it_came(choices: Any, usage: Any) -> None:
    body = raw({"choices": choices, "usage": usage})
    try:
        reply = DIALECT.read_reply(body, ask(), ids())
    except UnreadableError:
        return
    if not DIALECT.malformed(reply):
        assert DIALECT.write_reply(reply) is body
    json.loads(DIALECT.write_reply(replace(reply, turns=tuple(map(replace, reply.turns)))))
