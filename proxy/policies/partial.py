"""The honest answer of a run that is ended: what was found, what is missing, what to do. Words only, no policy.

It is made of the run's own results and claims nothing else.
"""

from collections.abc import Sequence

from proxy.model import Ask
from proxy.policies.folded import line, short
from proxy.task import Step

_SHOWN = 6
"""Latest different steps that are told."""

_WHY = {
    "en": {
        "steps": "it reached its limit of {limit} steps",
        "seconds": "it reached its time limit of {limit} seconds",
        "repeats": "the same call, always with the same outcome, was about to be made again (limit: {limit})",
        "varied_repeats": "the same call was about to be made again (limit: {limit})",
        "cycles": "the same sequence of calls came round {limit} times with the same outcomes",
        "drift": "one tool failed in the same way {limit} times with different arguments",
        "polling": "a tool was asked again and again up to its limit",
        "tokens": "its token budget of {limit} is used up",
        "money": "its money budget of {limit} is used up",
    },
    "zh": {
        "steps": "已达到 {limit} 步的上限",
        "seconds": "已达到 {limit} 秒的时间上限",
        "repeats": "同一调用即将第 {limit} 次执行,而结果始终相同",
        "varied_repeats": "同一调用即将第 {limit} 次执行",
        "cycles": "同样的调用序列已循环 {limit} 次且结果相同",
        "drift": "同一工具以不同参数连续 {limit} 次以同样方式失败",
        "polling": "某个工具被反复查询,已达到上限",
        "tokens": "{limit} 的 token 预算已用完",
        "money": "{limit} 的费用预算已用完",
    },
}
_FRAME = {
    "en": (
        "This task was stopped before it was finished: {why}.",
        "What was found so far:",
        "Nothing was found yet.",
        "What is missing: the task itself is not completed{tried}.",
        "What to do: check the results above, then ask again with a narrower task, or have a person look at it.",
        "; the next step would have been {call}",
    ),
    "zh": (
        "任务在完成之前被停止:{why}。",
        "目前已得到的结果:",
        "目前还没有得到任何结果。",
        "尚缺:任务本身未完成{tried}。",
        "建议:查看以上结果,缩小任务范围后重新提问,或请人工处理。",
        ";下一步原本是 {call}",
    ),
}
_CLOSE = {
    "en": (
        "[This run is being stopped: {why}. No tool can be called any more. Write the final answer now: what was found,"
        " what is missing or uncertain, and what to do next. Say plainly that the task is not finished.]"
    ),
    "zh": (
        "[本次运行将被停止:{why}。不能再调用任何工具。请现在写出最终回答:已得到什么、还缺什么或不确定什么、"
        "下一步该做什么。请明确说明任务尚未完成。]"
    ),
}
_NUDGE = {
    "en": (
        "[The same call was made twice in a row with the same outcome. Making it again will not change anything:"
        " use this result, try something else, or give your answer.]"
    ),
    "zh": "[同一调用已连续两次得到相同结果。再次调用不会有任何变化:请使用该结果、换一种做法,或直接给出回答。]",
}


def why(by: str, limit: str, language: str) -> str:
    kind = by if by in _WHY[language] else by.partition("_")[0]
    return _WHY[language][kind].format(limit=limit)


def answer(ask: Ask, steps: Sequence[Step], reason: str, language: str, call: str = "") -> str:
    """The answer itself. `call`: the step that was not made."""
    stopped, found, nothing, missing, advice, tried = _FRAME[language]
    lines: list[str] = []
    turns = ask.history
    for step in reversed(steps):
        told = line(turns[step.at], step, turns[min(step.at + 1, len(turns) - 1)], language)
        if told not in lines:
            lines.append(told)
        if len(lines) == _SHOWN:
            break
    results = [found, *(f"- {short(one, 600)}" for one in reversed(lines))] if lines else [nothing]
    gone = tried.format(call=short(call, 200)) if call else ""
    return "\n".join([stopped.format(why=reason), *results, missing.format(tried=gone), advice])


def closing(reason: str, language: str) -> str:
    """What the model is told in its closing round."""
    return _CLOSE[language].format(why=reason)


def nudge(language: str) -> str:
    return _NUDGE[language]
