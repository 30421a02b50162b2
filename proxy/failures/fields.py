"""The fields of a JSON object as APIs name them: which hold the message, which a code, which say nothing.

Names are compared without case, `_` and `-`, so `errorMessage`, `error_message` and `ErrorMessage` are one. The
lists are the common vocabulary of web APIs; no list belongs to one API.
"""

import re
from collections.abc import Mapping
from typing import Any

from proxy.failures.wordsets import wordset

ERRORS = ("error", "errors", "exception", "err", "fault", "failure", "错误", "异常")
MESSAGES = (
    "message", "msg", "errormessage", "errmsg", "errormsg", "detail", "details", "errordescription",
    "faultstring", "desc", "description", "reason", "developermessage", "usermessage", "localizedmessage",
    "summary", "title", "text", "content", "cause", "why", "note", "info", "提示", "消息", "原因", "说明", "错误信息",
)  # fmt: skip
CODES = (
    "code", "type", "name", "errorcode", "errcode", "errortype", "exceptiontype", "exctype", "reason",
    "status", "class", "kind", "subcode", "declinecode", "issue", "responsecode", "codename", "错误码",
)  # fmt: skip
STATES = (
    "status",
    "state",
    "result",
    "outcome",
    "level",
    "severity",
    "resultcode",
    "returncode",
    "respcode",
    "retcode",
    "状态",
    "结果",
)
SUCCESS = ("success", "ok", "succeeded", "successful", "issuccess", "成功")
FAILED = ("iserror", "haserror", "error", "failed", "isfailed", "failure")
STATUSES = ("status", "statuscode", "httpstatus", "httpstatuscode", "code", "httpcode")
RETURNS = ("code", "result", "errcode", "errno", "errorno", "ret", "retcode", "errorcode", "resultcode", "status")
STACKS = ("traceback", "stacktrace", "stack", "trace", "excinfo", "exception")
DULL = wordset(
    """
    stack stacktrace traceback trace backtrace headers jsonrpc timestamp time ts path instance
    traceid requestid correlationid documentationurl docurl help moreinfo apiversion kind metadata
    domain locationtype logid spanid durationms elapsed took meta links debugid hostid
    """
)
BAD = wordset(
    """
    error errors failed failure fail exception rejected denied declined invalid fault unsuccessful
    fatal aborted refused timeout timedout err nok ko blocked unavailable notavailable full soldout
    occupied overbooked 失败 错误 异常 拒绝
    """
)
REFUSED = wordset(
    """
    rejected denied declined refused unavailable notavailable full soldout occupied overbooked
    blocked 拒绝
    """
)
GOOD = wordset(
    """
    ok success successful succeeded done completed complete passed accepted created paid sent
    confirmed 成功 完成
    """
)

_SUFFIX = re.compile(r"(?:message|msg|desc|description|text|reason|原因|信息)$")
_CODE_VALUE = re.compile(r"(?i)^(?:error|fail(?:ed|ure)?|about:blank|https?://.*|[\d.]+)$")
_MOST_FACTS = 12


def plain(key: object) -> str:
    """A key without case and separators."""
    return re.sub(r"[_\-\s.]", "", str(key)).lower()


def by_name(value: Mapping[Any, Any]) -> dict[str, Any]:
    """The fields under their plain names; of two equal ones the first."""
    fields: dict[str, Any] = {}
    for key, item in value.items():
        fields.setdefault(plain(key), item)
    return fields


def word(value: object) -> str:
    """A state as one plain word."""
    return plain(value) if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}", value) else None


def says(value: Any) -> bool:
    """Whether an error field speaks of an error: not null, empty, false, zero or "none"."""
    if isinstance(value, str):
        return plain(value) not in ("", "none", "null", "ok", "0", "success", "false", "noerror", "无", "na")
    return isinstance(value, dict | list) and bool(value)


def is_message(name: str) -> bool:
    return name in MESSAGES or bool(_SUFFIX.search(name))


def messages(fields: Mapping[str, Any], error: str) -> tuple[list[str], set[str]]:
    """Message texts, the error's own string first, and the plain names of the fields they were taken from."""
    texts = [error] if error else []
    used = {name for name in ERRORS if isinstance(fields.get(name), str)} if error else set()
    for name in (*MESSAGES, *(name for name in fields if _SUFFIX.search(name) and name not in MESSAGES)):
        text = fields.get(name)
        if not isinstance(text, str) or not text.strip() or any(text in known for known in texts):
            used |= {name} if isinstance(text, str) and text.strip() else set()
            continue
        texts.append(text)
        used.add(name)
        if len(texts) >= 4:
            break
    if not texts and isinstance(hint := fields.get("hint"), str):
        texts.append(hint)
    return texts, used


def codes(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Codes and classes that name the kind of the failure."""
    found = []
    for name in CODES:
        code = fields.get(name)
        if isinstance(code, str) and 2 < len(code) < 120 and " " not in code.strip() and not _CODE_VALUE.match(code):
            found.append(code)
    return tuple(dict.fromkeys(found))


def http_status(fields: Mapping[str, Any]) -> int:
    for name in STATUSES:
        number = integer(fields.get(name))
        if number is not None and 400 <= number < 600:
            return number
    return 0


def rest(value: Mapping[Any, Any], used: set[str]) -> tuple[str, ...]:
    """The other fields, each as `key: value`."""
    facts = []
    for key, item in value.items():
        name = plain(key)
        if name in used or name in DULL or name in SUCCESS or item in (None, "", [], {}) or isinstance(item, bool):
            continue
        if name in STATES and word(item) in BAD:
            continue
        facts.append(f"{key}: {compact(item)}"[:400])
    return tuple(facts[:_MOST_FACTS])


def compact(item: Any) -> str:
    """A value in one line, without empty parts."""
    if isinstance(item, dict):
        parts = [(key, inner) for key, inner in list(item.items())[:10] if inner not in (None, "", [], {})]
        return ", ".join(f"{key}={compact(inner)}" for key, inner in parts if plain(key) not in DULL)
    if isinstance(item, list):
        return ", ".join(compact(inner) for inner in item[:20])
    return str(item)


def line(item: Any) -> str:
    """One finding of a list of errors, in one line."""
    if not isinstance(item, dict):
        return str(item)
    texts, _ = messages(by_name(item), "")
    where = item.get("path") or item.get("field") or item.get("loc") or ""
    where = ".".join(map(str, where)) if isinstance(where, list) else str(where)
    return ": ".join(part for part in (where, texts[0] if texts else compact(item)) if part)
