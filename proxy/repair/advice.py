"""What the model is told when a call is not handed out: one structured JSON text per call, in English or Chinese.

It says what was wrong at which place, what is allowed, shows a valid example and tells what to do, in the fields of the
structured error that all policies share. A cut reply is told that it was cut and by what, and nothing of JSON: a model
that hears of malformed JSON writes the same long text again. It must not decide anything; whether to ask again is the
policy's business.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proxy.repair.example import example
from proxy.repair.names import suggestions
from proxy.repair.problems import Problem
from proxy.repair.schema import Checker
from proxy.repair.syntax import shortened
from proxy.repair.text import NOT_AN_OBJECT, Parsed, Unreadable, parse
from proxy.repair.tree import Path, pointed
from proxy.repair.wording import sentence

MAX_TOLD = 20
MAX_TOOLS = 100
RAW_SHOWN = 500
EXAMPLE_SHOWN = 1000

_INVALID = (
    "The arguments of {tool} are invalid. The tool was not run.",
    "{tool} 的参数无效，该工具没有执行。",
)
_INVALID_ACTION = (
    "Call {tool} again with all its arguments and the problems corrected. The example shows the form; guess no value.",
    "请改正列出的问题，带上全部参数重新调用 {tool}。示例只说明格式；不知道的值不要猜测。",
)
_CUT = (
    "Your output was cut off by the output limit before the arguments of {tool} were complete. The tool was not run.",
    "你的输出在 {tool} 的参数写完之前因达到输出长度上限而被截断，该工具没有执行。",
)
_CUT_ACTION = (
    "Call {tool} again with shorter arguments. Split long content over several calls.",
    "请用更短的参数重新调用 {tool}，过长的内容请分多次调用写入。",
)
_UNKNOWN = (
    "There is no tool named {tool}. Nothing was run.",
    "没有名为 {tool} 的工具，没有执行任何操作。",
)
_UNKNOWN_ACTION = (
    "Call one of the available tools by its exact name, or answer without a tool.",
    "请使用可用工具的准确名称调用，或者不使用工具直接回答。",
)
_NOT_EXECUTED = (
    "This call is valid but was not run, because another call of the same turn is invalid.",
    "这个调用有效，但由于同一轮中的另一个调用无效，它没有执行。",
)
_NOT_EXECUTED_ACTION = (
    "Repeat this call unchanged, together with the corrected ones.",
    "请原样重复这个调用，并与改正后的调用一起发出。",
)


def advise(  # noqa: PLR0913 - what is known of one call; the last two choose the kind of answer
    tool: str,
    raw_text: str,
    problems: Sequence[Problem],
    checker: Checker | None,
    lang: str = "en",
    *,
    cut: bool = False,
    offered: Sequence[str] | None = None,
) -> str:
    """The result that answers a call which is not handed out.

    `cut`: the output limit cut its arguments. `offered`: the tool is not among these. Else its arguments are invalid.
    """
    if offered is not None:
        return _error(
            "UNKNOWN_TOOL", _said(_UNKNOWN, tool, lang), _near(tool, offered), _said(_UNKNOWN_ACTION, tool, lang)
        )
    if cut:
        return _error("OUTPUT_CUT", _said(_CUT, tool, lang), {}, _said(_CUT_ACTION, tool, lang))
    details = _details(raw_text, problems, checker, lang)
    return _error("INVALID_ARGUMENTS", _said(_INVALID, tool, lang), details, _said(_INVALID_ACTION, tool, lang))


def not_executed(lang: str = "en") -> str:
    """The result that answers a valid call beside one that is asked again."""
    return _error("NOT_EXECUTED", _said(_NOT_EXECUTED, "", lang), {}, _said(_NOT_EXECUTED_ACTION, "", lang), "as_is")


def _near(tool: str, offered: Sequence[str]) -> dict[str, Any]:
    near = suggestions(tool, offered)
    return {"available_tools": list(offered[:MAX_TOOLS]), **({"did_you_mean": near} if near else {})}


def _details(raw_text: str, problems: Sequence[Problem], checker: Checker | None, lang: str) -> dict[str, Any]:
    parsed = parse(raw_text)
    unread = parsed if isinstance(parsed, Unreadable) else Unreadable(NOT_AN_OBJECT)
    details: dict[str, Any] = {"problems": [_told(problem, unread, lang) for problem in problems[:MAX_TOLD]]}
    if len(problems) > MAX_TOLD:
        details["more_problems"] = len(problems) - MAX_TOLD
    given = parsed.value if isinstance(parsed, Parsed) else None
    shown = checker and _example(checker, tuple(pointed(problem.path) for problem in problems), given)
    if shown is not None:
        details["example"] = shown
    if not isinstance(parsed, Parsed) or not isinstance(parsed.value, dict):
        details["received"] = shortened(raw_text, RAW_SHOWN)
    return details


def _example(checker: Checker, wrong: tuple[Path, ...], given: Any) -> Any:
    """A valid instance that keeps what was right: a made-up value for it would only be copied."""
    made = example(checker, wrong)
    if not isinstance(made, dict) or not isinstance(given, dict):
        return made
    touched = {path[0] for path in wrong if path}
    right = {name: value for name, value in given.items() if name not in touched}
    kept = {**right, **{name: value for name, value in made.items() if name not in right}}
    small = len(json.dumps(kept, ensure_ascii=False)) <= EXAMPLE_SHOWN
    return kept if small and checker.check(kept).clean else made


def _told(problem: Problem, unread: Unreadable, lang: str) -> dict[str, Any]:
    expected = unread.said(lang) if problem.keyword == "json" else problem.expected
    said = sentence(problem.keyword, expected, problem.got, problem.allowed, lang)
    told: dict[str, Any] = {"path": problem.path, "problem": said}
    return {**told, "allowed": problem.allowed} if problem.allowed else told


def _said(sentences: tuple[str, str], tool: str, lang: str) -> str:
    return sentences[lang == "zh"].replace("{tool}", shortened(tool, 100))


def _error(code: str, message: str, details: Mapping[str, Any], action: str, retry: str = "with_changes") -> str:
    told = {
        "status": "error",
        "code": code,
        "type": "validation",
        "message": message,
        **details,
        "retryable": True,
        "retry": retry,
        "suggested_action": action,
    }
    return json.dumps(told, ensure_ascii=False).encode("utf-8", "replace").decode()
