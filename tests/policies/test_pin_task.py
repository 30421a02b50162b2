import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.policies.pin_task import LARGEST, constraints
from tests.apis import APIS, CHAINED, Api, Call, Results, Said, User
from tests.apis import Tool as ApiTool
from tests.conversation import Conversation, messages
from tests.playbook import Answer, World, tool

FIND = tool("find", {"q": {"type": "string"}})
PACK = "policies:\n  pin_task: {after_step: 2}\n"
TAG = "[Reminder of the task]"
TASK = "Find the three cheapest rooms.\n\nNever book without asking."


def pinned(steps: int, pack: str = PACK, task: str = TASK, **kinds: Any) -> str:
    """The pin in the last ask after so many steps; empty: there is none. Nothing else may differ."""
    conversation = Conversation(pack, FIND, task=task, **kinds)
    for at in range(steps):
        conversation.step([("find", {"q": f"q{at}"})], '{"rooms": [1, 2]}')
    sent = messages(conversation.begin("ok").run())
    assert sent[:-1] == conversation.messages[:-1]
    before, tag, pin = str(sent[-1]["content"]).partition("\n\n" + TAG)
    assert before == conversation.messages[-1]["content"]
    return tag.strip() + pin


# ---------------------------------------------------------------- when


@pytest.mark.parametrize(("steps", "shown"), [(0, False), (1, False), (2, False), (3, True), (4, True)])
def test_the_task_is_said_again_from_a_step_on(steps: int, shown: bool) -> None:  # noqa: FBT001
    assert pinned(steps) == (f"{TAG}\nTask: {TASK}" if shown else "")


def test_only_behind_tool_results() -> None:
    conversation = Conversation(PACK, FIND)
    for at in range(5):
        conversation.step([("find", {"q": f"q{at}"})], "found")
    conversation.user("Hurry up, please.")
    assert messages(conversation.begin("ok").run()) == conversation.messages


def test_steps_count_from_the_task_and_folded_ones_too() -> None:
    conversation = Conversation(PACK + "  fold_history: {keep_steps: 1, batch: 1}\n", FIND, task=TASK)
    for at in range(4):
        conversation.step([("find", {"q": f"q{at}"})], "found")
    assert "Never book" in messages(conversation.begin("ok").run())[-1]["content"]
    conversation.answer("Here they are.")
    conversation.user("Find me a flight to Oslo.")
    conversation.step([("find", {"q": "oslo"})], "found")
    assert messages(conversation.begin("ok").run())[-1]["content"] == "found"
    for at in range(2):
        conversation.step([("find", {"q": f"flight {at}"})], "found")
    assert messages(conversation.begin("ok").run())[-1]["content"] == f"found\n\n{TAG}\nTask: Find me a flight to Oslo."


def test_it_is_the_one_thing_that_moves() -> None:
    conversation = Conversation(PACK, FIND, task=TASK)
    for at in range(6):
        conversation.step([("find", {"q": f"q{at}"})], f"found {at}")
        sent = messages(conversation.begin("ok").run())
        assert sent[:-1] == conversation.messages[:-1], "no pin stays behind"


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_it_is_a_text_of_its_own_behind_the_results(api: Api) -> None:
    turns: list[Any] = [User(TASK)]
    for at in range(3):
        ids = [f"call_{at}{n}xyz" for n in range(2)]
        turns += [
            Said("", tuple(Call(one, "search", {"q": one}) for one in ids)),
            Results(dict.fromkeys(ids, '{"a": 1}')),
        ]
    answer = Answer([api.answer(Said("ok"))])
    played = World(PACK).play(api.ask(turns, [ApiTool("search", {})]), [answer], path=api.path)
    last = api.read_ask(played.sent[0]).tail
    assert last.rstrip().endswith(f"{TAG}\nTask: {TASK}")
    assert b"cache_control" not in played.sent[0]
    assert api.read_ask(played.sent[0]).results["call_00xyz"] == '{"a": 1}'
    assert '{"a": 1}' in last


def test_a_chained_conversation_gets_none() -> None:
    turns: list[Any] = [User(TASK), Said("", (Call("call_1xyz", "search", {}),)), Results({"call_1xyz": "x"})]
    body = CHAINED.ask(turns, previous="resp_1")
    played = World(PACK).play(body, [Answer([CHAINED.answer(Said("ok"))])], path=CHAINED.path)
    assert played.sent == [json.dumps(body).encode()]


# ---------------------------------------------------------------- what


