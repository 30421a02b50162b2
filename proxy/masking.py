r"""Blacks out credentials in what the run log keeps, without moving a byte.

Every masked byte becomes `*`, so offsets, lengths and the JSON around it stay as they were: a masked body is still the
body, and a difference to an earlier one still fits. What is a credential: the caller's own (told by whoever saw the
headers), values that have the form of one, values that are named as one, and what the pack's patterns match.

The forms are one RE2 program: linear in the text whatever it holds, 0.5 ms for 220 KB, and the interpreter lock is free
meanwhile. They read raw JSON, so a quote may stand behind backslashes and a letter before a key may be half of `\n`.
A streamed answer spells a credential over many events; its pieces are read as one text.

Pure: knows no log, no file, and not where the text came from.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote

import re2

Span = tuple[int, int]

_SHORTEST = 6
"""A shorter credential of the caller is a placeholder (`x`, `EMPTY`): masking it would black out half of the text."""
_MOST = 20_000
"""Spans in one text; behind so many everything is blacked out, because looking further would take seconds."""

_START = rb"(?:^|[^A-Za-z0-9_-]|\\[nrtbf]|\\u[0-9A-Fa-f]{4})"
_SEP = rb"\\*[\"']?\s{0,4}(?:=>|:=|[:=]|\xef\xbc\x9a)\s{0,4}"
_NAMED = (
    rb"(?i:password|passwd|passphrase|pwd|secret|secret[_-]?key|client[_-]?secret|api[_-]?key|access[_-]?key"
    rb"|account[_-]?key|private[_-]?key|shared[_-]?access[_-]?key|(?:access|auth|refresh|id|session|bearer|api)[_-]?token"
    rb"|signing[_-]?key|encryption[_-]?key|credentials?|sessionid"
    rb"|\xe5\xaf\x86\xe7\xa0\x81|\xe5\x8f\xa3\xe4\xbb\xa4|\xe5\xaf\x86\xe9\x92\xa5)"
)
_QUERY_NAMED = rb"(?i:(?:[a-z-]*[_-])?(?:key|apikey|token|auth|sig|signature|password|secret|credential))"
_DATABASE = rb"(?i:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|oracle|ldaps?|smtps?|s?ftps?|clickhouse)"


def _any(_before: bytes, _value: bytes) -> bool:
    return True


def _digit(_before: bytes, value: bytes) -> bool:
    """A word of prose or code has no digit; a key has."""
    return any(0x30 <= byte <= 0x39 for byte in value)


def _token(before: bytes, value: bytes) -> bool:
    return _digit(before, value) or len(value) >= 24


def _assigned(before: bytes, value: bytes) -> bool:
    """A bare word behind a name is prose or code, unless it is a variable of the environment that is set."""
    return _digit(before, value) or (before.isupper() and before.endswith(b"="))


_FORMS: tuple[tuple[bytes, Callable[[bytes, bytes], bool]], ...] = (
    (_START + rb"([spr]k[-_][A-Za-z0-9_-]{8,})", _digit),
    (_START + rb"(AIza[A-Za-z0-9_-]{8,})", _any),
    (_START + rb"(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})", _any),
    (_START + rb"((?:AKIA|ASIA|AROA|AIDA|ABIA)[A-Z0-9]{12,})", _any),
    (_START + rb"(xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,})", _any),
    (_START + rb"(hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{24,}|(?:gsk|dop_v1|pypi|r8)[_-][A-Za-z0-9_-]{20,})", _digit),
    (_START + rb"(xai-[A-Za-z0-9]{16,}|pplx-[A-Za-z0-9]{16,}|ya29\.[\w-]{16,}|SG\.[\w-]{12,}\.[\w-]{12,})", _digit),
    (_START + rb"(eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,})", _any),
    (rb"(?i:bearer)\s{1,3}([A-Za-z0-9._~+/=-]{8,})", _token),
    (rb"(?i:authorization)" + _SEP + rb"\\*[\"']?(?i:basic|token|apikey)\s{1,3}([A-Za-z0-9._~+/=-]{4,})", _any),
    (_DATABASE + rb"[+a-z0-9]{0,20}:\\?/\\?/[^\s/:@\"'\\<>]*:([^\s\"'\\<>@]+)@", _any),
    (rb":\\?/\\?/[^\s/:@\"'\\<>]*:([^\s/\"'\\<>]+)@", _any),
    (
        rb"(?:[?&;]|\\u0026)" + _QUERY_NAMED + rb"=([^\s&;\"'\\<>#]{4,})",
        _any,
    ),
    (_NAMED + _SEP + rb"\\*[\"']([^\"'\\\r\n]{3,})", _any),
    (_NAMED + _SEP + rb"([^\s\"'\\,;&<>(){}\[\]*]{6,})", _assigned),
    (rb"[A-Z0-9]_(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY)=([^\s\"'\\,;&<>(){}\[\]$*]{6,})", _any),
    (rb"(?:^|[^A-Za-z0-9_])(?i:token)" + _SEP + rb"\\*[\"']?([A-Za-z0-9._~+/=-]{16,})", _digit),
    (rb"(?i:cookie)" + _SEP + rb"\\*[\"']?([\w.-]{1,64}=[^\r\n\"'\\]{3,})", _any),
    (rb"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY-----([A-Za-z0-9+/=\\\s]+)", _any),
)


def _program() -> "re2._Regexp":
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(b"|".join(form for form, _ in _FORMS), options)


_UNION = _program()
_PIECE = re.compile(
    rb'"(?:content|arguments|text|partial_json|delta|reasoning|reasoning_content|thinking)" ?: ?'
    rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
)
_KEPT = re.compile(rb'\\u[0-9A-Fa-f]{4}|\\.|["\\\r\n]', re.DOTALL)


class Masker:
    """Finds and blacks out credentials; `patterns` are the pack's own. Raises ValueError for one that is not RE2's."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._own = tuple(_compiled(pattern) for pattern in patterns)

    def spans(self, data: bytes, secrets: Sequence[bytes] = ()) -> list[Span]:
        """What to black out, in order, without overlap. `secrets` are credentials that are known."""
        found = self._found(data, secrets)
        if is_stream(data):
            found += self._over_events(data, secrets)
        return merged(found, len(data))

    def mask(self, data: bytes, secrets: Sequence[bytes] = ()) -> tuple[bytes, int]:
        """The same number of bytes, and how many spans of them are blacked out."""
        spans = self.spans(data, secrets)
        return (black(data, spans) if spans else data), len(spans)

    def _found(self, data: bytes, secrets: Sequence[bytes]) -> list[Span]:
        found = [span for secret in secrets for form in _spellings(secret) for span in _occurrences(data, form)]
        for match in _UNION.finditer(data):
            index = match.lastindex
            start, end = match.span(index)
            if _FORMS[index - 1][1](data[match.start() : start], data[start:end]):
                found.append((start, end))
            if len(found) > _MOST:
                return [*found, (match.end(), len(data))]
        for pattern in self._own:
            found += (match.span() for match in pattern.finditer(data))
        return found

    def _over_events(self, data: bytes, secrets: Sequence[bytes]) -> list[Span]:
        """Spans of a credential that is spread over the pieces of a streamed answer."""
        joined = b"".join(_PIECE.findall(data))
        found = self._found(joined, secrets)
        return list(_placed(merged(found, len(joined)), data)) if found else []


