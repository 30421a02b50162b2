"""Hidden turns: what the model has seen once, it sees again at the same place, in the same bytes."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy import hidden, identity
from proxy.dialects.chat_completions import ChatCompletions
from proxy.model import Ask, Reply, ToolCall, ToolResult, Turn, Withheld
from tests.conversation import Conversation, Saying, calls, contents, messages, text
from tests.playbook import Answer, chunk, tool

DIALECT = ChatCompletions()
SEND, LOOK = tool("send", {"to": {"type": "string"}}), tool("look", {"at": {"type": "string"}})
PACK = "policies:\n  run_once: {}\n  truncate_results: {bytes: 300}\ntools: {send: {side_effect: true}}\n"
TO_LEE = ("send", {"to": "lee"})
LINES = "\n".join(f"line {n}" for n in range(200))


def talk(**more: Any) -> Conversation:
    conversation = Conversation(PACK, SEND, LOOK, **more)
    conversation.turn([TO_LEE], "sent as m-77")
    return conversation


def call(key: str, name: str = "find") -> ToolCall:
    return ToolCall(key, name, "{}", name, "{}")


# ---------------------------------------------------------------- the parts


def test_a_turn_is_recognised_by_its_first_call_or_by_its_words() -> None:
    assert identity.anchor(Turn("assistant", ("Hm.",), (call("a"), call("b")))) == "a"
    words = identity.anchor(Turn("assistant", ("It is done.",)))
    assert identity.anchor(Turn("assistant", ("It is ", " done. \n"))) == words
    assert identity.anchor(Turn("assistant", ("It is not done.",))) != words


def test_withheld_calls_stand_where_the_model_made_them() -> None:
    turn = Turn("assistant", calls=(call("b"), call("d")), appended=("x",))
    withheld = [Withheld(call("c"), ""), Withheld(call("a"), "")]
    full = hidden.full_turn(turn, withheld, ["a", "b", "c"])
    assert [one.id for one in full.calls] == ["a", "b", "c", "d"]
    assert full.appended == ()


def test_where_nothing_is_hidden_nothing_is_kept() -> None:
    assert hidden.keep(DIALECT, Reply((Turn("assistant", ("ok",)),)), [], []) is None


def test_keys_are_of_one_caller_and_run() -> None:
    assert len({hidden.key("c1", "r1", "a"), hidden.key("c2", "r1", "a"), hidden.key("c1", "r2", "a")}) == 3


def test_results_join_those_of_the_agent_in_the_order_of_the_calls() -> None:
    reply = Reply((Turn("assistant", calls=(call("b"),)),), withheld=(Withheld(call("a"), "hidden"),))
    kept = hidden.keep(DIALECT, reply, [], ["a", "b"])
    assert kept is not None
    anchors, value = kept
    put = hidden.put("c1", "r1", anchors[0], value)
    turns = (
        Turn("user", ("Go",)),
        Turn("assistant", calls=(call("b"),)),
        Turn("tool", results=(ToolResult("b", ("own",)),)),
    )
    ask = Ask("chat_completions", "m", stream=False, turns=turns)
    found = hidden.reads(ask, {"b": "r1"}, "c1")
    restored = hidden.restored(ask, found, {found[1]: put.value}, DIALECT)
    assert [[one.id for one in turn.calls] for turn in restored.turns] == [[], ["a", "b"], []]
    assert [(one.call_id, one.text, one.kept) for one in restored.turns[2].results] == [
        ("a", "hidden", True),
        ("b", "own", False),
    ]
    assert hidden.restored(ask, found, {}, DIALECT) is ask, "what is gone is not there"


# ---------------------------------------------------------------- the law

ROUNDS = st.lists(st.sampled_from(["replay", "read"]), max_size=2)
ENDS = st.sampled_from(["look", "both", "text", "more"])


@given(st.lists(st.tuples(ROUNDS, ENDS), min_size=1, max_size=4))
@settings(max_examples=40)
def test_what_the_model_has_seen_is_the_prefix_of_what_it_sees(plan: list[tuple[list[str], str]]) -> None:
    conversation = talk()
    conversation.turn([("look", {"at": "shelf"})], LINES)
    before: list[Any] = []
    same_task = True
    for n, (rounds, end) in enumerate(plan):
        look, replay = ("look", {"at": str(n)}), [TO_LEE] if same_task else []
        ends: dict[str, Any] = {"look": [look], "both": [*replay, look], "more": f"Part {n}.", "text": f"Answer {n}."}
        says = [replay if kind == "replay" and replay else _reading for kind in rounds]
        played = conversation.ask(*says, ends[end])
        for number in range(len(played.sent)):
            sent = messages(played, number)
            assert sent[: len(before)] == before
            before = sent
        if end in ("look", "both"):
            assert calls(played) == [look]
            conversation.results(f"a cat {n}")
        else:
            assert text(played) == ends[end]
            conversation.user("continue" if end == "more" else f"Now do task {n}.")
            same_task = same_task and end == "more"
        conversation.world.restart()
    last = messages(conversation.begin("ok").run())
    assert last[: len(before)] == before


def _reading(sent: Any) -> Saying:
    first = next(one for one in contents(sent["messages"]) if "cursor=" in one)
    return [("read_more", {"cursor": first.rpartition('cursor="')[2].partition('"')[0]})]


def test_the_agent_sees_none_of_it() -> None:
    conversation = talk()
    played = conversation.ask([TO_LEE], [TO_LEE], "It was sent.")
    assert text(played) == "It was sent."
    assert not calls(played)
    assert len(messages(played)) == 7
    conversation.user("And now look.")
    later = messages(conversation.begin("ok").run())
    assert later[:7] == messages(played)
    assert later[7]["content"] == "It was sent."


def test_what_was_said_aloud_in_a_stream_is_not_said_twice() -> None:
    conversation = talk(stream=True)
    function = {"name": "send", "arguments": '{"to": "lee"}'}
    made = {"tool_calls": [{"index": 0, "id": "call_s1", "type": "function", "function": function}]}
    first = Answer.sse(chunk({"role": "assistant", "content": "I send it."}), chunk(made), chunk({}, "tool_calls"))
    second = Answer.sse(chunk({"role": "assistant", "content": "It was sent."}), chunk({}, "stop"))
    conversation.more = {"stream": True}
    played = conversation.begin(first, second).run()
    heard = "".join(json.loads(line[6:])["choices"][0]["delta"].get("content") or "" for line in _lines(played.body))
    conversation.answer(heard)
    conversation.user("And now look.")
    later = messages(conversation.begin(Answer.sse(chunk({"content": "ok"}), chunk({}, "stop"))).run())
    spoken = [one["content"] for one in later if one["role"] == "assistant"]
    assert spoken == [None, "I send it.", "It was sent."]


def _lines(body: bytes) -> list[str]:
    return [line for line in body.decode().split("\n") if line.startswith("data: {")]


def test_a_conversation_that_the_agent_changed_gets_back_what_still_fits() -> None:
    conversation = talk()
    conversation.ask([TO_LEE, ("look", {"at": "x"})])
    conversation.results("a cat")
    conversation.messages = [conversation.messages[0], *conversation.messages[3:]]
    sent = messages(conversation.begin("ok").run())
    assert [len(one.get("tool_calls", [])) for one in sent] == [0, 2, 0, 0]
    conversation.messages[1]["tool_calls"][0]["id"] = conversation.messages[2]["tool_call_id"] = "call_other"
    assert messages(conversation.begin("ok").run()) == conversation.messages


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_agent_is_told_when_not_all_was_read(language: str) -> None:
    assert hidden.unfinished(language)
