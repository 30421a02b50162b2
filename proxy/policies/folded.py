"""One step as one line: the call, what came back, and the facts in it that a later step may need.

Not a policy: the words of `fold_history`. Facts are the scalars of a result (ids, amounts, states, dates, addresses);
of many rows, their number and the first of them. Text keeps its first and last line.
"""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from proxy.memo import Memo, mark
from proxy.model import ToolCall, ToolResult, Turn
from proxy.task import Step

_ARGS = 240
_FACTS = 320
_REMINDER = re.compile(r"\s*<(system-reminder|total_tokens)[\s>].*?</\1>\s*", re.DOTALL)
_TELLING = re.compile(
    r"(?:^|_)(?:id|ids|key|name|title|email|status|state|code|type|amount|total|sum|price|cost|balance|currency|qty"
    r"|quantity|count|number|no|date|time|at|url|uri|path|file|result|message|error|sku|version|ref|reference)$",
    re.IGNORECASE,
)
_told: Memo[str] = Memo(2048)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def line(turn: Turn, step: Step, answers: Turn, language: str) -> str:
    """The step without its number."""
    calls = [
        f"{_call(call)} → {_outcome(result)}" for call, result in zip(step.calls, step.results, strict=True) if result
    ]
    said = short(turn.text.strip().split("\n")[0], 120) if turn.text.strip() else ""
    user = " ".join(text.strip() for text in answers.texts if not _REMINDER.fullmatch(text))
    head = f'"{said}" ' if said else ""
    word = "用户说" if language == "zh" else "user said"
    return head + " | ".join(calls) + (f" | {word}: {user}" if user else "")


def _call(call: ToolCall) -> str:
    return f"{call.tool}({short(' '.join(call.args.split()), _ARGS)})"


def _outcome(result: ToolResult) -> str:
    text = result.text
    return _told.get(mark(text), lambda: _tell(text))


def _tell(text: str) -> str:
    text = _REMINDER.sub("", text).strip()
    flat = " ".join(text.split())
    if len(flat) <= _FACTS:
        return flat or "(empty)"
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _prose(text)
    told = " ".join("; ".join(facts(value)).split())
    return short(told, _FACTS * 2) + f" ({len(text)} characters)"


def _prose(text: str) -> str:
    lines = [one.strip() for one in text.splitlines() if one.strip()]
    ends = [short(lines[0], _FACTS // 2)]
    if len(lines) > 1:
        ends.append(short(lines[-1], _FACTS // 2))
    return f"{' … '.join(ends)} ({len(lines)} lines, {len(text)} characters)"


def facts(value: Any, path: str = "") -> Iterator[str]:
    """`path=value` of the scalars worth keeping; of lists their length and first rows."""
    if isinstance(value, dict):
        plain = {key: one for key, one in value.items() if not isinstance(one, (dict, list))}
        telling = {key: one for key, one in plain.items() if _TELLING.search(_CAMEL.sub("_", key))}
        for key, one in (telling or dict(list(plain.items())[:3])).items():
            yield f"{path}{key}={short(str(one), 80)}"
        for key, one in value.items():
            if isinstance(one, (dict, list)):
                yield from facts(one, f"{path}{key}.")
    elif isinstance(value, list):
        yield f"{path.rstrip('.') or 'rows'} n={len(value)}"
        for at, one in enumerate(value[:3]):
            if isinstance(one, (dict, list)):
                yield from facts(one, f"{path}{at}.")
            else:
                yield f"{path}{at}={short(str(one), 60)}"
    else:
        yield f"{path.rstrip('.')}={short(str(value), 120)}" if path else short(str(value), _FACTS)


def short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
