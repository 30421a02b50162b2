"""Header fields: which travel, which stop here, and which are nobody's business.

Three rules live here. Hop-by-hop fields (RFC 9110, 7.6.1, and what `Connection` names) end at each connection. Fields
and query parameters that hold a credential pass through, but the core and the log never get them: the core sees a
short list of request fields that are known to be harmless, and a placeholder in place of a secret field of an answer.
A hash of the credential scopes what is stored.

Text is UTF-8 with surrogate escapes, as in aiohttp, so that any bytes survive the way through. Knows no socket.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import unquote

Pairs = list[tuple[str, str]]
Raw = Iterable[tuple[bytes, bytes]]

HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
_FRAMING = frozenset({"content-length", "host", "expect"})

_SECRET_NAME = re.compile(
    r"(^|[-_])(authorization|auth|api[-_]?key|apikey|key|token|secret|password|passwd|credentials?|cookie2?|jwt|"
    r"signature|sig)($|[-_])"
)
_SECRET_QUERY = re.compile(
    r"(^|[-_.])(key|api[-_]?key|apikey|token|secret|sig|signature|password|credential|auth)$", re.IGNORECASE
)

_SHOWN = frozenset(
    {
        "accept",
        "accept-encoding",
        "accept-language",
        "content-encoding",
        "content-type",
        "conversation-id",
        "conversation_id",
        "idempotency-key",
        "originator",
        "session-id",
        "session_id",
        "thread-id",
        "traceparent",
        "user-agent",
        "x-client-request-id",
        "x-conversation-id",
        "x-idempotency-key",
        "x-request-id",
        "x-run-id",
        "x-session-affinity",
        "x-session-id",
        "x-thread-id",
    }
)
_SHOWN_PREFIXES = ("x-stainless-", "x-handrail-", "x-claude-code-", "x-codex-", "anthropic-", "openai-")

_SCOPING = frozenset(
    {
        "api-key",
        "apikey",
        "authorization",
        "ocp-apim-subscription-key",
        "proxy-authorization",
        "x-access-token",
        "x-api-key",
        "x-auth-token",
        "x-goog-api-key",
    }
)
_NO_SECRET = ("idempotency", "x-idempotency", "x-ratelimit-", "sec-websocket-", "cache-", "x-cache-")

_AWS_KEY_ID = re.compile(r"Credential=([^/,\s]+)")


@lru_cache(maxsize=2048)
def is_secret(name: str) -> bool:
    """Whether a field with this name (lower case) holds a credential."""
    return _SECRET_NAME.search(name) is not None and not name.startswith(_NO_SECRET)


@lru_cache(maxsize=2048)
def is_shown(name: str) -> bool:
    """Whether the core may see a request field with this name (lower case)."""
    if name in _SHOWN:
        return True
    return name.startswith(_SHOWN_PREFIXES) and not is_secret(name)


def text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def pairs(raw: Raw) -> Pairs:
    """Fields as text, in order, each name as it was written."""
    return [(text(name), text(value)) for name, value in raw]


def end_to_end(fields: Pairs) -> Pairs:
    """Without hop-by-hop fields, and without those that each connection states for itself (length, host, expect)."""
    named: set[str] = set()
    for name, value in fields:
        if name.lower() == "connection":
            named.update(token.strip().lower() for token in value.split(","))
    stop = HOP_BY_HOP | _FRAMING | named if named else HOP_BY_HOP | _FRAMING
    return [field for field in fields if field[0].lower() not in stop]


def first(fields: Iterable[tuple[str, str]], name: str) -> str:
    """The first value of a field (name in lower case), or ""."""
    return next((value for key, value in fields if key.lower() == name), "")


def shown(fields: Pairs) -> tuple[tuple[str, str], ...]:
    """What of a request the core may see: names in lower case, the first of several equal ones."""
    first: dict[str, str] = {}
    for name, value in fields:
        lower = name.lower()
        if is_shown(lower):
            first.setdefault(lower, value)
    return tuple(first.items())


def withhold(fields: Pairs, held: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Fields of an answer for the core: a secret value is put into `held` under the placeholder that stands for it."""
    out: Pairs = []
    for name, value in fields:
        if is_secret(name.lower()):
            placeholder = f"[withheld:{len(held)}]"
            held[placeholder] = value
            out.append((name, placeholder))
        else:
            out.append((name, value))
    return tuple(out)


def restore(fields: Iterable[tuple[str, str]], held: Mapping[str, str]) -> Pairs:
    """The reverse of `withhold`."""
    if not held:
        return list(fields)
    return [(name, held.get(value, value)) for name, value in fields]


class Credential:
    """What a request proves itself with: a hash to scope by, and the words that no log may hold."""

    __slots__ = ("_found",)

    def __init__(self, fields: Pairs, query: str) -> None:
        self._found = [(name.lower(), value) for name, value in fields if is_secret(name.lower())]
        if query:
            for part in query.split("&"):
                name, _, value = part.partition("=")
                if value and _SECRET_QUERY.search(name):
                    self._found.append((f"?{name}", value))

    @property
    def hash(self) -> str:
        """32 hexadecimal digits; the same for every request of one caller.

        Only what is surely a key counts where there is one: a client's cookie jar fills up between two requests, and
        other tokens are fresh for each. Of a signed request only the name of the key counts.
        """
        keys = [item for item in self._found if item[0] in _SCOPING or item[0][0] == "?"]
        return _digest(tuple(sorted(keys or self._found)))

    def words(self) -> tuple[str, ...]:
        """Each secret as it could turn up in a text, longest first.

        Placeholders for servers that want no key ("ollama", "EMPTY") are words of the language, and no secret.
        """
        words: set[str] = set()
        for name, value in self._found:
            if name == "cookie":
                words.update(pair.partition("=")[2].strip() for pair in value.split(";"))
            else:
                word = value.rpartition(" ")[2] if "authorization" in name else value
                words.update((word, unquote(word)))
        return tuple(sorted(filter(_telling, words), key=len, reverse=True))


def _telling(word: str) -> bool:
    return len(word) >= 20 or (len(word) >= 8 and any(char.isdigit() for char in word))


@lru_cache(maxsize=1024)
def _digest(found: tuple[tuple[str, str], ...]) -> str:
    sha = hashlib.sha256()
    for name, value in found:
        key_id = _AWS_KEY_ID.search(value) if value.startswith("AWS4-") else None
        sha.update(f"{name}\0{key_id[1] if key_id else value}\n".encode("utf-8", "surrogateescape"))
    return sha.hexdigest()[:32]
