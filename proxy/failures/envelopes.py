"""Takes apart results that are JSON (or a Python literal): content parts, results of a process, recorded HTTP
responses, objects that say that the call failed. What is inside is given back to be read further.

Shapes that APIs and agents share, never a tool's.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proxy.failures import fields as names
from proxy.failures import objects, pages, validators
from proxy.failures.call import Call
from proxy.failures.fields import by_name

Claim = Literal["failed", "worked", ""]

_ERROR_STREAMS = ("stderr", "stderroutput", "err")
_OUTPUT_STREAMS = ("stdout", "output", "stdoutoutput", "out", "logs")
_EXITS = ("exitcode", "returncode", "exitstatus", "rc", "code", "status")


@dataclass(frozen=True, slots=True)
class Opened:
    """What an envelope holds. `text` is the message, to be read further."""

    text: str
    claim: Claim = ""
    soft: bool = False
    """The claim is weak: shapes inside may outweigh it."""
    names: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    output: str = ""
    status: int = 0
    exit_code: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    refused: bool = False
    """What was asked for was not done, for a reason: a refusal, whatever its words."""
    checked: bool = False
    """The message is the finding of a validator."""


def opened(value: Any, call: Call) -> Opened | None:
    """What `value` says, or None where it is data."""
    if isinstance(value, str):
        return Opened(value)
    if isinstance(value, list):
        return _list(value)
    if not isinstance(value, dict) or not value:
        return None
    for reader in (_parts, _process, _function_response, _response):
        if found := reader(value):
            return found
    if text := validators.problems(value):
        return Opened(text, claim="failed", checked=True)
    if text := _replies(value):
        return Opened(text, claim="failed")
    return _object(value, call)


def _list(value: list[Any]) -> Opened | None:
    texts = [part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if (
        value
        and len(texts) == len(value)
        and all(part.get("type") in ("text", "input_text", "output_text") for part in value)
    ):
        return Opened("\n".join(texts))
    if text := validators.problems(value):
        return Opened(text, claim="failed", checked=True)
    first = by_name(value[0]) if value and isinstance(value[0], dict) else {}
    if len(value) <= 5 and ("errorcode" in first or "errcode" in first) and isinstance(first.get("message"), str):
        told = "; ".join(names.line(item) for item in value)
        return Opened(
            told, claim="failed", names=names.codes(first), facts=names.rest(value[0], {"message", "errorcode"})
        )
    return None


def _parts(value: Mapping[str, Any]) -> Opened | None:
    """MCP and Messages: content parts with an error flag."""
    content = value.get("content")
    flag = value.get("isError", value.get("is_error"))
    if flag is None and "toolUseId" in value:
        flag = {"error": True, "success": False}.get(str(value.get("status")))
    claim: Claim = "failed" if flag else ("worked" if flag is False else "")
    if isinstance(content, list) and content and all(isinstance(part, dict) for part in content):
        if not any("text" in part for part in content):
            return None
        text = "\n".join(str(part.get("text", "")) for part in content if part.get("type", "text") == "text")
        return Opened(text, claim=claim, soft=not flag)
    if isinstance(content, str) and (flag is not None or value.get("type") == "tool_result"):
        return Opened(content, claim=claim or "worked", soft=not flag)
    return None


def _process(value: Mapping[str, Any]) -> Opened | None:
    """The result of a process: streams and an exit code."""
    fields = by_name(value)
    printed = next((fields[name] for name in _OUTPUT_STREAMS if isinstance(fields.get(name), str)), None)
    errors = next((fields[name] for name in _ERROR_STREAMS if isinstance(fields.get(name), str)), None)
    numbers = [
        fields[name] for name in _EXITS if isinstance(fields.get(name), int) and not isinstance(fields[name], bool)
    ]
    if (printed is None and errors is None) or (not numbers and errors is None):
        return None
    said, shown = (errors or ""), (printed or "")
    aside = shown if said.strip() else ""
    if not numbers:
        return Opened(said if said.strip() else shown, output=aside)
    if numbers[0] == 0:
        return Opened("\n".join(text for text in (shown, said) if text), claim="worked", exit_code=0)
    return Opened(said if said.strip() else shown, claim="failed", exit_code=numbers[0], output=aside)


def _function_response(value: Mapping[str, Any]) -> Opened | None:
    inner = value.get("functionResponse", value.get("function_response"))
    response = inner.get("response") if isinstance(inner, dict) else None
    error = response.get("error") if isinstance(response, dict) else None
    if not error:
        return None
    found = _parts(error) if isinstance(error, dict) else None
    return Opened(found.text if found else names.compact(error), claim="failed")


def _response(value: Mapping[str, Any]) -> Opened | None:
    """A record of an HTTP response: its status says it all."""
    found = pages.response(value)
    if found is None:
        return None
    text = found.body if isinstance(found.body, str) else json.dumps(found.body, ensure_ascii=False)
    if found.status < 400:
        return Opened(text, claim="worked", soft=True)
    wait = {"Retry-After": found.wait} if found.wait else {}
    return Opened(
        text,
        claim="failed",
        status=found.status,
        facts=tuple(f"{key}: {item}" for key, item in wait.items()),
        fields=wait,
    )


def _replies(value: Mapping[Any, Any]) -> str:
    """`{address: (550, b"…")}`: a server's negative reply for each recipient."""
    lines = []
    for key, reply in value.items():
        if not (isinstance(reply, tuple) and len(reply) == 2 and isinstance(reply[0], int) and 400 <= reply[0] < 600):
            return ""
        told = reply[1].decode("utf-8", "replace") if isinstance(reply[1], bytes) else str(reply[1])
        lines.append(f"{key}: {reply[0]} {told}")
    return "\n".join(lines)


