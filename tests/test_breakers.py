import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy import breakers
from proxy.breakers import Breaker, Breakers
from proxy.verdicts import Health, Report, Rules

THREE = Rules(failures=3, reset=30.0)
HALF = Rules(success_rate=0.5, min_calls=4, window=60.0, reset=30.0)


def fed(rules: Rules, results: str, now: float = 0.0) -> Breaker:
    """A breaker after so many results, one a second: `+` good, `-` bad."""
    breaker = Breaker(rules)
    for at, one in enumerate(results):
        breaker.report(now + at, good=one == "+")
    return breaker


def state(breaker: Breaker, now: float) -> str:
    return breaker.ask(now, take=False)[0]


# ---------------------------------------------------------------- opening


@pytest.mark.parametrize(("results", "opens"), [
    ("", False), ("--", False), ("---", True), ("+---", True), ("--+--", False), ("--+---", True),
    ("+" * 50 + "---", True),
])  # fmt: skip
def test_failures_in_a_row(results: str, opens: bool) -> None:  # noqa: FBT001
    assert state(fed(THREE, results), len(results)) == ("open" if opens else "closed")


@pytest.mark.parametrize(("results", "opens"), [
    ("---", False), ("----", True), ("+-+-", False), ("+---", True), ("++--+-", False), ("-" * 3 + "+" * 9, False),
])  # fmt: skip
def test_a_success_rate(results: str, opens: bool) -> None:  # noqa: FBT001
    assert state(fed(HALF, results), len(results)) == ("open" if opens else "closed")


def test_what_was_before_the_window_counts_no_more() -> None:
    breaker = fed(HALF, "---")
    breaker.report(100.0, good=False)
    assert state(breaker, 100.0) == "closed"


def test_a_success_never_opens() -> None:
    breaker = fed(Rules(success_rate=0.9, min_calls=3), "--")
    breaker.report(2.0, good=True)
    assert state(breaker, 3.0) == "closed"


def test_without_a_rule_it_never_opens() -> None:
    assert state(fed(Rules(), "-" * 100), 100.0) == "closed"


# ---------------------------------------------------------------- half open


def test_it_says_until_when_it_stays_open() -> None:
    breaker = fed(THREE, "---")
    assert breaker.ask(5.0) == ("open", 32.0)
    assert breaker.ask(31.9) == ("open", 32.0)


def test_one_probe_at_a_time() -> None:
    breaker = fed(THREE, "---")
    assert breaker.ask(32.0) == ("probe", 0.0)
    assert breaker.ask(32.0) == ("open", 62.0)
    assert breaker.ask(62.0) == ("probe", 0.0), "the first one was lost"


def test_to_look_takes_no_probe() -> None:
    breaker = fed(THREE, "---")
    assert [breaker.ask(32.0, take=False)[0] for _ in range(3)] == ["probe"] * 3
    assert breaker.ask(32.0)[0] == "probe"


def test_a_probe_that_told_nothing_is_given_back() -> None:
    breaker = fed(THREE, "---")
    breaker.ask(32.0)
    breaker.give_back()
    assert breaker.ask(33.0)[0] == "probe"


@pytest.mark.parametrize(("good", "after"), [(True, "closed"), (False, "open")])
def test_the_probe_decides(good: bool, after: str) -> None:  # noqa: FBT001
    breaker = fed(THREE, "---")
    breaker.ask(32.0)
    breaker.report(33.0, good=good)
    assert state(breaker, 34.0) == after
    if good:
        breaker.report(35.0, good=False)
        assert state(breaker, 36.0) == "closed", "it begins anew"
    else:
        assert breaker.ask(34.0) == ("open", 63.0)


def test_late_results_of_calls_before_it_opened_change_nothing() -> None:
    breaker = fed(THREE, "---")
    breaker.report(10.0, good=True)
    breaker.report(11.0, good=False)
    assert breaker.ask(12.0) == ("open", 32.0)


@given(st.lists(st.tuples(st.sampled_from(["ask", "look", "good", "bad", "back"]), st.floats(0, 40)), max_size=60))
def test_never_two_probes_within_the_time_of_one(steps: list[tuple[str, float]]) -> None:
    breaker, now, probe = Breaker(THREE), 0.0, None
    for what, passes in steps:
        now += passes
        if what in ("ask", "look"):
            found, until = breaker.ask(now, take=what == "ask")
            assert (found == "open") is (until > now)
            if found == "probe" and what == "ask":
                assert probe is None or now - probe >= THREE.reset
                probe = now
        elif what == "back":
            breaker.give_back()
            probe = None
        else:
            breaker.report(now, good=what == "good")
            probe = None


# ---------------------------------------------------------------- many of them


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def report(key: str, call: str, *, good: bool = False) -> Report:
    return Report(key, call, good, THREE)


def test_each_key_has_its_own_and_each_result_counts_once() -> None:
    clock = Clock()
    some = Breakers(clock)
    for _ in range(5):
        some.answer(report("find", "call_1"))
    assert some.answer(Health("find", THREE)) == ("closed", 0.0)
    for n in range(3):
        assert some.answer(report("find", f"call_{n}")) is None
    assert some.answer(Health("find", THREE)) == ("open", 30.0)
    assert some.answer(Health("look", THREE)) == ("closed", 0.0)
    clock.now = 30.0
    assert some.answer(Health("find", THREE, take=False)) == ("probe", 0.0)


def test_new_rules_begin_anew() -> None:
    some = Breakers(Clock())
    for n in range(3):
        some.answer(report("find", f"call_{n}"))
    assert some.answer(Health("find", Rules(failures=9))) == ("closed", 0.0)


def test_the_least_recently_used_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakers, "_MOST", 3)
    monkeypatch.setattr(breakers, "_SEEN", 5)
    some = Breakers(Clock())
    for n in range(20):
        for call in range(3):
            some.answer(report(f"tool {n}", f"{n}/{call}"))
    assert len(some._breakers) == 3
    assert len(some._seen) == 5
    assert some.answer(Health("tool 19", THREE)) == ("open", 30.0)
    assert some.answer(Health("tool 0", THREE)) == ("closed", 0.0)
