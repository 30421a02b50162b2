"""Calls in words become calls where nothing else can be meant; on a stream only what begins like one waits."""

import json
from typing import Any

import pytest

from tests.apis import APIS, Api, Said, Tool, User
from tests.playbook import SSE, Answer, Played, World, chat, chunk

PACK = "policies:\n  rescue_text_calls: {}\n"
REPAIRING = "policies:\n  repair_arguments: {}\n  rescue_text_calls: {}\n"
BOOK = Tool("book", {"room": {"type": "integer"}, "day": {"type": "string"}}, ["room"])
MAIL = Tool("mail", {"to": {"type": "string"}}, ["to"])
CALL = '<tool_call>\n{"name": "book", "arguments": {"room": 4}}\n</tool_call>'
WRONG = '<tool_call>{"name": "book", "arguments": {"room": "4"}}</tool_call>'


def play(
    api: Api, said: str, pack: str = PACK, *, streamed: bool = False, world: World | None = None, **more: Any
) -> Played:
    body = api.ask([User("Book a room.")], [BOOK, MAIL], **({"stream": True} if streamed else {}), **more)
    answer = Answer(api.events(Said(said)), headers=SSE) if streamed else Answer([api.answer(Said(said))])
    return (world or World(pack)).play(body, [answer], path=api.path)


def seen(api: Api, played: Played, *, streamed: bool) -> Any:
    return api.read_stream(played.body) if streamed else api.read_answer(played.body)


api_and_stream = pytest.mark.parametrize(
    ("api", "streamed"), [(api, streamed) for api in APIS for streamed in (False, True)], ids=str
)


@api_and_stream
@pytest.mark.parametrize("before", ["", "I book it.\n\n", "1 < 2, [see](x), {y} and `z`.\n"])
def test_a_call_in_words_becomes_a_call(api: Api, *, streamed: bool, before: str) -> None:
    played = play(api, before + CALL, streamed=streamed)
    read = seen(api, played, streamed=streamed)
    assert read.calls == [("book", {"room": 4})]
    assert read.said.text.strip() == before.strip()
    assert read.said.ending == "tool_calls"
    assert all(len(one) == 9 and one.isalnum() for one in read.ids)
    assert b"tool_call>" not in played.body


@api_and_stream
@pytest.mark.parametrize(
    "text",
    [
        "It is booked.",
        CALL + " is how it is written.",
        WRONG,
        '<tool_call>{"name": "cancel", "arguments": {}}</tool_call>',
        '```json\n{"room": 4}\n```',
        '{"answer": "booked"}',
    ],
)
def test_everything_else_leaves_as_it_came(api: Api, *, streamed: bool, text: str) -> None:
    played = play(api, text, streamed=streamed)
    assert played.body == (b"".join(api.events(Said(text))) if streamed else api.answer(Said(text)))
    assert played.headers["x-handrail"] == "none"


@pytest.mark.parametrize("api", APIS, ids=str)
def test_text_flows_and_only_what_begins_like_a_call_waits(api: Api) -> None:
    words = "Some words of an answer. " * 20
    pieces = len(api.events(Said(words))) - len(api.events(Said("x")))
    assert len(play(api, words, streamed=True).emits) >= pieces
    held = play(api, words + CALL, streamed=True)
    assert len(held.emits) >= pieces
    assert b"tool_call>" not in held.body


def test_several_calls_are_made_in_order_with_ids_of_their_own() -> None:
    api = APIS[0]
    text = CALL + '<tool_call>{"name": "mail", "arguments": {"to": "a"}}</tool_call>' + CALL
    read = api.read_answer(play(api, text).body)
    assert read.calls == [("book", {"room": 4}), ("mail", {"to": "a"}), ("book", {"room": 4})]
    assert len(set(read.ids)) == 3


def test_one_call_that_is_not_right_leaves_all_of_them_text() -> None:
    api = APIS[0]
    assert api.read_answer(play(api, CALL + WRONG).body).said == Said(CALL + WRONG, (), "stop")


def test_what_the_repair_can_put_right_counts_where_it_is_on() -> None:
    api = APIS[0]
    assert api.read_answer(play(api, WRONG, REPAIRING).body).calls == [("book", {"room": 4})]
    hopeless = WRONG.replace('"4"', '"blue"')
    assert api.read_answer(play(api, hopeless, REPAIRING).body).calls == []


def test_facts_of_the_pack_count_as_the_schemas_own() -> None:
    api = APIS[0]
    pack = PACK + "tools: {book: {parameters: {room: {max: 3}}}}\n"
    assert api.read_answer(play(api, CALL, pack).body).calls == []


@pytest.mark.parametrize("more", [{"choice": "none"}])
def test_where_no_tool_may_be_called_text_stays_text(more: Any) -> None:
    api = APIS[0]
    for streamed in (False, True):
        assert seen(api, play(api, CALL, streamed=streamed, **more), streamed=streamed).calls == []


