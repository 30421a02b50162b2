"""Reads answers of web servers that are not JSON: HTML error pages, XML error bodies, and records of an HTTP response
(`{status_code, headers, body}`).

A page is a failure if its title is an HTTP status, not if it writes about one.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PAGE = re.compile(r"<(?:!doctype html|html|head|body|title)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,300})</title>|<h1[^>]{0,200}>([^<]{0,300})</h1>", re.IGNORECASE)
_DROPPED = re.compile(
    r"<(script|style|svg|head|noscript)\b[^>]{0,400}>.{0,20000}?</\1>|<!--.{0,4000}?-->", re.IGNORECASE | re.DOTALL
)
_BREAK = re.compile(r"</?(?:p|div|h\d|br|hr|li|tr|title|center|pre|ul|table)\b[^>]{0,400}>", re.IGNORECASE)
_TAG = re.compile(r"<[/!a-zA-Z][^<>]{0,2000}>")
_STATUS_TITLE = re.compile(
    r"^\W{0,3}(?:(?:HTTP|Error|HTTP Error|Status|HTTP Status)?\W{0,3}(?:[45]\d\d)\b.{0,80}"
    r"|(?:Error\W{0,3})?(?:Bad Request|Unauthorized|Forbidden|Access Denied|Not Found|Page not"
    r" found|Method Not Allowed|Request Timeout|Too Many Requests|Internal Server Error|Server"
    r" Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Web server is down"
    r"|Application Error|Error|.{0,60}\| 5\d\d: .{1,60}|Attention Required! \| Cloudflare|Just a"
    r" moment\.\.\.))\W{0,3}$",
    re.IGNORECASE,
)
_XML = re.compile(
    r"^\s*(?:<\?xml[^>]{0,200}\?>\s*)?<(?:\w+:)?(Error|ErrorResponse|Fault|Envelope|error|errors"
    r"|OperationFailed|ServiceExceptionReport|ExceptionReport)\b[^>]{0,600}>"
)
_FIELD = re.compile(
    r"<(?:\w+:)?(Code|Message|message|code|faultcode|faultstring|Reason|Text|Detail|detail"
    r"|ExceptionText|ServiceException|Resource|Key|BucketName"
    r"|description)\b[^>]{0,300}>([^<]{1,2000})<"
)
_STATUS_KEYS = ("status_code", "statusCode", "status", "http_status", "httpStatus", "code", "response_code")
_BODY_KEYS = ("body", "data", "text", "content", "response", "response_body", "json", "payload")


def is_page(text: str) -> bool:
    return bool(_PAGE.search(text[:400]))


def error_page(text: str) -> str:
    """The visible text of an error page; empty where the page is content."""
    if not is_page(text) or len(text) > 60_000:
        return ""
    titles = [
        next((group for group in found.groups() if group), "").strip()
        for found in list(_TITLE.finditer(text[:20_000]))[:2]
    ]
    if any(title and _STATUS_TITLE.match(html.unescape(title)) for title in titles):
        return visible(text)
    return ""


def visible(text: str) -> str:
    """Text with HTML taken out: one line a block, no repetition, bounded."""
    titles = [
        next((group for group in found.groups() if group), "").strip()
        for found in list(_TITLE.finditer(text[:20_000]))[:1]
    ]
    bare = _DROPPED.sub("\n", text[:30_000])
    bare = _TAG.sub(" ", _BREAK.sub("\n", bare))
    lines = [" ".join(html.unescape(line).split()) for line in [*titles, *bare.split("\n")]]
    return "\n".join(dict.fromkeys(line for line in lines if line))[:2000]


def without_markup(text: str) -> str:
    """`text` with an HTML page inside it replaced by what the page says."""
    found = _PAGE.search(text)
    if not found:
        return text
    return f"{text[: found.start()].rstrip()}\n{visible(text[found.start() :])}".strip()


def xml_error(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Message and code of an XML error body."""
    if not _XML.match(text[:1200]):
        return None
    fields = [
        (found.group(1), html.unescape(found.group(2)).strip()) for found in list(_FIELD.finditer(text[:20_000]))[:12]
    ]
    told = [
        value
        for name, value in fields
        if name.lower()
        in ("message", "faultstring", "reason", "text", "detail", "exceptiontext", "serviceexception", "description")
    ]
    codes = tuple(value for name, value in fields if name.lower() in ("code", "faultcode"))
    rest = [f"{name}: {value}" for name, value in fields if name in ("Resource", "Key", "BucketName")]
    return ("\n".join([*dict.fromkeys(told), *rest]), codes) if told or codes else None


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response as a record. `wait` is the Retry-After header as it stands."""

    status: int
    body: Any
    wait: str


def response(value: Mapping[str, Any]) -> Response | None:
    """The HTTP response that `value` records, or None."""
    status = next(
        (
            value[key]
            for key in _STATUS_KEYS
            if isinstance(value.get(key), int) and not isinstance(value.get(key), bool)
        ),
        None,
    )
    if status is None or not 100 <= status < 600:
        return None
    body_key = next((key for key in _BODY_KEYS if key in value), None)
    headers = value.get("headers")
    if body_key is None or not (isinstance(headers, dict) or isinstance(value[body_key], str) or status >= 400):
        return None
    if (
        not isinstance(headers, dict)
        and body_key in ("data", "content")
        and not isinstance(value[body_key], str)
        and "message" in value
    ):
        return None
    named = {str(key).lower(): str(item) for key, item in headers.items()} if isinstance(headers, dict) else {}
    return Response(status, value[body_key], named.get("retry-after", ""))
