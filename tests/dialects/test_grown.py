"""A request that has grown out of earlier ones is read as if it were the first, and into the same objects."""

import json
import random
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.chat_completions import ChatCompletions
from proxy.dialects.dialect import Dialect, UnreadableError
from proxy.dialects.messages import Messages
from proxy.dialects.responses import Responses
from proxy.model import Ask, Turn, replace

DIALECTS: dict[str, Any] = {"chat": ChatCompletions, "messages": Messages, "responses": Responses}
KEYS = {"chat": "messages", "messages": "messages", "responses": "input"}


def made(api: str) -> Any:
    """A dialect that remembers short requests too."""
    dialect = DIALECTS[api]()
    dialect._grown.least = 0
    return dialect


def step(api: str, number: int, results: int = 1) -> list[Any]:
    """The items of one step: calls, and their results."""
    ids = [f"c{number}-{at}" for at in range(results)]
    text = f"result {number} é 漢 " + "x" * (number % 7) * 40
    if api == "chat":
        calls = [
            {"id": one, "type": "function", "function": {"name": f"t{number % 3}", "arguments": "{}"}} for one in ids
        ]
        said = {"role": "assistant", "content": None, "tool_calls": calls}
        return [said, *({"role": "tool", "tool_call_id": one, "content": text} for one in ids)]
    if api == "messages":
        uses = [{"type": "tool_use", "id": one, "name": f"t{number % 3}", "input": {}} for one in ids]
        answers = [{"type": "tool_result", "tool_use_id": one, "content": text} for one in ids]
        return [{"role": "assistant", "content": uses}, {"role": "user", "content": answers}]
    calls = [{"type": "function_call", "call_id": one, "name": f"t{number % 3}", "arguments": "{}"} for one in ids]
    return [*calls, *({"type": "function_call_output", "call_id": one, "output": text} for one in ids)]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def body(api: str, listed: list[Any], **more: Any) -> bytes:
    spaced = more.pop("spaced", False)
    document = {"model": "m", KEYS[api]: listed, **more}
    return json.dumps(document, ensure_ascii=False, separators=None if spaced else (",", ":")).encode()


def bare(turn: Turn) -> Turn:
    calls = tuple(replace(call, wire=None) for call in turn.calls)
    results = tuple(replace(result, wire=None) for result in turn.results)
    return replace(turn, wire=None, calls=calls, results=results)


def same(dialect: Dialect, fresh: Dialect, received: bytes) -> Ask:
    """Reads with both, and compares what they read and what they write."""
    ask, plain = dialect.read_ask(received), fresh.read_ask(received)
    assert tuple(map(bare, ask.turns)) == tuple(map(bare, plain.turns))
    assert [tool.name for tool in ask.tools] == [tool.name for tool in plain.tools]
    assert dialect.write_ask(ask) == received
    for at, turn in enumerate(ask.turns):
        changed = replace(ask, turns=(*ask.turns[:at], replace(turn, appended=("more",)), *ask.turns[at + 1 :]))
        old = plain.turns[at]
        wanted = replace(plain, turns=(*plain.turns[:at], replace(old, appended=("more",)), *plain.turns[at + 1 :]))
        assert dialect.write_ask(changed) == fresh.write_ask(wanted)
    return ask


@pytest.mark.parametrize("api", DIALECTS)
@given(st.data())
def test_a_history_is_read_the_same_whatever_was_read_before(api, data):
    dialect = made(api)
    listed: list[Any] = [user("do it")]
    tail = {"tools": [], "temperature": 1} if api == "messages" else {"temperature": 1}
    for number in range(data.draw(st.integers(2, 6))):
        act = data.draw(st.sampled_from(["step", "step", "step", "two", "user", "back", "edit", "spaced", "tail"]))
        if act in ("step", "two"):
            listed = [*listed, *step(api, number, 1 + (act == "two"))]
        elif act == "user":
            listed = [*listed, user(f"and {number}")]
        elif act == "back":
            listed = listed[: data.draw(st.integers(1, len(listed)))]
        elif act == "edit":
            listed = [user("do it differently"), *listed[1:]]
        elif act == "tail":
            tail = {**tail, "stop": [f"s{number}"], "input" if api != "responses" else "messages": [user("no")]}
        same(dialect, made(api), body(api, listed, spaced=act == "spaced", **tail))


@pytest.mark.parametrize("api", DIALECTS)
def test_turns_that_were_read_before_are_the_same_objects(api):
    dialect = made(api)
    listed = [user("do it"), *step(api, 1), *step(api, 2, 2)]
    first = dialect.read_ask(body(api, listed))
    second = same(dialect, made(api), body(api, [*listed, *step(api, 3)]))
    assert len(second.turns) == len(first.turns) + 2
    assert all(new is old for new, old in zip(second.turns, first.turns, strict=False))


