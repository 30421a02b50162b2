from fractions import Fraction

import pytest

from proxy.repair.units import converted, declared, unit


@pytest.mark.parametrize(
    ("schema", "name", "found"),
    [
        ({"x-unit": "kg"}, "w", "kg"),
        ({"unit": "pages"}, "n", "pages"),
        ({}, "timeout_ms", "ms"),
        ({}, "priceUsd", "usd"),
        ({}, "timeout_min", "min"),
        ({}, "days", "days"),
        ({"description": "Timeout in milliseconds"}, "timeout", "milliseconds"),
        ({"description": "Amount (USD)"}, "amount", "USD"),
        ({"description": "Amount to pay, EUR"}, "amount", "EUR"),
        ({"description": "Number of days"}, "n", "days"),
        ({"description": "超时时间，单位：毫秒"}, "t", "毫秒"),
        ({"description": "以毫秒为单位的超时"}, "t", "毫秒"),
        ({"description": "金额（元）"}, "amount", "元"),
        ({"description": "Timeout in ms"}, "timeout_ms", "ms"),
        ({}, "max_results", "results"),
    ],
)
def test_a_schema_names_the_unit_of_its_number(schema, name, found):
    assert declared(schema, name) == found


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({}, "amount"),
        ({}, "price_min"),
        ({}, "second_name"),
        ({}, "start_hour"),
        ({}, ""),
        ({"description": 3}, "amount"),
        ({"description": "Amount in USD or EUR"}, "amount"),
        ({"description": "Timeout in ms (default 5 seconds)"}, "timeout"),
        ({"description": "wait in s"}, "timeout_ms"),
        ({"description": "in cents"}, "amount_usd"),
        ({"description": "revenue in millions of USD"}, "revenue"),
        ({"description": "in order to pay"}, "amount"),
        ({"description": "as text (optional)"}, "amount"),
    ],
)
def test_two_units_a_scale_or_a_word_of_two_meanings_name_none(schema, name):
    assert declared(schema, name) is None


@pytest.mark.parametrize(
    ("number", "written", "wanted", "result"),
    [
        (5, "min", "ms", 300_000),
        (5, "分钟", "ms", 300_000),
        (1500, "ms", "s", Fraction(3, 2)),
        (42, "USD", "dollars", 42),
        (42, "$", "usd", 42),
        (3, "room", "rooms", 3),
        (1, "kib", "bytes", 1024),
        (2, "widgets", "Widgets", 2),
        (42, "USD", "EUR", None),
        (1, "kb", "bytes", None),
        (20, "celsius", "fahrenheit", None),
        (5, "kg", "ms", None),
        (5, "M", "m", None),
        (5, "m", "ms", None),
        (1, "GB", "mb", None),
        (3, "things", "rooms", None),
    ],
)
def test_only_exact_conversions_are_made(number, written, wanted, result):
    assert converted(Fraction(number), written, wanted) == result


def test_a_capital_m_is_no_metre_and_no_minute():
    assert unit("M") is None
    assert unit("m") == unit("metres")
    assert unit("Min.") == unit("minutes")
