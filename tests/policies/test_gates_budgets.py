"""Budgets of gates: reserved before an ask leaves, settled by what was really used, shared by all who draw on them."""

import json
from typing import Any

import pytest

from proxy.verdicts import Send
from tests.conversation import Conversation, calls, text
from tests.playbook import Answer, World, chat, tool

FIND = tool("find", {"q": {"type": "string"}})
DAY = 86400.0


def world(limits: str, more: str = "") -> World:
    return World(f"policies:\n  gates: {{{limits}}}\n{more}")


def used(tokens: int, *calls: tuple[str, str, Any], **details: Any) -> Answer:
    usage = {"prompt_tokens": tokens - 10, "completion_tokens": 10, "total_tokens": tokens, **details}
    return Answer.json(chat(None if calls else "ok", calls, usage=usage))


def refused(played: Any) -> str:
    """The budget that ended the run; empty: it was asked."""
    by = [note["detail"]["by"] for note in played.notes("halted")]
    assert bool(by) != bool(played.sent), "nobody is asked when a budget is spent"
    return str(by[0]) if by else ""


def plain(there: World, tokens: int = 10_000, **more: Any) -> str:
    """A run of one ask that uses so many tokens."""
    return refused(there.play(Conversation(there).body, [used(tokens)], **more))


# ---------------------------------------------------------------- who shares what


def test_a_run_has_its_own_budget() -> None:
    there = world("tokens: 15000")
    conversation = Conversation(there, FIND)
    assert refused(conversation.ask(used(14_000, ("call_a1", "find", {})))) == ""
    conversation.results("nothing")
    assert refused(conversation.ask(used(1000))) == "tokens"
    assert plain(there) == "", "another run"


def test_a_day_is_shared_by_all_and_a_key_is_one_callers() -> None:
    there = world("tokens_per_day: 35000, tokens_per_key: 15000")
    assert plain(there) == ""
    assert plain(there) == ""
    assert plain(there) == "tokens_per_key"
    assert plain(there, credential="c2") == ""
    assert plain(there, 8000, credential="c2") == ""
    assert plain(there, credential="c3") == "tokens_per_day"
    there.now += DAY
    assert plain(there) == ""


def test_asks_without_tools_count_too() -> None:
    there = world("tokens_per_key: 5000")
    assert plain(there) == ""
    assert plain(there) == "tokens_per_key"


def test_money_is_tokens_by_price() -> None:
    prices = "prices:\n  m: {input: 10, output: 100, cached: 1}\n  big: {input: 1000, output: 1000}\n"
    there = world("money_per_key: 0.5", prices)
    cached = {"prompt_tokens_details": {"cached_tokens": 9000}}
    for _ in range(21):  # 990 x 10 + 9,000 x 1 + 10 x 100: 0.0199 each
        assert refused(there.play(Conversation(there).body, [used(10_000, **cached)])) == ""
    assert there.counters == dict.fromkeys(there.counters, 417900)
    assert plain(there, 2000) == "money_per_key"


def test_an_unknown_model_costs_as_much_as_the_dearest() -> None:
    there = world("money: 1", "prices:\n  small: {input: 1, output: 1}\n  big-*: {input: 50, output: 90}\n")
    there.play(Conversation(there).body, [used(1000)])
    assert set(there.counters.values()) == {990 * 50 + 10 * 90}


# ---------------------------------------------------------------- reservation


def test_asks_at_once_cannot_overrun_a_budget() -> None:
    """Each ask is reckoned with 1,000 tokens of output and a third of its bytes."""
    there = world("tokens_per_key: 2500")
    running = [there.begin(Conversation(there).body, [used(900)]) for _ in range(4)]
    sending = [one.until(Send) for one in running]
    assert [one is not None for one in sending] == [True, True, False, False]
    assert [refused(one.run()) for one in running] == ["", "", "tokens_per_key", "tokens_per_key"]
    assert list(there.counters.values()) == [1800]


