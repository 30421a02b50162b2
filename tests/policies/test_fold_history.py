import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apis import APIS, CHAINED, Api, Call, Results, Said, System, Turn, User
from tests.apis import Tool as ApiTool
from tests.conversation import Conversation, calls, contents, messages
from tests.playbook import Answer, World, call, chat, tool

FIND = tool("find", {"q": {"type": "string"}})
PACK = "policies:\n  fold_history: {keep_steps: 4, batch: 3}\n"
SEARCH = ApiTool("search", {"q": {"type": "string"}})


def folded(n: int, pack: str = PACK, **kinds: Any) -> tuple[Conversation, list[dict[str, Any]]]:
    """A conversation of so many steps, and the messages that went upstream."""
    conversation = Conversation(pack, FIND, **kinds)
    for at in range(n):
        conversation.step([("find", {"q": f"q{at}"})], f"found {at}")
    return conversation, messages(conversation.begin("ok").run())


# ---------------------------------------------------------------- when, and how many


@pytest.mark.parametrize(("steps", "left"), [(0, 0), (6, 6), (7, 4), (8, 5), (9, 6), (10, 4), (13, 4), (15, 6)])
def test_steps_fold_in_batches(steps: int, left: int) -> None:
    conversation, sent = folded(steps)
    assert len(contents(sent)) == left
    if left == steps:
        assert sent == conversation.messages
    lines = sent[0]["content"].split("\n")
    assert [line.split(". ")[0] for line in lines if "find(" in line] == [str(n + 1) for n in range(steps - left)]


def test_a_line_says_what_was_called_with_what_and_what_came_back() -> None:
    _, sent = folded(7)
    assert sent[0]["role"] == "user"
    assert sent[0]["content"].startswith("Do the task, please.\n\n[Earlier steps")
    assert '1. find({"q": "q0"}) → found 0' in sent[0]["content"]
    assert [one["role"] for one in sent[1:]] == ["assistant", "tool"] * 4


def test_the_system_prompt_and_the_tools_stay() -> None:
    conversation, sent = folded(9, system="You are careful.")
    assert sent[0] == conversation.messages[0]
    played = conversation.begin("ok").run()
    assert played.asks[0]["tools"] == [FIND]
    assert played.notes("rewrote")[0]["detail"] == {"steps": 3, "of": 9}


def test_a_chained_conversation_is_not_there_to_be_folded() -> None:
    turns = [User("Go."), *_step(0), *_step(1), Said("ok"), User("More.")]
    played = World(PACK).play(
        CHAINED.ask(turns, [SEARCH], previous="resp_1"), [Answer([CHAINED.answer(Said("ok"))])], path=CHAINED.path
    )
    assert json.loads(played.sent[0])["previous_response_id"]


# ---------------------------------------------------------------- nothing is orphaned or split


def _step(at: int, width: int = 1, text: str = "") -> list[Turn]:
    made = tuple(Call(f"call_{at}_{n}x", "search", {"q": f"{at}/{n}"}) for n in range(width))
    return [Said(text, made), Results({one.id: f"found {one.id}" for one in made})]


def _conversation(plan: Sequence[tuple[str, int]]) -> list[Turn]:
    turns: list[Turn] = [System("Be brief."), User("Find all of them.")]
    for at, (kind, width) in enumerate(plan):
        if kind == "step":
            turns += _step(at, width, "I look." if width == 2 else "")
        elif kind == "answer":
            turns += [Said(f"Answer {at}."), User(f"Now task {at}.")]
    return turns


PLANS = st.lists(st.tuples(st.sampled_from(["step", "step", "step", "answer"]), st.integers(1, 3)), max_size=16)


def _sent(api: Api, turns: list[Turn], pack: str = PACK) -> bytes:
    answer = Answer([api.answer(Said("ok"))])
    return World(pack).play(api.ask(turns, [SEARCH]), [answer], path=api.path).sent[0]


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
@settings(max_examples=30)
@given(plan=PLANS, keep=st.integers(1, 4), batch=st.integers(1, 4))
def test_calls_and_results_fold_together(api: Api, plan: list[tuple[str, int]], keep: int, batch: int) -> None:
    """The readers fail for a result without its call, a call without its result, and roles that don't take turns."""
    turns = _conversation(plan)
    pack = f"policies:\n  fold_history: {{keep_steps: {keep}, batch: {batch}}}\n"
    asked = api.read_ask(_sent(api, turns, pack))
    steps = [turn for turn in turns if isinstance(turn, Said) and turn.calls]
    gone = max(len(steps) - keep, 0) // batch * batch
    assert [call.id for call in asked.calls] == [call.id for step in steps[gone:] for call in step.calls]
    said = asked.text
    for step in steps[:gone]:
        for made in step.calls:
            assert f"found {made.id}" in said, "the fact is kept"
    assert not any(
        isinstance(a, User) and isinstance(b, User) for a, b in zip(asked.turns, asked.turns[1:], strict=False)
    )
    users = [turn.text for turn in turns if isinstance(turn, User)]
    assert all(text in said for text in users)


