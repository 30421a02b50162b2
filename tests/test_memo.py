from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.memo import ById, Latest, Memo, along, mark, steady
from proxy.model import Memory


def test_work_is_done_once() -> None:
    done = []
    memo: Memo[int] = Memo()

    def work() -> int:
        done.append(1)
        return len(done)

    assert [memo.get("a", work), memo.get("a", work), memo.get("b", work)] == [1, 1, 2]


def test_nothing_is_a_value_too() -> None:
    memo: Memo[str | None] = Memo()
    assert memo.get("a", lambda: None) is None
    assert memo.get("a", lambda: "other") is None


def test_when_it_is_full_it_begins_anew() -> None:
    memo: Memo[int] = Memo(most=3)
    for n in range(10):
        memo.get(n, lambda n=n: n)  # type: ignore[misc]
        assert len(memo._known) <= 3
    assert memo.get(9, lambda: 0) == 9
    assert memo.get(1, lambda: 7) == 7, "forgotten"


def test_what_fails_is_not_remembered() -> None:
    memo: Memo[int] = Memo()
    try:
        memo.get("a", lambda: 1 // 0)
    except ZeroDivisionError:
        assert memo.get("a", lambda: 5) == 5


def test_a_text_is_known_by_length_and_hash() -> None:
    assert mark("abc") == mark("xabc"[1:])
    assert mark("abc") != mark("abd")
    assert mark("界")[0] == 1


def test_of_a_conversation_that_grows_only_what_is_new_is_worked_out():
    memory: Memory = {}
    made: list[str] = []
    items = [object() for _ in range(4)]

    def values(upto: int, by: object = None) -> list[int]:
        def make(at: int) -> int:
            made.append(str(at))
            return at * at

        made.clear()
        return list(along(memory, "who", items[:upto], make, by))

    assert (values(3), made) == ([0, 1, 4], ["0", "1", "2"])
    assert (values(4), made) == ([0, 1, 4, 9], ["3"])
    assert (values(4), made) == ([0, 1, 4, 9], [])
    assert (values(2), made) == ([0, 1], [])
    assert (values(4, "otherwise"), made) == ([0, 1, 4, 9], ["0", "1", "2", "3"])


def _note(made: list[object], form: list[object], at: int) -> None:
    made.append(form[at])


def test_two_forms_of_a_conversation_are_both_remembered():
    memory: Memory = {}
    made: list[object] = []
    one, two, three = object(), object(), object()
    for form in ([one, two], [one, three], [one, two], [one, three]):
        along(memory, "who", form, partial(_note, made, form))
    assert made == [one, two, three]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=6))
def test_equal_things_become_the_object_that_stood_there_before(rows):
    memory: Memory = {}
    before: tuple[Any, ...] = ()
    for row in rows:
        new = tuple([value] for value in row)
        found = steady(memory, "who", new)
        assert found == new
        assert all(one is was for one, was in zip(found, before, strict=False) if one == was)
        before = found


def test_what_was_given_is_not_exchanged_for_what_is_equal_to_it():
    memory: Memory = {}
    steady(memory, "who", ([1], [2]))
    given, made = [1], [2]
    found = steady(memory, "who", (given, made), (given, [3]))
    assert found[0] is given
    assert found[1] is not made


def test_other_askers_and_forgotten_conversations_share_nothing():
    memory: Memory = {}
    first = ([1],)
    assert steady(memory, "a", first) is first
    assert steady(memory, "b", ([1],))[0] is not first[0]
    assert steady(None, "a", ([1],))[0] is not first[0]


def test_nothing_is_remembered_without_a_memory():
    made: list[int] = []
    for _ in range(2):
        along(None, "who", ["a"], made.append)
    assert made == [0, 0]


def test_what_is_worked_out_for_one_thing_is_not_taken_for_an_equal_one():
    known: ById[int] = ById(2)
    things = [[1], [1], [1]]
    assert [known.get(one, iter((at,)).__next__) for at, one in enumerate(things)] == [0, 1, 2]
    assert known.get(things[2], lambda: 7) == 2


def test_the_latest_values_are_found_by_equal_keys():
    known: Latest[int] = Latest(2)
    assert [known.get(b"tools", 5, iter((at,)).__next__) for at in range(2)] == [0, 0]
    for number in (5, 6):
        known.get(number, 1, lambda: 1)
    assert known.get(b"tools", 5, lambda: 9) == 9


def test_what_is_made_of_much_is_not_kept():
    known: Latest[int] = Latest(longest=4)
    assert [known.get(b"tools", 5, iter((at,)).__next__) for at in range(2)] == [0, 1]