@pytest.mark.parametrize(("field", "prompts"), [
    ("system", ["Be brief.", "Be brief.", "Be long."]),
    ("system", [[{"type": "text", "text": "Be"}], [{"type": "text", "text": "Be"}],
                [{"type": "text", "text": "Be", "cache_control": {"type": "ephemeral"}}]]),
    ("instructions", ["Be brief.", "Be brief.", "Be long."]),
])  # fmt: skip
def test_a_system_prompt_with_a_field_of_its_own_is_the_same_turn_as_long_as_it_is_the_same(field, prompts):
    api = "responses" if field == "instructions" else "messages"
    dialect, fresh = made(api), made(api)
    listed = [user("task"), *step(api, 7)]
    turns = []
    for number, prompt in enumerate(prompts):
        raw = body(api, listed, **{field: prompt})
        ask = dialect.read_ask(raw)
        assert bare(ask.turns[0]) == bare(made(api).read_ask(raw).turns[0])
        changed = replace(ask, turns=(replace(ask.turns[0], appended=("more",)), *ask.turns[1:]))
        alone = fresh.read_ask(raw)
        again = replace(alone, turns=(replace(alone.turns[0], appended=("more",)), *alone.turns[1:]))
        assert dialect.write_ask(ask) == raw
        assert dialect.write_ask(changed) == fresh.write_ask(again)
        turns.append(ask.turns[0])
        listed += step(api, number)
    assert turns[1] is turns[0]
    assert turns[2] is not turns[0]


@pytest.mark.parametrize("api", DIALECTS)
def test_results_that_join_a_turn_make_it_another(api):
    dialect = made(api)
    listed = [user("do it"), *step(api, 1), *step(api, 2, 2)]
    rest = [listed[-1]]
    before = listed[:-1]
    if api == "messages":  # its results stand in one message, and may stand in two
        before, (message,) = listed[:-1], rest
        rest = [{"role": "user", "content": [one]} for one in message["content"]]
        before, rest = [*before, rest[0]], rest[1:]
    first = dialect.read_ask(body(api, before))
    more = [*before, *rest]
    second = same(dialect, made(api), body(api, more))
    assert (len(first.turns[-1].results), len(second.turns[-1].results)) == (1, 2)
    assert second.turns[0] is first.turns[0]


@pytest.mark.parametrize("api", DIALECTS)
@pytest.mark.parametrize("spelling", ["KEY", "KE\\u0059"])
def test_a_key_twice_or_spelt_otherwise_is_read_as_a_whole(api, spelling):
    """The last one counts, as it does for whoever reads the body upstream."""
    key = KEYS[api]
    listed = json.dumps([user("one"), *step(api, 1), user("two")]).encode()
    other = json.dumps([user("three"), *step(api, 2)]).encode()
    name = json.dumps(key).encode()
    escaped = b'"' + f"\\u{ord(key[0]):04x}{key[1:]}".encode() + b'"'
    second = name if spelling == "KEY" else escaped
    twice = b'{"model":"m",' + name + b":" + listed + b"," + second + b":" + other + b"}"
    grown = b'{"model":"m",' + name + b":" + listed[:-1] + b"," + other[1:] + b"," + second + b":" + other + b"}"
    dialect = made(api)
    for received in (b'{"model":"m",' + name + b":" + listed + b"}", twice, grown, twice):
        same(dialect, made(api), received)


@pytest.mark.parametrize("api", DIALECTS)
@pytest.mark.parametrize("escaped", [False, True])
def test_a_second_list_that_repeats_the_end_of_the_first_is_not_taken_for_it(api, escaped):
    listed = [user("do it"), *step(api, 1)]
    grown = [*listed, user("and")]
    key = KEYS[api]
    second = f"\\u{ord(key[0]):04x}{key[1:]}" if escaped else key
    for back in range(1, len(grown)):
        dialect = made(api)
        dialect.read_ask(body(api, listed))
        first = body(api, grown)[:-1]
        rest = json.dumps(grown[-back:], ensure_ascii=False, separators=(",", ":"))
        same(dialect, made(api), first + f',"{second}":{rest}}}'.encode())


