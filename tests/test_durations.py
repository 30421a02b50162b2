from proxy.durations import ENOUGH, Durations


def test_the_p99_leaves_out_what_is_rare() -> None:
    durations = Durations()
    for number in range(1000):
        durations.add(50.0 if number % 200 == 0 else 1.0)
    assert durations.p99 == 1.0


def test_nothing_is_said_before_enough_was_seen() -> None:
    durations = Durations()
    for _ in range(ENOUGH - 1):
        durations.add(1.0)
    assert durations.p99 is None
    durations.add(1.0)
    assert durations.p99 == 1.0
