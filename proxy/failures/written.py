"""Writes a failure down as the structured error that a model reads: compact JSON, the same bytes for the same
failure, `attempts` and `elapsed_s` last because they alone may differ.
"""

import json
from typing import Any

from proxy.failures.advice import sentence
from proxy.failures.codes import BY_NAME
from proxy.failures.reading import Failure, Language


def structured(
    failure: Failure,
    *,
    attempts: int | None = None,
    elapsed_s: float | None = None,
    lang: Language = "en",
    repeated: int = 0,
) -> str:
    """The structured error as JSON text.

    `attempts`, `elapsed_s`: of this tool in this run; left out where None. `repeated`: how often the same permanent
    failure has come, this one included; from 2 on the advice is to stop and ask a human.
    """
    error: dict[str, Any] = {
        "status": "error",
        "code": failure.code,
        "type": failure.type,
        "message": _message(failure, lang),
        "retryable": failure.retryable,
        "retry": failure.retry,
        "suggested_action": sentence(failure, lang, repeated=repeated),
    }
    for kind, names in failure.available.items():
        error[
            f"available_{kind}" if kind not in ("near", "alternatives") else {"near": "did_you_mean"}.get(kind, kind)
        ] = list(names)
    if failure.facts:
        error["details"] = list(failure.facts)
    if attempts is not None:
        error["attempts"] = attempts
    if elapsed_s is not None:
        error["elapsed_s"] = round(elapsed_s, 3)
    return json.dumps(error, ensure_ascii=False, separators=(",", ":"))


def _message(failure: Failure, lang: Language) -> str:
    """The tool's own words, led by the code's sentence where they say too little or speak another language."""
    code = BY_NAME.get(failure.code)
    if code is None:
        return failure.message
    lead = code.zh if lang == "zh" else code.en
    chinese = any("一" <= char <= "鿿" for char in failure.message)
    foreign = chinese != (lang == "zh")
    if not failure.message:
        return lead
    if failure.terse or foreign:
        return f"{lead}{'：' if lang == 'zh' else ': '}{failure.message}"
    return failure.message
