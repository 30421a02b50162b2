"""Reads results that are one bare message, as `str(e)`, `repr(e)` or `Name: message` leave them, without any frames.

Two questions: is it a failure at all (a sentence could be data), and which exception says it.
"""

import re

from proxy.failures import reprs
from proxy.failures.call import Call
from proxy.failures.codes import BY_NAME
from proxy.failures.echo import masked
from proxy.failures.statuses import http_status
from proxy.failures.story import Link, Story, link_of, named
from proxy.failures.vocabulary import Rule, business, general, specific, spoken, tells
from proxy.failures.wordsets import wordset

_LONGEST = 1500
_HEAD = 400
"""A bare message says what is wrong at its beginning."""
_MOST_LINES = 14

_TUPLE = re.compile(r"^\((?:-?\d+|['\"b]).*\)$", re.DOTALL)
_ERRNO = re.compile(r"^\[?(?:Errno|WinError|E[A-Z]{4,12}\b|SSL: )")
_STRUCTURAL = re.compile(
    r"^(?:HTTPS?ConnectionPool\(|\[?Errno |\[WinError |\[SSL|HTTP(?:/\d\.\d)? ?[45]\d\d\b|HTTP"
    r" (?:Error|status|code)|[45]\d\d (?:Client|Server) Error|Error code: \d{3}\b|SQLSTATE"
    r"|ORA-\d{5}|b?'?\[[A-Z]{6,40}\] |ERROR: |FATAL: |Request req_|rpc error: |<_?\w*(?:RpcError"
    r"|Rendezvous)|An error occurred \(|Message: |\(\d{3}\)\nReason: |DPY-\d{4}|DPI-\d{4}|Msg \d+,"
    r" Level |\d{3} (?:GET|POST|PUT|DELETE|PATCH) https?://|<urlopen error |<[\w.]*(?:Error"
    r"|Exception|Rendezvous)\b)"
)