def test_what_was_reserved_is_settled_by_what_was_used() -> None:
    there = world("tokens: 100000")
    conversation = Conversation(there, FIND)
    conversation.ask(used(700, ("call_b1", "find", {})))
    conversation.results("nothing")
    assert list(there.counters.values()) == [700]
    conversation.ask(used(60))
    assert list(there.counters.values()) == [760]


def test_hidden_rounds_and_summaries_count() -> None:
    there = world("tokens: 100000, steps: 1", "  repair_arguments: {}\n")
    conversation = Conversation(there, tool("find", {"q": {"type": "integer"}}, ["q"]))
    conversation.step([("find", {"q": 1})], "nothing")
    played = conversation.begin([("find", {"q": "red"})], [("find", {"q": 2})], "That is all.").run()
    assert text(played) == "That is all."
    assert list(there.counters.values()) == [180]


@pytest.mark.parametrize("answer", [
    Answer.json({"error": {"message": "slow down"}}, 429), Answer.json({}, 500), Answer([], fails="connect"),
])  # fmt: skip
def test_what_a_provider_refuses_costs_nothing(answer: Answer) -> None:
    there = world("tokens: 100000, repeats: 3")
    for tools in ([FIND], []):
        there.play(Conversation(there, *tools).body, [answer])
    assert set(there.counters.values()) == {0}


@pytest.mark.parametrize("answer", [Answer([], fails="timeout"), Answer([b'{"choices": ['], fails="reset")])
def test_what_may_have_been_used_is_estimated(answer: Answer) -> None:
    there = world("tokens: 100000, repeats: 3")
    conversation = Conversation(there, FIND, task="Find it. " * 300)
    there.play(conversation.body, [answer])
    (total,) = there.counters.values()
    assert total >= len(json.dumps(conversation.body)) // 3


def test_an_agent_that_leaves_settles_too() -> None:
    there = world("tokens: 100000, repeats: 3")
    running = there.begin(Conversation(there, FIND).body, [used(500)])
    running.until(Send)
    (reserved,) = there.counters.values()
    running.leave()
    (settled,) = there.counters.values()
    assert 0 < settled < reserved


def test_a_refused_ask_gives_back_what_other_budgets_had_reserved() -> None:
    there = world("tokens_per_day: 1000000, tokens_per_key: 5000")
    plain(there)
    before = dict(there.counters)
    for _ in range(5):
        assert plain(there) == "tokens_per_key"
    assert there.counters == before


def test_one_ask_may_be_larger_than_the_budget_while_nothing_is_spent() -> None:
    there = world("tokens_per_key: 500")
    assert plain(there, 400) == ""
    assert plain(there) == "tokens_per_key"


# ---------------------------------------------------------------- the end


def test_a_spent_budget_ends_the_run_with_what_was_found() -> None:
    there = world("tokens: 2500", "end_with: {tool: done, argument: text}\n")
    conversation = Conversation(there, FIND, tool("done", {"text": {"type": "string"}}))
    conversation.ask(used(5000, ("call_c1", "find", {})))
    conversation.results("It is on shelf 7.")
    played = conversation.begin().run()
    assert played.status == 200
    ((name, arguments),) = calls(played)
    assert name == "done"
    assert "shelf 7" in arguments["text"]
    assert "token budget of 2500" in arguments["text"]
    assert played.alerts[0]["by"] == "tokens"


def test_an_observed_budget_only_tells_and_still_counts() -> None:
    there = world("tokens_per_key: {limit: 5000, mode: observe}")
    body = Conversation(there, FIND).body
    first, second = (there.play(body, [used(9000)]) for _ in range(2))
    assert not first.notes("observed")
    assert second.notes("observed")[0]["detail"]["by"] == "tokens_per_key"
    assert second.sent == [json.dumps(body).encode()]
    assert list(there.counters.values()) == [18_000]


def test_a_store_that_is_down_stops_nobody() -> None:
    there = world("tokens: 100")
    there.down = True
    played = there.play(Conversation(there, FIND).body, [used(9000)])
    assert text(played) == "ok"
    assert "gates;did=failed" in played.headers["x-handrail"]
    closed = world("tokens: 100, fail: closed")
    closed.down = True
    assert closed.play(Conversation(closed, FIND).body, [used(9000)]).status == 500