def test_a_cut_answer_and_one_with_real_calls_are_left_alone() -> None:
    api = APIS[0]
    body = api.ask([User("Book a room.")], [BOOK])
    cut = chat(CALL, finish="length")
    assert World(PACK).play(body, [Answer.json(cut)]).json == cut
    real = chat(CALL, [("call_1x", "book", {"room": 5})])
    assert World(PACK).play(body, [Answer.json(real)]).json == real
    events = [chunk({"content": CALL}), chunk({}, "length")]
    streamed = World(PACK).play({**body, "stream": True}, [Answer.sse(*events)])
    assert streamed.body == b"".join(Answer.sse(*events).chunks)  # type: ignore[arg-type]


def test_each_choice_is_rescued_by_itself() -> None:
    api = APIS[0]
    answer = chat("No.")
    answer["choices"].append({"index": 1, "message": {"role": "assistant", "content": CALL}, "finish_reason": "stop"})
    made = World(PACK).play({**api.ask([User("Book.")], [BOOK]), "n": 2}, [Answer.json(answer)]).json
    assert made["choices"][0] == answer["choices"][0]
    assert made["choices"][1]["finish_reason"] == "tool_calls"
    assert made["choices"][1]["message"]["content"] is None


def test_choices_of_a_stream_wait_each_for_itself() -> None:
    api = APIS[0]
    halves = CALL[:20], CALL[20:]
    events = [
        {"choices": [{"index": 1, "delta": {"content": halves[0]}}]},
        {"choices": [{"index": 0, "delta": {"content": "No."}}]},
        {"choices": [{"index": 1, "delta": {"content": halves[1]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]},
    ]
    body = {**api.ask([User("Book.")], [BOOK]), "n": 2, "stream": True}
    played = World(PACK).play(body, [Answer.sse(*events)])
    payloads = [json.loads(line[6:]) for line in played.body.decode().splitlines() if line.startswith("data: {")]
    choices = [choice for payload in payloads for choice in payload["choices"]]
    assert [choice["delta"]["content"] for choice in choices if choice["delta"].get("content")] == ["No."]
    ends = {choice["index"]: choice["finish_reason"] for choice in choices if choice.get("finish_reason")}
    assert ends == {0: "stop", 1: "tool_calls"}


def test_a_stream_that_never_says_why_it_ends_is_ended() -> None:
    api = APIS[0]
    body = {**api.ask([User("Book.")], [BOOK]), "stream": True}
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [{**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": CALL}}]}]
    played = World(PACK).play(body, [Answer.sse(*events)])
    assert b'"finish_reason":"tool_calls"' in played.body
    assert played.body.endswith(b"data: [DONE]\n\n")
    assert b"tool_call>" not in played.body


def test_the_same_call_again_has_another_id_and_the_same_request_the_same() -> None:
    api = APIS[0]
    world = World(PACK)
    first = play(api, CALL, world=world)
    body = api.ask([User("Book a room.")], [BOOK, MAIL])
    message = first.json["choices"][0]["message"]
    body["messages"] += [message, {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "ok"}]
    again = World(PACK).play(
        body, [Answer([api.answer(Said(CALL))])], headers=(("x-run-id", first.headers["x-run-id"]),)
    )
    assert api.read_answer(again.body).ids != api.read_answer(first.body).ids


def test_names_are_those_that_the_model_knows() -> None:
    api = APIS[0]
    pack = PACK + "  constrain_tools: {names: portable}\n"
    body = api.ask([User("Book.")], [Tool("hotel.book", {"room": {"type": "integer"}})])
    text = CALL.replace("book", "hotel_book")
    for streamed in (False, True):
        answer = Answer(api.events(Said(text)), headers=SSE) if streamed else Answer([api.answer(Said(text))])
        played = World(pack).play({**body, **({"stream": True} if streamed else {})}, [answer])
        assert seen(api, played, streamed=streamed).calls == [("hotel.book", {"room": 4})]


def test_a_rescued_side_effect_is_still_made_once() -> None:
    api = APIS[0]
    world = World(PACK + "  run_once: {}\ntools: {book: {side_effect: true}}\n")
    first = play(api, CALL, world=world)
    message = first.json["choices"][0]["message"]
    body = api.ask([User("Book a room.")], [BOOK, MAIL])
    body["messages"] += [message, {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "booked"}]
    answers = [Answer([api.answer(Said(CALL))]), Answer([api.answer(Said("It is booked."))])]
    second = world.play(body, answers)
    assert api.read_answer(second.body).said == Said("It is booked.", (), "stop")
    assert second.asks[1]["messages"][-2]["tool_calls"][0]["function"]["name"] == "book"


def test_an_observing_pack_holds_nothing_and_says_what_it_would_do() -> None:
    api = APIS[0]
    played = play(api, CALL, PACK + "mode: observe\n", streamed=True)
    assert played.body == b"".join(api.events(Said(CALL)))
    assert len(played.emits) == len(api.events(Said(CALL)))
    assert [note["would"] for note in played.notes()] == ["repaired"]