def test_constraints_are_said_verbatim() -> None:
    system = "You book rooms. You must not spend over 50.5 EUR! Only use example.com, please.\n- Never call Lee."
    pack = PACK.replace("2}", '2, constraints: ["At most 3 rooms."]}')
    pin = pinned(3, pack, system=system).split("\n")
    assert pin[-5:] == [
        "Constraints:",
        "- At most 3 rooms.",
        "- You must not spend over 50.5 EUR!",
        "- Only use example.com, please.",
        "- Never call Lee.",
    ]


def test_a_long_task_is_its_ends_and_its_constraints() -> None:
    middle = "\n\n".join(f"Detail {n} of the house is blue." for n in range(200))
    task = (
        f"Paint the house.\n\n{middle}\n\nYou must never paint the door. It is old.\n\n{middle}\n\nBegin at the roof."
    )
    pin = pinned(3, task=task)
    assert "Task: Paint the house.\n[…]\nBegin at the roof." in pin
    assert pin.endswith("Constraints:\n- You must never paint the door.")


PIECES = st.lists(st.sampled_from(["must", "a", "é", "界", "👍", ". ", "\n\n", "不得。"]), max_size=12)
WORDS = st.builds(lambda pieces, n: " ".join(pieces) * n, PIECES, st.integers(1, 60))


@given(WORDS.filter(str.strip), st.lists(WORDS.map(lambda text: f"Never {text}"), max_size=8), WORDS)
def test_it_is_never_longer_than_two_kilobytes(task: str, declared: list[str], system: str) -> None:
    pin = {"after_step": 0, "constraints": declared}
    pack = json.dumps({"policies": {"pin_task": pin}}, ensure_ascii=False)
    conversation = Conversation(pack.replace("👍", "\\U0001F44D"), FIND, task=task)
    conversation.messages.insert(0, {"role": "system", "content": system})
    conversation.step([("find", {})], "found")
    sent = messages(conversation.begin("ok").run())[-1]["content"].removeprefix("found\n\n")
    assert 0 < len(sent.encode()) <= LARGEST
    assert sent.startswith("[")


def test_a_chinese_task_is_pinned_in_chinese() -> None:
    task = "请预订三个房间。费用不得超过500元;必须先询问我。"
    conversation = Conversation(PACK, FIND, task=task, system="只能使用测试环境。其他随意。")
    for at in range(3):
        conversation.step([("find", {"q": str(at)})], "ok")
    pin = messages(conversation.begin("ok").run())[-1]["content"]
    assert pin.startswith(f"ok\n\n[任务提醒]\n任务: {task}")
    assert pin.endswith("约束:\n- 只能使用测试环境。")


@pytest.mark.parametrize(("text", "found"), [
    ("Be nice. Don't ever pay.", ["Don't ever pay."]),
    ("Pay at most 1,250.75 EUR (see a.b/c?d=e)!", ["Pay at most 1,250.75 EUR (see a.b/c?d=e)!"]),
    ("* Must be blue\n> Always ask first", ["Must be blue", "Always ask first"]),
    ("禁止转账；可以查询。最多三次！", ["禁止转账；", "最多三次！"]),
    ("费用不得超过500元;必须先询问我", ["费用不得超过500元;", "必须先询问我"]),
    ("Mustard is fine. The onlyness of it.", []),
    ("Never.", []),
    ("只能发送到 a@b.com 或内部邮箱。", ["只能发送到 a@b.com 或内部邮箱。"]),
    ("x" * 500 + " must", []),
])  # fmt: skip
def test_sentences_with_hard_words(text: str, found: list[str]) -> None:
    assert list(constraints(text)) == found


@given(st.text(st.sampled_from("must not a.b!?; 。\n-必须"), max_size=200))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    assert all(one in text for one in constraints(text))


# ---------------------------------------------------------------- what it costs


def test_where_it_must_pay_it_waits_until_more_was_saved() -> None:
    """Nothing was cut: the pin would be the only thing that the run costs more for."""
    pays = "policies:\n  truncate_results: {bytes: 500, text_bytes: 500}\n  pin_task: {after_step: 2, when: pays}\n"
    small, large = Conversation(pays, FIND, task=TASK), Conversation(pays, FIND, task=TASK)
    for at in range(5):
        small.step([("find", {"q": f"q{at}"})], "found")
        large.step([("find", {"q": f"q{at}"})], f"found {at}. " * 400)
    assert TAG not in messages(small.begin("ok").run())[-1]["content"]
    assert messages(large.begin("ok").run())[-1]["content"].endswith(f"\n\n{TAG}\nTask: {TASK}")