def _object(value: Mapping[str, Any], call: Call) -> Opened | None:
    """An object that says of itself that it is a failure, or a success with an output."""
    claim, error = objects.verdict(value, call)
    if claim == "worked":
        fields = by_name(value)
        text = next(
            (fields[name] for name in ("output", "result", "content", "message") if isinstance(fields.get(name), str)),
            "",
        )
        return Opened(text, claim="worked") if text else None
    if claim != "failed":
        return None
    return _failed(value, error, refused=objects.refused(value, call))


def _failed(value: Mapping[str, Any], error: Any, *, refused: bool) -> Opened:
    """The message of a failure, the names of its kind, and what else it tells."""
    outer = by_name(value)
    if isinstance(error, list) and len(error) == 1 and isinstance(error[0], dict) and not validators.problems(error):
        error = error[0]
    if isinstance(error, list):
        return _several(value, outer, error)
    inner = error if isinstance(error, dict) else value
    if inner is not value and (text := validators.problems(inner)):
        return Opened(text, claim="failed", checked=True)
    within = by_name(inner)
    texts, used = names.messages(within, error if isinstance(error, str) else "")
    codes = names.codes(within)
    facts = names.rest(inner, used)
    if inner is not value:
        more, also = names.messages(outer, "")
        texts += [text for text in more if text not in texts]
        codes = (*codes, *names.codes(outer))
        facts = (*facts, *names.rest(value, {*used, *also, *names.ERRORS}))
    texts = texts or [stack for name in names.STACKS if isinstance(stack := outer.get(name), str)][:1]
    if findings := objects.problems(inner) or objects.problems(value):
        return Opened(
            "\n".join([*texts, findings]), claim="failed", checked=True, names=codes, status=names.http_status(within)
        )
    nested, kinds = _nested(within)
    return Opened(
        "\n".join([*texts, *(text for text in nested if text not in texts)]),
        claim="failed",
        names=tuple(dict.fromkeys((*codes, *kinds))),
        facts=facts,
        status=names.http_status(within) or names.http_status(outer),
        fields={**value, **inner},
        refused=refused,
    )


def _several(value: Mapping[str, Any], outer: Mapping[str, Any], errors: list[Any]) -> Opened:
    """A list of errors."""
    if text := validators.problems(errors):
        return Opened(text, claim="failed", checked=True, facts=names.rest(value, set(names.ERRORS)))
    told = "; ".join(names.line(item) for item in errors[:12])
    kinds = [
        code
        for item in errors[:6]
        if isinstance(item, dict)
        for code in names.codes(by_name(item.get("extensions") or item))
    ]
    codes = tuple(dict.fromkeys((*names.codes(outer), *kinds)))
    first = by_name(errors[0]) if isinstance(errors[0], dict) else {}
    return Opened(
        told,
        claim="failed",
        names=codes,
        facts=names.rest(value, {*names.ERRORS, "status"}),
        status=names.http_status(outer) or names.http_status(first),
        fields=value,
    )


def _nested(fields: Mapping[str, Any]) -> tuple[list[str], tuple[str, ...]]:
    """Messages and codes of a list of details."""
    details = fields.get("details")
    items = [item for item in details[:6] if isinstance(item, dict)] if isinstance(details, list) else []
    return [names.line(item) for item in items], tuple(code for item in items for code in names.codes(by_name(item)))
