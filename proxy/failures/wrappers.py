"""Takes off what agent frameworks and shells put around a result: exit codes, tags, `Wall time … Output:`, sentences
like "Error executing tool X: …", advice like "Please fix your mistakes.", reminders of the agent.

By their grammar, not by their wording: a wrapper names the tool or the act of calling and a failure, up to a colon.
What is taken off is remembered: that it claims a failure or a success, and what has to stay in the result.
"""

import re
from dataclasses import dataclass
from typing import Literal

from proxy.failures.call import Call
from proxy.failures.story import named

_REMINDERS = ("system-reminder", "system_reminder", "environment_details", "reminder")
_OBSERVATION = re.compile(
    r"\A(?:Observation|Tool (?:output|result|response)|Execution logs?|Last output from code snippet):\s*\n"
)
_RETRY_TEXT = re.compile(r"\n?Now let's retry: take care not to repeat previous errors![^\n]*\s*\Z")
_RETRY_MOST = 1000
_LONGEST_EXIT = 160
_CALL_ID = re.compile(r"\A(?:Call id|Tool call id|Call ID|tool_call_id): \S{1,80}\n")
_WALL = re.compile(
    r"\A(?:Chunk ID: [^\n]{1,80}\n)?(?:Exit code: (?P<first>-?\d+)\n)?Wall time:"
    r" [^\n]{1,40}\n(?:Process exited with code (?P<code>-?\d+)\n|Exit code: (?P<third>-?\d+)\n"
    r"|Original token count: \d+\n|Total output lines: \d+\n)*Output:[ ]?\n?"
)
_SWE = re.compile(
    r"\A(?P<before><returncode>(?P<code>-?\d+)</returncode>\s*\n(?:<output>\n?))(?P<text>.*?)(?P<a"
    r"fter>\n?</output>\s*)\Z",
    re.DOTALL,
)
_TAGGED = re.compile(
    r"\A\s*<(?P<tag>tool_use_error|tool_error|error|stderr|exception|function_error"
    r"|tool_call_error|result_error)>(?P<text>.*)</(?P=tag)>\s*\Z",
    re.DOTALL,
)
_STREAMS = re.compile(
    r"\A\s*<stdout>(?P<out>.*?)</stdout>\s*<stderr>(?P<err>.*?)</stderr>(?:\s*<(?:exit_?code"
    r"|return_?code|status)>(?P<code>-?\d+)</\w+>)?\s*\Z",
    re.DOTALL,
)
_SECTIONS = re.compile(
    r"\A(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?(?:Stdout|STDOUT|Output|stdout):["
    r" \n](?P<out>.*?)\n(?:Stderr|STDERR|Error|stderr):[ \n](?P<err>.*?)(?:\n(?:Exit [Cc]ode|exit"
    r" code|Return code|returncode): (?P<code>-?\d+|\(none\))(?:\n.*)?)?\s*\Z",
    re.DOTALL,
)
_EXIT_TAIL = re.compile(
    r"[\[(<]?\s?(?:the )?(?:(?:command|process|program|script|shell|python)"
    r" )?(?:(?:was )?(?:completed|finished|failed|exited|terminated|ended|returned|done)["
    r" ,]{1,2})?(?:with |and |: )?(?:a )?(?:non-zero )?(?:exit(?:ed)?|return(?:ed)?|status)?["
    r" _-]?(?:code|status|value)(?: of)?\s?[:=]?\s?(?P<code>-?\d{1,10})[\])>.]{0,3}",
    re.IGNORECASE,
)
_EXIT_HEAD = re.compile(
    r"\A\s*[\[(]?(?:error: |✗ |❌ )?(?:the )?(?:(?:command|process|program|script|shell|bash)"
    r" )?(?:(?:failed|exited|finished|completed|returned|terminated)[ ,]{1,2})?(?:with )?(?:a"
    r" )?(?:non-zero )?(?:exit|return|status)[ _-]?(?:code"
    r"|status)?\s?[:=]?\s?\(?(?P<code>-?\d{1,10})\)?[\]).:]{0,3}(?:[ ]*\n|[ ]+|\Z)",
    re.IGNORECASE,
)
_COMMAND_HEAD = re.compile(
    r"\A\s*(?:Error: )?(?:CalledProcessError: )?Command (?:failed|'(?:.{1,600}?)' returned"
    r" non-zero exit status (?P<code>-?\d+)\.?)(?: with exit code (?P<second>-?\d+))?(?::"
    r" [^\n]{0,600}?)?(?:\n|\Z)"
)

