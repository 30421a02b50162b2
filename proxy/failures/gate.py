"""The cheap gate: most results are data, and have to be let through at next to no cost.

Looks at the places that count, the head and the tail, for any word or form of a failure; where there is none, the
result is data. It may let data pass on to the readers; it must not keep a failure back.
"""

import re2

from proxy.failures.reading import Result

_HEAD, _TAIL = 1500, 2500
_SMALL = 2000

_options = re2.Options()
_options.case_sensitive = False
_SIGNS = re2.compile(
    r"error|exception|fail|fatal|traceback|panic|denied|refused|reject|declin|invalid|unknown"
    r"|missing|required|not |n't|no such|no |cannot|unable|must |expect|unexpected|timed? ?out"
    r"|timeout|exceed|limit"
    r"|already|conflict|duplicate|insufficient|expired|unavailable|forbidden|unauthori|abort|crash"
    r"|killed|corrupt|malformed|mismatch|unsupported|overflow|out of|too |not_|null|undefined"
    r"|never|wrong|only |exit|code"
    r"|success\"?: ?false|ok\"?: ?false|: ?false|returncode|status|violat|lost|reset|closed|broken"
    r"|unreachable|blocked|locked|fault|warning|illegal|bad |problem|usage|stderr|err\b|reason|is"
    r" not|does"
    r"|失败|错误|异常|无法|不|超|未|已|拒绝|缺|无|禁止|过期|冲突|重复|繁忙|满|[45]\d\d|[\"']",
    _options,
)
_JSON_SIGNS = re2.compile(
    r"\"(?:error|errors|exception|err|fault|failure|is_?error|has_?error|success|ok|succeeded"
    r"|exit_?code|return_?code|stderr|traceback|stack_?trace|errcode|errmsg|error_?code"
    r"|error_?message|detail|isError|错误|异常)\"\s*:"
    r"|\"(?:status|state|result|code|message|msg|statusCode)\"\s*:|traceback|error|exception|fail|失败|错误",
    _options,
)


def plainly_data(result: Result) -> bool:
    """Whether nothing at the places that count looks like a failure."""
    if result.is_error:
        return False
    text = result.text
    if len(text) <= _SMALL:
        return False
    head, tail = text[:_HEAD], text[-_TAIL:]
    first = head.lstrip()[:1]
    signs = _JSON_SIGNS if first in ("{", "[") else _SIGNS
    return signs.search(head) is None and signs.search(tail) is None
