"""What the model sees of the tools, and that everybody else goes on with the agent's own."""

import json
from typing import Any

import pytest

from tests.apis import APIS, Api, Call, Said, User
from tests.apis import Tool as ApiTool
from tests.playbook import SSE, Answer, World, call, chat, chunk, tool

ORDERS = tool("orders", {"status": {"type": "string"}, "since": {"type": "string"}}, ["status"])
LIMITED = tool("limited", {"n": {"type": "integer", "minimum": 1}}, ["n"])
FREE = tool("free", {"filter": {"type": "object"}})
STRICT = "policies:\n  repair_arguments: {}\n  constrain_tools: {}\ntools:\n  '*': {strict: true}\n"
PORTABLE = "policies:\n  repair_arguments: {}\n  constrain_tools: {names: portable}\n"


def ask(*tools: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "Look."}], "tools": list(tools), **more}


def sent(played: Any, number: int = 0) -> dict[str, Any]:
    """The tools of a round, by name."""
    return {one["function"]["name"]: one["function"] for one in played.asks[number]["tools"]}


def got(played: Any) -> list[tuple[str, str]]:
    listed = played.json["choices"][0]["message"].get("tool_calls") or []
    return [(one["function"]["name"], one["function"]["arguments"]) for one in listed]


# ---------------------------------------------------------------- nothing to do


@pytest.mark.parametrize(
    "pack",
    [
        "policies: {constrain_tools: {}}",
        "policies: {constrain_tools: {names: portable}}",
        STRICT.replace("'*'", "other"),
        STRICT.replace("repair_arguments: {}", "gates: {}") + "mode: observe\n",
    ],
)
def test_where_the_pack_asks_for_nothing_the_received_bytes_go_up(pack: str) -> None:
    body = json.dumps(ask(ORDERS, FREE)).encode()
    played = World(pack).play(body, [Answer.json(chat("hi"))])
    assert played.sent == [body]
    assert played.body == json.dumps(chat("hi")).encode()


def test_an_observing_pack_says_what_it_would_do() -> None:
    body = json.dumps(ask(ORDERS)).encode()
    played = World(STRICT + "mode: observe\n").play(body, [Answer.json(chat("hi"))])
    assert played.sent == [body]
    assert [note["would"] for note in played.notes() if note["policy"] == "constrain_tools"] == ["rewrote"]


# ---------------------------------------------------------------- strict


def test_a_strict_tool_goes_up_in_the_subset_and_its_nulls_do_not_come_back() -> None:
    answer = chat(calls=[("c1", "orders", '{"status": "open", "since": null}')])
    played = World(STRICT).play(ask(ORDERS), [Answer.json(answer)])
    made = sent(played)["orders"]
    assert made["strict"] is True
    assert made["parameters"]["required"] == ["status", "since"]
    assert got(played) == [("orders", '{"status":"open"}')]


def test_arguments_without_such_nulls_leave_to_the_byte() -> None:
    args = '{ "status": "null", "since": "x" }'
    answer = chat(calls=[("c1", "orders", args)])
    played = World(STRICT).play(ask(ORDERS), [Answer.json(answer)])
    assert got(played) == [("orders", args)]


def test_what_comes_back_is_checked_by_the_agents_schema_all_the_same() -> None:
    answers = [
        Answer.json(chat(calls=[("c1", "limited", '{"n": 0}')])),
        Answer.json(chat(calls=[("c2", "limited", '{"n": 1}')])),
    ]
    played = World(STRICT).play(ask(LIMITED), answers)
    assert "minimum" not in sent(played)["limited"]["parameters"]["properties"]["n"]
    assert "minimum: 1" in sent(played)["limited"]["parameters"]["properties"]["n"]["description"]
    assert got(played) == [("limited", '{"n": 1}')]


def test_without_that_check_a_bound_keeps_the_tool_as_it_is() -> None:
    played = World(STRICT.replace("  repair_arguments: {}\n", "")).play(ask(LIMITED, ORDERS), [Answer.json(chat("hi"))])
    assert sent(played)["limited"] == LIMITED["function"]
    assert sent(played)["orders"]["strict"] is True


