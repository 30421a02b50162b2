"""Does a bare sentence tell of a failure? Only from tools whose answer is no text by nature, and the more a tool is one
that fetches or reports, the more the sentence must speak of the asking: "Order ORD-9 not found" does, "The bridge is
closed" does not.
"""

import re

from proxy.failures.call import Call
from proxy.failures.classify import of_link
from proxy.failures.codes import BY_NAME
from proxy.failures.echo import masked
from proxy.failures.good_news import DONE, good
from proxy.failures.statuses import http_status
from proxy.failures.story import Link, named
from proxy.failures.vocabulary import general, spoken, tells
from proxy.failures.wordsets import wordset

_LONGEST = 1500
_HEAD = 400
"""A bare message says what is wrong at its beginning."""
_MOST_LINES = 14
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
_ASIDE = re.compile(r"^(?:NOTICE|INFO|WARNING|WARN|DEBUG|HINT|LOG|NOTE|TIP)\b[: ]", re.IGNORECASE)
_PAIR = re.compile(r"^\s*[\w .\-/]{1,40}\s?[:=]\s?\S.*$")
_QUOTED = re.compile(r"['\"`]([^'\"`\n]{2,200})['\"`]")
_LAST_WORD = re.compile(r": ([\w./-]{3,80})[.!]?$")
_HEADER = re.compile(r"^[a-z]\w*(?:[,\t|] ?[a-z]\w*)*$")
"""Names of columns."""
_FOUND = re.compile(r"^[\w./-]+\.\w{1,5}:\d+[:-]\s")
"""`path:line: text` of a search."""
_ENTRY = re.compile(r"^[\w./-]+:\s")
_LEVEL = re.compile(r"^\W?(?:error|warn|warning|info|debug)\b\W", re.IGNORECASE)
_NETWORK = wordset("fetch browse scrape crawl url web webpage website http download search page")


def fails(text: str, call: Call) -> bool:
    """Whether a bare sentence, from a tool whose answer is not text by nature, tells of a failure."""
    bare = text.strip()
    lines = [line for line in bare.split("\n") if line.strip()]
    if not lines or _ASIDE.match(lines[0]):
        return False
    if len(bare) > _LONGEST:
        return _long(lines, call)
    several = len(lines) > 1 and not _opens(lines[0])
    if (several and len(lines) > _MOST_LINES) or _listing(lines, call) or good(bare, call):
        return False
    words = masked((lines[0] if len(lines) > 1 and not several else bare)[:_HEAD], call)
    if len(spoken(words).split()) < 2 and not re.search(r"[一-鿿]{4}", words):
        return False
    if call.getter:
        return _of_getter(bare, words, call)
    return _complaint(words, lines, call) or _opens(words)


def _opens(line: str) -> bool:
    """A line that tells of a failure."""
    return tells(line) or bool(_LEAD.match(line)) or (http_status(line) > 0 and not re.fullmatch(r"\W*\d{3}\W*", line))


def _long(lines: list[str], call: Call) -> bool:
    """A long text: its first sentence or line has to say it."""
    if len(lines) <= 3:
        return fails(" ".join(lines)[:300].rsplit(" ", 1)[0], call)
    first = lines[0]
    if call.kind != "action" or len(first) > 300 or good(first, call):
        return False
    rule = general.first(spoken(first))
    return rule is not None and BY_NAME[rule.code].type == "validation" and rule.code != "INVALID_VALUE"


def _of_getter(text: str, words: str, call: Call) -> bool:
    """A tool that fetches says what is wrong at once, and it refuses nothing for reasons of business."""
    if not _opens(words) or ("\n" in text and not _opens(text.partition("\n")[0]) and not text[:1].islower()):
        return False
    code = of_link(Link("", text), "", 0, call)
    return code is None or BY_NAME[code].type != "business_rejection"


def mentions(text: str, call: Call) -> bool:
    """Whether the text speaks of what the call sent."""
    if any(len(value) > 2 and value in text for _, value in call.values):
        return True
    words = [*_QUOTED.findall(text)[:6], *_LAST_WORD.findall(text)]
    return any(call.argument_of(word) for word in words)


def outside(text: str, call: Call) -> bool:
    """For a tool that shows text of others: whether a short sentence says that it could not be reached."""
    return bool(call.words & _NETWORK) and len(text) < 200 and "\n" not in text and plain_start(text)


def plain_start(text: str) -> bool:
    """Whether a sentence begins with the failure itself or a general subject, not with what content speaks of."""
    return bool(_START.match(text))


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
        DONE.search(words)
        and not re.search(
            r"\b(?:not|never|cannot|already|unable|only|must|at most|at least)\b|n't\b", words, re.IGNORECASE
        )
    ):
        return False
    if call.commercial and (_STATE.search(words) or _STATE_ZH.search(words)):
        return True
    return bool(_NEGATION.search(words))


def _listing(lines: list[str], call: Call) -> bool:
    """Several lines of one form (settings, records, log lines) are data."""
    if len(lines) > 1 and (_HEADER.match(lines[0]) or all(_LEVEL.match(line) for line in lines)):
        return True
    if call.getter and _FOUND.match(lines[0]):
        return True
    if len(lines) < (2 if call.getter else 3):
        return False
    if all(len(line.split()) <= 3 for line in lines):
        return True
    if len(lines) == 2 and not all(_ENTRY.match(line) for line in lines):
        return False
    pairs = sum(1 for line in lines if _PAIR.match(line) and not named(line.strip()))
    return pairs == len(lines) and not any(named(line) for line in lines)
