"""Takes a result out of all its wrappers: JSON envelopes, Python literals, exit codes, framework sentences, one in
another. What each layer claimed is kept together; nothing is judged here.
"""

import ast
import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proxy.failures import envelopes, pages, wrappers
from proxy.failures.call import Call
from proxy.failures.envelopes import Claim, Opened
from proxy.failures.noise import plain
from proxy.failures.reading import Result, Wrapper
from proxy.failures.statuses import http_status
from proxy.failures.story import named

_LAYERS = 10
_MOST_JSON = 4_000_000
_MOST_LITERAL = 20_000
_VIEW_HEAD, _VIEW_TAIL = 8_000, 20_000
_MAPPING_HEAD = re.compile(
    r"(?:status|result|state|outcome): ?[\"']?(?i:error|failed|failure)\b|(?:error|error_type|exception): ?\S"
)
_MAPPING_LINE = re.compile(r"^([A-Za-z_]\w{1,30}): ?(.*)$")


@dataclass(frozen=True, slots=True)
class Peeled:
    """The innermost text and what the layers around it said."""

    text: str
    claim: Claim = ""
    soft: bool = True
    wrapper: Wrapper = field(default_factory=Wrapper)
    names: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    output: str = ""
    status: int = 0
    exit_code: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    """Words of the wrappers."""
    refused: bool = False
    checked: bool = False
    data: bool = False
    """The innermost layer is JSON that does not say that it is a failure."""
    ended: bool = False
    """Nothing more can be taken off."""
    advised: bool = False
    """Advice on how to repeat the call stood behind the text."""
    value: Any = None
    """The innermost JSON value, where there was one."""


def peeled(result: Result, call: Call) -> Peeled:
    """`result` without its wrappers."""
    claim: Claim = "" if result.is_error is None else ("failed" if result.is_error else "worked")
    state = Peeled(result.text, claim, soft=not result.is_error)
    for _ in range(_LAYERS):
        deeper = _once(state, call)
        if deeper is None:
            break
        state = deeper
    return replace(state, text=plain(view(state.text)))


def view(text: str) -> str:
    """A bounded part of `text`: its head and its tail."""
    if len(text) <= _VIEW_HEAD + _VIEW_TAIL:
        return text
    return f"{text[:_VIEW_HEAD]}\n{text[-_VIEW_TAIL:]}"


def _once(state: Peeled, call: Call) -> Peeled | None:
    text = state.text
    if state.checked or state.ended:
        return None
    if around := wrappers.kept(text):
        return _take(state, around)
    found, value = _value(text)
    if found:
        opened = envelopes.opened(value, call)
        if opened is None:
            return None if state.data else replace(state, data=True, value=value)
        return _open(state, opened, value)
    if page := pages.error_page(text):
        return replace(state, text=page, claim=state.claim or "failed", soft=state.soft, ended=True)
    if xml := pages.xml_error(text):
        return replace(state, text=xml[0], names=(*state.names, *xml[1]), claim="failed", soft=False, ended=True)
    taken = wrappers.taken(text, call)
    if taken:
        return _take(state, taken)
    return _behind(state, call)


_FENCE = re.compile(r"```(?:json)?\n(.*)\n```$", re.DOTALL)
_JSON_BEHIND = re.compile(r"(?:[:：\-–]|body|response|error|returned|data)[:=]? ?\n?(?=[{\[])", re.IGNORECASE)


def _behind(state: Peeled, call: Call) -> Peeled | None:
    """A sentence with the JSON of the failure behind it: `POST /orders returned 422: {…}`."""
    text = _FENCE.sub(r"\1", state.text.strip())
    if len(text) > _MOST_LITERAL or text[-1:] not in ("}", "]"):
        return None
    for found in list(_JSON_BEHIND.finditer(text[:1500]))[:6]:
        isjson, value = _value(text[found.end() :])
        if not isjson or not isinstance(value, dict | list):
            continue
        opened = envelopes.opened(value, call)
        if opened is None or opened.claim != "failed":
            return None
        head = text[: found.start()].strip(" :：")
        claimed = state.claim == "failed" or http_status(head) > 0 or named(text.split("\n")[0]) is not None
        opened = dataclasses.replace(
            opened, text=f"{head}: {opened.text}" if opened.text else head, claim="failed" if claimed else "", soft=True
        )
        return replace(_open(state, opened, value), ended=True)
    return None


def _value(text: str) -> tuple[bool, Any]:
    """The JSON value or Python literal that `text` is as a whole."""
    bare = text.strip()
    if not bare or bare[0] not in "{[\"'(" or bare[-1] not in "}]\"')":
        return _mapping(bare)
    if bare[0] in '{["' and len(bare) < _MOST_JSON:
        try:
            return True, json.loads(bare)
        except (ValueError, RecursionError):
            pass
    if len(bare) < _MOST_LITERAL and bare[0] in "{[":
        try:
            return True, ast.literal_eval(bare)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            pass
    return False, None


def _mapping(text: str) -> tuple[bool, Any]:
    """YAML of an error, by its first line: `status: error` and more keys, none twice."""
    if not _MAPPING_HEAD.match(text[:80]):
        return False, None
    fields: dict[str, str] = {}
    key = ""
    for line in text[:_VIEW_HEAD].split("\n"):
        found = _MAPPING_LINE.match(line)
        if found and found.group(1) not in fields:
            key, value = found.group(1), found.group(2).strip()
            fields[key] = "" if value in ("|", ">", "|-", ">-") else value.strip("\"'")
        elif key and (line.startswith((" ", "\t")) or not line.strip()):
            fields[key] += f"\n{line[2:]}"
        else:
            return False, None
    return len(fields) >= 2, {name: value.strip("\n") for name, value in fields.items()}


def _open(state: Peeled, opened: Opened, value: Any) -> Peeled:
    claim, soft = _merged(state, opened.claim, soft=opened.soft)
    return replace(
        state,
        text=opened.text,
        claim=claim,
        soft=soft,
        names=(*state.names, *opened.names),
        facts=(*state.facts, *opened.facts),
        output=state.output or opened.output,
        status=opened.status or state.status,
        exit_code=opened.exit_code if opened.exit_code is not None else state.exit_code,
        fields={**state.fields, **opened.fields},
        refused=state.refused or opened.refused,
        checked=state.checked or opened.checked,
        value=value,
        data=False,
    )


def _take(state: Peeled, taken: wrappers.Taken) -> Peeled:
    claim, soft = _merged(state, taken.claim, soft=taken.soft)
    wrapper = state.wrapper
    if taken.keeps:
        wrapper = Wrapper(wrapper.before + taken.before, taken.after + wrapper.after)
    return replace(
        state,
        text=taken.text,
        claim=claim,
        soft=soft,
        wrapper=wrapper,
        output=state.output or taken.output,
        exit_code=taken.exit_code if taken.exit_code is not None else state.exit_code,
        said=(*state.said, taken.said) if taken.said else state.said,
        advised=state.advised or bool(taken.advice and taken.advice != "manual"),
        facts=(*state.facts, taken.advice) if re.search(r"\d", taken.advice) else state.facts,
    )


def _merged(state: Peeled, claim: Claim, *, soft: bool) -> tuple[Claim, bool]:
    """An inner claim counts unless an outer one is firm."""
    if not claim:
        return state.claim, state.soft
    if state.claim and not state.soft:
        return state.claim, False
    if state.claim == "failed" and claim == "worked" and soft:
        return "failed", state.soft
    return claim, soft if state.claim != claim else soft and state.soft
