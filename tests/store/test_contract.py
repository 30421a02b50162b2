"""What every store promises, told once and held against each."""

import asyncio
import signal

import pytest

from proxy.model import Put
from proxy.verdicts import Add, Claim, Lookup, Read


async def value_of(store, key):
    return (await store.settle((Read(key),), ()))[Read(key)]


async def until(check, wanted):
    """Asks until the answer is what is wanted; time is the store's own here."""
    for _ in range(1000):
        if await check() == wanted:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"never {wanted!r}")


async def test_nothing_is_there_at_first(store):
    assert await store.settle((Read("a"), Read("b")), ()) == {Read("a"): None, Read("b"): None}
    assert await store.settle((), ()) == {}


@pytest.mark.parametrize("durable", [False, True])
async def test_what_is_put_is_read(store, durable):
    for value in (b"one", b"", b"\x00\xff" * 50_000, b"two"):
        await store.settle((), (Put("k", value, durable=durable),))
        assert await value_of(store, "k") == value
    await store.settle((), (Put("k", None, durable=durable),))
    assert await value_of(store, "k") is None


async def test_the_latest_write_wins_however_durable(store):
    for number in range(30):
        await store.settle((), (Put("k", b"%d" % number, durable=number % 3 == 0),))
        assert await value_of(store, "k") == b"%d" % number


async def test_requests_are_answered_before_the_writes_of_the_same_settle(store):
    answers = await store.settle((Read("k"), Claim("c", b"mine", 60)), (Put("k", b"new"), Put("c", b"after")))
    assert answers == {Read("k"): None, Claim("c", b"mine", 60): None}
    assert await value_of(store, "k") == b"new"
    assert await value_of(store, "c") == b"after"


@pytest.mark.parametrize(
    "key", ["", "a b", "~", "ключ", "run:1:工具", "x" * 10_000, "nul\0", "\ud800", "a\nb", "%s", "*", "handrail:k"]
)
async def test_any_text_is_a_key_of_its_own(store, key):
    await store.settle((), (Put(key, b"mine"), Put(key + "x", b"other")))
    assert await value_of(store, key) == b"mine"
    assert await store.settle((Claim(key, b"late", 60),), ()) == {Claim(key, b"late", 60): b"mine"}


async def test_a_claim_is_won_once(store):
    assert await store.settle((Claim("c", b"first", 60),), ()) == {Claim("c", b"first", 60): None}
    assert await store.settle((Claim("c", b"second", 60),), ()) == {Claim("c", b"second", 60): b"first"}
    await store.settle((), (Put("c", None, durable=True),))
    assert await store.settle((Claim("c", b"third", 60),), ()) == {Claim("c", b"third", 60): None}


async def test_of_many_claims_at_once_one_is_won(store):
    claims = [Claim("c", b"%d" % number, 60) for number in range(40)]
    answers = await asyncio.gather(*(store.settle((claim,), ()) for claim in claims))
    won = [claim.value for claim, answer in zip(claims, answers, strict=True) if answer[claim] is None]
    assert len(won) == 1
    assert {answer[claim] for claim, answer in zip(claims, answers, strict=True)} == {None, won[0]}


async def test_a_claim_that_nobody_takes_back_expires(store):
    claim, late = Claim("c", b"first", 0.05), Claim("c", b"second", 60)
    assert await store.settle((claim,), ()) == {claim: None}

    async def again():
        return (await store.settle((late,), ()))[late]

    await until(again, None)
    assert await value_of(store, "c") == b"second"


@pytest.mark.parametrize("durable", [False, True])
async def test_what_is_put_expires(store, durable):
    await store.settle((), (Put("k", b"v", ttl=0.05, durable=durable), Put("kept", b"v", durable=durable)))
    await until(lambda: value_of(store, "k"), None)
    assert await value_of(store, "kept") == b"v"


async def total(store, amount, limit=None, key="n", ttl=60.0):
    add = Add(key, amount, limit, ttl)
    return (await store.settle((add,), ()))[add]


async def test_a_counter_stops_at_its_limit(store):
    assert await total(store, 3, 10) == 3
    assert await total(store, 7, 10) == 10
    assert await total(store, 1, 10) is None
    assert await total(store, 5) == 15, "no limit"
    assert await total(store, -4, 10) == 11, "giving back is never refused"
    assert await total(store, 0, 10) == 11, "only looked at"
    assert await value_of(store, "n") == b"11"


async def test_what_a_refused_addition_leaves(store):
    assert await total(store, 11, 10) is None
    assert await total(store, 0) == 0
    assert await total(store, 10, 10) == 10