_GOOD = re.compile(
    r"^(?:ok(?:ay)?|done|success(?:ful(?:ly)?)?|completed?|finished|all (?:good|checks|tests)|yes"
    r"|true|passed|healthy)\b"
    r"|(?<!un)(?<!not )\bsuccess(?:ful|fully)?\b(?! rate)|\b(?:0|no|zero|without) (?:\w+"
    r" )?(?:errors?|failures?|failed|issues?|problems?|conflicts?|warnings?|violations?"
    r"|vulnerabilit\w+|mistakes?|defects?|anomal\w+|differences|changes)\b"
    r"|\bnothing (?:found|changed|to (?:do|commit|show|update|report|delete|sync|import))\b"
    r"|\bup.to.date\b|\bno changes\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"(?<!\ban )(?<!\ba )(?<!\bthe )\b(?:sent|created|updated|deleted|removed|added|saved"
    r"|scheduled|booked|reserved|placed|submitted|uploaded|downloaded|imported|exported|installed"
    r"|enabled|disabled|(?:is|was|been|now) set|set to|applied|refunded|cancell?ed"
    r"|restarted|started|stopped|completed|finished|registered|processed|posted|published|copied"
    r"|moved|renamed|written|wrote|assigned|approved|granted|received|accepted|changed|configured"
    r"|indexed|stored|transferred|charged|paid|archived"
    r"|synced|synchroni[sz]ed|generated|merged|deployed|built|queued|acknowledged|resolved|closed"
    r"|opened|logged|recorded|confirmed|delivered|notified|subscribed|muted|rotated|retried"
    r"|cleared|flushed|killed|pushed|pulled|cloned|committed)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|cannot|can't|unable|fail\w*|errors?|already|den(?:y|ied)|refus\w*|reject\w*"
    r"|declin\w*|invalid|insufficient|exceed\w*|unavailable|could|only|must|but|however|unless|too"
    r"|no longer|expired|unknown|missing|timed|blocked|rolled)\b|n't\b",
    re.IGNORECASE,
)
_GOOD_ZH = re.compile(
    r"(?<![不未没])(?:成功|正常|已完成|完成|通过)|(?:未|没有?|无)(?:发现|检测到|出现"
    r"|任何)?(?:任何)?(?:错误|异常|问题|故障|失败|冲突)|0 ?(?:个|条|项|次)?(?:错误|失败|异常)"
    r"|全部(?:正确|成功|通过)"
)
_BAD_ZH = re.compile(r"失败|无法|不能|不足|错误[:：]|异常[:：]|未成功|不成功|没有成功|拒绝|超时")
_EMPTY = re.compile(
    r"^(?:there (?:are|were) )?(?:no|0|zero) (?:matching |new |open |such |more |available "
    r"|further |relevant |active |pending )?(?:[\w-]+ ){0,3}?(?:results?|matches|data|rows|records"
    r"|entries|hits|items|(?!access|address|class|process|permissions|credentials|funds|rights"
    r"|privileges|seats|places|rooms|slots|tickets|vacancies|spots|tables|tokens"
    r"|headers)[a-z]{3,20}s)\b(?! (?:provided|given|supplied|specified|configured|left|allowed))"
    r"|^nothing found|^(?:empty|none|null|nil|n/a)\.?$|^(?:没有|未|暂无|无)(?:找到|查到|查询到"
    r"|搜索到|检索到)?(?:任何|相关|符合条件的?|匹配的?|满足条件的?)?[^为号iI…]{0,12}(?:数据|记录"
    r"|结果|内容|订单|信息)[。.!！]?$|^(?:查询|搜索|检索)结果为空",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|without|unexpectedly|missing|wrong|bad|different|differs?|only|must"
    r"|should|needs?|requires?|required|expected|instead|too|unable|fail\w*|invalid|illegal"
    r"|unknown|unsupported|denied|rejected|refused"
    r"|limit|exceed\w*|sealed|locked|expired|mismatch\w*|inconsistent|ambiguous|duplicate"
    r"|corrupt\w*|malformed|unexpected|incomplete|truncated|abort\w*|interrupted|conflict\w*|stale"
    r"|violat\w*|prohibited|forbidden|allowed|permitted|broken|lost|error)\b|n't\b",
    re.IGNORECASE,
)
"""Words of complaint; enough where a tool that does something answers with one bare sentence that is no good news."""
_NONE = Rule("", weak=True)
_NOT_EMPTY = wordset(
    """
    INVALID_URL MISSING_ARGUMENT INVALID_FORMAT UNKNOWN_FUNCTION UNKNOWN_FIELD UNKNOWN_COLUMN
    UNKNOWN_COMMAND INVALID_TYPE
    """
)
_TALKS = wordset(
    """
    ask user human chat say speak prompt input reply respond comment note message talk interview
    survey dictate think plan reflect todo memory remember recall
    """
)
_STATE = re.compile(
    r"\b(?:off|closed|locked|halted|frozen|blocked|overlap\w*|exhausted|used up|taken|unpaid"
    r"|outside|until|ended|full|contraindicated|maintenance|overdue|pending|still|asked for|only"
    r"|left|running|being|deactivated|suspended|expired|busy|late|sold|gone|unverified|owes?"
    r"|difficulties|requested|needs?|reserved|inactive|on hold|denied|declined|unable|void"
    r"|ineligible|insufficient|incomplete|required|requires|at least|at most|above|below|exceed\w*"
    r"|more than|less than)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[一-鿿]{5}")
_STATE_ZH = re.compile(
    r"不|未|无法|没有|超|满|仅|勿|停|冻结|锁|过期|结束|截止|异常|拦截|失败|缺|拒|禁|已(?:注册|存在"
    r"|被|发车|发货|使用|兑换|领取)|非"
)
_PARTLY = re.compile(
    r"^(?:imported|updated|deleted|inserted|created|sent|processed|copied|moved|synced|uploaded"
    r"|downloaded|exported|added|removed|loaded|saved|wrote|deployed|migrated|checked|scanned)"
    r" (?:\w+ )?[1-9]\d*\b|^[1-9]\d* (?:\w+ )?(?:of \d+ )?(?:\w+ )?(?:imported|updated|deleted"
    r"|inserted|created|sent|processed|copied|passed|succeeded|done|added|saved|ok)\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"^(?:(?:the |an? )?(?:request|connection|operation|read|write|call|server|service|host"
    r"|network|socket|remote|upstream|gateway|api|dns|ssl|tls|proxy|https?|url|tool|fetch|download"
    r"|session|client|api key|name or service)\b|timed? ?out\b|timeout\b|failed to\b|unable to\b"
    r"|could not\b|couldn't\b|cannot\b|can't\b|error\b|no route\b|too many requests\b|rate limit"
    r" (?:exceeded|reached)|unauthori[sz]ed\b|forbidden\b|access (?:is )?denied|permission denied"
    r"|not authori[sz]ed|authentication\b|invalid (?:api|token|credentials)|请求|连接|网络|服务"
    r"|系统|无法|没有权限|权限)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:an? )?(?:errors?|failed|failure|unable|could not|couldn't|cannot|can't|exception)\b(?!"
    r" (?:rate|count|log|logs|code|report|margin|budget|analysis))",
    re.IGNORECASE,
)
_FAULT = re.compile(r"^(?:invalid|illegal|unknown|unsupported|bad|unexpected|missing|no such|wrong)\b", re.IGNORECASE)
_METRIC = re.compile(r"^[\w \t%()/.-]{1,60}[:=]\s*-?\d[\d.,]*\s?[%\w]{0,8}\s*$")
_PAIR = re.compile(r"^\s*[\w .\-/]{1,40}\s?[:=]\s?\S.*$")
_QUOTES = re.compile(r"^(['\"]).{1,400}\1$", re.DOTALL)
_EXPLAINS = re.compile(
    r"\b(?:means|meaning|indicates|usually|typically|happens when|occurs when|refers to|for"
    r" example|such as|e\.g\.|is raised when|can be fixed|you (?:can|should)|to fix)\b",
    re.IGNORECASE,
)


def read(text: str, call: Call) -> tuple[Story, bool] | None:
    """The story of a bare message, and whether its form alone proves a failure; None where it has neither form nor
    words of one.
    """
    bare = text.strip()
    if not bare or len(bare) > _LONGEST * 10:
        return None
    if found := _formed(bare, call):
        return Story((found,), runtime="bare"), True
    link = link_of(bare)
    if link.name:
        return Story((link,), runtime="bare"), not link.message or not _METRIC.match(bare)
    if _STRUCTURAL.match(bare) or _ERRNO.match(bare):
        return Story((Link("", bare),), runtime="bare"), True
    return Story((Link("", bare),), runtime="bare"), False


def _formed(text: str, call: Call) -> Link | None:
    """Forms that only an exception has."""
    if link := reprs.exception(text):
        return link
    if _TUPLE.match(text) and tells(text):
        return Link("", reprs.inside(text[1:-1]))
    if _QUOTES.match(text) and "\n" not in text:
        inner = text[1:-1]
        if call.argument_of(inner) and " " not in inner.strip():
            return Link("KeyError", text)
        if text[0] == "'" and re.fullmatch(r"[A-Za-z_][\w.:-]{0,80}", inner):
            return Link("KeyError", text)
        if text[0] == "'" and tells(inner):
            return Link("", inner)
    return None


def certain(text: str) -> bool:
    """A repr of an exception, or the fixed beginning of a client library's message."""
    bare = text.strip()
    return reprs.exception(bare) is not None or (
        bool(_STRUCTURAL.match(bare)) and not bare.startswith(("ERROR", "FATAL"))
    )


_HIDDEN = re.compile(
    r"\b(?:errors?|failed|failure|failing|exception|went wrong|crashed)\b|失败|出错|错误|异常", re.IGNORECASE
)
_ACT = re.compile(
    r"\b(?:tools?|functions?|actions?|operation|execut\w+|invok\w+|call|request|occurred|something"
    r"|processing|handler|internal|unexpected|unknown)\b|操作|执行|调用|请求|系统|工具|未知|发生",
    re.IGNORECASE,
)


def hidden(text: str, call: Call) -> bool:
    """A short sentence that says that the tool failed, and nothing else."""
    bare = text.strip()
    if len(bare) > 160 or bare.count("\n") > 1 or not _HIDDEN.search(bare) or good(bare, call):
        return False
    named_here = call.names(bare)
    return (named_here or bool(_ACT.search(bare))) and not re.search(r"[:：]\s*-?\d", bare)


def fails(text: str, call: Call) -> bool:
    """Whether a bare sentence, from a tool whose answer is not text by nature, tells of a failure."""
    bare = text.strip()
    lines = [line for line in bare.split("\n") if line.strip()]
    if not lines or (len(lines) > _MOST_LINES and not tells(lines[0])):
        return False
    if len(bare) > _LONGEST and len(lines) > 3:
        return call.kind == "action" and len(lines[0]) < 300 and not good(lines[0], call) and _of_form(lines[0])
    if len(bare) > _LONGEST:
        return len(lines) <= 3 and fails(bare[:300].rsplit(" ", 1)[0], call)
    if good(bare, call) or (_listing(lines) and not tells(lines[0])):
        return False
    words = masked(bare[:_HEAD], call)
    if len(spoken(words).split()) < 2 and not re.search(r"[一-鿿]{4}", words):
        return False
    if _complaint(words, lines, call):
        return True
    return (
        tells(words) or bool(_LEAD.match(words)) or (http_status(words) > 0 and not re.fullmatch(r"\W*\d{3}\W*", words))
    )


def _complaint(words: str, lines: list[str], call: Call) -> bool:
    """A bare sentence with a word of complaint, from a tool that does something and talks to nobody."""
    if (
        call.getter
        or call.kind != "action"
        or call.words & _TALKS
        or len(lines) > 2
        or not (3 <= len(words.split()) <= 60 or _CHINESE.search(words))
    ):
        return False
    if "=" in words or (
        _DONE.search(words)
        and not re.search(r"\b(?:not|never|cannot|already|unable|only|must)\b|n't\b", words, re.IGNORECASE)
    ):
        return False
    if call.commercial and (_STATE.search(words) or _STATE_ZH.search(words)):
        return True
    return bool(_NEGATION.search(words))


def good(text: str, call: Call) -> bool:
    """Good news, an empty answer, a metric, or an explanation."""
    first = masked(text, call).strip()
    head = first.split("\n", 1)[0]
    if (_METRIC.match(head) and not _FAULT.match(head)) or (
        _EMPTY.match(first)
        and not (call.commercial and not re.search(r"found|match|result|rows|record", first))
        and not (_precise(first) or (general.first(spoken(first)) or _NONE).code in _NOT_EMPTY)
    ):
        return True
    if _GOOD_ZH.search(first) and not _BAD_ZH.search(first):
        return True
    negative = _NEGATIVE.search(
        re.sub(r"\b(?:0|no|zero) (?:errors?|failures?|failed)\b", "", first, flags=re.IGNORECASE)
    )
    if _GOOD.search(first) and not negative:
        return True
    if _DONE.search(head) and not negative and not _precise(_without_tool(first, call)):
        return True
    if _did_as_told(first, call) or _PARTLY.match(head):
        return True
    return bool(_EXPLAINS.search(first)) and call.kind == "content"


def _did_as_told(text: str, call: Call) -> bool:
    """`block_user` says "blocked", `reject_request` says "rejected": that is its success."""
    for word in call.words:
        if len(word) < 3:
            continue
        stem = word.rstrip("e")
        stem = stem.removesuffix("y")
        done = re.compile(rf"\b{re.escape(stem)}\w{{0,2}}(?:ed|d|t|n)\b", re.IGNORECASE)
        if (
            done.search(text)
            and not _NEGATIVE.search(_without_tool(done.sub("", text), call))
            and not re.search(r":|：", text)
        ):
            return True
    return False


def _without_tool(text: str, call: Call) -> str:
    """`text` without the words of the tool's name: "Timeout set" of `set_timeout` is no timeout."""
    for word in call.words:
        if len(word) >= 4:
            text = re.sub(rf"\b{re.escape(word)}s?\b", "", text, flags=re.IGNORECASE)
    return text


def plain_start(text: str) -> bool:
    """Whether a sentence begins with the failure itself or a general subject, not with what content speaks of."""
    return bool(_START.match(text))


def _of_form(text: str) -> bool:
    """Words about the form of a value: a validator speaks."""
    rule = general.first(spoken(text))
    return rule is not None and BY_NAME[rule.code].type == "validation" and rule.code != "INVALID_VALUE"


def _precise(text: str) -> bool:
    """Words that name a kind of failure, not only that something is not there."""
    words = spoken(text)
    if any((rule := rules.first(words)) is not None and not rule.weak for rules in (specific, business)):
        return True
    rule = general.first(words)
    return (
        rule is not None
        and BY_NAME[rule.code].type != "validation"
        and rule.code
        not in ("NOT_FOUND", "UNKNOWN_ERROR", "VALIDATION_FAILED", "INVALID_VALUE", "CANCELLED", "UNKNOWN_COMMAND")
    )


def _listing(lines: list[str]) -> bool:
    """Several lines of one form (settings, records, log lines) are data."""
    if len(lines) < 3:
        return False
    pairs = sum(1 for line in lines if _PAIR.match(line) and not named(line.strip()))
    return pairs == len(lines) and not any(named(line) for line in lines)
