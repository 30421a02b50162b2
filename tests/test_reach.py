from typing import Any

import pytest

from proxy.durations import ENOUGH
from proxy.reach import Reach
from proxy.settings import Pack, parse_pack

PACK = "upstream: {breaker: {failures: 3, reset_seconds: 10}, request: {floor: 2, ceiling: 100}}"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def world() -> tuple[Reach, Pack, Clock]:
    clock = Clock()
    return Reach(clock), parse_pack(PACK), clock


def _call(world: Any, *, status: int = 0, fails: str = "", seconds: float = 0.0, model: str = "m") -> None:
    reach, pack, clock = world
    watch = reach.watch("up", model, pack, streamed=False)
    clock.now += seconds
    if fails:
        watch.failed(fails)
    else:
        watch.head(status, streamed=False)
        watch.end()


def test_faults_of_the_provider_open_the_breaker_and_others_do_not(world: Any) -> None:
    reach, pack, clock = world
    for status in (400, 401, 404, 422, 429, 429, 429):
        _call(world, status=status)
    assert reach.is_open("up", pack) is None
    _call(world, status=500)
    _call(world, fails="timeout")
    assert reach.is_open("up", pack) is None
    _call(world, fails="connect")
    assert reach.is_open("up", pack) == 10
    assert reach.is_open("other", pack) is None
    clock.now += 10.1
    assert reach.is_open("up", pack) is None, "one probe"
    assert reach.is_open("up", pack) is not None, "and only one"
    _call(world, status=200)
    assert reach.is_open("up", pack) is None


def test_a_probe_that_tells_nothing_is_given_back(world: Any) -> None:
    reach, pack, clock = world
    for _ in range(3):
        _call(world, status=503)
    clock.now += 11
    for told in ("left", "429"):
        assert reach.is_open("up", pack) is None
        watch = reach.watch("up", "m", pack, streamed=False)
        watch.left() if told == "left" else watch.head(429, streamed=False)
    assert reach.is_open("up", pack) is None
    _call(world, status=500)
    assert reach.is_open("up", pack) == 10


def test_a_success_in_between_counts_anew(world: Any) -> None:
    reach, pack, _ = world
    for status in (500, 500, 200, 500, 500):
        _call(world, status=status)
    assert reach.is_open("up", pack) is None


def test_the_time_of_a_request_is_learnt_by_model(world: Any) -> None:
    reach, pack, _ = world
    for _ in range(ENOUGH - 1):
        _call(world, status=200, seconds=4.0)
    assert reach.seconds("up", "m", pack, streamed=False) == 100, "not enough was seen"
    _call(world, status=200, seconds=4.0)
    assert reach.seconds("up", "m", pack, streamed=False) == pytest.approx(8.0)
    assert reach.seconds("up", "other", pack, streamed=False) == 100
    assert reach.seconds("up", "m", pack, streamed=True) == 100
    for _ in range(ENOUGH):
        _call(world, status=200, seconds=0.01, model="quick")
    assert reach.seconds("up", "quick", pack, streamed=False) == 2, "the floor"


def test_without_a_breaker_in_the_pack_nothing_opens() -> None:
    reach, pack = Reach(Clock()), parse_pack("{}")
    for _ in range(100):
        reach.watch("up", "m", pack, streamed=False).failed("connect")
    assert reach.is_open("up", pack) is None


def test_agents_with_rules_of_their_own_do_not_undo_each_others_breakers(world: Any) -> None:
    reach, pack, clock = world
    other = parse_pack(PACK.replace("failures: 3", "failures: 9"))
    for _ in range(3):
        _call(world, status=500)
        _call((reach, other, clock), status=200)
    assert reach.is_open("up", other) is None
    assert reach.is_open("up", pack) == 10


def test_a_pack_that_only_observes_stops_nobody(world: Any) -> None:
    reach, pack, clock = world
    watching = parse_pack(f"mode: observe\n{PACK}")
    for _ in range(ENOUGH):
        _call((reach, watching, clock), status=200, seconds=4.0)
    for _ in range(9):
        _call((reach, watching, clock), status=500)
    assert reach.is_open("up", watching) is None
    assert reach.seconds("up", "m", watching, streamed=False) == 100
    assert reach.is_open("up", pack) == 10, "what was seen meanwhile counts once it enforces"


def test_a_streamed_answer_counts_until_it_begins(world: Any) -> None:
    reach, pack, clock = world
    for _ in range(ENOUGH):
        watch = reach.watch("up", "m", pack, streamed=True)
        clock.now += 3.0
        watch.head(200, streamed=True)
        clock.now += 500.0
        watch.end()
    assert reach.seconds("up", "m", pack, streamed=True) == pytest.approx(6.0)
