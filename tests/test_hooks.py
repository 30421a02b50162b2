"""How policies are asked, with small policies of our own."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from proxy.hooks import Bound, Broken, Hooks, StoreDownError
from proxy.journal import Journal
from proxy.model import Ask, Note, Put, Reply, Run, Spend, Taking, Turn, replace
from proxy.verdicts import Add, Answers, Claim, Halt, Health, Lookup, Need, Read, Reask, Record, Rules, Settle

ASK = Ask("chat_completions", "m", stream=False, turns=(Turn("user", ("Go",)),))
REPLY = Reply((Turn("assistant", ("",)),))
KEY = Read("k")


class Adding:
    """Adds its mark to the model's name, or to the reply's id, and tells so."""

    guards_replies = minds_plain_asks = minds_openings = minds_words = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0

    def on_ask(self, ask: Ask, _: Run) -> Any:
        self.calls += 1
        return replace(ask, model=ask.model + self.name).noting(Note(self.name, "rewrote"))

    def on_reply(self, reply: Reply, _: Ask, __: Run) -> Any:
        return replace(reply, id=reply.id + self.name, puts=(Put(self.name, b"1"),))


class Saying(Adding):
    """Answers both hooks by a function of the value and the run."""

    def __init__(self, name: str, says: Callable[[Any, Run], Any]) -> None:
        super().__init__(name)
        self._says = says

    def on_ask(self, ask: Ask, run: Run) -> Any:
        self.calls += 1
        return self._says(ask, run)

    def on_reply(self, reply: Reply, _: Ask, run: Run) -> Any:
        return self._says(reply, run)


def bound(policy: Any, mode: Any = "enforce", *, closed: bool = False) -> Bound:
    return Bound(policy, mode, closed)


class Played:
    """Plays one hook; what it asked of the store, and what it told."""

    def __init__(self, bounds: Sequence[Bound], known: dict[Any, Any] | None = None, *, down: bool = False) -> None:
        self.hooks = Hooks(bounds, Run("r1", "c1", 0.0, 1.0, 1.0), Journal("r1"))
        self.settles: list[Settle] = []
        self.told: list[tuple[str, str]] = []
        self._known, self._down = known or {}, down

    def run(self, playing: Any) -> Any:
        event: Any = None
        while True:
            try:
                command = playing.send(event)
            except StopIteration as end:
                return end.value
            event = None
            if isinstance(command, Settle):
                self.settles.append(command)
                answers = {} if self._down else {one: self._known.get(one) for one in command.requests}
                event = Answers(answers, 5.0, 5.0, failed=self._down)
            elif isinstance(command, Record) and command.kind == "verdict":
                self.told.append((command.fields["policy"], command.fields.get("would", command.fields["did"])))

    def ask(self, ask: Ask = ASK) -> Any:
        return self.run(self.hooks.ask(ask, self.hooks._bounds))

    def reply(self, after: str = "") -> Any:
        return self.run(self.hooks.reply(REPLY, ASK, after))


# ---------------------------------------------------------------- order


def test_an_ask_meets_them_in_order_and_a_reply_the_other_way_round() -> None:
    played = Played([bound(Adding("a")), bound(Adding("b"))])
    assert played.ask().model == "mab"
    assert played.told == [("a", "rewrote"), ("b", "rewrote")]
    assert played.reply().id == "ba"
    assert [put.key for one in played.settles for put in one.puts] == ["b", "a"]


def test_notes_and_writes_are_carried_out_once() -> None:
    played = Played([bound(Adding("a")), bound(Adding("b"))])
    assert played.ask().notes == ()
    assert played.reply().puts == ()


@pytest.mark.parametrize(("after", "marks"), [("", "cba"), ("c", "ba"), ("b", "a"), ("a", ""), ("withheld", "")])
def test_a_reply_can_go_on_behind_a_policy(after: str, marks: str) -> None:
    assert Played([bound(Adding(name)) for name in "abc"]).reply(after).id == marks


def test_a_verdict_ends_the_chain() -> None:
    last = Adding("b")
    played = Played(
        [bound(Saying("a", lambda *_: Halt("steps", "Stopped.", "a", notes=(Note("a", "halted"),)))), bound(last)]
    )
    assert played.ask() == Halt("steps", "Stopped.", "a", notes=(Note("a", "halted"),))
    assert played.told == [("a", "halted")]
    assert last.calls == 0


# ---------------------------------------------------------------- needs


def test_what_a_policy_needs_is_got_and_it_is_asked_again() -> None:
    def says(value: Any, run: Run) -> Any:
        return replace(value, model=run.known[KEY].decode()) if KEY in run.known else Need((KEY,))

    played = Played([bound(Saying("a", says))], {KEY: b"stored"})
    assert played.ask().model == "stored"
    assert played.hooks.run.wall == 5.0, "the clock goes on"
    assert played.ask().model == "stored"
    assert len(played.settles) == 1, "what is known is not asked for again"


def test_a_policy_that_never_stops_asking_has_failed() -> None:
    played = Played([bound(Saying("a", lambda *_: Need((KEY,)))), bound(Adding("b"))])
    assert played.ask().model == "mb"
    assert played.told[0] == ("a", "failed")


def test_a_store_that_is_down_fails_the_policy_that_needs_it() -> None:
    played = Played([bound(Saying("a", lambda *_: Need((KEY,)))), bound(Adding("b"))], down=True)
    assert played.ask().model == "mb"
    assert played.told == [("a", "failed"), ("b", "rewrote")]


# ---------------------------------------------------------------- failures


def broken(*_: Any) -> Any:
    raise ZeroDivisionError("oops")


def test_a_policy_that_raises_is_skipped() -> None:
    played = Played([bound(Saying("a", broken)), bound(Adding("b"))])
    assert played.ask().model == "mb"
    assert played.reply().id == "b"
    assert played.hooks.journal.header() == "a;did=failed;n=2, b;did=rewrote;n=1"


def test_fail_closed_is_an_error() -> None:
    played = Played([bound(Saying("a", broken), closed=True), bound(Adding("b"))])
    assert played.ask() == Broken("a")


def test_what_is_only_watched_never_fails_closed() -> None:
    played = Played([bound(Saying("a", broken), "observe", closed=True), bound(Adding("b"))])
    assert played.ask().model == "mb"


# ---------------------------------------------------------------- observe


def test_observed_changes_reach_nobody_but_other_observers() -> None:
    seen: list[str] = []

    def says(value: Any, run: Run) -> Any:
        seen.append(value.model)
        return value

    played = Played([bound(Adding("a"), "observe"), bound(Adding("b")), bound(Saying("c", says), "observe")])
    assert played.ask().model == "mb"
    assert seen == ["mab"]
    assert played.told == [("a", "rewrote"), ("b", "rewrote")], "told once each"


def test_while_nothing_differs_each_hook_runs_once() -> None:
    first, second = Adding("a"), Adding("b")
    watching = Saying("w", lambda value, _: value)
    Played([bound(first), bound(watching, "observe"), bound(second)]).ask()
    assert (first.calls, watching.calls, second.calls) == (1, 1, 1)


@pytest.mark.parametrize(("verdict", "told"), [
    (Halt("steps", "x", "w"), "would_halt"), (Reask({}, "w"), "would_reask"),
])  # fmt: skip
def test_a_prediction_ends_with_the_first_verdict(verdict: Any, told: str) -> None:
    later = Adding("z")
    played = Played([bound(Saying("w", lambda *_: verdict), "observe"), bound(Adding("b")), bound(later, "observe")])
    assert played.ask().model == "mb"
    assert ("w", told) in played.told
    assert later.calls == 0


REQUESTS = (Claim("k", b"v", 5.0), Add("n", 7, 10, 5.0), Health("h", Rules()), KEY, Lookup("shop"))


@pytest.mark.parametrize("mode", ["observe", "enforce"])
def test_who_watches_takes_nothing(mode: Any) -> None:
    def says(value: Any, run: Run) -> Any:
        return value if KEY in run.known else Need(REQUESTS)

    played = Played([bound(Saying("a", says), mode)])
    played.ask()
    (settle,) = played.settles
    if mode == "enforce":
        assert settle.requests == REQUESTS
    else:
        assert settle.requests[:3] == (Read("k"), Add("n", 0, None, 5.0), Health("h", Rules(), take=False))
    assert set(played.hooks.run.known) == set(REQUESTS), "the policy finds its own requests answered"


def test_a_policy_that_acts_on_a_copy_takes_nothing_for_it() -> None:
    def says(value: Any, run: Run) -> Any:
        claim = Claim(f"of {value.model}", b"v", 5.0)
        return value if claim in run.known else Need((claim,))

    played = Played([bound(Adding("a"), "observe"), bound(Saying("b", says))])
    played.ask()
    assert [one.requests for one in played.settles] == [(Claim("of m", b"v", 5.0),), (Read("of ma"),)]


def test_watched_budgets_are_booked_without_a_reservation() -> None:
    spend = Spend("n", 500, 1.0, 1.0, 1.0)
    played = Played([bound(Saying("a", lambda value, _: replace(value, spends=(*value.spends, spend))), "observe")])
    assert played.ask().spends == ()
    assert played.hooks.spends == [replace(spend, reserved=0)]


def test_what_would_have_been_frozen_is_kept_within_the_process_and_nothing_else_is() -> None:
    puts = (Put("f", b"text", final=True), Put("k", b"1"), Put("d", b"2", durable=True))
    played = Played([bound(Saying("a", lambda value, _: replace(value, model="new", puts=puts)), "observe")])
    assert played.ask() is ASK
    assert [one.puts for one in played.settles] == [(Put("imagined:f", b"text", final=True, local=True),)]


def test_who_watches_goes_on_from_what_was_imagined_else_from_what_stands() -> None:
    read, other = Read("f", final=True), Read("imagined:f", local=True, final=True)

    def says(ask: Any, run: Run) -> Any:
        return replace(ask, model=str(run.known[read])).noting(Note("a", "x")) if read in run.known else Need((read,))

    seen: list[str] = []

    def sees(ask: Any, _: Run) -> Any:
        seen.append(ask.model)
        return ask

    asked = []
    for known in ({other: b"mine"}, {read: b"real", other: b"mine"}, {read: b"real"}, {}):
        played = Played([bound(Saying("a", says), "observe"), bound(Saying("b", sees), "observe")], known)
        assert played.ask() is ASK
        asked.append([one.requests for one in played.settles])
    assert seen == [str(b"mine"), str(b"mine"), str(b"real"), str(None)]
    assert asked == [[(other,)], [(other,)], [(other,), (read,)], [(other,), (read,)]]
    enforcing = Played([bound(Saying("a", says))], {other: b"mine"})
    assert enforcing.ask().model == str(None), "what was imagined is nobody else's"


@pytest.mark.parametrize("mode", ["observe", "enforce"])
def test_turns_that_are_changed_as_before_are_the_same_objects_for_those_behind(mode: Any) -> None:
    seen: list[tuple[Turn, ...]] = []

    def changes(ask: Any, _: Run) -> Any:
        return replace(ask, turns=tuple(replace(turn, texts=("changed",)) for turn in ask.turns))

    def sees(ask: Any, _: Run) -> Any:
        seen.append(ask.turns)
        return ask

    bounds = [bound(Saying("a", changes), mode), bound(Saying("b", sees), mode)]
    grown = replace(ASK, memory={})
    for turns in (ASK.turns, (*ASK.turns, Turn("assistant", ("Yes",)))):
        Played(bounds).ask(replace(grown, turns=turns))
    assert [len(turns) for turns in seen] == [1, 2]
    assert seen[0][0] is seen[1][0]


# ---------------------------------------------------------------- claims

TAKING = Taking("a", "call_1", "k", b"v", 5.0)
CLAIM = Claim("k", b"v", 5.0)


@pytest.mark.parametrize(("standing", "lost"), [(None, ()), (b"theirs", (CLAIM,))])
def test_a_claim_is_lost_where_another_stands(standing: bytes | None, lost: Any) -> None:
    played = Played([bound(Adding("a"))], {CLAIM: standing})
    assert played.run(played.hooks.claim({CLAIM: TAKING})) == lost
    assert played.hooks.run.known[CLAIM] == standing


@pytest.mark.parametrize("closed", [False, True])
def test_a_claim_without_a_store_is_as_the_pack_says(closed: bool) -> None:  # noqa: FBT001
    played = Played([bound(Adding("a"), closed=closed), bound(Adding("b"), closed=True)], down=True)
    assert played.run(played.hooks.claim({CLAIM: TAKING})) == (Broken("a") if closed else ())
    assert played.told == [("a", "failed")]


def test_needs_of_the_engine_itself_are_told_when_they_fail() -> None:
    played = Played([], down=True)
    with pytest.raises(StoreDownError):
        played.run(played.hooks.need((KEY,)))
