"""The cheap gate: most results are data, and have to be let through at next to no cost.

Looks at the places that count, the head and the tail, for any word or form of a failure; where there is none, the
result is data. It may let data pass on to the readers; it must not keep back a failure that could stand at an edge of
a long text, so its words are the roots of the vocabulary. Short texts always pass on.
"""

import re

import re2

from proxy.failures.reading import Result

_HEAD, _TAIL = 1500, 2500
_SMALL = 2000

_options = re2.Options()
_options.case_sensitive = False
_options.never_capture = True
_SIGNS = re2.compile(
    r"error|except|fail|fatal|traceback|panic|den(y|ied)|refus|reject|declin|invalid|unknown|miss"
    r"|requir|\bnot?\b|n't|nothing|none"
    r"|cannot|unable|must|should|need|expect|tim(ed?|ing) ?out|exceed|limit|quota|already|conflict"
    r"|duplicat|insufficient|expir|avail"
    r"|forbid|authori|authent|abort|crash|kill|corrupt|malform|match|support|overflow|out of|too "
    r"|null|undefined|never|wrong|only|exit|code"
    r"|status|violat|lost|reset|clos|brok|reach|block|lock|fault|warn|illegal"
    r"|bad |problem|usage|contra|g[ai]v(e|ing) up|inconsist|found"
    r"|stderr|\berr\b|reason|does|exist|cancel"
    r"|interrupt|unexpected|incorrect|incomplete|ambiguous|recogni|permit|permission|allow|access"
    r"|resol|connect|response|overload|busy"
    r"|throttl|rate|retr(y|ies)|maximum|minimum|at (least|most)|below|above|outside|past|late|full"
    r"|stock|sold|empty|mismatch|differ"
    r"|depend|install|memory|space|argument|option|command|index|range|zero|nan|singular|converge"
    r"|cycle|decod|pars|encod|format|syntax"
    r"|terminat|disconnect|down|offline|maintenance|unset|stale|outdated|changed|modified|referenc"
    r"|certificat|handshake|redirect|proxy"
    r"|please|try|contact|sorry|instead|valid|negative|positive|gone|removed|deleted|inactive"
    r"|suspend|frozen|halt|pending|approv|overdue"
    r"|失败|错误|异常|无法|不|超|未|已|拒绝|缺|无|禁止|过期|冲突|重复|繁忙|满|没|非|停|截止"
    r"|维护|请|限|必须|需|权|登录|密码|冻结|锁|售罄|忙|崩|断|关闭|仅|只|低于|高于|[45]\d\d|'",
    _options,
)
_JSON_SIGNS = re2.compile(
    r"\"(error|errors|exception|err|fault|failure|is_?error|has_?error|success|ok|succeeded"
    r"|exit_?code|return_?code|stderr|traceback"
    r"|stack_?trace|errcode|errmsg|error_?code|error_?message|detail|错误|异常)\"\s*:"
    r"|\"(status|state|result|code|message|msg|statusCode)\"\s*:|traceback|error|exception|fail|失败|错误",
    _options,
)


_JSON = re.compile(r"\s*(?:\{|\[\s*(?:[\[{\"\d\]-]|null|true|false))")
_SAYS_NOTHING = re.compile(
    r"\"\w{0,20}(?:err|error|errors|exception|fault|failure|failures|failed)\"\s?:\s?(?:null|false|0|\"\"|\[\]|\{\})"
    r"(?=[\s,}\]])",
    re.IGNORECASE,
)
"""Fields for errors that hold none."""


def plainly_data(result: Result) -> bool:
    """Whether nothing at the places that count looks like a failure."""
    text = result.text
    if result.is_error or len(text) <= _SMALL:
        return False
    head, tail = text[:_HEAD], text[-_TAIL:]
    if not _JSON.match(head):
        return _SIGNS.search(head) is None and _SIGNS.search(tail) is None
    return not any(
        _JSON_SIGNS.search(part) and _JSON_SIGNS.search(_SAYS_NOTHING.sub("", part)) for part in (head, tail)
    )
