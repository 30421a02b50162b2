"""The next step that is advised for a failure, and its sentence in English and Chinese.

An action is data (`Action`), so that a policy can act on it; the sentence is made here from the action, the type and
what is available. It promises nothing that the failure does not say.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from proxy.failures.call import Call
from proxy.failures.reading import Action, Failure, Known, Language, Retry, Type
from proxy.failures.wordsets import wordset

_WAIT = re.compile(
    r"(?:retry[- _]?after|try again in|wait(?: for)?|retry in|available (?:again )?in|resets? in"
    r"|retryDelay|retry_delay|请(?:在|等待)?)[\"'\]]?\s?[:=：]?\s?[\"']?(?:about |at least "
    r"|another )?"
    r"(?P<number>\d{1,7}(?:\.\d{1,6})?)\s?(?P<unit>ms|milliseconds?|s\b|secs?|seconds?|m\b|mins?"
    r"|minutes?|h\b|hours?|秒|分钟|小时|毫秒)?",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "mi": 60.0, "m": 60.0, "h": 3600.0, "ho": 3600.0, "秒": 1.0, "分": 60.0, "小": 3600.0}
_NAMED = re.compile(r"^[\"'`]?([A-Za-z_]\w{0,60})[\"'`]?(?:\.[\w.]{1,80})?: ")
_FOR_HUMANS = wordset("auth bug resource rate_limit unavailable communication")
_OTHER = wordset("DOUBLE_BOOKING OUT_OF_STOCK CAPACITY_REACHED")


def wait_of(text: str, fields: Mapping[str, object]) -> float | None:
    """Seconds to wait, if the failure says so."""
    for key in ("retry_after", "retryAfter", "Retry-After", "retry-after", "retry_after_seconds", "retryAfterSeconds"):
        value = fields.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if isinstance(value, str) and re.fullmatch(r"\d{1,7}(?:\.\d+)?s?", value):
            return float(value.rstrip("s"))
    found = _WAIT.search(text[:4000])
    if not found:
        return None
    unit = (found.group("unit") or "").lower()
    factor = 0.001 if unit.startswith(("ms", "milli", "毫")) else _UNITS.get(unit[:2], _UNITS.get(unit[:1], 1.0))
    return round(float(found.group("number")) * factor, 3)


@dataclass(frozen=True, slots=True)
class Case:
    """What the advice depends on."""

    code: str
    type: Type
    retry: Retry
    text: str
    """Message and facts."""
    available: Mapping[str, tuple[str, ...]]
    wait: float | None


def action_of(case: Case, call: Call, known: Known) -> Action:
    """The action that is advised."""
    if case.retry == "no":
        return Action("ask_human" if case.type in _FOR_HUMANS else "stop")
    if case.retry == "as_is":
        waits = case.wait is not None or case.type in ("rate_limit", "unavailable")
        return Action("wait", wait_s=case.wait) if waits else Action("retry")
    near = next(iter(case.available.get("near", ())), "")
    if case.code == "UNKNOWN_TOOL":
        return Action("use_tool", tool=near)
    if call.kind in ("code", "shell") and case.type in ("bug", "validation"):
        return Action("fix_code")
    if case.code in _OTHER:
        return Action("choose_other")
    argument = _argument(case.text, call, known)
    return Action("change_argument", argument=argument, value=near) if argument else Action("fix_arguments", value=near)


def _argument(text: str, call: Call, known: Known) -> str:
    """The argument that the failure is about: named in the text, or the one whose value is quoted there."""
    names = [*(known.schema or {}).get("properties", {}), *call.arguments]
    head = text[:800]
    for line in head.split("\n"):
        found = _NAMED.match(line)
        if found and found.group(1) in names:
            return found.group(1)
    for word in re.findall(r"['\"`]([^'\"`\n]{1,120})['\"`]", head)[:6]:
        if word in names:
            return str(word)
        if argument := call.argument_of(word):
            return argument
    if len(call.arguments) == 1:
        return str(next(iter(call.arguments)))
    return ""


def sentence(failure: Failure, lang: Language, *, repeated: int) -> str:
    """The advice in words."""
    if repeated >= 2 and failure.retry == "no":
        return _SAY[lang]["again"]
    action = failure.action
    say = _SAY[lang]
    text = say.get(f"{action.kind}:{failure.type}") or say[action.kind]
    if action.kind == "wait" and action.wait_s is not None:
        text = say["wait_s"].format(seconds=f"{action.wait_s:g}")
    if action.kind == "change_argument":
        text = (say["change_value"] if action.value else text).format(argument=action.argument, value=action.value)
    elif action.kind == "fix_arguments" and action.value:
        text = say["near"].format(value=action.value)
    elif action.kind == "use_tool":
        text = say["use_tool_named"].format(tool=action.tool) if action.tool else text
    return text + _choices(failure, lang)


def _choices(failure: Failure, lang: Language) -> str:
    if failure.action.kind not in ("change_argument", "fix_arguments", "use_tool", "fix_code", "choose_other"):
        return ""
    kinds = [
        kind
        for kind in ("columns", "tables", "values", "keys", "options", "tools", "alternatives")
        if failure.available.get(kind)
    ]
    if not kinds:
        return ""
    return _SAY[lang]["choose"].format(field=kinds[0] if kinds[0] == "alternatives" else f"available_{kinds[0]}")


_SAY: dict[Language, dict[str, str]] = {
    "en": {
        "change_argument": "Change the argument {argument!r} and call again.",
        "change_value": "Change the argument {argument!r}; {value!r} is probably meant.",
        "fix_arguments": "Correct the arguments and call again.",
        "near": "Correct the arguments; {value!r} is probably meant.",
        "fix_code": "Correct the code or command and run it again; the same call fails again.",
        "use_tool": "Call a tool that is offered.",
        "use_tool_named": "Call the tool {tool!r} instead.",
        "wait": "Wait a moment, then repeat the same call.",
        "wait_s": "Wait {seconds} s, then repeat the same call.",
        "retry": "Repeat the same call once or twice; if it fails again, go another way or say so.",
        "retry:timeout": "The outcome may be unknown: if the call changes something, check first. Else repeat it, or"
        " ask for less.",
        "check_state": "Check the current state first.",
        "choose_other": "Choose something else that is possible, or ask the user.",
        "ask_human": "Do not repeat this call. Go another way, or tell the user what is missing.",
        "stop": "Do not repeat this call. Accept the outcome, or ask the user how to go on.",
        "stop:business_rejection": "A rule decided this; repeating does not help. Tell the user, or ask how to go on.",
        "again": "This failed the same way before. Stop, and ask a human.",
        "choose": " Choose from {field}.",
    },
    "zh": {
        "change_argument": "请修改参数 {argument!r} 后再调用。",
        "change_value": "请修改参数 {argument!r}，可能应为 {value!r}。",
        "fix_arguments": "请修正参数后再调用。",
        "near": "请修正参数，可能应为 {value!r}。",
        "fix_code": "请修正代码或命令后再运行；原样重复仍会失败。",
        "use_tool": "请调用已提供的工具。",
        "use_tool_named": "请改用工具 {tool!r}。",
        "wait": "请稍等片刻，再原样重试。",
        "wait_s": "请等待 {seconds} 秒后原样重试。",
        "retry": "可原样重试一两次；若仍失败，请换一种方式或如实说明。",
        "retry:timeout": "结果可能未知：若该调用会产生修改，请先核实；否则可重试，或缩小请求范围。",
        "check_state": "请先核实当前状态。",
        "choose_other": "请另选可行的方案，或询问用户。",
        "ask_human": "不要重复该调用。请换一种方式，或告诉用户缺少什么。",
        "stop": "不要重复该调用。请接受结果，或询问用户如何继续。",
        "stop:business_rejection": "这是业务规则的决定，重试无效。请告知用户，或询问如何继续。",
        "again": "同样的失败已再次出现。请停止，并请求人工处理。",
        "choose": "可选值见 {field}。",
    },
}