def is_stream(data: bytes) -> bool:
    """Whether this is a body of server-sent events."""
    return data.startswith((b"data:", b"event:", b":", b"id:", b"retry:"))


def black(data: bytes, spans: Sequence[Span]) -> bytes:
    """`data` with `*` in place of each byte of the spans, except quotes and escapes, which hold the JSON together."""
    parts, at = [], 0
    for start, end in spans:
        begin = max(start, at) + _half_escape(data, start)
        if begin < end:
            parts += [data[at:begin], _blackened(data[begin:end])]
            at = end
    return b"".join((*parts, data[at:]))


def _blackened(segment: bytes) -> bytes:
    at, parts = 0, []
    for kept in _KEPT.finditer(segment):
        parts += [b"*" * (kept.start() - at), kept.group()]
        at = kept.end()
    return b"".join((*parts, b"*" * (len(segment) - at)))


def _half_escape(data: bytes, start: int) -> int:
    """Bytes from `start` on that belong to an escape which begins before it."""
    for back in range(1, min(start, 5) + 1):
        at = start - back
        if data[at] == 0x5C and (back == 1 or data[at + 1] == 0x75) and _escapes(data, at):
            return (6 if data[at + 1 : at + 2] == b"u" else 2) - back
    return 0


def _escapes(data: bytes, at: int) -> bool:
    """Whether the backslash there begins an escape, and is not itself escaped."""
    before = at
    while before > 0 and data[before - 1] == 0x5C:
        before -= 1
    return (at - before) % 2 == 0


def _compiled(pattern: str) -> "re2._Regexp":
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(f"not a pattern that RE2 takes: {pattern!r}: {error}") from error


@lru_cache(maxsize=256)
def _spellings(secret: bytes) -> tuple[bytes, ...]:
    """The credential as it is, without its scheme, inside a JSON string, and inside a URL."""
    scheme, _, value = secret.partition(b" ")
    bare = value.strip() if value and scheme.isalpha() else secret.strip()
    if len(bare) < _SHORTEST:
        return ()
    text = bare.decode("utf-8", "surrogateescape")
    forms = {bare, json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogateescape")}
    return tuple(forms | {quote(bare, safe="").encode()})


def _occurrences(data: bytes, part: bytes) -> Iterator[Span]:
    at = data.find(part)
    while at >= 0:
        yield at, at + len(part)
        at = data.find(part, at + len(part))


def _placed(spans: Sequence[Span], data: bytes) -> Iterator[Span]:
    """Spans of the joined pieces, as spans of the text that the pieces came from."""
    pending = iter(spans)
    span = next(pending, None)
    offset = 0
    for piece in _PIECE.finditer(data):
        begin, size = piece.start(1), piece.end(1) - piece.start(1)
        while span is not None and span[0] < offset + size:
            yield begin + max(span[0] - offset, 0), begin + min(span[1] - offset, size)
            if span[1] > offset + size:
                break
            span = next(pending, None)
        offset += size


def merged(spans: list[Span], size: int) -> list[Span]:
    """In order, without overlap, within `size` bytes."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        elif start < min(end, size):
            merged.append((start, end))
    return merged
