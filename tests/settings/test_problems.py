"""How problems are printed and ordered."""

from hypothesis import given
from hypothesis import strategies as st

from proxy.settings.problems import MAX_SHOWN, PackError, Place, Problem, in_order, path_text


def test_a_problem_is_one_line_with_file_line_column_and_path():
    problem = Problem(Place("p.yaml", 7, 3), ("policies", "repair_argument"), "unknown key")
    assert str(problem) == "p.yaml:7:3: policies.repair_argument: unknown key"
    assert str(Problem(Place("p.yaml"), (), "not UTF-8")) == "p.yaml: not UTF-8"
    assert str(Problem(Place("p.yaml", 1, 1), ("a",), "no effect", warning=True)) == "p.yaml:1:1: warning: a: no effect"


def test_keys_with_dots_are_quoted_and_places_in_lists_are_numbered():
    assert path_text(("tools", "shop.buy", "errors", 0, "code")) == 'tools."shop.buy".errors[0].code'
    assert path_text(("tools", "query_*")) == "tools.query_*"
    assert path_text(("",)) == '""'


def test_problems_come_in_the_order_of_the_file_and_once_each():
    late, early = Problem(Place("p", 10, 1), ("a",), "x"), Problem(Place("p", 9, 2), ("b",), "x")
    again = Problem(late.place, ("agents", "n", "a"), "x")
    assert in_order([late, early, again]) == (early, late)


def test_an_error_shows_a_bounded_number_of_lines_and_keeps_all_problems():
    error = PackError(Problem(Place("p", line, 1), (), "x") for line in range(1, MAX_SHOWN + 4))
    lines = str(error).splitlines()
    assert len(lines) == MAX_SHOWN + 1
    assert lines[-1] == "… and 3 more"
    assert len(error.problems) == MAX_SHOWN + 3


@given(st.lists(st.builds(Problem, st.builds(Place, st.just("p"), st.integers(1, 4)), st.just(()), st.text())))
def test_ordering_twice_is_ordering_once(problems):
    assert in_order(in_order(problems)) == in_order(problems)
