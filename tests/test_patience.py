import asyncio

import pytest
from aiohttp import SocketTimeoutError

from proxy.patience import Patience


@pytest.fixture
def told():
    return []


def kinds(told):
    return [type(error) for error in told]


async def test_silence_runs_out(told):
    patience = Patience(0.05, None, told.append)
    await asyncio.sleep(0.1)
    patience.stop()
    assert kinds(told) == [SocketTimeoutError]


async def test_time_for_all_of_it_runs_out_though_something_comes(told):
    patience = Patience(10, 0.05, told.append)
    patience.rests()
    await asyncio.sleep(0.1)
    patience.stop()
    assert kinds(told) == [TimeoutError]


async def test_pieces_start_the_silence_anew(told):
    patience = Patience(0.2, None, told.append)
    for _ in range(6):
        patience.waits()
        await asyncio.sleep(0.05)
        patience.rests()
    assert told == []
    patience.waits()
    await asyncio.sleep(0.5)
    assert kinds(told) == [SocketTimeoutError]


async def test_who_rests_is_not_silent(told):
    patience = Patience(0.03, None, told.append)
    patience.rests()
    await asyncio.sleep(0.1)
    patience.stop()
    assert told == []


async def test_a_shorter_limit_counts_at_once_and_goes_to_whom_it_concerns(told):
    before: list[BaseException] = []
    patience = Patience(10, None, before.append)
    patience.turn(0.05, told.append)
    patience.waits()
    await asyncio.sleep(0.15)
    patience.stop()
    assert (kinds(told), before) == ([SocketTimeoutError], [])


async def test_limit_on_the_rest_can_be_set_and_lifted(told):
    patience = Patience(10, 0.05, told.append)
    patience.bound(None)
    await asyncio.sleep(0.1)
    assert told == []
    patience.bound(0.03)
    await asyncio.sleep(0.1)
    assert kinds(told) == [TimeoutError]


async def test_what_is_over_fails_no_more(told):
    patience = Patience(0.02, 0.02, told.append)
    patience.stop()
    patience.bound(0.01)
    await asyncio.sleep(0.05)
    assert told == []
