"""Finds the tool calls that a model wrote as text, in the forms that open models are known to write.

Only certain ones: all that stands from the first call to the end of the text must be calls, each complete, each of a
tool whose name is known. A call in the middle of prose, quoted or explained, is prose. Nothing is repaired here: what a
form holds must be JSON (or a Python literal, in that form). Whether arguments are right is for the caller to check.

| form | as written by |
|---|---|
| `<tool_call>{…}</tool_call>`, `<function_call>`, the last closing tag may be missing | Hermes, Qwen |
| `<function=NAME>{…}</function>`, `<parameter=KEY>VALUE</parameter>` inside it | Llama, Qwen-Coder |
| `[TOOL_CALLS][{…}]`, `[TOOL_CALLS]NAME[ARGS]{…}` | Mistral |
| `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}` | gpt-oss (harmony) |
| a fence, or the whole text, that is just `{"name": …, "arguments" or "parameters": …}`, or a list of them | many |
| the whole text is `[NAME(key=value), …]` | Llama (pythonic) |
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from proxy.rawjson import Raw, UnreadableError, dump, fields, items, value

MAX_TEXT = 64 * 1024
"""Characters of calls that are looked at."""
MAX_PYTHON = 8 * 1024
MAX_CALLS = 64
MAX_STARTS = 16
KEYS = frozenset(("name", "arguments", "parameters", "function", "type", "id"))
FENCES = ("", "json", "jsonc", "tool_call", "tool_calls", "function_call")
TAGS = ("<tool_call>", "<tool_calls>", "<function_call>", "<function_calls>", "<functioncall>")
OPENERS = (
    *TAGS,
    "<function=",
    "[TOOL_CALLS]",
    "<|channel|>",
    "<|start|>assistant",
    "<|python_tag|>",
    "<|python_start|>",
)
ENDINGS = ("<|call|>", "<|python_end|>", "<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|end|>", "</s>")


@dataclass(frozen=True, slots=True)
class TextCall:
    """One call. `args` is JSON text of an object, as it was written where it was JSON."""

    name: str
    args: str


@dataclass(frozen=True, slots=True)
class Found:
    """`before` is the text in front of the calls."""

    before: str
    calls: tuple[TextCall, ...]


Parsed = tuple[list[TextCall], int]
"""Calls, and where the text goes on behind them."""


def found(text: str, names: Collection[str]) -> Found | None:
    """The calls at the end of a text, or all that it is; None where it is not certain. Never raises."""
    for count, at in enumerate(_starts(text)):
        if count == MAX_STARTS:
            break
        if len(text) - at <= MAX_TEXT:
            calls = _all(text, at)
            if calls and all(call.name in names for call in calls):
                return Found(text[:at], tuple(calls))
    return None


_OPENER = re.compile("|".join(map(re.escape, OPENERS)) + r"|(?m:^[ \t]*)(?=```)")
_BLANK = re.compile(r"[\s;]*")


def _starts(text: str) -> Iterator[int]:
    """Where calls may begin."""
    first = len(text) - len(text.lstrip())
    if text[first : first + 1] in ("{", "["):
        yield first
    for match in _OPENER.finditer(text):
        yield match.start() if match[0].strip() else match.end()


def _all(text: str, at: int) -> list[TextCall] | None:
    """The calls from here to the end; None where something else stands among them."""
    calls: list[TextCall] = []
    form = next((form for opener, form in _FORMS.items() if text.startswith(opener, at)), _bare)
    while at < len(text):
        try:
            read = form(text, at)
        except (ValueError, RecursionError, MemoryError, SyntaxError):
            return None
        if read is None or read[1] <= at or len(calls) > MAX_CALLS:
            return None
        calls += read[0]
        at = _behind(text, read[1])
        form = next((form for opener, form in _FORMS.items() if text.startswith(opener, at)), form)
    return calls


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return at if blank is None else blank.end()


def _behind(text: str, at: int) -> int:
    """Behind blanks, and the special tokens that end a turn."""
    while True:
        at = _skip(text, at)
        ending = next((one for one in ENDINGS if text.startswith(one, at)), "")
        if not ending:
            return at
        at += len(ending)


# ---------------------------------------------------------------- JSON


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _json_end(text: str, at: int) -> int:
    """Where the JSON value that begins here ends. Raises ValueError."""
    return _DECODER.raw_decode(text, at)[1]


def _json_calls(text: str, at: int, *, marked: bool) -> Parsed | None:
    """One call as a JSON object, or a list of them. `marked`: it is said to be one, so arguments may be left out."""
    end = _json_end(text, at)
    raw = text[at:end].encode("utf-8")
    try:
        listed = items(raw) if raw.startswith(b"[") else [Raw(raw)]
        calls = [_call(fields(one), marked=marked) for one in listed]
    except UnreadableError:
        return None
    made = [call for call in calls if call is not None]
    return (made, end) if made and len(made) == len(calls) else None


def _call(members: dict[str, Raw], *, marked: bool) -> TextCall | None:
    """A call out of an object that holds nothing else."""
    if not KEYS.issuperset(members):
        return None
    if "function" in members:
        return None if "name" in members else _call(fields(members["function"]), marked=marked)
    name = value(members["name"]) if "name" in members else None
    given = [members[key] for key in ("arguments", "parameters") if key in members]
    if not isinstance(name, str) or len(given) > 1 or not (given or marked):
        return None
    args = _object(given[0]) if given else "{}"
    return None if args is None else TextCall(name, args)


def _object(raw: Raw) -> str | None:
    """Arguments as JSON text of an object: the object itself, or a string that holds it."""
    text = bytes(raw).decode("utf-8")
    if text.startswith('"'):
        text = str(value(raw)).strip()
    return text if text.startswith("{") else "{}" if text == "null" else None


# ---------------------------------------------------------------- forms


_TAG = re.compile(r"<(tool_calls?|function_calls?|functioncall)>\s*")


def _tagged(text: str, at: int) -> Parsed | None:
    opened = _TAG.match(text, at)
    if opened is None:
        return None
    inner, at = _function if text.startswith("<function=", opened.end()) else _marked, opened.end()
    calls: list[TextCall] = []
    while True:
        read = inner(text, at)
        if read is None:
            return None
        calls += read[0]
        at = _skip(text, read[1])
        closing = f"</{opened[1]}>"
        if text.startswith(closing, at):
            return calls, at + len(closing)
        if not text.startswith(("{", "<function="), at):
            return (calls, at) if at == len(text) or _behind(text, at) > at else None


def _marked(text: str, at: int) -> Parsed | None:
    return _json_calls(text, at, marked=True)


_FUNCTION = re.compile(r"<function=([^<>\s]{1,128})>\s*")
_PARAMETER = re.compile(r"\s*<parameter=([^<>\s]{1,128})>(.*?)</parameter>\s*", re.DOTALL)
_END_FUNCTION = re.compile(r"\s*</function>")


def _function(text: str, at: int) -> Parsed | None:
    opened = _FUNCTION.match(text, at)
    if opened is None:
        return None
    at = opened.end()
    if text.startswith("{", at):
        end = _json_end(text, at)
        args = text[at:end]
        closed = _END_FUNCTION.match(text, end)
        return [TextCall(opened[1], args)], closed.end() if closed else end
    given: dict[str, str] = {}
    while (parameter := _PARAMETER.match(text, at)) is not None:
        given[parameter[1]] = parameter[2].removeprefix("\n").removesuffix("\n")
        at = parameter.end()
    closed = _END_FUNCTION.match(text, at)
    return ([TextCall(opened[1], dump(given).decode())], closed.end()) if closed else None


_MISTRAL = re.compile(
    r"\[TOOL_CALLS\]\s*(?:([^\s\[\]{}\"]{1,128})\s*(?:\[CALL_ID\][^\s\[\]]*)?(?:\[ARGS\])?\s*(?=\{))?"
)


def _mistral(text: str, at: int) -> Parsed | None:
    opened = _MISTRAL.match(text, at)
    if opened is None:
        return None
    if opened[1] is None:
        return _json_calls(text, opened.end(), marked=True)
    end = _json_end(text, opened.end())
    return [TextCall(opened[1], text[opened.end() : end])], end


_HARMONY = re.compile(
    r"(?:<\|start\|>assistant)?(?P<to>\s+to=\S+?)?<\|channel\|>[a-z]+(?P<at>\s+to=\S+?)?"
    r"(?:\s*<\|constrain\|>\s*\w+|\s+json|\s+code)?\s*<\|message\|>\s*"
)


def _harmony(text: str, at: int) -> Parsed | None:
    opened = _HARMONY.match(text, at)
    recipient = (opened["to"] or opened["at"]) if opened else None
    if opened is None or recipient is None:
        return None
    name = recipient.strip().removeprefix("to=").removeprefix("functions.")
    end = _json_end(text, opened.end())
    args = text[opened.end() : end]
    return ([TextCall(name, args)], end) if args.startswith("{") else None


_FENCE = re.compile(r"```([a-z_]*)[ \t]*\r?\n\s*")
_END_FENCE = re.compile(r"\s*```")


def _fenced(text: str, at: int) -> Parsed | None:
    opened = _FENCE.match(text, at)
    if opened is None or opened[1] not in FENCES:
        return None
    read = _json_calls(text, opened.end(), marked=False)
    closed = _END_FENCE.match(text, read[1]) if read else None
    return (read[0], closed.end()) if read and closed else None


def _python_tag(text: str, at: int) -> Parsed | None:
    tag = "<|python_tag|>" if text.startswith("<|python_tag|>", at) else ""
    return _json_calls(text, at + len(tag), marked=True)


def _bare(text: str, at: int) -> Parsed | None:
    if text.startswith("{", at):
        return _json_calls(text, at, marked=False)
    try:
        return _json_calls(text, at, marked=False)
    except ValueError:
        return _pythonic(text, at)


def _python_start(text: str, at: int) -> Parsed | None:
    return _pythonic(text, at + len("<|python_start|>"))


_PYTHON = re.compile(r"\[\s*[\w.]+\s*\(")


def _pythonic(text: str, at: int) -> Parsed | None:
    """A Python list of calls with keyword arguments, as all that is left of the text."""
    source = text[at:]
    for ending in ENDINGS:
        source = source.strip().removesuffix(ending)
    if _PYTHON.match(source) is None or len(source) > MAX_PYTHON or source.count("[") + source.count("{") > 500:
        return None
    with warnings.catch_warnings():  # of escapes that Python does not know
        warnings.simplefilter("ignore")
        tree = ast.parse(source, mode="eval").body
    if not isinstance(tree, ast.List) or not tree.elts:
        return None
    calls = [_python_call(one) for one in tree.elts]
    made = [call for call in calls if call is not None]
    return (made, len(text)) if len(made) == len(calls) else None


def _python_call(node: ast.expr) -> TextCall | None:
    if not isinstance(node, ast.Call) or node.args or any(one.arg is None for one in node.keywords):
        return None
    given: dict[str, Any] = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
    try:
        args = json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except TypeError:
        return None
    return TextCall(ast.unparse(node.func), args)


_FORMS: dict[str, Callable[[str, int], Parsed | None]] = {
    "<function=": _function,
    "<tool_call": _tagged,
    "<function_call": _tagged,
    "<functioncall": _tagged,
    "[TOOL_CALLS]": _mistral,
    "<|channel|>": _harmony,
    "<|start|>": _harmony,
    "<|python_tag|>": _python_tag,
    "<|python_start|>": _python_start,
    "```": _fenced,
}
