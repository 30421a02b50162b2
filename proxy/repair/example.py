"""A small valid instance of a schema, always the same one, to show a model what is wanted.

Built from what the schema says (constants, enums, defaults, examples, formats, bounds), with the required properties
and those that the caller names, and only given out if the checker takes it. It invents no plausible data: a string is
"text", so that nobody takes an example for a fact.
"""

import re
from typing import Any

from proxy.repair.nodes import Node
from proxy.repair.sample import sample
from proxy.repair.schema import Checker
from proxy.repair.tree import Path

MAX_DEPTH = 12
MAX_PARTS = 200
VISITS = 50

_FORMATS = {
    "date": "2024-01-31",
    "date-time": "2024-01-31T09:30:00Z",
    "time": "09:30:00",
    "email": "name@example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "https://example.com/",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}
_STRINGS = ("text", "a", "A", "0", "ab")


def example(checker: Checker, shown: tuple[Path, ...] = ()) -> Any:
    """A valid instance with the required properties and those on the paths `shown`; None where there is none."""
    for wanted in (shown, ()) if checker.usable else ():
        built = _Sketch(checker).drawn(checker.root, wanted, 0)
        if isinstance(built, dict) and checker.check(built).clean:
            return built
    return None


class _Sketch:
    """One instance under way, with the number of parts that it may still get."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.left = MAX_PARTS

    def _fits(self, node: Node, value: Any) -> bool:
        return self.checker.check_at(node, value, VISITS).clean

    def drawn(self, node: Node, shown: tuple[Path, ...], depth: int) -> Any:
        self.left -= 1
        if depth > MAX_DEPTH or self.left < 0:
            return None
        for stated in self._stated(node):
            if stated is not None and self._fits(node, stated):
                return stated
        parts = [*node.get("allOf", ()), *(node[name] for name in ("$ref", "unlessNull") if name in node)]
        for union in ("anyOf", "oneOf"):
            parts += [b for b in node.get(union, ()) if b.get("type") != "null" and "never" not in b][:1]
        drawn = [self.drawn(part, shown, depth + 1) for part in parts]
        return self._merged([*drawn, self._own(node, shown, depth)] if drawn else [self._own(node, shown, depth)])

    def _stated(self, node: Node) -> list[Any]:
        examples = node.get("examples")
        first = examples[:1] if isinstance(examples, list) else []
        return [node.get("const"), *node.get("enum", ())[:2], *first, node.get("default")]

    def _merged(self, drawn: list[Any]) -> Any:
        objects = [part for part in drawn if isinstance(part, dict)]
        if objects:
            return {name: value for part in objects for name, value in part.items()}
        return next((part for part in drawn if part is not None), None)

    def _own(self, node: Node, shown: tuple[Path, ...], depth: int) -> Any:
        kind = _kind(node)
        if kind == "object":
            return self._object(node, shown, depth)
        if kind == "array":
            return self._array(node, shown, depth)
        if kind == "string":
            return next((text for text in _strings(node) if self._fits(node, text)), None)
        if kind in ("integer", "number"):
            return next((number for number in _numbers(node) if self._fits(node, number)), None)
        return True if kind == "boolean" else None

    def _object(self, node: Node, shown: tuple[Path, ...], depth: int) -> dict[str, Any]:
        properties: dict[str, Node] = node.get("properties", {})
        wanted = {path[0] for path in shown if path}
        names = [*node.get("required", ()), *(name for name in properties if name in wanted)]
        built = {}
        for name in dict.fromkeys(names):
            below = tuple(path[1:] for path in shown if path and path[0] == name)
            built[name] = self.drawn(properties[name], below, depth + 1) if name in properties else "text"
        return built

    def _array(self, node: Node, shown: tuple[Path, ...], depth: int) -> list[Any]:
        below = tuple(path[1:] for path in shown if path)
        first = [self.drawn(item, below, depth + 1) for item in node.get("prefixItems", ())]
        item = node.get("items")
        if item is None or "never" in item:
            return first
        count = max(0 if first else 1, min(int(node.get("minItems", 0)), 5) - len(first))
        return first + [self.drawn(item, below, depth + 1) for _ in range(count)]


def _kind(node: Node) -> str:
    types = node.get("type", ())
    named = [types] if isinstance(types, str) else [name for name in types if name != "null"]
    if named:
        return str(named[0])
    return "object" if "properties" in node or "required" in node else "array" if "items" in node else ""


def _strings(node: Node) -> list[str]:
    """Texts that may be what the node wants, the most likely first."""
    formatted = _FORMATS.get(node.get("format", ""))
    pattern = node.get("pattern")
    sampled = None if pattern is None else sample(pattern.text)
    described = re.findall(r"[^\s,;\"'()]{1,40}", str(node.get("description", ""))[:500])
    lengthened = "text".ljust(min(int(node.get("minLength", 0)), 200), "t")
    likely = [text for text in (formatted, sampled) if text]
    return [*likely, lengthened, *_STRINGS, *(described[:60] if pattern is not None else [])]


def _numbers(node: Node) -> list[float]:
    low, high = node.get("minimum", node.get("exclusiveMinimum")), node.get("maximum", node.get("exclusiveMaximum"))
    step = node.get("multipleOf", 1)
    bounds = [bound for bound in (low, high) if bound is not None]
    near = [bound + change for bound in bounds for change in (0, step, -step, step / 2)]
    whole = [int(number) for number in near if number == int(number)]
    return [1, step, 0, *whole, *near]
