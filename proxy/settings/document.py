"""YAML text to a tree that remembers where everything stood.

Types are those of YAML 1.2's core schema, so that `off`, `no` and `on` stay the words that they are, dates stay
text and 1:30 is not 90. Aliases work; merge keys (`<<`) and tags don't. A key given twice is a problem, not a surprise.
Size, depth and number of values are bounded: a pack may come from somewhere else than the operator's own hand.
Knows nothing of what the keys mean.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from proxy.settings.problems import Path, Place, Problem

MAX_LENGTH = 256 * 1024
MAX_DEPTH = 32
MAX_VALUES = 20_000
MAX_DIGITS = 18

_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar. `blank`: nothing stands behind the key, not even null."""

    at: Place
    value: str | int | float | bool | None
    blank: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    at: Place
    nodes: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Keys:
    """A mapping. Each key has a place of its own."""

    at: Place
    entries: dict[str, tuple[Place, "Node"]]

    def get(self, key: str) -> "Node | None":
        entry = self.entries.get(key)
        return entry[1] if entry else None

    def without(self, *names: str) -> "Keys":
        return Keys(self.at, {key: entry for key, entry in self.entries.items() if key not in names})


Node = Leaf | Items | Keys


@dataclass(frozen=True, slots=True)
class Document:
    """One file as read: its tree (None if it is no YAML) and what was wrong already."""

    name: str
    root: Node | None
    problems: tuple[Problem, ...] = ()

    @property
    def extends(self) -> str | None:
        """The pack that this one wants to be merged over."""
        node = self.root.get("extends") if isinstance(self.root, Keys) else None
        return node.value if isinstance(node, Leaf) and isinstance(node.value, str) else None


def read_document(text: str, name: str) -> Document:
    """Read one file. `name` is what problems call it; never raises."""
    if len(text) > MAX_LENGTH:
        problem = Problem(Place(name), (), f"longer than a pack may be ({MAX_LENGTH} characters)")
        return Document(name, None, (problem,))
    try:
        tree = yaml.compose(text, Loader=_Loader)
    except yaml.reader.ReaderError as error:
        place = Place(name, *_line_and_column(text, error.position))
        return Document(name, None, (Problem(place, (), "has a character that YAML does not allow"),))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(name, mark.line + 1, mark.column + 1) if mark else Place(name)
        return Document(name, None, (Problem(place, (), f"not valid YAML: {error.problem}"),))
    if tree is None:
        return Document(name, Keys(Place(name, 1, 1), {}))
    reader = _Reader(name)
    root = reader.node(tree, ())
    return Document(name, root, tuple(reader.problems))


def plain(node: Node) -> Any:
    """The data alone: dicts, lists and scalars."""
    if isinstance(node, Keys):
        return {key: plain(child) for key, (_, child) in node.entries.items()}
    if isinstance(node, Items):
        return [plain(child) for child in node.nodes]
    return node.value


def deepest(node: Node, path: Path) -> tuple[Node, int]:
    """Follow a path as far as the tree goes; the node reached and the number of steps taken."""
    for taken, step in enumerate(path):
        child = _child(node, step)
        if child is None:
            return node, taken
        node = child
    return node, len(path)


def key_place(node: Node, path: Path) -> Place:
    """Where the last key of a path stands; the nearest place above it if it stands nowhere."""
    parent, taken = deepest(node, path[:-1])
    if taken == len(path) - 1 and isinstance(parent, Keys):
        entry = parent.entries.get(str(path[-1]))
        if entry:
            return entry[0]
    return deepest(node, path)[0].at


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Keys):
        return node.get(str(step))
    if isinstance(node, Items) and isinstance(step, int) and 0 <= step < len(node.nodes):
        return node.nodes[step]
    return None


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    before = text[: max(position, 0)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


class _Loader(yaml.SafeLoader):
    """SafeLoader with the types of YAML 1.2 and a bound on depth."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own form
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._too_deep()
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def _too_deep(self) -> NoReturn:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        raise yaml.composer.ComposerError(None, None, f"nested over {MAX_DEPTH} levels", mark)


for _kind, _form, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"^(?:{_form})$"), _first)


@dataclass(slots=True)
class _Reader:
    """Turns PyYAML's nodes into ours and collects what is wrong with them."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    values: int = 0

    def node(self, node: Any, path: Path) -> Node:
        at = self._place(node)
        self.values += 1
        if len(path) > MAX_DEPTH or self.values > MAX_VALUES:
            if self.values <= MAX_VALUES + 1:
                self._problem(at, path, f"too much: {MAX_DEPTH} levels and {MAX_VALUES} values at most")
            self.values = max(self.values, MAX_VALUES + 1)
            return Leaf(at, None)
        if isinstance(node, MappingNode):
            return Keys(at, dict(self._entries(node, path)))
        if isinstance(node, SequenceNode):
            return Items(at, tuple(self.node(child, (*path, i)) for i, child in enumerate(node.value)))
        return self._leaf(node, at, path)

    def _entries(self, node: MappingNode, path: Path) -> Iterator[tuple[str, tuple[Place, Node]]]:
        seen: dict[str, Place] = {}
        for key_node, value in node.value:
            at = self._place(key_node)
            if not isinstance(key_node, ScalarNode):
                self._problem(at, path, "a key has to be a word")
                continue
            key = str(key_node.value)
            here = (*path, key)
            if key_node.tag == _TAG + "merge":
                self._problem(at, here, "merge keys are not read; use `extends`, an alias or a glob")
            elif key in seen:
                self._problem(at, here, f"given twice, first in line {seen[key].line}")
            else:
                seen[key] = at
                yield key, (at, self.node(value, here))

    def _leaf(self, node: ScalarNode, at: Place, path: Path) -> Leaf:
        text: str = node.value
        match node.tag.removeprefix(_TAG):
            case "str" | "merge":
                return Leaf(at, text)
            case "null":
                return Leaf(at, None, blank=text == "")
            case "bool":
                return Leaf(at, text.lower() == "true")
            case "int" | "float" if len(text) > MAX_DIGITS:
                self._problem(at, path, f"a number of over {MAX_DIGITS} digits")
            case "int" if text.lstrip("+-").isdecimal():
                return Leaf(at, int(text))
            case "float" if _is_float(text):
                return Leaf(at, float(text))
            case _:
                self._problem(at, path, f"tag {node.tag.replace(_TAG, '!!')} is not read")
        return Leaf(at, None)

    def _place(self, node: Any) -> Place:
        return Place(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def _problem(self, at: Place, path: Path, message: str) -> None:
        self.problems.append(Problem(at, path, message))


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
