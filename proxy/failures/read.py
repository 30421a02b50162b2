"""Reads one tool result: is the whole of it a failure, and which? The order of the work is here and nothing else.

Gate (most results are data and leave at once), the pack's own word, taking off wrappers, judging, classifying, and
putting the failure together.
"""

from dataclasses import dataclass, replace

from proxy.failures import declared, gate
from proxy.failures.advice import Case, action_of, wait_of
from proxy.failures.available import available
from proxy.failures.call import Call, understood
from proxy.failures.classify import meaning
from proxy.failures.codes import BY_NAME
from proxy.failures.judge import failing
from proxy.failures.peel import Peeled, peeled
from proxy.failures.reading import EmptyRows, Failure, Known, Result, Retry, Type
from proxy.failures.secrets import masked
from proxy.failures.story import Story
from proxy.failures.telling import told
from proxy.failures.wordsets import wordset

_OF_OWN_CODE = wordset(
    "OUT_OF_MEMORY RESOURCE_EXHAUSTED CODE_ERROR NULL_REFERENCE INDEX_OUT_OF_RANGE ASSERTION_FAILED RECURSION_LIMIT"
)
"""Codes that the model can mend in code that it wrote, and in a tool's code nobody."""


def read(result: Result, known: Known) -> Failure | EmptyRows | None:
    """A failure, an empty answer of a tool that returns rows, or None: data, to be left byte for byte."""
    if known.declared.is_error == "never":
        return None
    if declared.empty(result, known):
        return EmptyRows()
    form = declared.form_of(result, known)
    if form is None and gate.plainly_data(result):
        return None
    call = understood(result)
    layers = peeled(result, call)
    if form is not None:
        layers = replace(layers, claim="failed", soft=False)
    story = failing(layers, call)
    if story is None:
        return None
    code = (form.code if form else "") or meaning(story, layers, call)
    return _failure(_Seen(code, form.type if form else None, story, layers, call), known)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A failure as far as it was read."""

    code: str
    type: Type | None
    """Declared by the pack."""
    story: Story
    layers: Peeled
    call: Call


def _failure(seen: _Seen, known: Known) -> Failure:
    layers, call = seen.layers, seen.call
    # where the framework hides the cause, the call's own faults are what can be said
    code = "INVALID_ARGUMENTS" if seen.code == "UNKNOWN_ERROR" and known.call_problems else seen.code
    entry = BY_NAME.get(code) or BY_NAME["UNKNOWN_ERROR"]
    of_type: Type = seen.type or entry.type
    retry = _retry(code, entry.retry, seen, known)
    telling = told(seen.story, layers, call, known, code)
    text = "\n".join([telling.message, *telling.facts])
    choices = available(code, f"{masked(layers.text, call.own)}\n{text}", call, known, layers.fields)
    wait = wait_of(f"{text}\n{layers.text}", layers.fields) if retry == "as_is" else None
    return Failure(
        code=code,
        type=of_type,
        message=telling.message,
        retry=retry,
        action=action_of(Case(code, of_type, retry, text, choices, wait), call, known),
        available=choices,
        facts=telling.facts,
        wrapper=layers.wrapper,
        terse=telling.terse,
    )


def _retry(code: str, default: Retry, seen: _Seen, known: Known) -> Retry:
    permanent = known.declared.permanent
    own_code = seen.call.kind in ("code", "shell")
    if permanent and (code in permanent or any(name in permanent for name in seen.layers.names)):
        return "no"
    if code == "PERMISSION_DENIED" and seen.layers.exit_code == 126:
        return "with_changes"
    if code in _OF_OWN_CODE:
        return "with_changes" if own_code else "no"
    return default