def test_a_schema_that_would_lose_something_stays_and_that_is_told_once() -> None:
    world = World(STRICT)
    for told in (1, 0):
        played = world.play(ask(FREE), [Answer.json(chat("hi"))])
        assert sent(played)["free"] == FREE["function"]
        notes = [note["detail"] for note in played.notes("found")]
        assert len(notes) == told
        assert all(note["not_strict"].startswith("/properties/filter: ") for note in notes)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_refusal_is_asked_once_without_and_remembered(api: Api, *, streamed: bool) -> None:
    world = World(STRICT)
    tools = [ApiTool("orders", {"status": {"type": "string"}, "since": {"type": "string"}}, ["status"])]
    body = api.ask([User("Look.")], tools, **({"stream": True} if streamed else {}))
    refused = Answer.json({"error": "Invalid schema for function 'orders'"}, 400)
    said = Said(calls=(Call("call_1x", "orders", {"status": "open"}),))
    answer = Answer(api.events(said), headers=SSE) if streamed else Answer([api.answer(said)])

    def flags(played: Any) -> list[Any]:
        return [api.read_ask(one).tools["orders"].get("strict") is True for one in played.sent]

    played = world.play(body, [refused, answer], path=api.path)
    assert flags(played) == [True, False]
    seen = api.read_stream(played.body) if streamed else api.read_answer(played.body)
    assert seen.calls == [("orders", {"status": "open"})]
    assert flags(world.play(body, [answer], path=api.path)) == [False]
    assert flags(world.play({**body, "model": "other"}, [answer], path=api.path)) == [True]
    assert flags(world.play(body, [answer], path=api.path, credential="c2")) == [True]
    more = api.ask([User("Look.")], [ApiTool("orders", {"status": {"type": "string"}})], model="m")
    assert flags(world.play(more, [Answer([api.answer(said)])], path=api.path)) == [True]


@pytest.mark.parametrize(
    "second",
    [
        Answer.json({"error": "too long, too"}, 400),
        Answer.json({"error": "busy"}, 529),
        Answer([], fails="connect"),
        Answer([b"{"], 500, fails="reset"),
    ],
)
def test_what_is_refused_for_another_reason_is_answered_as_it_was_first(second: Answer) -> None:
    world = World(STRICT)
    first = Answer([b'{"error": "too ', b'long"}'], 400, (("content-type", "application/json"), ("x-request-id", "r1")))
    played = world.play(ask(ORDERS), [first, second])
    assert (played.status, played.body, played.headers["x-request-id"]) == (400, b'{"error": "too long"}', "r1")
    assert not played.aborted
    assert not [key for key in world.store if key.startswith("strict:")]


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_only_what_a_provider_says_of_a_bad_request_is_tried_again(status: int) -> None:
    played = World(STRICT).play(ask(ORDERS), [Answer.json({"error": "no"}, status)])
    assert (played.status, len(played.sent)) == (status, 1)


def test_without_a_strict_tool_a_refusal_is_the_answer() -> None:
    played = World(STRICT).play(ask(FREE), [Answer.json({"error": "no"}, 400)])
    assert (played.status, len(played.sent)) == (400, 1)


def test_a_refused_round_costs_no_tokens() -> None:
    world = World(STRICT.replace("policies:", "policies:\n  gates: {tokens_per_day: 100000}"))
    world.play(ask(ORDERS), [Answer.json({"error": "no"}, 400), Answer.json(chat("hi"))])
    assert list(world.counters.values()) == [60]


def test_hidden_rounds_stay_without_what_was_refused() -> None:
    answers = [
        Answer.json({"error": "no"}, 422),
        Answer.json(chat(calls=[("c1", "orders", '{"status": 3, "since": []}')])),
        Answer.json(chat(calls=[("c2", "orders", '{"status": "open"}')])),
    ]
    played = World(STRICT).play(ask(ORDERS), answers)
    assert [sent(played, number)["orders"].get("strict") for number in range(3)] == [True, None, None]
    assert got(played) == [("orders", '{"status": "open"}')]


# ---------------------------------------------------------------- help from the pack

HELP = "policies: {constrain_tools: {}}\ntools: {orders: {parameters: {since: {format: date, reason: cut by day}}}}\n"


def test_what_the_pack_knows_is_shown_and_the_same_in_each_ask() -> None:
    world = World(HELP)
    first = world.play(ask(ORDERS, FREE), [Answer.json(chat("hi"))])
    assert sent(first)["orders"]["parameters"]["properties"]["since"] == {
        "type": "string",
        "format": "date",
        "description": "Needed because: cut by day.",
    }
    assert sent(first)["free"] == FREE["function"]
    assert "strict" not in sent(first)["orders"]
    chinese = ask(ORDERS, FREE, messages=[{"role": "user", "content": "查一下未完成的订单"}])
    assert world.play(chinese, [Answer.json(chat("hi"))]).asks[0]["tools"] == first.asks[0]["tools"]


