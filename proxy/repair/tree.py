"""Places in a JSON value: JSON pointers, and copies of a tree that differ in one place.

A tree is never changed where it stands; a branch that is tried and dropped must leave nothing behind.
"""

from typing import Any

Path = tuple[str | int, ...]


def pointer(path: Path) -> str:
    """The JSON pointer of a path: "" for the whole, "/items/0/sku" for a place in it."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def pointed(text: str) -> Path:
    """The path of a JSON pointer, every step as a string."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def replaced(tree: Any, path: Path, value: Any) -> Any:
    """A copy of `tree` with `value` at `path`."""
    if not path:
        return value
    copy = tree.copy()
    copy[path[0]] = replaced(tree[path[0]], path[1:], value)
    return copy


def removed(tree: Any, path: Path) -> Any:
    """A copy of `tree` without the property at `path`."""
    *above, name = path
    parent = at(tree, tuple(above)).copy()
    del parent[name]
    return replaced(tree, tuple(above), parent)


def renamed(tree: Any, path: Path, name: str) -> Any:
    """A copy of `tree` whose property at `path` is called `name`, at the same place in the order."""
    *above, old = path
    parent = at(tree, tuple(above))
    copy = {name if key == old else key: value for key, value in parent.items()}
    return replaced(tree, tuple(above), copy)


def at(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree
