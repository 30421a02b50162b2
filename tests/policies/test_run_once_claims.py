"""Claims of side effects: a crash at every step, exchanges at once, agents that leave. Effects are counted."""

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.verdicts import Begin, Claim, Emit, Read, Send, Settle
from tests.conversation import Conversation, Says, calls
from tests.playbook import Played, Playing, World, tool

MAIL = tool("send_email", {"to": {"type": "string"}}, ["to"])
PACK = "policies:\n  run_once: {}\ntools:\n  send_*: {side_effect: true}\n"
TO_LEE, TO_KIM, TO_ANN = (("send_email", {"to": f"{name}@x.org"}) for name in ("lee", "kim", "ann"))
MINE = {"headers": (("x-run-id", "mine"),)}


def claimed(world: World) -> int:
    return sum(key.startswith("once:") for key in world.store)


def got(played: Played) -> list[tuple[str, Any]]:
    """The calls that have reached an agent which takes whole answers only."""
    try:
        return calls(played)
    except ValueError:
        return []


class Agent:
    """Sends its mails, and asks again after every crash until it has an answer."""

    def __init__(self, **more: Any) -> None:
        self.conversation = Conversation(PACK, MAIL)
        self.world, self.more = self.conversation.world, more
        self.mails: list[Any] = []

    def exchange(self, says: list[Says], stop: int | None, *, losing: bool) -> bool:
        """Asks; the proxy dies after so many commands. Whether there was so much to do."""
        running = self.conversation.begin(*says, **self.more)
        steps = count() if stop is None else range(stop)
        if any(running.step() is None for _ in steps):
            self._take(running)
            return False
        self.world.restart(losing=losing)
        if running.played.body and got(running.played):
            self._take(running)
            return True
        self.exchange(says, None, losing=losing)
        return True

    def _take(self, running: Playing) -> None:
        played = self.conversation.take(running.played)
        made = got(played)
        self.mails += made
        if made:
            self.conversation.results(*(f"sent as m-{len(self.mails)}" for _ in made))


@pytest.mark.parametrize("losing", [False, True])
@pytest.mark.parametrize("more", [MINE, {}])
@pytest.mark.parametrize("crash_in", [0, 1])
def test_no_crash_makes_a_second_effect(crash_in: int, more: dict[str, Any], losing: bool) -> None:  # noqa: FBT001
    stop = 0
    while True:
        agent = Agent(**more)
        crashed = False
        for number in range(2):
            says: list[Says] = [[TO_LEE], "It was sent."]
            if number and not agent.mails:
                break
            crashed |= agent.exchange(says, stop if number == crash_in else None, losing=losing)
        assert len(agent.mails) <= 1, f"dead after {stop} commands"
        if not crashed:
            assert len(agent.mails) == 1
            assert stop > 10
            return
        stop += 1


def test_dead_between_claim_and_answer_is_unknown() -> None:
    conversation = Conversation(PACK, MAIL)
    running = conversation.begin([TO_LEE], **MINE)
    while not isinstance(running.step(), Send):
        pass
    claims(running)
    assert claimed(conversation.world) == 1
    conversation.world.restart(losing=True)
    played = conversation.begin([TO_LEE], "I can't tell.", **MINE).run()
    assert not calls(played)
    assert "OUTCOME_UNKNOWN" in played.asks[-1]["messages"][-1]["content"]


def asks(running: Playing, kind: type) -> None:
    """Plays up to and with the next look at, or claim of, a side effect."""
    while command := running.step():
        requests = command.requests if isinstance(command, Settle) else ()
        if any(isinstance(one, kind) and getattr(one, "key", "").startswith("once:") for one in requests):
            return
    raise AssertionError("nothing was asked for")


def claims(running: Playing) -> None:
    asks(running, Claim)


# ---------------------------------------------------------------- at once


@given(
    st.lists(st.integers(0, 2), max_size=60),
    st.lists(st.sampled_from([TO_LEE, TO_KIM, TO_ANN]), min_size=1, max_size=3),
)
def test_exchanges_at_once_make_each_effect_once(turns: list[int], wanted: list[Any]) -> None:
    world = World(PACK)
    world.tick = 0.01
    running = [
        Conversation(world, MAIL).begin(says, [TO_LEE], "ok", **MINE) for says in (wanted, wanted[::-1], [TO_LEE])
    ]
    for at in turns:
        running[at].step()
    made = [one[1]["to"] for played in running for one in got(played.run())]
    assert sorted(made) == sorted({one[1]["to"] for one in [*wanted, TO_LEE]})


