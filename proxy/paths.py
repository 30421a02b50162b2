"""Where a request goes: the prefix that names an agent, and the mapping onto an upstream's addresses.

`/v1/*` maps onto the upstream's base, every other path onto its origin; path and query travel byte for byte. Which of
several upstreams it is, the first entry of the pack that matches says, and the one of the command line is the last.
Pure text; knows no socket. The base may hold a query (`?api-version=…`), never a credential.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit

from proxy.settings import Pack, UpstreamEntry

_AGENT = re.compile(r"/as/([^/?#]+)(?=[/?#]|$)")
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*")
_DIALECTS = (
    (re.compile(r"/v1/chat/completions(/|$)|/openai/deployments/[^/]+/chat/completions$"), "chat_completions"),
    (re.compile(r"/v1/responses(/|$)"), "responses"),
    (re.compile(r"/v1/(messages|complete)(/|$)"), "messages"),
)


@dataclass(frozen=True, slots=True)
class Target:
    """A request's target, taken apart. `path` is without the agent's prefix; `query` has its "?" where there is one."""

    agent: str
    path: str
    query: str

    @property
    def own_query(self) -> str:
        return self.query[1:]


def split(raw: str) -> Target:
    """Takes a raw request target (origin form or absolute form) apart; changes no byte of what it keeps."""
    if not raw.startswith("/"):
        raw = _ABSOLUTE.sub("", raw, count=1) or "/"
    agent = ""
    if raw.startswith("/as/") and (found := _AGENT.match(raw)):
        agent = unquote(found[1])
        raw = raw[found.end() :]
    path, mark, query = raw.partition("?")
    return Target(agent, path or "/", mark + query)


def dialect_of(path: str, *, anthropic: bool = False) -> str:
    """The API that a path belongs to, by its address alone; "" where the path does not tell.

    `anthropic`: the request has the header that only that API's clients send.
    """
    if anthropic:
        return "messages"
    return next((name for pattern, name in _DIALECTS if pattern.search(path)), "")


@dataclass(frozen=True, slots=True)
class Base:
    """An upstream's base address."""

    origin: str
    path: str
    query: str = ""

    @classmethod
    def parse(cls, url: str) -> "Base":
        """Raises ValueError for anything but an http(s) address without credentials; the text never shows it."""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("an upstream must be an http:// or https:// address")
        if parts.username is not None or parts.password is not None:
            raise ValueError("an upstream's address must not hold credentials")
        _ = parts.port  # raises where it is no number
        return cls(f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/"), parts.query)

    def url(self, target: Target) -> str:
        path = target.path
        if path == "/v1" or path.startswith("/v1/"):
            path = self.path + path[3:]
        query = target.query
        if self.query:
            query = f"?{self.query}&{query[1:]}" if len(query) > 1 else f"?{self.query}"
        return self.origin + path + query

    @property
    def name(self) -> str:
        """Host and port, for logs and errors."""
        return self.origin.partition("://")[2]


@dataclass(frozen=True, slots=True)
class Routes:
    """The upstreams of one pack in their order."""

    entries: Sequence[tuple[UpstreamEntry | None, Base]]
    by_model: bool
    fallbacks: Mapping[str, Base]
    """Where requests go while the breaker of an upstream is open, by its name; "" for all others."""

    @classmethod
    def build(cls, pack: Pack, last: str) -> "Routes":
        """`last`: the address of the command line, or "". Raises ValueError as `Base.parse` does."""
        entries: list[tuple[UpstreamEntry | None, Base]] = [(entry, Base.parse(entry.url)) for entry in pack.upstreams]
        if last:
            entries.append((None, Base.parse(last)))
        fallbacks = {base.name: Base.parse(entry.fallback) for entry, base in entries if entry and entry.fallback}
        if pack.upstream.fallback:
            fallbacks[""] = Base.parse(pack.upstream.fallback)
        return cls(tuple(entries), any(entry.match.model is not None for entry in pack.upstreams), fallbacks)

    def fallback(self, name: str) -> Base | None:
        """Where a request goes while this upstream is not asked."""
        return self.fallbacks.get(name) or self.fallbacks.get("")

    def pick(self, path: str, dialect: str, model: str) -> Base | None:
        """None: no entry matches."""
        for entry, base in self.entries:
            if entry is None or _matches(entry, path, dialect, model):
                return base
        return None


def _matches(entry: UpstreamEntry, path: str, dialect: str, model: str) -> bool:
    match = entry.match
    return (
        (match.dialect is None or match.dialect == dialect)
        and (match.model is None or fnmatchcase(model, match.model))
        and (match.path is None or fnmatchcase(path, match.path))
    )
