"""Writes on their way: the latest of each key, and not more of them than fit."""

from proxy.model import Put
from proxy.store.pending import Pending


def test_the_latest_write_of_a_key_counts():
    pending = Pending(10_000)
    first = pending.add("k", Put("k", b"1"), 100.0)
    second = pending.add("k", Put("k", None, ttl=5.0), 101.0)
    assert not pending.holds(first)
    assert pending.get("k") is second
    assert (second.value, second.until) == (None, 106.0)
    pending.done([first])
    assert pending.get("k") is second
    pending.done([second])
    assert pending.get("k") is None
    assert len(pending) == 0


def test_the_oldest_are_given_up():
    pending = Pending(5_000)
    for number in range(10):
        pending.add(str(number), Put(str(number), b"x" * 900), 0.0)
    assert len(pending) == 4
    assert pending.given_up == 6
    assert pending.get("5") is None
    assert pending.get("6") is not None
    pending.add("huge", Put("huge", b"x" * 50_000), 0.0)
    assert len(pending) == 1, "one at least"
    pending.add("small", Put("small", b""), 0.0)
    assert pending.get("huge") is None
