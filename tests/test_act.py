import re

from hypothesis import given
from hypothesis import strategies as st

from proxy.act import Act
from proxy.journal import Journal
from proxy.model import Note, Usage
from proxy.plan import build
from proxy.settings import parse_pack
from proxy.verdicts import Start


def act(random: bytes = b"r" * 32) -> Act:
    plan = build(parse_pack("upstream: {rounds: 3, step: 60}\n")).find("POST", "/v1/chat/completions", "")
    assert plan is not None
    made = Act(Start("POST", "/v1/chat/completions", (), b"{}", "c1", random, 5.0, 100.0), plan)
    made.journal = Journal("r1")
    return made


@given(st.binary(min_size=32, max_size=32))
def test_made_up_ids_are_nine_letters_and_digits_and_the_same_in_a_replay(random: bytes) -> None:
    one, other = act(random), act(random)
    ids = [one.new_id() for _ in range(20)]
    assert ids == [other.new_id() for _ in range(20)]
    assert len(set(ids)) == 20
    assert all(re.fullmatch(r"[0-9A-Za-z]{9}", made) for made in ids)


def test_two_exchanges_make_other_ids() -> None:
    assert act(b"a" * 32).new_id() != act(b"b" * 32).new_id()


def test_rounds_are_numbered_and_counted() -> None:
    made = act()
    assert made.rounds_left == 3
    for _ in range(3):
        made.round()
    assert (made.count, made.rounds_left) == (3, 0)


def test_the_seconds_that_may_be_added_begin_with_the_first_question() -> None:
    made = act()
    made.agent.mono = 150.0
    assert made.seconds_left() == 60.0
    made.agent.mono = 200.0
    assert made.seconds_left() == 10.0
    made.agent.mono = 300.0
    assert made.seconds_left() < 0


def test_hidden_usage_adds_up() -> None:
    made = act()
    made.hide(None)
    made.hide(Usage(1, 2))
    made.hide(Usage(3, 4))
    assert made.unseen == Usage(4, 6)
    assert made.used() == Usage(0, 0), "nothing was sent"


def test_every_answer_says_which_run_and_what_was_done() -> None:
    made = act()
    made.headers()
    assert made.agent.extra == (("x-run-id", "r1"), ("x-handrail", "none"))
    made.journal.notes([Note("gates", "halted", {"by": "steps"})], 1, "enforce")
    made.headers()
    assert dict(made.agent.extra)["x-handrail"] == "gates;did=halted;n=1;by=steps"
