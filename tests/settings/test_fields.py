"""Modes, limits, patterns: the kinds of value, tried through the smallest classes that use them."""

import pytest
from pydantic import ValidationError

from proxy.settings.fields import BreakerSettings, CountLimit, Frozen, HttpUrl, Limit, ModeField, Pattern, Seq, least


class Sample(Frozen):
    mode: ModeField = "enforce"
    words: Seq[str] = ()
    number: float = 1
    pattern: Pattern | None = None
    url: HttpUrl | None = None
    steps: CountLimit | None = None
    seconds: Limit | None = None


def read(**data):
    return Sample.model_validate(data)


def test_the_weakest_mode_wins_and_none_says_nothing():
    assert least("enforce", None, "observe") == "observe"
    assert least("observe", "off") == "off"
    assert least(None) == "enforce"


def test_a_bare_off_that_yaml_made_false_is_off():
    assert read(mode=False).mode == "off"


@pytest.mark.parametrize(
    "data",
    [
        {"mode": True},
        {"mode": "on"},
        {"number": "3"},
        {"number": True},
        {"number": float("nan")},
        {"number": float("inf")},
        {"words": "abc"},
        {"words": [1]},
        {"unknown": 1},
        {"steps": 0},
        {"steps": 1.5},
        {"steps": True},
        {"steps": {"limit": 8, "mode": "of"}},
        {"steps": {}},
        {"seconds": -1},
        {"pattern": ""},
        {"pattern": "(?=lookahead)"},
        {"pattern": "("},
        {"url": "ftp://x"},
        {"url": "http://"},
        {"url": "http://[::1"},
        {"url": "http://x:99999"},
        {"url": "example.org"},
    ],
)
def test_what_is_not_the_type_is_refused(data):
    with pytest.raises(ValidationError):
        read(**data)


def test_a_plain_number_is_a_limit_in_the_mode_of_its_policy():
    assert read(steps=8).steps == CountLimit(limit=8)
    assert read(seconds=1.5).seconds == Limit(limit=1.5, mode=None)
    assert read(seconds={"limit": 90, "mode": "observe"}).seconds == Limit(limit=90, mode="observe")


def test_a_section_left_empty_means_its_defaults():
    assert read(words=None, number=None, mode=None) == Sample()


def test_a_list_becomes_a_tuple_and_nothing_can_be_changed():
    sample = read(words=["a", "b"])
    assert sample.words == ("a", "b")
    with pytest.raises(ValidationError):
        sample.number = 2


def test_patterns_of_the_linear_kind_and_http_addresses_are_taken_as_they_are():
    assert read(pattern=r"^Observation:\s", url="https://host.test:8443/api/v1").pattern == r"^Observation:\s"


@pytest.mark.parametrize(
    ("data", "failures", "rate"),
    [
        ({}, None, 0.5),
        ({"reset_seconds": 1}, None, 0.5),
        ({"failures": 3}, 3, None),
        ({"success_rate": 0.9}, None, 0.9),
        ({"failures": 3, "success_rate": 0.9}, 3, 0.9),
    ],
)
def test_a_breaker_always_has_a_rule_to_open_by(data, failures, rate):
    breaker = BreakerSettings.model_validate(data)
    assert (breaker.failures, breaker.success_rate) == (failures, rate)
