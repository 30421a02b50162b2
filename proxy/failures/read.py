"""Reads one tool result: is the whole of it a failure, and which? The order of the work is here and nothing else.

Gate (most results are data and leave at once), the pack's own word, taking off wrappers, judging, classifying, and
putting the failure together.
"""

from dataclasses import replace

from proxy.failures import declared, gate
from proxy.failures.advice import action_of, wait_of
from proxy.failures.available import available
from proxy.failures.call import Call, understood
from proxy.failures.classify import meaning
from proxy.failures.codes import BY_NAME
from proxy.failures.judge import failing
from proxy.failures.peel import Peeled, peeled
from proxy.failures.secrets import masked
from proxy.failures.reading import EmptyRows, Failure, Known, Result, Retry, Type
from proxy.failures.story import Story
from proxy.failures.telling import told


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
    code = (form.code if form and form.code else "") or meaning(story, layers, call)
    return _failure(code, form.type if form else None, story, layers, call, known)


def _failure(code: str, kind: Type | None, story: Story, layers: Peeled, call: Call, known: Known) -> Failure:
    code = _seen_by_us(code, known)
    entry = BY_NAME.get(code) or BY_NAME["UNKNOWN_ERROR"]
    of_type: Type = kind or entry.type
    retry = _retry(code, entry.retry, layers, call, known)
    telling = told(story, layers, call, known, code)
    everything = "\n".join([telling.message, *telling.facts])
    choices = available(code, f"{masked(layers.text, call.own)}\n{everything}", call, known, layers.fields)
    wait = wait_of(f"{everything}\n{layers.text}", layers.fields) if retry == "as_is" else None
    action = action_of(code, of_type, retry, everything, call, known, choices, wait)
    return Failure(
        code=code,
        type=of_type,
        message=telling.message,
        retry=retry,
        action=action,
        available=choices,
        facts=telling.facts,
        wrapper=layers.wrapper,
        terse=telling.terse,
    )


def _seen_by_us(code: str, known: Known) -> str:
    """Where the framework hides the cause, the call's own faults are what can be said."""
    return "INVALID_ARGUMENTS" if code == "UNKNOWN_ERROR" and known.call_problems else code


def _retry(code: str, default: Retry, layers: Peeled, call: Call, known: Known) -> Retry:
    permanent = known.declared.permanent
    if permanent and (code in permanent or any(name in permanent for name in layers.names)):
        return "no"
    if code == "PERMISSION_DENIED" and layers.exit_code == 126:
        return "with_changes"
    if code in ("OUT_OF_MEMORY", "RESOURCE_EXHAUSTED") and call.kind in ("code", "shell"):
        return "with_changes"
    if code in ("CODE_ERROR", "NULL_REFERENCE", "INDEX_OUT_OF_RANGE", "ASSERTION_FAILED") and call.kind not in (
        "code",
        "shell",
    ):
        return "no"
    return default
