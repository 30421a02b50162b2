"""What is wrong with arguments, as plain data for logs and for the model.

A `Problem` stands by itself: it can be logged, kept and put in words in either language without the schema.
"""

from dataclasses import dataclass
from typing import Any

from proxy.repair.nodes import Node
from proxy.repair.tree import pointer
from proxy.repair.violations import OF_THE_OBJECT, Violation
from proxy.repair.wording import MAX_ALLOWED, form, got, sentence


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong. `path` is a JSON pointer into the arguments (of a missing property: where it should stand).

    `keyword` is JSON Schema's, or "json" (no JSON object at all) or "number" (NaN, Infinity). `expected` is the
    keyword's value as plain data (types, allowed values, format, pattern, limit, property name, forms of a union),
    `got` shows what came, shortened, `allowed` says what may stand there, and `message` is the whole in English.
    """

    path: str
    keyword: str
    message: str
    expected: Any
    got: str = ""
    allowed: Any = None


def problem(found: Violation) -> Problem:
    """The problem that a violation is."""
    came = "" if found.keyword in OF_THE_OBJECT else got(found.value)
    return made(pointer(found.steps), found.keyword, _plain(found), came, _allowed(found))


def made(path: str, keyword: str, expected: Any, shown: str = "", allowed: Any = None) -> Problem:
    message = f"{path or 'arguments'}: {sentence(keyword, expected, shown, allowed)}"
    return Problem(path, keyword, message, expected, shown, allowed)


def _plain(found: Violation) -> Any:
    if found.keyword in ("anyOf", "oneOf"):
        return list(dict.fromkeys(form(branch) for branch in found.expected[:10]))
    if found.keyword == "pattern":
        return found.expected.text
    if found.keyword == "enum":
        return found.expected[:MAX_ALLOWED]
    return None if isinstance(found.expected, Node) else found.expected


def _allowed(found: Violation) -> Any:
    """What may stand at the place, as data, where the schema says it."""
    if found.keyword == "enum":
        return found.expected[:MAX_ALLOWED]
    if found.keyword == "additionalProperties":
        return list(found.schema.get("properties", ()))[:MAX_ALLOWED]
    if found.keyword == "required":
        wanted = found.schema.get("properties", {}).get(found.expected)
        return None if wanted is None else ": ".join(filter(None, (form(wanted), _description(wanted))))
    return _description(found.schema) or None


def _description(schema: Node) -> str:
    description = schema.get("description")
    return description[:200] if isinstance(description, str) else ""
