"""Times and upstreams: the defaults that the design fixes, and the short form of `request`."""

import pytest
from pydantic import ValidationError

from proxy.settings.upstreams import Match, RequestTime, UpstreamEntry, UpstreamSettings


def test_the_documented_times():
    times = UpstreamSettings()
    assert (times.connect, times.first_byte, times.idle, times.step, times.rounds) == (2, 600, 300, 60, 12)
    assert times.request == RequestTime(floor=120, ceiling=1800)
    assert times.breaker is None


def test_a_plain_number_fixes_the_time_of_a_request():
    assert UpstreamSettings.model_validate({"request": 30}).request == RequestTime(floor=30, ceiling=30)


@pytest.mark.parametrize("request_time", [{"floor": 30, "ceiling": 20}, {"floor": 3000}, 0, "30", {"flor": 1}])
def test_times_that_make_no_sense_are_refused(request_time):
    with pytest.raises(ValidationError):
        UpstreamSettings.model_validate({"request": request_time})


def test_an_entry_without_match_takes_everything():
    assert UpstreamEntry.model_validate({"url": "http://h.test"}).match == Match()


@pytest.mark.parametrize("entry", [{}, {"url": "h.test"}, {"url": "http://h.test", "match": {"dialect": "chat"}}])
def test_an_entry_needs_an_address_and_a_known_dialect(entry):
    with pytest.raises(ValidationError):
        UpstreamEntry.model_validate(entry)
