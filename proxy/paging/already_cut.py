"""Tells whether an agent has cut a result itself, or put it in a file and left a pointer.

Such a text tells the model how to get the rest by the agent's own means, and a second cut would hide that. The signs
are those of many agents, by their kind: a line near the beginning or the end that consists of the notice, the notice as
the last words of the text, or a counted gap in brackets or dots (`… 120 lines omitted …`) anywhere. The word alone,
inside a log line or in code, is no sign: results that speak of truncation are cut like all others.
"""

import re
from collections.abc import Iterator

HEAD = 1000
TAIL = 1500
"""Characters at both ends in which notices are looked for."""
LINE = 500
"""A notice has no more characters."""
MAX_GAP_SEARCH = 1 << 18
"""Characters; an agent that cuts does not send more."""

_UNIT = r"(?:lines?|characters?|chars?|bytes?|tokens?|rows?|items?|results?|entries|words?|[kKMG]i?B)"
_CUT = r"(?:truncated|omitted|elided|clipped|abridged|left\ out|cut\ off|not\ shown|hidden|skipped|removed|trimmed)"
_WHAT = r"(?:outputs?|results?|responses?|contents?|texts?|files?|messages?|observations?|logs?|data|stdout|stderr)"
_RESULT = r"(?:outputs?|results?|responses?|contents?|observations?|logs?)"
_KEPT = r"(?:saved|written|stored|persisted|dumped|spilled)"
_COUNT = r"\+?~?\d[\d,._]*"

_GAP = re.compile(
    rf"""(?:…|\.\.\.|[\[(<{{（【])[ ]*(?:
        (?:{_WHAT}[ ])?{_COUNT}[ ]*(?:more[ ]|other[ ]|additional[ ]|remaining[ ])?{_UNIT}[ ]
            (?:(?:were|was|have[ ]been|has[ ]been|are|from[ ]the[ ]middle)[ ])*{_CUT}\b[^\n…\])>}}]{{0,60}}
      | {_CUT}:?[ ]{_COUNT}[ ]*{_UNIT}
      | (?:已)?(?:省略|截断|略去)了?[ ]*{_COUNT}[ ]*个?(?:行|字符|字节|字)
      | 中间[^\n]{{0,20}}(?:省略|截断)
    )[ ]*(?:…|\.\.\.|[\])>}}）】])""",
    re.IGNORECASE | re.VERBOSE,
)
_GAP_WORDS = ("truncated", "omitted", "elided", "clipped", "left out", "not shown", "skipped", "省略", "截断")
_NOTICE = re.compile(
    rf"""[\W_]*(?:(?:note|warning|notice|system|info|注意|提示)[\W_]+)?(?:
        (?:(?:the|this|your|tool|command|shell|last)\ )*{_WHAT}\b.{{0,40}}\b(?:was|is|has\ been|were|have\ been|are)\b
            .{{0,30}}\b(?:truncated|clipped|cut\ off|abridged|too\ (?:large|long|big))\b.{{0,300}}
      | (?:(?:tool|command|shell)\ )*(?:{_WHAT}\ )?(?:too\ (?:large|long|big)|truncated|clipped|abridged)[\W_]*
            (?:(?:due|because|for|to|at|after|from|by|as|total|full|see|in|since|showing|first|last)\b.{{0,300}})?
      | (?:\+|…|\.\.\.)\ ?{_COUNT}\ (?:more\ )?{_UNIT}\b.{{0,80}}
      | (?:and\ )?{_COUNT}\ more\ {_UNIT}\b.{{0,80}}
      | {_COUNT}\ (?:more\ |other\ )?{_UNIT}\ (?:(?:were|was|have\ been|has\ been|are)\ )?{_CUT}\b.{{0,80}}
      | (?:total\ output\ lines|original\ token\ count):\ {_COUNT}
      | showing\ (?:only\ )?(?:the\ )?(?:lines|characters|bytes|first\ \d|last\ \d|head|tail)\b.{{0,300}}
      | (?:.{{0,100}}\b)?(?:full|complete|entire|whole|untruncated|original)\ (?:\w+\ )?{_RESULT}\b.{{0,60}}
            \b(?:{_KEPT}|available|is\ (?:at|in)|in\ the\ file)\b.{{0,300}}
      | (?:full|complete|entire|whole|untruncated)\ (?:\w+\ )?{_RESULT}\ ?:\ ?\S.{{0,300}}
      | .{{0,200}}\b(?:too\ (?:large|long|big)|exceed(?:s|ed)?|larger\ than|truncated)\b.{{0,160}}\b{_KEPT}\b.{{0,300}}
      | (?:{_WHAT}\ )?(?:truncated|clipped)\ {_WHAT}\b.{{0,200}}
      | (?:工具|命令|返回|本次)*(?:输出|结果|内容|文本|文件|响应)+(?:已被?截断|被截断|过长|过大|太长|太大).{{0,200}}
      | 已(?:被)?截断.{{0,60}}
      | .{{0,40}}(?:完整|全部).{{0,12}}(?:保存|写入|存储|存放).{{0,200}}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_LAST_WORDS = re.compile(
    rf"""(?:…|\.\.\.)\ ?[\[(<]?\ ?(?:{_WHAT}\ )?(?:was\ )?
            (?:truncated|clipped|cut\ off|截断|已截断)[^\n]{{0,80}}[\W_]*\Z
      | [\[(<]\ ?(?:…|\.\.\.)?\ ?(?:{_WHAT}\ )?(?:was\ )?(?:truncated|clipped|已截断)[^\n\])>]{{0,80}}[\])>][\W_]*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_TAG = re.compile(
    r"<\W?(?:persisted|truncated|clipped|elided|response[ _-]clipped|output[ _-]truncated)[\w -]*>", re.IGNORECASE
)
_JSON = re.compile(r'\s*(?:\{\s*"|\[\s*[{"])')
_BEFORE, _BEHIND = re.compile(r'.*"\s*:\s*"'), re.compile(r'"\s*[,}\]].*')
"""What stands around the lines of a JSON string."""


def already_cut(text: str) -> bool:
    """Whether the text carries the notice of an agent that cut it or saved it to a file."""
    head, tail = text[:HEAD], text[max(HEAD, len(text) - TAIL) :]
    if _TAG.search(head) or _TAG.search(tail) or _LAST_WORDS.search(text[-200:]):
        return True
    lines = _json_lines if _JSON.match(text) else _lines
    if any(_NOTICE.fullmatch(line) for line in (*lines(head)[:4], *lines(tail or head)[-6:])):
        return True
    return len(text) <= MAX_GAP_SEARCH and any(_GAP.search(spot) for spot in _spots(text))


def _lines(text: str) -> list[str]:
    """The lines that have something in them and are short enough."""
    return [line for each in text.split("\n") if (line := each.strip()) and len(line) <= LINE]


def _json_lines(text: str) -> list[str]:
    """The same of a text inside JSON. A string of one line is a value like any other, and no notice."""
    found: list[str] = []
    for each in text.split("\n"):
        first, *others = each.split("\\n")
        if others:
            found += _lines("\n".join([_BEFORE.sub("", first), *others[:-1], _BEHIND.sub("", others[-1])]))
    return found


def _spots(text: str) -> Iterator[str]:
    """The surroundings of words that a counted gap must hold."""
    for word in _GAP_WORDS:
        place = text.find(word)
        for _ in range(50):
            if place < 0:
                break
            yield text[max(place - 60, 0) : place + 90]
            place = text.find(word, place + 1)
