import pytest

from proxy.repair.enums import MAX_ALLOWED, read_enum
from proxy.repair.literals import Num


@pytest.mark.parametrize(
    ("value", "allowed", "meant"),
    [
        (" CONNECTED ", ["Connected", "Failed"], "Connected"),
        ("3", [1, 2, 3], 3),
        ("TRUE", [True, 5], True),
        (3, ["1", "2", "3"], "3"),
        (Num("1.10"), ["1.10", "1.1"], "1.10"),
        ("1.5", [1.5], 1.5),
    ],
)
def test_the_value_that_is_meant_is_found_by_type_or_spelling(value, allowed, meant):
    assert read_enum(value, allowed) == [meant]


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ("not approved", ["approved", "rejected"]),
        ("True", [True, "TRUE"]),
        ("null", [None, 1]),
        (None, ["none"]),
        (True, ["yes"]),
        (["a"], ["a"]),
        ("a", ["a"] * (MAX_ALLOWED + 1)),
        ("x", []),
    ],
)
def test_what_could_be_two_or_none_is_none(value, allowed):
    assert read_enum(value, allowed) == []