def test_a_schema_that_the_agent_itself_has_decoded_under_stays_in_the_subset() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    own = {"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}
    loose = {"type": "function", "function": {"name": "f", "strict": True, "parameters": {"type": "object"}}}
    pack = "policies: {repair_arguments: {}, constrain_tools: {}}\ntools: {f: {parameters: {n: {min: 1, unit: s}}}}\n"
    played = World(pack).play(ask(own), [Answer.json(chat("hi"))])
    assert sent(played)["f"]["parameters"]["properties"]["n"] == {
        "type": "integer",
        "description": "Unit: s. (minimum: 1)",
    }
    refused = World(pack).play(ask(own), [Answer.json({}, 400), Answer.json(chat("hi"))])
    assert sent(refused, 1)["f"] == own["function"]
    assert sent(World(pack).play(ask(loose), [Answer.json(chat("hi"))]))["f"] == loose["function"]


# ---------------------------------------------------------------- names


def test_names_are_mapped_in_tools_history_and_choice_and_back_in_the_reply() -> None:
    history = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call("c0", "shop.orders", {}), call("c1", "ok", {})]},
        {"role": "tool", "tool_call_id": "c0", "content": "1"},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
        {"role": "assistant", "content": None, "tool_calls": [call("c2", "gone/tool", {})]},
        {"role": "tool", "tool_call_id": "c2", "content": "3"},
    ]
    tools = [tool("shop.orders", {}), tool("shop orders", {}), tool("ok", {})]
    choice = {"type": "function", "function": {"name": "shop.orders"}}
    body = ask(*tools, messages=history, tool_choice=choice)
    world = World(PORTABLE)
    played = world.play(body, [Answer.json(chat("hi"))])
    names = list(sent(played))
    assert len(set(names)) == 3
    assert all(name.replace("_", "").isalnum() for name in names)
    asked = played.asks[0]
    called = [one["function"]["name"] for turn in asked["messages"] for one in turn.get("tool_calls") or ()]
    assert called == [names[0], "ok", "gone_tool"]
    assert asked["tool_choice"]["function"]["name"] == names[0]
    back = world.play(body, [Answer.json(chat(calls=[("c9", names[1], {}), ("c8", "ok", {})]))])
    assert got(back) == [("shop orders", "{}"), ("ok", "{}")]


def test_a_stream_with_mapped_names_is_written_anew() -> None:
    events = [chunk({"tool_calls": [{"index": 0, **call("c1", "a_b", {})}]}), chunk({}, "tool_calls")]
    played = World(PORTABLE).play(ask(tool("a.b", {}), stream=True), [Answer.sse(*events)])
    assert b'"name":"a.b"' in played.body
    assert b"a_b" not in played.body


def test_a_hidden_round_speaks_of_tools_as_the_model_knows_them() -> None:
    strict = tool("a.b", {"n": {"type": "integer"}}, ["n"])
    answers = [Answer.json(chat(calls=[("c1", "a_b", {"n": "x"})])), Answer.json(chat(calls=[("c2", "a_b", {"n": 1})]))]
    played = World(PORTABLE).play(ask(strict), answers)
    assert played.asks[1]["messages"][1]["tool_calls"][0]["function"]["name"] == "a_b"
    assert list(sent(played, 1)) == ["a_b"]
    assert got(played) == [("a.b", '{"n": 1}')]


def test_a_replayed_side_effect_is_told_and_kept_under_both_names() -> None:
    pack = PORTABLE.replace("policies:", "policies:\n  run_once: {}") + "tools: {mail.send: {side_effect: true}}\n"
    world, send = World(pack), tool("mail.send", {"to": {"type": "string"}})
    messages: list[Any] = [{"role": "user", "content": "Send it."}]
    first = world.play(
        ask(send, messages=messages), [Answer.json(chat(calls=[("call_a1x", "mail_send", {"to": "a"})]))]
    )
    messages += [
        first.json["choices"][0]["message"],
        {"role": "tool", "tool_call_id": "call_a1x", "content": '{"id": "m1"}'},
    ]
    again = Answer.json(chat(calls=[("call_b2x", "mail_send", {"to": "a"})]))
    second = world.play(ask(send, messages=messages), [again, Answer.json(chat("Sent."))])
    assert [
        turn["tool_calls"][0]["function"]["name"] for turn in second.asks[1]["messages"] if turn.get("tool_calls")
    ] == [
        "mail_send",
        "mail_send",
    ]
    messages += [second.json["choices"][0]["message"], {"role": "user", "content": "Thanks."}]
    third = world.play(ask(send, messages=messages), [Answer.json(chat("Welcome."))])
    assert third.asks[0]["messages"][: len(second.asks[1]["messages"])] == second.asks[1]["messages"]


def test_a_closing_round_has_the_names_that_the_provider_takes() -> None:
    pack = PORTABLE.replace("policies:", "policies:\n  gates: {steps: 1}")
    history = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call("c0", "a.b", {"q": 1})]},
        {"role": "tool", "tool_call_id": "c0", "content": "1"},
    ]
    played = World(pack).play(ask(tool("a.b", {}), messages=history), [Answer.json(chat("So far: 1."))])
    assert played.json["choices"][0]["message"]["content"] == "So far: 1."
    assert list(sent(played)) == ["a_b"]
    assert played.asks[0]["messages"][1]["tool_calls"][0]["function"]["name"] == "a_b"