def test_the_loser_of_a_race_hands_out_the_rest() -> None:
    world = World(PACK)
    world.tick = 0.01
    first, second = (Conversation(world, MAIL).begin([TO_KIM, TO_LEE], "ok", **MINE) for _ in range(2))
    third = Conversation(world, MAIL).begin([TO_LEE, TO_ANN], "ok", **MINE)
    for one in (first, second, third):
        asks(one, Read)
    claims(first)
    assert got(third.run()) == [TO_ANN]
    assert got(second.run()) == []
    assert got(first.run()) == [TO_KIM, TO_LEE]


def test_a_retry_beside_a_failed_call_cannot_free_what_was_claimed_since() -> None:
    """An ask with the failure in it is on its way twice; both would try again."""
    conversation = Conversation(PACK, MAIL)
    conversation.turn([TO_LEE], "Error: 550 mailbox does not exist")
    slow, quick = (conversation.begin([TO_LEE], "ok") for _ in range(2))
    asks(slow, Read)
    made = got(quick.run())
    assert made + got(slow.run()) == [TO_LEE]


# ---------------------------------------------------------------- what did not leave


def test_an_agent_that_left_before_the_call_frees_it() -> None:
    world = World(PACK)
    running = Conversation(world, MAIL).begin([TO_LEE], **MINE)
    running.until(Send)
    claims(running)
    running.leave()
    assert claimed(world) == 0
    assert got(Conversation(world, MAIL).ask([TO_LEE], **MINE)) == [TO_LEE]


def test_an_agent_that_left_with_the_call_may_have_made_it() -> None:
    world = World(PACK)
    running = Conversation(world, MAIL).begin([TO_LEE], **MINE)
    running.until(Emit)
    running.step()
    running.leave()
    assert claimed(world) == 1


def test_a_loser_that_left_frees_nothing_of_the_winner() -> None:
    world = World(PACK)
    winner, loser = (Conversation(world, MAIL).begin([TO_LEE], "ok", **MINE) for _ in range(2))
    asks(winner, Read)
    asks(loser, Read)
    claims(winner)
    claims(loser)
    loser.leave()
    assert claimed(world) == 1
    assert got(winner.run()) == [TO_LEE]


def test_a_call_that_a_gate_stops_is_not_claimed() -> None:
    conversation = Conversation(PACK.replace("run_once", "gates: {steps: 1}\n  run_once"), MAIL)
    conversation.step([TO_ANN], "sent")
    assert not got(conversation.ask([TO_LEE], "Stopped."))
    assert json.dumps(TO_LEE[1]) not in conversation.messages[-1]["content"]
    assert len([key for key in conversation.world.store if key.startswith("once:")]) == 1, "only what was made"


def test_a_call_that_stays_wrong_is_protected_all_the_same() -> None:
    """What leaves after the last attempt to correct it still meets the other policies."""
    pack = PACK.replace("run_once: {}", "run_once: {}\n  repair_arguments: {max_reasks: 1, exhausted: pass}")
    wrong = ("send_email", {"to": ["lee", "kim"]})
    conversation = Conversation(pack, MAIL)
    conversation.ask([wrong], [wrong])
    conversation.results("sent as m-1")
    assert not got(conversation.ask([wrong], [wrong], "It was sent."))


# ---------------------------------------------------------------- a store that is down


def test_without_a_store_calls_leave_or_nothing_does() -> None:
    world = World(PACK)
    world.down = True
    played = Conversation(world, MAIL).ask([TO_LEE])
    assert got(played) == [TO_LEE]
    assert "run_once;did=failed" in played.headers["x-handrail"]
    closed = World(PACK.replace("run_once: {}", "run_once: {fail: closed}"))
    running = Conversation(closed, MAIL).begin([TO_LEE], **MINE)
    running.until(Send)
    closed.down = True
    played = running.run()
    assert played.status == 500
    assert claimed(closed) == 0


def test_a_store_that_dies_before_the_claim_is_told() -> None:
    closed = World(PACK.replace("run_once: {}", "run_once: {fail: closed}"))
    running = Conversation(closed, MAIL).begin([TO_LEE], **MINE)
    running.until(Send)
    running.until(Settle)
    closed.down = True
    assert running.run().status == 500
    assert running.until(Begin) is None
