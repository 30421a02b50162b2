"""Does a JSON object say of itself that the call failed? High precision first: a field that is null, empty, false or
zero says nothing bad; a record about a thing (a job that failed, a site that is down) is data; part success is told
as it is.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from proxy.failures import fields as names
from proxy.failures import validators
from proxy.failures.call import Call
from proxy.failures.fields import by_name, integer, is_message, says, word
from proxy.failures.vocabulary import spoken, tells
from proxy.failures.wordsets import wordset

Verdict = Literal["failed", "worked", ""]

_PROBLEM_KEYS = wordset(
    """
    detail details errors issues invalidparams violations fielderrors data causes modelstate
    validationerrors messages
    """
)
_CHECKS = wordset("valid isvalid passed healthy up reachable available")
_PARTICIPLE = re.compile(
    r"^(?:is|was|has)?([a-z]{1,20}(?:ed|en|ld|nt|id|de|ught|ut|et|one)|allowed|valid|possible|eligible)$"
)
_ENTITY = re.compile(r"^(?:id|uid|uuid|name|key|url|host|number|编号|名称|.{1,20}id)$")
_DONE_COUNT = re.compile(
    r"(?:updated|imported|created|inserted|sent|succeeded|processed|success|passed|deleted|saved|completed|ok|added|成功)(?:count|s|数)?$"
)
_DECIDED = wordset("rejected declined denied refused blocked aborted full soldout occupied overbooked")
"""States of a thing, not of a call."""
_ASIDE = wordset("details meta debug request hints args arguments input params")
_PAYLOAD = ("data", "result", "rows", "items")
_SMALL_PRINT = wordset("type fields param field extra hint sku limit retryafter requestid hostid resource")
_CODE_FIELDS = ("code", "errorcode", "type", "errortype", "name")
_GOOD_NUMBERS = frozenset((0, 1, 200, 201, 202, 204, 10000, 20000))
_FILES = wordset("file files 文件")
_OF_FILES = re.compile(
    r"file|path|director|permi|access|denied|encod|decod|tool|time|large|big|argument|param|arg\b|read|open|exist"
    r"|allowed|internal|server|文件|路径|权限|参数|超时",
    re.IGNORECASE,
)
"""Words of failures to read a file."""
_QUESTIONS = wordset("check can is has available availability eligible eligibility")


def verdict(value: Mapping[Any, Any], call: Call) -> tuple[Verdict, Any]:
    """Whether the object is a failure or a success, and the error value if one stands out."""
    fields = by_name(value)
    error = next((fields[name] for name in names.ERRORS if says(fields.get(name))), None)
    flags = [fields[name] for name in names.SUCCESS if isinstance(fields.get(name), bool)]
    if False in flags or any(fields.get(name) is True for name in names.FAILED):
        return "failed", error
    if True in flags and error is None:
        return "worked", None
    if _partial(value) or _record(fields, call, error) or _in_file(fields, call):
        return "", None
    if call.kind == "report" and any(name in fields for name in _CHECKS):
        return "", None
    if error is not None and _counts(fields, error):
        return "failed", error
    signs = (_stated, _numbered, _only_message, _named_message, _stacked)
    if any(sign(fields) for sign in signs) or refused(value, call):
        return "failed", error
    return "", None


def refused(value: Mapping[Any, Any], call: Call) -> bool:
    """`{"booked": false, "code": …}`: what was asked for was not done, and a reason is given."""
    fields = by_name(value)
    states = [word(fields.get(name)) for name in names.STATES]
    if any(state in names.REFUSED and not _asked_for(state, call) for state in states):
        return not (call.getter and any(_ENTITY.match(name) for name in fields))
    if call.kind in ("report", "content") or call.words & _QUESTIONS:
        return False
    reason = any(
        isinstance(item, str) and (is_message(name) or name in ("code", "errorcode")) for name, item in fields.items()
    )
    return reason and any(item is False and _PARTICIPLE.match(name) for name, item in fields.items())


def _asked_for(state: str, call: Call) -> bool:
    """`reject_invoice` says "rejected"."""
    return any(len(verb) > 3 and verb[:5] == state[:5] for verb in call.words)


def problems(value: Mapping[Any, Any]) -> str:
    """The findings of a validator that stand under one of the usual names."""
    for key, item in value.items():
        if names.plain(key) in _PROBLEM_KEYS and isinstance(item, list | dict) and (text := validators.problems(item)):
            return text
    return ""


def _partial(value: Mapping[Any, Any]) -> bool:
    """Counters or a list of outcomes with at least one success."""
    for key, items in value.items():
        if (
            isinstance(items, list)
            and items
            and names.plain(key) not in names.ERRORS
            and all(isinstance(item, dict) for item in items)
        ):
            outcomes = [item.get("ok", item.get("success", item.get("status"))) for item in items[:50]]
            if any(outcome is True or word(outcome) in names.GOOD for outcome in outcomes):
                return True
    return any(
        isinstance(number, int) and not isinstance(number, bool) and number > 0 and _DONE_COUNT.search(names.plain(key))
        for key, number in value.items()
    )


def _record(fields: Mapping[str, Any], call: Call, error: Any) -> bool:
    """A record about something that was fetched or probed: its error is content."""
    if not (call.reports or call.getter or call.kind != "action") or fields.get("jsonrpc"):
        return False
    if isinstance(fields.get("error"), dict) and len(fields) <= 3:
        return False
    asked = {value for _, value in call.values}
    told = {
        name
        for name, item in fields.items()
        if item not in (None, "", [], {}) and name not in names.ERRORS and name not in names.DULL
    }
    describing = {
        name
        for name in told & {"title", "name", "status", "state", "description"}
        if name == "name" or word(fields[name]) not in names.BAD
    }
    others = {name for name in told if not is_message(name) and name not in names.CODES} | describing
    if call.getter and any(isinstance(item, str | int) and str(item) in asked for item in fields.values()):
        decided = error is None and any(word(fields.get(name)) in _DECIDED for name in names.STATES)
        return decided or len(others) >= 2
    least = 1 if call.kind in ("shell", "code") else 2
    return any(_ENTITY.match(name) for name in fields) and len(others) >= (3 if isinstance(error, dict) else least)


def _in_file(fields: Mapping[str, Any], call: Call) -> bool:
    """What a tool that reads files shows stands in the file, unless it speaks of the file."""
    if not (call.getter and call.words & _FILES) or call.kind != "content":
        return False
    told = " ".join(str(item) for name, item in fields.items() if name in names.ERRORS or is_message(name))
    return not _OF_FILES.search(told) and not any(value in told for _, value in call.values if len(value) > 2)


def _counts(fields: Mapping[str, Any], error: Any) -> bool:
    """An error beside real data (GraphQL with data, an import with rejected rows) is part of the data."""
    if isinstance(error, str) and len(fields) > 1 and not spoken(error).strip():
        return False
    payload = [
        item
        for name, item in fields.items()
        if isinstance(item, dict | list)
        and item
        and name not in names.ERRORS
        and not is_message(name)
        and name not in names.DULL | _ASIDE
    ]
    if isinstance(error, list) and payload:
        return False
    return not any(
        isinstance(item, list) and len(item) > 2 and all(isinstance(row, dict) for row in item) for item in payload
    )


def _stated(fields: Mapping[str, Any]) -> bool:
    """A state in words of failure, with something said beside it."""
    for name in names.STATES:
        state = word(fields.get(name))
        if state in names.BAD:
            told = any(
                is_message(other)
                or other in names.CODES[:8]
                or other in names.ERRORS
                or other in names.STACKS
                or other.startswith(("next", "available", "alternative"))
                for other in fields
                if other != name
            )
            return told or (len(fields) <= 2 and state not in names.REFUSED)
    return False


def _numbered(fields: Mapping[str, Any]) -> bool:
    """An HTTP status, or a return code that is not zero, beside a message."""
    if not any(isinstance(item, str) and (is_message(name) or name in names.ERRORS) for name, item in fields.items()):
        return False
    if names.http_status(fields):
        return True
    if any(fields.get(name) and not isinstance(fields[name], int) for name in _PAYLOAD):
        return False
    for name in names.RETURNS:
        number = integer(fields.get(name))
        if (
            number is not None
            and number not in _GOOD_NUMBERS
            and ("data" in fields or name != "status")
            and len(fields) <= 8
        ):
            return True
    return False


def _only_message(fields: Mapping[str, Any]) -> bool:
    """`{"detail": "Not found."}`: nothing but a message in words of failure, and perhaps a code."""
    present = {name for name, item in fields.items() if item is not None} - names.DULL
    spoke = {name for name in present if is_message(name)}
    if not present or len(present) > 6 or not (spoke or present & {*_CODE_FIELDS}):
        return False
    if spoke and problems(fields):
        return True
    payload = present - spoke - {*names.CODES, *names.STATUSES} - _SMALL_PRINT
    code = next(
        (
            item
            for name in _CODE_FIELDS
            if isinstance(item := fields.get(name), str)
            and (
                name not in ("name", "type") or re.fullmatch(r"[A-Z][A-Z_]{3,60}|\w+(?:Error|Exception)|\w+#\w+", item)
            )
        ),
        "",
    )
    if code and tells(code):
        return len(payload) <= 2
    return not payload and any(isinstance(item := fields[name], str) and tells(item) for name in spoke)


def _named_message(fields: Mapping[str, Any]) -> bool:
    """A message that is called an error's."""
    told = next(
        (
            fields[name]
            for name in ("errormessage", "errmsg", "errormsg", "errordescription", "faultstring")
            if isinstance(fields.get(name), str)
        ),
        "",
    )
    return says(told) and ("errortype" in fields or "stacktrace" in fields or len(fields) <= 2)


def _stacked(fields: Mapping[str, Any]) -> bool:
    texts = [text for name in names.STACKS if isinstance(text := fields.get(name), str)]
    return any("Traceback (most recent call last)" in text or "\n    at " in text or "\tat " in text for text in texts)