@given(PLANS)
@settings(max_examples=40)
def test_a_prefix_breaks_only_where_a_batch_folds(plan: list[tuple[str, int]]) -> None:
    world = World(PACK)
    conversation = Conversation(world, FIND)
    before: list[Any] = []
    breaks = steps = 0
    for at, (kind, width) in enumerate([*plan, *[("step", 1)] * 10]):
        if kind == "answer" and steps:
            conversation.answer(f"Answer {at}.")
            conversation.user("现在请完成另一个任务,谢谢。" if width == 2 else f"Task {at}.")
        elif kind == "step":
            steps += 1
            conversation.step([("find", {"q": f"{at}/{n}"}) for n in range(width)], *["found"] * width)
        world.now += 1000
        world.restart()
        sent = messages(conversation.begin("ok").run())
        breaks += sent[: len(before)] != before
        before = sent
    assert breaks == max(steps - 4, 0) // 3


# ---------------------------------------------------------------- structures that can't be folded


def test_a_step_without_its_results_stops_the_folding() -> None:
    conversation = Conversation(PACK, FIND)
    conversation.step([("find", {"q": "a"})], "found")
    broken = conversation.step([("find", {"q": "b"}), ("find", {"q": "c"})], "found b", "found c")
    conversation.messages.pop()
    for at in range(9):
        conversation.step([("find", {"q": str(at)})], "found")
    sent = messages(conversation.begin("ok").run())
    assert sent == conversation.messages
    assert broken[1] not in [one.get("tool_call_id") for one in sent]


def test_a_conversation_that_begins_with_a_step_stays() -> None:
    conversation = Conversation(PACK, FIND)
    conversation.messages.pop()
    for at in range(9):
        conversation.step([("find", {"q": str(at)})], "found")
    assert messages(conversation.begin("ok").run()) == conversation.messages


def test_a_user_who_speaks_right_after_a_step_does_not_follow_a_user() -> None:
    conversation = Conversation(PACK, FIND)
    for at in range(9):
        conversation.step([("find", {"q": str(at)})], "found")
        if at == 1:
            conversation.user("Hurry up, please.")
    sent = messages(conversation.begin("ok").run())
    assert [one["role"] for one in sent[:4]] == ["user", "assistant", "user", "assistant"]
    assert sent[1]["content"].count("find(") == 2
    assert sent[2]["content"].startswith("Hurry up, please.\n\n[Earlier steps")


def test_hidden_rounds_fold_too() -> None:
    pack = PACK + "  run_once: {}\ntools: {send: {side_effect: true}}\n"
    send = tool("send", {"to": {"type": "string"}})
    conversation = Conversation(pack, FIND, send)
    conversation.turn([("send", {"to": "lee"})], "sent as m-77")
    played = conversation.ask([("send", {"to": "lee"})], [("find", {"q": "a"})])
    assert calls(played) == [("find", {"q": "a"})]
    conversation.results("found")
    for at in range(5):
        conversation.turn([("find", {"q": str(at)})], "found")
    sent = messages(conversation.begin("ok").run())
    assert sent[0]["content"].count("m-77") == 2
    assert len(contents(sent)) == 5


def test_observing_sends_all_of_it() -> None:
    conversation, sent = folded(9, "mode: observe\n" + PACK)
    assert sent == conversation.messages


def test_the_words_are_those_of_the_conversation_or_of_the_pack() -> None:
    assert "较早的步骤" in folded(7, task="请帮我查找资料,谢谢。")[1][0]["content"]
    assert "[Earlier steps" in folded(7, "language: en\n" + PACK, task="请帮我查找资料,谢谢。")[1][0]["content"]


# ---------------------------------------------------------------- what it costs

PAYS = """
policies:
  truncate_results: {bytes: 4000, text_bytes: 4000}
  fold_history: {keep_steps: 4, batch: 3, when: pays}
"""


def paid(sizes: Sequence[int]) -> list[list[dict[str, Any]]]:
    """What went upstream in a run with results of so many words, request by request."""
    conversation = Conversation(PAYS, FIND, system="Be careful. " * 400)
    return [
        messages(conversation.turn([("find", {"q": f"q{at}"})], f"found {at}. " * size))
        for at, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(("size", "folds"), [(10, False), (60, False), (2000, True)])
def test_where_it_must_pay_it_waits_until_enough_was_saved(size: int, folds: bool) -> None:  # noqa: FBT001
    assert (len(contents(paid([size] * 13)[-1])) < 12) is folds


def test_what_was_folded_because_it_paid_stays_folded_byte_for_byte() -> None:
    lines: list[str] = []
    for sent in paid([3000 if at % 3 else 5 for at in range(20)]):
        text = sent[1]["content"].partition("[Earlier steps")[2]
        told = [line for line in text.split("\n") if "find(" in line]
        assert told[: len(lines)] == lines
        lines = told
    assert len(lines) >= 9


def test_a_line_is_that_of_its_own_conversation_wherever_its_results_stand() -> None:
    """Two conversations that begin alike, of two callers: what came of a call stands behind what they share."""
    world = World("policies:\n  fold_history: {keep_steps: 1, batch: 1}\n")

    def sent(result: str, credential: str) -> bytes:
        calls = [call("c1", "find", {"q": "a"}), call("c2", "find", {"q": "b"})]
        listed = [
            {"role": "user", "content": "Compute " + "p" * 5000},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
            {"role": "user", "content": "wait"},
            {"role": "tool", "tool_call_id": "c2", "content": result},
            {"role": "assistant", "content": None, "tool_calls": [call("d", "find", {"q": "c"})]},
            {"role": "tool", "tool_call_id": "d", "content": "z"},
        ]
        body = {"model": "m", "tools": [FIND], "messages": listed}
        return world.play(body, [Answer.json(chat("ok"))], credential=credential).sent[0]

    assert b"SECRET" in sent("SECRET", "a")
    assert b"SECRET" not in sent("mine", "b")
