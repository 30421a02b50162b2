"""Takes out nulls that only say "left out", where the agent's schema takes no null: the way back from `strict.py`.

A decoder that demands every property makes the model write null for what it does not give. Which nulls these are
follows from the agent's own schema alone: the property is declared, not required, and does not take null. So a text
that is right as it stands is never touched. Of several alternatives, the first counts that fits without its nulls.
"""

from typing import Any

from proxy.repair.literals import write
from proxy.repair.nodes import Node
from proxy.repair.schema import Checker
from proxy.repair.text import Parsed, parse

MAX_TEXT = 512 * 1024
MAX_DEPTH = 64
VISITS = 200


def without_nulls(text: str, checker: Checker) -> str:
    """The arguments without such nulls; the same text where there are none, or it is no JSON object. Never raises."""
    if "null" not in text or len(text) > MAX_TEXT or not checker.usable:
        return text
    parsed = parse(text, exact=True)
    if not isinstance(parsed, Parsed) or not isinstance(parsed.value, dict) or parsed.duplicates:
        return text
    value = _Stripper(checker).stripped(checker.root, parsed.value, 0)
    return text if value is parsed.value else write(value)


class _Stripper:
    def __init__(self, checker: Checker) -> None:
        self.checker = checker

    def _takes(self, node: Node, value: Any, visits: int = VISITS) -> bool:
        return node.is_plain(value) or self.checker.check_at(node, value, visits).clean

    def stripped(self, node: Node, value: Any, depth: int) -> Any:
        """The value as the node means it; the same object where nothing goes."""
        if depth > MAX_DEPTH or not isinstance(value, dict | list):
            return value
        if isinstance(value, dict):
            value = self._object(node, value, depth)
        elif isinstance(node.get("items"), Node):
            value = self._items(node, value, depth)
        for part in (*(node[name] for name in ("$ref", "unlessNull") if name in node), *node.get("allOf", ())):
            value = self.stripped(part, value, depth + 1)
        for union in ("anyOf", "oneOf"):
            value = self._alternative(node.get(union, ()), value, depth)
        return value

    def _object(self, node: Node, value: dict[str, Any], depth: int) -> dict[str, Any]:
        declared, required = node.get("properties", {}), node.get("required", ())
        kept = {}
        for name, item in value.items():
            child = declared.get(name)
            if child is not None and item is None and name not in required and not self._takes(child, None):
                continue
            kept[name] = item if child is None else self.stripped(child, item, depth + 1)
        same = len(kept) == len(value) and all(kept[name] is item for name, item in value.items())
        return value if same else kept

    def _items(self, node: Node, value: list[Any], depth: int) -> list[Any]:
        begin = len(node.get("prefixItems", ()))
        items = [item if at < begin else self.stripped(node["items"], item, depth + 1) for at, item in enumerate(value)]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items

    def _alternative(self, branches: Any, value: Any, depth: int) -> Any:
        for branch in branches:
            tried = self.stripped(branch, value, depth + 1)
            if self.checker.check_at(branch, tried).clean:
                return tried
        return value
