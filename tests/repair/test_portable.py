"""Names that every provider takes: which are mapped, and that no two meet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.portable import is_portable, portable


@pytest.mark.parametrize("name", ["a", "get_weather", "mcp__docs__search", "A-1", "x" * 64])
def test_a_name_that_is_fine_stays(name):
    assert portable([name]) == {}


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("functions.search", "functions_search"),
        ("my tool", "my_tool"),
        ("a/b:c", "a_b_c"),
        (" search.", "search"),
    ],
)
def test_a_name_stays_readable(name, new):
    assert portable([name]) == {name: new}


def test_letters_that_would_be_lost_become_a_digest():
    made = portable(["查询", "查询订单", "größe"])
    assert len(set(made.values())) == 3
    assert made["查询"].startswith("tool_")
    assert made["größe"].startswith("gr_e_")


def test_names_that_would_meet_are_told_apart():
    made = portable(["a.b", "a b", "c.d", "c_d", "e.f"], kept=["e_f"])
    assert len({*made.values(), "c_d", "e_f"}) == 6
    assert all(value.startswith(("a_b_", "c_d_", "e_f_")) for value in made.values())
    assert "c_d" not in made


def test_a_long_name_keeps_its_beginning():
    long = "mcp__server__" + "x" * 80
    made = portable([long, long + "y"])
    assert all(len(value) == 64 and value.startswith("mcp__server__x") for value in made.values())
    assert len(set(made.values())) == 2


@given(st.lists(st.text(alphabet="ab._ é查", max_size=4), max_size=8, unique=True))
def test_whatever_the_names_they_are_taken_and_apart_in_any_order(names):
    made = portable(names)
    assert made == portable(reversed(names))
    seen = [made.get(name, name) for name in names if name]
    assert len(set(seen)) == len(seen)
    assert all(map(is_portable, seen))
