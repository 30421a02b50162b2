"""Reads results that are one bare message, as `str(e)`, `repr(e)` or `Name: message` leave them, without any frames.

Two questions: is it a failure at all (a sentence could be data), and which exception says it.
"""

import re

from proxy.failures import reprs
from proxy.failures.call import Call
from proxy.failures.good_news import good
from proxy.failures.story import Link, Story, link_of
from proxy.failures.vocabulary import tells

_LONGEST = 15_000

_TUPLE = re.compile(r"^\((?:-?\d+|['\"b]).*\)$", re.DOTALL)
_ERRNO = re.compile(r"^\[?(?:Errno |WinError |SSL: )|^E[A-Z]{4,15}[:,] ")
_STRUCTURAL = re.compile(
    r"^(?:HTTPS?ConnectionPool\(|\[?Errno |\[WinError |\[SSL|HTTP(?:/\d\.\d)? ?[45]\d\d\b|HTTP"
    r" (?:Error|status|code)|[45]\d\d (?:Client|Server) Error|Error code: \d{3}\b|SQLSTATE"
    r"|ORA-\d{5}|b?'?\[[A-Z]{6,40}\] |ERROR: |FATAL: |Request req_|rpc error: |<_?\w*(?:RpcError"
    r"|Rendezvous)|An error occurred \(|Message: |\(\d{3}\)\nReason: |DPY-\d{4}|DPI-\d{4}|Msg \d+,"
    r" Level |\d{3} (?:GET|POST|PUT|DELETE|PATCH) https?://|<urlopen error |<[\w.]*(?:Error"
    r"|Exception|Rendezvous)\b)"
)
_METRIC = re.compile(r"^[\w \t%()/.-]{1,60}[:=]\s*-?\d[\d.,]*\s?[%\w]{0,8}\s*$")
_QUOTES = re.compile(r"^(['\"]).{1,400}\1$", re.DOTALL)


def read(text: str, call: Call) -> tuple[Story, bool] | None:
    """The story of a bare message, and whether its form alone proves a failure; None where it has neither form nor
    words of one.
    """
    bare = text.strip()
    if not bare or len(bare) > _LONGEST:
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
    if len(bare) > 160 or "\n" in bare or not _HIDDEN.search(bare) or good(bare, call):
        return False
    named_here = call.names(bare)
    return (named_here or bool(_ACT.search(bare))) and not re.search(r"[:：]\s*-?\d", bare)
