import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apis import APIS, Api, Call, Said, User
from tests.apis import Tool as ApiTool
from tests.conversation import Conversation, calls, contents, messages, raw_calls, said, text
from tests.playbook import Answer, World, call, chat, tool

ROOM = {"room": {"type": "integer"}, "mode": {"type": "string", "enum": ["single", "double"]}}
BOOK = tool("book_room", ROOM, ["room"], additionalProperties=False)
MAIL = tool("send_mail", {"to": {"type": "string"}}, ["to"])
PACK = "policies:\n  repair_arguments: {max_reasks: 2}\n"
RIGHT = ("book_room", {"room": 4})
WRONG = ("book_room", {"room": "blue"})
TO_LEE = ("send_mail", {"to": "lee"})


def talk(pack: str = PACK, **more: Any) -> Conversation:
    return Conversation(pack, BOOK, MAIL, **more)


def told(sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the model was told about its last calls."""
    found = [json.loads(one["content"]) for one in sent if one["role"] == "tool"]
    assert found
    return found


# ---------------------------------------------------------------- valid calls


@given(st.fixed_dictionaries({"room": st.integers()}, optional={"mode": st.sampled_from(["single", "double"])}),
       st.sampled_from([None, 2]), st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]))  # fmt: skip
def test_valid_arguments_leave_byte_for_byte(args: Any, indent: int | None, separators: tuple[str, str]) -> None:
    answer = said([("book_room", json.dumps(args, indent=indent, separators=separators)), TO_LEE])
    played = talk().begin(answer).run()
    assert played.body == answer.chunks[0]
    assert played.headers["x-handrail"] == "none"


def test_calls_that_have_no_json_arguments_are_left_alone() -> None:
    custom = {"type": "custom", "custom": {"name": "write", "description": "Writes."}}
    made = {"id": "call_1xyz", "type": "custom", "custom": {"name": "write", "input": "not JSON {"}}
    answer = chat(calls=[("call_2xyz", "book_room", {"room": 1})])
    answer["choices"][0]["message"]["tool_calls"].append(made)
    conversation = talk()
    conversation.tools.append(custom)
    assert conversation.begin(Answer.json(answer)).run().json == answer


# ---------------------------------------------------------------- repairs


@pytest.mark.parametrize(("args", "repaired"), [
    ('{"room": "4"}', {"room": 4}),
    ('```json\n{"room": 4}\n```', {"room": 4}),
    ("{'room': 4,}", {"room": 4}),
    ('{"room": 4, "mode": "Double"}', {"room": 4, "mode": "double"}),
    ('{"room": 4, "mode": "doubel"}', {"room": 4, "mode": "double"}),
])  # fmt: skip
def test_what_is_certain_is_repaired_without_asking(args: str, repaired: Any) -> None:
    played = talk().ask([("book_room", args)])
    assert calls(played) == [("book_room", repaired)]
    assert len(played.sent) == 1
    (note,) = played.notes("repaired")
    assert note["detail"]["tool"] == "book_room"
    assert note["detail"]["repairs"]


def test_a_name_that_is_nearly_one_is_that_one() -> None:
    played = talk().ask([("bookRoom", {"room": "4"})])
    assert calls(played) == [RIGHT]
    kinds = [one["kind"] for note in played.notes("repaired") for one in note["detail"]["repairs"]]
    assert kinds[0] == "tool name"


def test_the_pack_knows_more_than_the_schema() -> None:
    pack = PACK + "tools: {wait: {parameters: {timeout: {unit: ms, min: 100, max: 600000}}}}\n"
    conversation = Conversation(pack, tool("wait", {"timeout": {"type": "integer"}}))
    assert calls(conversation.begin([("wait", {"timeout": "5 min"})]).run()) == [("wait", {"timeout": 300_000})]
    played = conversation.begin([("wait", {"timeout": 5})], [("wait", {"timeout": 5000})]).run()
    assert calls(played) == [("wait", {"timeout": 5000})]


# ---------------------------------------------------------------- asking again


def test_a_wrong_call_is_told_what_is_wrong_and_what_is_allowed() -> None:
    played = talk().ask([("book_room", {"room": 4, "mode": "quiet", "floor": 2})], [RIGHT])
    (error,) = told(messages(played))
    assert error["status"] == "error"
    assert error["retry"] == "with_changes"
    assert {one["path"] for one in error["problems"]} >= {"/mode"}
    assert "single" in json.dumps(error)
    assert calls(played) == [RIGHT]
    assert [one["role"] for one in messages(played)] == ["user", "assistant", "tool"]


def test_right_siblings_stand_and_leave_once() -> None:
    conversation = talk()
    played = conversation.ask([TO_LEE, WRONG], [RIGHT])
    assert sorted(calls(played)) == [RIGHT, TO_LEE]
    sibling, wrong = told(messages(played))
    assert "problems" not in sibling
    assert "problems" in wrong
    ids = [one["id"] for one in raw_calls(played)]
    conversation.results("sent", "booked")
    sent = messages(conversation.ask("Done."))
    assert [one["tool_call_id"] for one in sent if one["role"] == "tool"] == ids
    assert len(sent) == 4, "corrections leave no trace"


def test_an_unknown_tool_is_told_what_is_offered() -> None:
    played = talk().ask([("fly_to_moon", {})], "I can't do that.")
    (error,) = told(messages(played))
    assert "book_room" in json.dumps(error)
    assert text(played) == "I can't do that."


def test_every_attempt_says_what_was_wrong_with_the_latest() -> None:
    played = talk().ask([WRONG], [("book_room", {"room": "red"})], [RIGHT])
    assert calls(played) == [RIGHT]
    first, second = told(messages(played))
    assert "blue" in json.dumps(first)
    assert "red" in json.dumps(second)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_attempts_are_counted(most: int) -> None:
    played = talk(PACK.replace("2", str(most))).ask(*[[WRONG]] * (most + 1))
    assert len(played.sent) == most + 1
    assert calls(played) == [WRONG]


def test_exhausted_it_can_tell_the_truth_instead() -> None:
    played = talk(PACK.replace("2", "1, exhausted: answer")).ask([WRONG, TO_LEE], [WRONG, TO_LEE])
    assert calls(played) == [TO_LEE]
    played = talk(PACK.replace("2", "1, exhausted: answer")).ask([WRONG], [WRONG])
    assert not calls(played)
    assert text(played) == "book_room was not called: its arguments stayed invalid. This step is not done."
    assert played.json["choices"][0]["finish_reason"] == "stop"


def test_gates_see_what_stays_wrong() -> None:
    conversation = Conversation(PACK.replace("2", "1") + "  gates: {repeats: 3}\n", BOOK)
    for _ in range(2):
        conversation.ask([WRONG], [WRONG])
        conversation.results("Error: room must be a number")
    assert text(conversation.ask([WRONG], [WRONG], "I am stuck.")) == "I am stuck."


def test_the_language_of_the_task_is_spoken() -> None:
    played = talk(task="请帮我预订一个房间。").ask([WRONG], [RIGHT])
    (error,) = told(messages(played))
    assert any("\u4e00" <= char <= "\u9fff" for char in error["suggested_action"])


# ---------------------------------------------------------------- cut replies


@pytest.mark.parametrize("args", ['{"to": "le', '{"to": "lee"', '{"to": "lee"}'])
def test_a_cut_call_is_never_completed(args: str) -> None:
    cut = Answer.json(chat(calls=[("call_1xyz", "send_mail", args)], finish="length"))
    played = talk().begin(cut, [TO_LEE]).run()
    if args.endswith("}"):
        assert len(played.sent) == 1, "whole after all"
    else:
        (error,) = told(messages(played))
        assert error["code"] == "OUTPUT_CUT"
    assert calls(played) == [TO_LEE]


def test_what_stays_cut_never_leaves() -> None:
    cut = Answer.json(chat(calls=[("call_1xyz", "send_mail", '{"to": "le')], finish="length"))
    played = talk().begin(cut, cut, cut).run()
    assert not calls(played)
    assert "cut off" in text(played)


# ---------------------------------------------------------------- several choices, histories, tools


def test_choices_are_repaired_by_themselves() -> None:
    body = chat(calls=[("call_1xyz", "book_room", '{"room": "4"}')])
    body["choices"].append({**chat(calls=[("call_2xyz", *WRONG)])["choices"][0], "index": 1})
    played = talk(PACK.replace("2", "2, exhausted: answer"), n=2).begin(Answer.json(body)).run()
    first, second = (one["message"] for one in played.json["choices"])
    assert json.loads(first["tool_calls"][0]["function"]["arguments"]) == {"room": 4}
    assert not second.get("tool_calls")
    assert "not called" in second["content"]
    assert len(played.sent) == 1


def test_arguments_in_the_history_are_objects() -> None:
    conversation = talk()
    ids = conversation.step([("book_room", "{broken"), ("send_mail", {"to": "lee"}), ("book_room", "")], "a", "b", "c")
    played = conversation.begin("ok").run()
    made = messages(played)[1]["tool_calls"]
    assert [one["function"]["arguments"] for one in made] == ["{}", '{"to": "lee"}', "{}"]
    assert made[1] == conversation.messages[1]["tool_calls"][1]
    assert contents(messages(played)) == ["a", "b", "c"]
    assert played.notes("rewrote")[0]["detail"]["calls"] == [ids[0], ids[2]]


def test_what_a_schema_lacks_is_told_once() -> None:
    odd = tool("odd", {"a": {"type": "string", "pattern": "(?=x)"}})
    conversation = Conversation(PACK, odd)
    lints = [
        [note["detail"]["lint"] for note in conversation.begin([("odd", {"a": "x"})]).run().notes("found")]
        for _ in range(2)
    ]
    assert lints[0]
    assert not lints[1]


@pytest.mark.parametrize("schema", [{"$ref": "#/nowhere"}, {"type": "objekt"}, {"properties": 5}, {}])
def test_a_bad_schema_switches_off_checking_for_that_tool_alone(schema: Any) -> None:
    bad = {"type": "function", "function": {"name": "bad", "parameters": schema}}
    played = Conversation(PACK, bad, BOOK).begin([("bad", {"x": "4"}), ("book_room", {"room": "4"})]).run()
    assert calls(played) == [("bad", {"x": "4"}), RIGHT]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_it_works_on_each_api(api: Api, stream: bool) -> None:  # noqa: FBT001
    asked = api.ask([User("Book a room.")], [ApiTool("book_room", ROOM, ["room"])], stream=stream)
    rounds = [Said("", (Call(f"call_{n}xyz", "book_room", {"room": value}),)) for n, value in enumerate(["blue", "4"])]
    kind = (("content-type", "text/event-stream"),) if stream else (("content-type", "application/json"),)
    script = [
        Answer(api.events(one, n) if stream else [api.answer(one, n)], headers=kind) for n, one in enumerate(rounds)
    ]
    played = World(PACK).play(asked, script, path=api.path)
    seen = api.read_stream(played.body) if stream else api.read_answer(played.body)
    assert seen.calls == [RIGHT]
    assert "blue" in api.read_ask(played.sent[1]).results["call_0xyz"]


def test_observing_sends_the_call_as_it_was() -> None:
    answer = said([("book_room", {"room": "4"}), WRONG])
    played = talk("mode: observe\n" + PACK).begin(answer).run()
    assert played.body == answer.chunks[0]
    assert {note["would"] for note in played.notes("observed")} == {"repaired", "found", "would_reask"}


def test_no_tools_no_reask() -> None:
    conversation = Conversation(PACK)
    answer = Answer.json(chat("Here: " + json.dumps(call("x", "book_room", {}))))
    assert conversation.begin(answer).run().body == answer.chunks[0]