_CALLING = re.compile(
    r"\b(?:tools?|functions?|actions?|invok\w*|execut\w*|call(?:s|ed|ing)?|command|running|run"
    r"|kwargs|arguments?|parameters|input|plugin|mcp|server|handler|operation|task|step|agent"
    r"|skill|worker|request(?:ing)?|processing|performing|script)\b|工具|调用|执行|运行|函数|插件"
    r"|操作|请求|参数|任务",
    re.IGNORECASE,
)
_FAILING = re.compile(
    r"\b(?:errors?|errored|fail(?:ed|ure|s|ing)?|exceptions?|unable|could not|couldn't|cannot"
    r"|invalid|refused|rejected|raised|threw|unsuccessful|crashed|aborted|went wrong|problem)\b"
    r"|失败|出错|错误|异常|报错|\w+(?:Error|Exception)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\A\s*(?:\[?\W{0,3}(?:ERROR|Error|error|Err|err|FATAL|Fatal|fatal error|Failure|FAILURE"
    r"|Failed|FAILED|Exception|EXCEPTION|Tool error|Encountered (?:an )?error|Error encountered"
    r"|Caught (?:an )?(?:error|exception)|错误|失败|异常|出错了?|报错|操作失败|执行失败|调用失败"
    r"|请求失败|系统提示)\]?\s?(?:[:：!！—]|\s-|\]|\n(?=\s*\S))\s?)(?=\S|\Z)"
)
_LEVELS = re.compile(r"^\W{0,2}(?:error|warn|warning|info|debug|fatal|notice|trace)\b\W", re.IGNORECASE | re.MULTILINE)
"""Log lines: several of them are a log, not a failure."""
_ARGUMENT_DUMP = re.compile(
    r"\A(?P<head>[^\n{]{0,200}?\b(?:kwargs|arguments|parameters|args|params|input|function call" r"|payload)\b:? ?)\{"
)
_DUMP_END = re.compile(
    r"(?:with (?:the )?error:|\}?\.? Error:|\}: (?=\S)|with response:|[Rr]aised:?|: (?=\w+(?:Error"
    r"|Exception)\b)|[Ff]ailed:|[Ee]rror message:)\s*"
)
_ADVICE = re.compile(
    r"(?:\A|\s|(?<=[.!。！”\"]))(?:(?:And )?[Pp]lease (?:fix|correct|try|retry|check|make sure"
    r"|ensure|provide|use|select|adjust|review|verify|call|see|double)|[Ff]ix (?:the|your|these)"
    r"|You (?:could|can|may|should|must) (?:retry|try|also try|use)|Try (?:again|a different"
    r"|another)|Retry (?:with|after|the)|Consider (?:using|trying|retrying)|Now let's retry|Make"
    r" sure|Check (?:the|your|that)|请(?:检查|重试|稍后|稍候|修正|更正|修改|确认|重新|联系|您)"
    r"|如有疑问)(?:[^\n。(（]|\(\)){0,300}[.!。！]?\s*\Z"
)
_QUOTED = re.compile(
    r"\b(?:This was the error|The error (?:was|is|message (?:is|was))|Error (?:message|details?"
    r"|text|output)|Exception(?: message)?|错误信息|错误详情|异常信息)(?: is| was)?\s?[:：]\s?",
    re.IGNORECASE,
)
_MANUAL = re.compile(
    r"\.?\n\s?(?:Tool [^\n]{1,120} accepts these inputs:|Tool Arguments:|Expected (?:arguments"
    r"|schema|input):|Usage:|Available (?:arguments|parameters):|Parameters schema:)(?P<rest>.*)\Z",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A layer taken off: what is left, and what the layer said."""

    text: str
    claim: Literal["failed", "worked", ""] = ""
    soft: bool = False
    before: str = ""
    after: str = ""
    keeps: bool = False
    """`before` and `after` have to stay around the new text."""
    exit_code: int | None = None
    output: str = ""
    said: str = ""
    """Words of the wrapper that may tell the kind of the failure."""
    advice: str = ""


def taken(text: str, call: Call) -> Taken | None:
    """One layer off `text`, or None where there is none."""
    for reader in (_tags, _exit, _dump, _bare, _sentence, _manual, _advised):
        if found := reader(text, call):
            return found
    return None


def kept(text: str) -> Taken | None:
    """Layers that hold something besides the failure, which stays; they come off first."""
    cut = _reminders(text)
    if cut < len(text):
        return Taken(text[:cut], after=text[cut:], keeps=True)
    if found := _WALL.match(text):
        number = found.group("first") or found.group("code") or found.group("third")
        code = int(number) if number else None
        claim: Literal["failed", "worked", ""] = "" if code is None else ("failed" if code else "worked")
        return Taken(text[found.end() :], claim, before=text[: found.end()], keeps=True, exit_code=code)
    if found := _OBSERVATION.match(text):
        return Taken(text[found.end() :], before=found.group(), keeps=True)
    if found := _RETRY_TEXT.search(text, max(0, len(text) - _RETRY_MOST)):
        return Taken(text[: found.start()].removeprefix("Error:\n"), "failed")
    if found := _CALL_ID.match(text):
        return Taken(text[found.end() :], before=found.group(), keeps=True)
    if found := _SWE.match(text):
        code = int(found.group("code"))
        return Taken(
            found.group("text"),
            "failed" if code else "worked",
            before=found.group("before"),
            after=found.group("after"),
            keeps=True,
            exit_code=code,
        )
    return None


def _reminders(text: str) -> int:
    """Where the agent's own reminders begin, at the end of `text`."""
    end = len(text)
    while True:
        bare = text[:end].rstrip()
        tag = next((tag for tag in _REMINDERS if bare.endswith(f"</{tag}>")), None)
        start = bare.rfind(f"<{tag}>") if tag else -1
        if start < 0:
            return end
        end = len(text[:start].rstrip())


def _tags(text: str, call: Call) -> Taken | None:
    del call
    if found := _TAGGED.match(text):
        return Taken(found.group("text").strip(), "failed")
    found = _STREAMS.match(text) or (
        _SECTIONS.match(text) if re.match(r"\A(?:Command: |Directory: |Stdout|STDOUT|Output|stdout)", text) else None
    )
    if not found:
        return None
    number = found.group("code")
    code = int(number) if number and number.lstrip("-").isdigit() else None
    errors, printed = found.group("err").strip(), found.group("out").strip()
    errors = "" if errors in ("(none)", "(empty)", "None") else errors
    printed = "" if printed in ("(none)", "(empty)", "None") else printed
    if code is None:
        return Taken(errors or printed, output=printed if errors else "")
    return Taken(errors or printed, "failed" if code else "worked", exit_code=code, output=printed if errors else "")


def _exit(text: str, call: Call) -> Taken | None:
    """An exit code in front or behind."""
    del call
    if found := _COMMAND_HEAD.match(text):
        number = found.group("code") or found.group("second")
        rest = text[found.end() :]
        return Taken(rest if rest.strip() else "", "failed", exit_code=int(number) if number else 1, said=found.group())
    body, _, last = text.rstrip().rpartition("\n")
    if len(last) <= _LONGEST_EXIT and (found := _EXIT_TAIL.fullmatch(last.strip())):
        code = int(found.group("code"))
        return Taken(body.rstrip(), "failed" if code else "worked", exit_code=code)
    if found := _EXIT_HEAD.match(text):
        code = int(found.group("code"))
        return Taken(text[found.end() :], "failed" if code else "worked", exit_code=code)
    return None


def _dump(text: str, call: Call) -> Taken | None:
    """`Error invoking X with kwargs {…} with error: …`."""
    del call
    head = _ARGUMENT_DUMP.match(text[:1200])
    if not head or not (
        _CALLING.search(head.group("head")) and (_FAILING.search(head.group("head")) or "error" in text[:2000].lower())
    ):
        return None
    end = _DUMP_END.search(text, head.end())
    if not end or end.start() > 6000:
        return None
    return Taken(text[end.end() :].strip(), "failed", said=head.group("head"))


def _bare(text: str, call: Call) -> Taken | None:
    found = _BARE.match(text)
    if (
        not found
        or _logged(text)
        or call.prints(text.strip().split("\n")[0])
        or re.match(r"\A\s*-?\d+(?:\.\d+)?\s*%?\s*(?:\n|\Z)", text[found.end() :])
    ):
        return None
    return Taken(text[found.end() :], "failed", soft=True, said=found.group())


def _logged(text: str) -> bool:
    return len(_LEVELS.findall(text[:4000])) > 1


def _sentence(text: str, call: Call) -> Taken | None:
    """`Error executing tool X: …`, `X failed with: …`, `工具执行失败：…`."""
    line = text.lstrip().split("\n", 1)[0][:400]
    if "Traceback (most recent call last)" in text[:600]:
        return _chinese_head(text)
    quoted = _QUOTED.search(text[:600])
    if (
        quoted
        and _FAILING.search(text[: quoted.end()])
        and _wraps(text[: quoted.start()], call)
        and text[quoted.end() :].strip()
    ):
        return Taken(text[quoted.end() :].strip(), "failed", said=text[: quoted.start()])
    for at, char in enumerate(line):
        if char not in ":：":
            continue
        rest = line[at + 1 :]
        if char == ":" and rest[:1].strip() and rest[:1] not in "\"'[{":
            continue
        head = line[:at]
        if len(head) > 220:
            return None
        if named(f"{head}:") and " " not in head:
            return None
        ours = _CALLING.search(head) or call.names(head)
        if _FAILING.search(head) and ours and len(head.split()) <= 24:
            start = text.index(line) + at + 1
            return Taken(text[start:].strip(), "failed", said=head) if _wraps(head, call) else None
        if len(head.split()) > 12:
            return None
    return _chinese_head(text)


def _wraps(head: str, call: Call) -> bool:
    """A head that speaks of the tool itself is a wrapper beyond doubt."""
    low = head.lower()
    if call.names(low):
        return True
    if call.kind in ("shell", "code"):
        return bool(re.search(r"\btools?\b|工具|\bcode (?:execution|parsing)|due to$", low))
    return bool(re.search(r"\btools?\b|\bfunction\b|invok|execut|\barguments\b|\binput for\b|工具|调用|执行|函数", low))


def _chinese_head(text: str) -> Taken | None:
    """A sentence of its own above the real message, e.g. `执行出错，请检查参数` above a traceback."""
    head, newline, rest = text.partition("\n")
    if (
        newline
        and (rest.lstrip().startswith("Traceback") or re.match(r"\s*[{\[].*[}\]]\s*$", rest, re.DOTALL))
        and len(head) <= 80
        and _FAILING.search(head)
        and not re.search(r"[{}=\"]", head)
    ):
        return Taken(rest, "failed", said=head, soft=True)
    return None


def _manual(text: str, call: Call) -> Taken | None:
    """A description of the tool behind the message."""
    del call
    found = _MANUAL.search(text[:20000])
    if not found or not found.start():
        return None
    return Taken(text[: found.start()].strip(), soft=True, advice="manual")


def _advised(text: str, call: Call) -> Taken | None:
    """Advice behind the message. It says that the rest is a failure, if the rest is not empty of words."""
    del call
    if len(text) > 20000:
        return None
    found = _ADVICE.search(text[-600:])
    if not found:
        return None
    cut = max(0, len(text) - 600) + found.start()
    rest = text[:cut].rstrip()
    if len(rest) < 6 or re.search(r"\b(?:or|and|,|to)$", rest):
        return None
    return Taken(rest, soft=True, advice=found.group().strip())