async def test_large_amounts_are_exact(store):
    assert await total(store, 2**52 + 1) == 2**52 + 1
    assert await total(store, -1) == 2**52


async def test_a_counter_expires_by_its_first_addition(store):
    await total(store, 1, ttl=0.3)
    await total(store, 1, ttl=1000)
    await until(lambda: total(store, 0), 0)


async def test_parallel_additions_never_pass_the_limit(store):
    results = await asyncio.gather(*(total(store, 3, 100, ttl=60 + number) for number in range(60)))
    assert sorted(result for result in results if result is not None) == list(range(3, 100, 3))


async def test_the_same_addition_twice_in_one_settle_counts_twice(store):
    await store.settle((Add("n", 2, None, 60), Add("n", 2, None, 60)), ())
    assert await total(store, 0) == 4


async def test_requests_of_others_get_no_answer(store):
    lookup = Lookup("shop")
    assert await store.settle((lookup,), ()) == {}
    assert await store.settle((lookup, Read("k"), Claim("c", b"", 9)), ()) == {
        Read("k"): None,
        Claim("c", b"", 9): None,
    }


async def test_at_once_is_the_same_or_not_at_all(store):
    assert store.try_settle((Claim("c", b"v", 9),), (Put("k", b"v"),)) is None
    assert store.try_settle((), (Put("k", b"v", durable=True),)) is None
    assert await value_of(store, "k") is None
    assert await value_of(store, "c") is None
    assert store.try_settle((), ()) == {}


async def test_what_was_promised_is_there_after_a_restart(opening):
    from tests.store.conftest import closed  # noqa: PLC0415

    first = opening()
    await first.settle((Claim("c", b"mine", 60), Add("n", 5, None, 60)), (Put("k", b"v", durable=True),))
    await first.settle((), (Put("soon", b"v"),))
    await closed(first)
    second = opening()
    assert await value_of(second, "c") == b"mine"
    assert await value_of(second, "k") == b"v"
    assert await value_of(second, "soon") == b"v"
    assert await total(second, 0) == 5


async def test_a_second_process_sees_each_write(store, elsewhere):
    await store.settle((), (Put("k", b"here", durable=True),))
    other = elsewhere("""
print((await store.settle((Read("k"),), ()))[Read("k")])
await store.settle((), (Put("k", b"there", durable=True),))
""")
    assert await asyncio.to_thread(other.communicate) == ("b'here'\n", "")
    assert await value_of(store, "k") == b"there"


RACE = """
print("ready", flush=True)
await asyncio.to_thread(sys.stdin.readline)
claims = [Claim(f"c{number}", args[0].encode(), 60) for number in range(200)]
answers = await asyncio.gather(*(store.settle((claim,), ()) for claim in claims))
print(*(number for number, claim in enumerate(claims) if answers[number][claim] is None), flush=True)
adds = [Add("n", 7, 1000, 60 + number) for number in range(200)]
answers = await asyncio.gather(*(store.settle((add,), ()) for add in adds))
print(sum(answers[number][add] is not None for number, add in enumerate(adds)), flush=True)
"""


async def test_two_processes_race_and_each_claim_is_won_once(store, elsewhere):
    racers = [elsewhere(RACE, name) for name in ("a", "b")]
    for racer in racers:
        assert await asyncio.to_thread(racer.stdout.readline) == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    told = [await asyncio.to_thread(racer.communicate) for racer in racers]
    assert [err for _, err in told] == ["", ""]
    won, added = zip(*(out.splitlines() for out, _ in told), strict=True)
    assert sorted(int(number) for line in won for number in line.split()) == list(range(200))
    assert sum(map(int, added)) == 142
    assert await total(store, 0) == 994


PROMISES = """
for number in range(10**6):
    claim = Claim(f"c{number}", b"mine", 60)
    await store.settle((claim, Add("n", 1, None, 60)), (Put(f"k{number}", b"v", durable=True),))
    print(number, flush=True)
"""


async def test_a_killed_process_has_kept_each_promise(opening, elsewhere):
    writer = elsewhere(PROMISES)
    last = -1
    while last < 40:
        last = int(await asyncio.to_thread(writer.stdout.readline))
    writer.send_signal(signal.SIGKILL)
    rest, _ = await asyncio.to_thread(writer.communicate)
    last = int(rest.split()[-1]) if rest.split() else last
    store = opening()
    for number in range(last + 1):
        assert await value_of(store, f"c{number}") == b"mine"
        assert await value_of(store, f"k{number}") == b"v"
    assert await total(store, 0) in (last + 1, last + 2)
    assert await store.settle((Claim("fresh", b"v", 9),), ()) == {Claim("fresh", b"v", 9): None}
