"""Is a bare message good news? An answer that things went well, an empty answer, a metric, an explanation.

What the call asked for counts: a tool that blocks users says "blocked", and that is its success. The first clause
decides: "Booked for 19:00. No refunds." is good news with small print.
"""

import re

from proxy.failures.call import Call
from proxy.failures.codes import BY_NAME
from proxy.failures.echo import masked
from proxy.failures.vocabulary import business, general, specific, spoken
from proxy.failures.wordsets import wordset

_GOOD = re.compile(
    r"^(?:ok(?:ay)?|done|success(?:ful(?:ly)?)?|completed?|finished|all (?:good|checks|tests)|yes"
    r"|true|passed|healthy)\b"
    r"|(?<!un)(?<!not )\bsuccess(?:ful|fully)?\b(?! rate)|\b(?:0|no|zero|without) (?:\w+"
    r" )?(?:errors?|failures?|failed|issues?|problems?|conflicts?|warnings?|violations?"
    r"|vulnerabilit\w+|mistakes?|defects?|anomal\w+|differences|changes)\b"
    r"|\bnothing (?:found|changed|to (?:be done|do|commit|show|update|report|delete|sync|import))\b"
    r"|\bup.to.date\b|\bno changes\b|\b(?:is|are) now\b",
    re.IGNORECASE,
)
DONE = re.compile(
    r"(?<!\bcan be )(?<!\ban )(?<!\ba )(?<!\bthe )\b(?:sent|created|updated|deleted|removed|added|saved"
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
_SURELY_DONE = re.compile(
    r"^(?:\W*\w+\W+){0,6}?(?:sent|created|updated|added|saved|scheduled|placed|submitted|uploaded"
    r"|downloaded|imported|exported|installed"
    r"|enabled|applied|restarted|completed|finished|registered|posted|published|copied|moved"
    r"|renamed|written|wrote|assigned|configured|synced"
    r"|indexed|stored|transferred|archived|generated|merged|deployed|built|queued|acknowledged"
    r"|resolved|logged|recorded|confirmed|notified|converted"
    r"|subscribed|enrolled|accepted|received|issued|clicked|done|booked|reserved|filed|selected"
    r"|typed|navigated)\b",
    re.IGNORECASE,
)
"""Done, in the first clause; words that a refusal begins with as well (delivered, closed, cancelled) are not here."""
_CLAUSE = re.compile(r"\.(?!\d)|[;:,(!?\n—–]| but | however | except ")
_BUT = re.compile(r"\b(?:but|however|although|except)\b", re.IGNORECASE)
_IRREGULAR = dict(
    pair.split("/")
    for pair in wordset(
        """
        freeze/frozen unfreeze/unfrozen send/sent write/written sell/sold hold/held
        pay/paid break/broken withdraw/withdrawn take/taken give/given buy/bought
        make/made build/built forbid/forbidden choose/chosen cut/cut put/put set/set
        split/split deny/denied ban/banned cancel/cancelled stop/stopped
        """
    )
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
_DONE_ZH = re.compile(r"已(?:经|为您|成功)?([一-鿿]{2})")
_TAKEN_ZH = re.compile(r"(?:申请|请求|订单|信息|资料|修改)已(?:提交|受理|收到|登记|保存|更新)")
_BAD_ZH = re.compile(r"失败|不可|勿|重复|无法|不能|不足|错误[:：]|异常[:：]|未成功|不成功|没有成功|拒绝|超时")
_EMPTY = re.compile(
    r"^(?:there (?:are|were) )?(?:no|0|zero) (?:matching |new |open |such |more |available "
    r"|further |relevant |active |pending )?(?:[\w-]+ ){0,3}?(?:results?|matches|data|rows|records"
    r"|entries|hits|items|(?!access|address|class|process|permissions|credentials|funds|rights"
    r"|privileges|seats|places|rooms|slots|tickets|vacancies|spots|tables|tokens"
    r"|headers)[a-z]{3,20}s)\b(?! (?:provided|given|supplied|specified|configured|left|allowed))"
    r"|^nothing (?:found|matched|matches)|^(?:you have|there (?:is|are)) no \w|^empty (?:dataframe"
    r"|series|set|list|result|table|response body)|returned no (?:results|rows|records|matches)"
    r"|^(?:empty|none|null|nil|n/a)\.?$|^(?:没有|未|暂无|无)(?:找到|查到|查询到"
    r"|搜索到|检索到)?(?:任何|相关|符合条件的?|匹配的?|满足条件的?)?[^为号iI…]{0,12}(?:数据|记录"
    r"|结果|内容|订单|信息)[。.!！]?$|^(?:查询|搜索|检索)结果为空",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"^(?:imported|updated|deleted|inserted|created|sent|processed|copied|moved|synced|uploaded"
    r"|downloaded|exported|added|removed|loaded|saved|wrote|deployed|migrated|checked|scanned)"
    r" (?:\w+ )?[1-9]\d*\b|^[1-9]\d* (?:\w+ )?(?:of \d+ )?(?:\w+ )?(?:imported|updated|deleted"
    r"|inserted|created|sent|processed|copied|passed|succeeded|done|added|saved|ok)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(r"^(?:invalid|illegal|unknown|unsupported|bad|unexpected|missing|no such|wrong)\b", re.IGNORECASE)
_METRICS = re.compile(r"^(?:[A-Za-z][\w ]{0,30}[:=] ?-?\d[\d.,]*\s?%?(?:[,;|]\s?|$)){2,}$")
_QUESTION = re.compile(
    r"^(?:which|what|who|when|where|why|how|is|are|do|does|did|can|could|would|should)\b[^.!\n]*\?$", re.IGNORECASE
)
_METRIC = re.compile(r"^[\w \t%()/.-]{1,60}[:=]\s*[-±~≈]?\d[\d.,]*\s?[%\w]{0,8}\s*$")
_EXPLAINS = re.compile(
    r"\b(?:means|meaning|indicates|usually|typically|happens when|occurs when|refers to|for"
    r" example|such as|e\.g\.|is raised when|can be fixed|you (?:can|should)|to fix)\b",
    re.IGNORECASE,
)
_NOT_EMPTY = wordset(
    """
    INVALID_URL MISSING_ARGUMENT INVALID_FORMAT UNKNOWN_FUNCTION UNKNOWN_FIELD UNKNOWN_COLUMN
    UNKNOWN_COMMAND INVALID_TYPE
    """
)


def good(text: str, call: Call) -> bool:
    """Whether `text` is good news."""
    first = masked(text, call).strip()
    head = first.split("\n", 1)[0]
    if _METRICS.match(head) or _QUESTION.match(first) or first.startswith(("No, ", "Yes, ")):
        return True
    if (_METRIC.match(head) and not _FAULT.match(head)) or _empty(first, call):
        return True
    if (_GOOD_ZH.search(first) or _done_zh(first, call)) and not _BAD_ZH.search(first):
        return True
    negative = _NEGATIVE.search(
        re.sub(r"\b(?:0|no|zero) (?:errors?|failures?|failed)\b", "", first, flags=re.IGNORECASE)
    )
    if not negative and (_GOOD.search(first) or (DONE.search(head) and not _precise(_without_tool(first, call)))):
        return True
    if _began_well(first) or _did_as_told(first, call) or _PARTLY.match(head):
        return True
    return call.kind == "content" and bool(_EXPLAINS.search(first))


def _empty(text: str, call: Call) -> bool:
    """An empty answer, and not the lack of something that the call needed."""
    if not _EMPTY.search(text) or (call.commercial and not re.search(r"found|match|result|rows|record", text)):
        return False
    rule = general.first(spoken(text))
    return not (_precise(text) or (rule is not None and rule.code in _NOT_EMPTY))


def _began_well(text: str) -> bool:
    """The first clause says that it was done, and nothing takes it back."""
    clause = _CLAUSE.split(text, maxsplit=1)[0]
    if re.search(r"\b(?:can|may|might) be\b", clause):
        return False
    return bool(_SURELY_DONE.match(clause)) and not _NEGATIVE.search(clause) and not _BUT.search(text)


def _done_zh(text: str, call: Call) -> bool:
    """`取消订单` says 已取消: that is its success."""
    if _TAKEN_ZH.search(text):
        return True
    return any(found.group(1) in call.words for found in _DONE_ZH.finditer(text))


def _did_as_told(text: str, call: Call) -> bool:
    """`block_user` says "blocked", `reject_request` says "rejected": that is its success."""
    if re.search(r"[:：]", text):
        return False
    for word in call.words:
        if len(word) < 3:
            continue
        stem = re.escape(word.rstrip("e").removesuffix("y"))
        other = f"|{_IRREGULAR[word]}" if word in _IRREGULAR else ""
        done = re.compile(rf"\b(?:{stem}\w{{0,2}}(?:ed|d|t|n){other})\b", re.IGNORECASE)
        if done.search(text) and not _NEGATIVE.search(_without_tool(done.sub("", text), call)):
            return True
    return False


def _without_tool(text: str, call: Call) -> str:
    """`text` without the words of the tool's name: "Timeout set" of `set_timeout` is no timeout."""
    for word in call.words:
        if len(word) >= 4:
            text = re.sub(rf"\b{re.escape(word)}s?\b", "", text, flags=re.IGNORECASE)
    return text


def _precise(text: str) -> bool:
    """Words that name a kind of failure, not only that something is not there."""
    words = spoken(text)
    if any((rule := rules.first(words)) is not None and not rule.weak for rules in (specific, business)):
        return True
    rule = general.first(words)
    if rule is None or BY_NAME[rule.code].type == "validation":
        return False
    return rule.code not in ("NOT_FOUND", "UNKNOWN_ERROR", "CANCELLED")
