"""Which run a request belongs to.

In this order, all scoped to the credential: the `x-run-id` that the agent sends; ids of calls that were handed out and
stand after the last task turn; the id of a response that it chains on; the same body again after an answer that did not
arrive; the session header of a known agent, with the task's position and text; else a new run. Never text alone: two
equal tasks are two runs.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from proxy.model import Ask, Put, Turn
from proxy.verdicts import Headers, Read, Start

DAY = 86400.0
RETRY = 600.0
_SESSION = ("x-claude-code-session-id", "thread-id", "session-id", "x-session-id", "x-session-affinity")
_WEAK = re.compile(r"[a-z]{0,8}[_-]?\d{0,6}|(?:functions?[._])?[\w.-]+:\d{1,6}", re.IGNORECASE)
_NAMED = re.compile(r"[\x21-\x7e]{1,256}")


class Identity(msgspec.Struct, frozen=True):
    """A run, and how it was found: given, calls, chained, retry, session, new."""

    run: str
    how: str
    thread: str = ""
    started: float = 0.0


class Clues(msgspec.Struct, frozen=True):
    """What a request says about its run."""

    given: str
    calls: tuple[str, ...]
    chained: str
    retry: str
    session: str

    @property
    def reads(self) -> tuple[Read, ...]:
        """What the store has to be asked, best first."""
        keys = [*self.calls, *((self.chained,) if self.chained else ()), *((self.retry,) if self.retry else ())]
        return tuple(map(Read, keys)) if not self.given else ()


def clues(start: Start, ask: Ask, task: int, previous: str) -> Clues:
    headers = dict(start.headers)
    given = headers.get("x-run-id", "")
    scope = start.credential
    text = ask.turns[task].text if task >= 0 else ""
    calls = tuple(call_key(scope, text, call_id) for call_id in _handed_out(ask.turns, task))
    session = next((headers[name] for name in _SESSION if headers.get(name)), "")
    return Clues(
        given if _NAMED.fullmatch(given) else "",
        calls,
        f"r:{scope}:{previous}" if previous else "",
        "" if calls else retry_key(scope, start.body),
        digest(scope, session, str(task), text) if session else "",
    )


def settle(found: Clues, known: Mapping[Any, Any], start: Start) -> Identity:
    """The run that these clues lead to."""
    if found.given:
        return Identity(found.given, "given")
    for request in found.reads:
        value = known.get(request)
        if value is None:
            continue
        how = "retry" if request.key == found.retry else "chained" if request.key == found.chained else "calls"
        run, _, started = value.decode().partition("\n")
        return Identity(run, how, started=float(started or 0))
    if found.session:
        return Identity("s" + found.session, "session", found.session)
    return Identity("r" + start.random[:10].hex(), "new")


def call_key(credential: str, task: str, call_id: str) -> str:
    return "c:" + digest(credential, task, call_id)


def retry_key(credential: str, body: bytes) -> str:
    return f"b:{credential}:{hashlib.sha256(body).hexdigest()[:32]}"


def run_key(credential: str, run: str) -> str:
    return "run:" + digest(credential, run)


def weak(call_id: str) -> bool:
    """Whether an id may well come again in another run (`call_0`, `functions.search:3`)."""
    return _WEAK.fullmatch(call_id) is not None


def handed_out(identity: Identity, credential: str, task: str, ids: Sequence[str]) -> Iterator[Put]:
    """What is kept of calls that leave for the agent."""
    value = f"{identity.run}\n{identity.started}".encode()
    for call_id in ids:
        yield Put(call_key(credential, task, call_id), value, 7 * DAY)


def digest(*parts: str) -> str:
    """24 hex digits over parts that no joining can confuse."""
    joined = "\x00".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _handed_out(turns: Sequence[Turn], task: int) -> Iterator[str]:
    """Ids of the latest calls after the task turn: one of each of the last two turns with calls."""
    found = 0
    for turn in reversed(turns[task + 1 :]):
        call_id = next((call.id for call in turn.calls if call.id), "")
        if call_id:
            yield call_id
            found += 1
            if found == 2:
                return


def header(headers: Headers, name: str) -> str:
    return next((value for key, value in headers if key == name), "")