@pytest.mark.parametrize("api", DIALECTS)
@pytest.mark.parametrize("where", ["user", "metadata"])
def test_halves_of_surrogate_pairs_are_mended_behind_a_known_beginning_too(api, where):
    listed = [user("do it"), *step(api, 1), *step(api, 2)]
    dialect = made(api)
    dialect.read_ask(body(api, listed))
    for grown in ([*listed, *step(api, 3)], [*listed, *step(api, 3), user("\ud800")]):
        value = "x\ud800y" if where == "user" else {"\udc00": "x\ud800y"}
        received = json.dumps({"model": "m", KEYS[api]: grown, where: value}, separators=(",", ":")).encode()
        fresh = made(api)
        assert dialect.write_ask(dialect.read_ask(received)) == fresh.write_ask(fresh.read_ask(received))


@pytest.mark.parametrize("api", DIALECTS)
def test_a_list_of_the_same_name_and_content_inside_another_object_is_not_taken_for_it(api):
    listed = [user("do it"), *step(api, 1), *step(api, 2)]
    inner = {KEYS[api]: listed}
    dialect = made(api)
    for grown in (listed, [*listed, *step(api, 3)]):
        document = {"metadata": {**inner, "more": 1}, "model": "m", KEYS[api]: grown}
        same(dialect, made(api), json.dumps(document, separators=(",", ":")).encode())
        document["metadata"] = {KEYS[api]: grown}
        same(dialect, made(api), json.dumps(document, separators=(",", ":")).encode())


@pytest.mark.parametrize("api", DIALECTS)
def test_what_goes_wrong_behind_a_known_beginning_is_told_as_ever(api):
    listed = [user("do it"), *step(api, 1), *step(api, 2)]
    received = body(api, listed)
    dialect = made(api)
    dialect.read_ask(received)
    end = received.rindex(b"]")
    for wrong in (b',{"role":"nobody","type":"message"}', b",17", b',{"role"'):
        broken = received[:end] + wrong + received[end:]
        said = []
        for one in (dialect, made(api)):
            with pytest.raises(UnreadableError) as error:
                one.read_ask(broken)
            said.append(str(error.value))
        assert said[0] == said[1]


def test_calls_that_change_their_names_are_read_again():
    dialect = made("responses")
    tools = [{"type": "function", "name": "t1", "parameters": {}}]
    spaced = [{"type": "namespace", "name": "fs", "tools": tools}]
    listed = [user("do it"), *step("responses", 1), *step("responses", 4)]
    same(dialect, made("responses"), body("responses", listed, tools=tools))
    same(dialect, made("responses"), body("responses", [*listed, *step("responses", 7)], tools=spaced))
    same(dialect, made("responses"), body("responses", [*listed, *step("responses", 7)], tools=tools))


def test_what_is_remembered_is_bounded():
    dialect = made("chat")
    noise = random.Random(1)
    for number in range(200):
        text = "".join(noise.choices("abcdef", k=100_000))
        dialect.read_ask(body("chat", [user(f"{number} {text}"), *step("chat", 1)]))
    grown = dialect._grown
    assert grown._held <= 4 * 1024 * 1024
    assert grown._held == sum(len(known.prefix.obj) for known in grown._known)


def test_what_stands_behind_a_short_list_is_not_kept():
    dialect = made("chat")
    for number in range(20):
        dialect.read_ask(body("chat", [user(f"{number} {'p' * 9000}"), *step("chat", 1)], metadata="x" * 1_000_000))
    grown = dialect._grown
    assert grown._held == sum(len(known.prefix.obj) for known in grown._known) < 400_000
    kept = [raw for known in grown._known for raw in known.items]
    assert all(isinstance(raw, bytes) for raw in kept), "no views on the whole body"


def test_blanks_are_not_walked_over_one_by_one():
    dialect, called = made("chat"), [0]
    listed = json.dumps([user("do it"), *step("chat", 1)])
    received = b'{"model":"m",' + b" " * 100_000 + b'"messages":' + listed.encode() + b"}"

    def count(*_: Any) -> None:
        called[0] += 1

    sys.setprofile(count)
    try:
        dialect.read_ask(received)
    finally:
        sys.setprofile(None)
    assert called[0] < 2000


def test_tools_that_change_once_cost_one_reading_as_a_whole():
    """An agent that finds more tools on its way goes on with them."""
    dialect = made("responses")
    one = [{"type": "function", "name": "t1", "parameters": {}}]
    two = [*one, {"type": "function", "name": "t2", "parameters": {}}]
    listed = [user("do it"), *step("responses", 1), *step("responses", 4)]
    dialect.read_ask(body("responses", listed, tools=one))
    changed = same(dialect, made("responses"), body("responses", [*listed, *step("responses", 7)], tools=two))
    grown = [*listed, *step("responses", 7), *step("responses", 10)]
    after = same(dialect, made("responses"), body("responses", grown, tools=two))
    assert all(new is old for new, old in zip(after.turns, changed.turns, strict=False))
