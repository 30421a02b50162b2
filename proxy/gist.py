"""What a body says, in one line for people: the last message of a request, the text and calls of an answer.

Reads the three APIs loosely and by shape, because it only shows; a body that it does not know is shown by its
beginning. Pure; not used for any decision.
"""

import json
from collections.abc import Iterator
from typing import Any

_WIDTH = 160
_MOST_EVENTS = 20_000
_TEXTS = (("text", "text"), ("partial_json", "args"), ("content", "text"), ("output", "text"), ("delta", "text"))
_INNER = ("choices", "message", "delta", "content", "content_block", "tool_calls", "function", "output", "item")


def gist(body: bytes, width: int = _WIDTH) -> str:
    """At most `width` characters, without line ends."""
    text = body.decode("utf-8", "replace")
    value = _json(text)
    if isinstance(value, dict):
        return shortened(_of_object(value) or text, width)
    if body.startswith((b"data:", b"event:", b":")):
        return shortened(_spoken(list(_of_events(text))) or text, width)
    return shortened(text, width)


def shortened(text: str, width: int = _WIDTH) -> str:
    """One line: white space and control characters become blanks, the middle is left out."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 20 * width]).split())
    if len(line) <= width and len(text) <= 20 * width:
        return line
    return line[: width - 1].rstrip() + "…"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_object(value: dict[str, Any]) -> str:
    if error := value.get("error"):
        return f"error: {error.get('message', error) if isinstance(error, dict) else error}"
    for key in ("messages", "input"):
        if isinstance(value.get(key), list | str):
            return _request(value, value[key])
    return _spoken(list(_pieces(value)))


def _request(value: dict[str, Any], items: Any) -> str:
    items = items if isinstance(items, list) else [items]
    tools = value.get("tools")
    counted = f"{len(items)} items" + (f", {len(tools)} tools" if isinstance(tools, list) and tools else "")
    last = items[-1] if items else ""
    role = (last.get("role") or last.get("type") or "") if isinstance(last, dict) else "user"
    said = _spoken(list(_pieces(last))) if isinstance(last, dict) else str(last)
    return f"{counted}; {role}: {said}"


def _of_events(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines()):
        if number > _MOST_EVENTS:
            return
        value = _json(line[5:]) if line.startswith("data:") else None
        if isinstance(value, dict) and not isinstance(value.get("response"), dict):
            yield from _pieces(value)


def _pieces(value: Any) -> Iterator[tuple[str, str]]:
    """(`text`, words), (`call`, name) and (`args`, a part of its arguments), wherever they stand."""
    if isinstance(value, list):
        for item in value:
            yield from _pieces(item)
    if not isinstance(value, dict):
        return
    kind = str(value.get("type", ""))
    if kind.endswith((".done", "message_start")):
        return  # says again, or before, what the pieces say
    if kind == "response.function_call_arguments.delta":
        yield "args", str(value.get("delta", ""))
        return
    yield from _call(value)
    for key, tag in _TEXTS:
        if isinstance(value.get(key), str):
            yield tag, value[key]
    for key in _INNER:
        if isinstance(value.get(key), list | dict):
            yield from _pieces(value[key])


def _call(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    name, arguments = value.get("name"), value.get("arguments", value.get("input"))
    if isinstance(name, str) and name:
        yield "call", name
    if isinstance(arguments, str):
        yield "args", arguments
    elif isinstance(arguments, dict) and arguments and name:
        yield "args", json.dumps(arguments, ensure_ascii=False)


def _spoken(pieces: list[tuple[str, str]]) -> str:
    text, calls = "", ""
    for tag, piece in pieces:
        if tag == "text":
            text += piece
        else:
            calls += f"{', ' if calls else ''}calls {piece} " if tag == "call" else piece
    return " ".join(part for part in (text.strip(), calls.strip()) if part)
