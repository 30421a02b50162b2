import pytest

from proxy.repair.tree import at, pointed, pointer, removed, renamed, replaced

TREE = {"a": [{"b": 1}, {"b": 2}], "c": {"d": 3}}


@pytest.mark.parametrize(
    ("path", "text"), [((), ""), (("a", 0, "b"), "/a/0/b"), (("x/y", "~"), "/x~1y/~0"), (("",), "/")]
)
def test_a_pointer_escapes_what_it_uses_itself(path, text):
    assert pointer(path) == text
    assert pointed(text) == tuple(map(str, path))


def test_a_copy_differs_in_one_place_and_leaves_the_tree_alone():
    assert replaced(TREE, ("a", 1, "b"), 9) == {"a": [{"b": 1}, {"b": 9}], "c": {"d": 3}}
    assert replaced(TREE, (), 9) == 9
    assert removed(TREE, ("c", "d")) == {"a": [{"b": 1}, {"b": 2}], "c": {}}
    assert at(TREE, ("a", 1, "b")) == 2
    assert TREE == {"a": [{"b": 1}, {"b": 2}], "c": {"d": 3}}


def test_a_renamed_property_keeps_its_place_in_the_order():
    assert list(renamed(TREE, ("a",), "z").items()) == [("z", TREE["a"]), ("c", TREE["c"])]
