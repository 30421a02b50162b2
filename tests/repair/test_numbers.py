import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.literals import write
from proxy.repair.numbers import read_number


@pytest.mark.parametrize(
    ("text", "integer", "unit", "written"),
    [
        ("42", True, None, "42"),
        (" 42 ", False, None, "42"),
        ("+5", True, None, "5"),
        ("007", True, None, "7"),
        ("3.0", True, None, "3"),
        ("1e3", True, None, "1000"),
        ("3.14", False, None, "3.14"),
        ("0.10", False, None, "0.10"),
        (".5", False, None, "0.5"),
        ("-0.5", False, None, "-0.5"),
        ("-1,250", True, None, "-1250"),
        ("1,250,000", False, None, "1250000"),
        ("1,250.5", False, None, "1250.5"),
        ("−3", True, None, "-3"),
        ("１,２００", True, None, "1200"),
        ("42 USD", True, "usd", "42"),
        ("42USD", True, "USD", "42"),
        ("$42", True, "usd", "42"),
        ("USD 42.50", False, "USD", "42.50"),
        ("42%", False, "percent", "42"),
        ("-1,250 EUR", True, "eur", "-1250"),
        ("5 min", True, "ms", "300000"),
        ("５分钟", True, "ms", "300000"),
        ("1500 ms", False, "s", "1.5"),
        ("15 min", False, "h", "0.25"),
        ("90 s", False, "ms", "90000"),
        ("4 rooms", True, "rooms", "4"),
    ],
)
def test_the_one_number_is_read(text, integer, unit, written):
    assert write(read_number(text, integer=integer, unit=unit)) == written


@pytest.mark.parametrize(
    ("text", "integer", "unit"),
    [
        ("3.14", True, None),
        ("10-15", True, None),
        ("1.5 million", True, None),
        ("-", True, None),
        ("2 of 8", True, None),
        ("3 or 4", True, None),
        ("v2", True, None),
        ("1e", True, None),
        ("#5", True, None),
        ("about 5", True, None),
        ("1_000", True, None),
        ("0x10", True, None),
        ("1 250", True, None),
        ("1,25", False, None),
        ("1,250", False, None),
        ("1.250,00", False, None),
        ("½", False, None),
        ("٣", True, None),
        ("5²", True, None),
        ("1e400", True, None),
        ("", True, None),
        ("42 USD", True, None),
        ("42 USD", True, "eur"),
        ("$42 USD", True, "usd"),
        ("1500 ms", True, "s"),
        ("10 min", False, "h"),
        ("5 min 3 s", True, "ms"),
        ("5 m", True, "ms"),
        ("1" * 200, True, None),
    ],
)
def test_what_could_be_another_number_is_none(text, integer, unit):
    assert read_number(text, integer=integer, unit=unit) is None


@given(st.text(st.sampled_from("0123456789.,-+eE %$a"), max_size=12), st.booleans())
def test_whatever_is_read_is_one_json_number(text, integer):
    number = read_number(text, integer=integer)
    assert number is None or (float(write(number)) == float(number) and (not integer or isinstance(number, int)))


@given(st.integers(-(10**25), 10**25))
def test_an_integer_is_read_exactly(number):
    assert read_number(str(number), integer=True) == number
    assert read_number(f"{number:,}", integer=True) == number
