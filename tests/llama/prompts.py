"""The prompt for a call: worked examples, the conversation, the tool as a TypeScript type, an opened answer.

A small model copies a JSON Schema that it is shown instead of following it, so the schema is written as OpenAI writes
tools for its own models; and it copies the error of a call that failed, so the type stands last, and one example is a
call made again. The answer is opened up to the first character of the arguments: what is left to the model is the
arguments and nothing else, with and without a grammar.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

STOP = "</tool_call>"
_OPENED = "<|im_start|>assistant\n<tool_call>\n"
_RULE = "You write the arguments of a tool call as one JSON object, with the properties that its type names."

# Tools and tasks of nobody else, for the form alone; no two share a property.
_EXAMPLES = (
    (
        "type play_song = {song: string, volume?: integer, mode: 'once' | 'loop'} // Plays a song.",
        "Play Yesterday, again and again.",
        '{"song": "Yesterday", "mode": "loop"}',
    ),
    (
        "type send_parcel = {to: {name: string, city: string | null}, goods: string[], day: string /* date */}",
        "Send a lamp and two books to Eve on 7 June 2023.",
        '{"to": {"name": "Eve", "city": null}, "goods": ["lamp", "book", "book"], "day": "2023-06-07"}',
    ),
    (
        "type find_hotel = {place: string, nights: integer, breakfast: boolean | null, stars: integer | null}",
        "I need a room in Bern for three nights.",
        '{"place": "Bern", "nights": 3, "breakfast": null, "stars": null}',
    ),
)
# And a call that is made again.
_CORRECTED = (
    "type pay_bill = {number: string, amount: number, method: 'card' | 'cash'}",
    "Pay bill 17 over 40 euros in cash.",
    '{"bill": "17", "amount": "40"}',
    '{"status": "error", "message": "number is missing, amount must be a number, method is missing"}',
    '{"number": "17", "amount": 40, "method": "cash"}',
)


def prompt(tool: Schema, messages: Sequence[Mapping[str, Any]]) -> str:
    """What the model reads. `tool`: name, description, parameters; `messages`: those of Chat Completions."""
    turns = map(_turn, messages, [*[""] * (len(messages) - 1), signature(tool)])
    return "".join((_said("system", _RULE), *_examples(), *turns, _OPENED))


def _examples() -> Iterator[str]:
    for shown, task, arguments in _EXAMPLES:
        yield _said("user", f"{task}\n{shown}")
        yield _said("assistant", _call(arguments))
    shown, task, wrong, error, arguments = _CORRECTED
    yield _said("user", task)
    yield _said("assistant", _call(wrong))
    yield _said("user", f"{error}\n{shown}")
    yield _said("assistant", _call(arguments))


def _said(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def _call(arguments: str) -> str:
    return f"<tool_call>\n{arguments}\n{STOP}"


def _turn(message: Mapping[str, Any], shown: str = "") -> str:
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(part.get("text", "") for part in content)
    calls = [_call(call["function"]["arguments"]) for call in message.get("tool_calls") or ()]
    role = "user" if message["role"] == "tool" else message["role"]
    return _said(role, "\n".join(filter(None, (content, shown, *calls))))


def signature(tool: Schema) -> str:
    """A tool as a TypeScript type, its description behind it."""
    described = tool.get("description", "")
    shown = f"type {tool['name']} = {_shape(tool.get('parameters', {}))}"
    return f"{shown} // {described}" if described else shown


def _shape(node: Any) -> str:
    if not isinstance(node, Mapping):
        return "any"
    if "enum" in node:
        return " | ".join("null" if one is None else _literal(one) for one in node["enum"])
    if "anyOf" in node:
        return " | ".join(map(_shape, node["anyOf"]))
    kinds = node.get("type", "any")
    if isinstance(kinds, list):
        return " | ".join(_shape({**node, "type": kind}) for kind in kinds)
    if kinds == "object" and "properties" in node:
        return "{" + ", ".join(_members(node)) + "}"
    if kinds == "array":
        inner = _shape(node.get("items"))
        return f"({inner})[]" if " " in inner and not inner.startswith("{") else f"{inner}[]"
    return str(kinds)


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def _members(node: Schema) -> Iterator[str]:
    for name, child in node["properties"].items():
        mark = "" if name in node.get("required", ()) else "?"
        said = ", ".join(filter(None, (child.get("format"), *_bounds(child), child.get("description"))))
        yield f"{name}{mark}: {_shape(child)}" + (f" /* {said} */" if said else "")


def _bounds(child: Schema) -> Iterator[str]:
    for keyword in ("minimum", "maximum"):
        if keyword in child:
            yield f"{keyword}: {child[keyword]}"
