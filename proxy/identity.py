"""Which run a request belongs to.

In this order, all scoped to the credential: the `x-run-id` that the agent sends; a request that is sent again (an
`idempotency-key`, an SDK's retry counter, the same body after an answer that did not arrive); ids of calls that were
handed out and stand after the last task turn; the id of a response that it chains on; the session header of a known
agent, with the task's position and text; else a new run. Never text alone: two equal tasks are two runs.

Limits: what a request is sent again by is known to one process, for ten minutes. Where a provider uses the same call
ids in every conversation (`call_0`), parallel runs with one task text and one credential can't be told apart by them;
an `x-run-id` can. An agent that drops the calls of its last two steps from the history begins a new run.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from proxy.model import Ask, Put, Turn
from proxy.task import Reader, is_go_on, words
from proxy.verdicts import Read, Start

DAY = 86400.0
RETRY = 600.0
_SESSION = ("x-claude-code-session-id", "thread-id", "session-id", "x-session-id", "x-session-affinity")
_NAMED = re.compile(r"[\x21-\x7e]{1,256}")


class Identity(msgspec.Struct, frozen=True):
    """A run, and how it was found: given, calls, chained, retry, session, new."""

    run: str
    how: str
    started: float = 0.0
    before: str = ""
    """The run before this one in the same conversation."""


class RunRecord(msgspec.Struct, frozen=True):
    """What is stored of a run. `anchors`: turns with something hidden, and the run that it was kept under."""

    started: float
    anchors: dict[str, str] = {}
    root: str = ""
    """The first run of the conversation."""
    halts: int = 0
    """Runs in a row, this one included, that were halted."""
    halted_at: float = 0.0
    answer: str = ""
    """What the last halted run answered."""


class Clues(msgspec.Struct, frozen=True):
    """What a request says about its run."""

    given: str
    calls: tuple[str, ...]
    """The latest two steps; nearly always the first of them alone tells the run."""
    earlier: tuple[str, ...]
    """The latest answer, and the calls before the task turn: they lead to the run before this one."""
    chained: str
    retry: str
    """What the body is known by, once an answer to it did not arrive."""
    session: str
    again: tuple[str, ...] = ()
    """What the client itself says of this request being sent again."""
    marks: tuple[str, ...] = ()
    """What this request is to be known by, should the client say so later."""

    @property
    def reads(self) -> tuple[Read, ...]:
        """What the store has to be asked, best first."""
        keys = [*self.calls, *((self.chained,) if self.chained else ())]
        retries = (*self.again, *((self.retry,) if self.retry else ()))
        own = (*(Read(key, local=True) for key in retries), *map(Read, keys))
        return (*(() if self.given else own), *map(Read, self.earlier))


def clues(start: Start, ask: Ask, tasks: Reader, task: int) -> Clues:
    headers = dict(start.headers)
    given = headers.get("x-run-id", "")
    scope = start.credential
    text = words(ask.turns[task]) if task >= 0 else ""
    calls = tuple(call_key(scope, text, call_id) for call_id in _handed_out(ask.turns[task + 1 :]))
    earlier = () if calls else (*_answered(scope, ask.turns, tasks), *_called(scope, ask.turns[: max(task, 0)], tasks))
    session = next((headers[name] for name in _SESSION if headers.get(name)), "")
    chained = f"r:{scope}:{ask.previous}" if ask.previous else ""
    if chained and task >= 0 and not is_go_on(text):  # a new task in a conversation that the provider keeps
        chained, earlier = "", (chained, *earlier)
    retry = "" if calls else retry_key(scope, start.body)
    again, marks = _sent_again(scope, headers, retry)
    return Clues(
        given if _NAMED.fullmatch(given) else "",
        calls,
        earlier,
        chained,
        retry,
        digest(scope, session, str(task), text) if session else "",
        again,
        marks,
    )


def _sent_again(scope: str, headers: Mapping[str, str], retry: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys that lead to the run of the same request sent before, and keys under which it is known from now on.

    An idempotency key is the same for all tries. The SDKs' counter says of a body that it is sent again; two equal
    bodies with a counter of 0 are two requests.
    """
    again: list[str] = []
    marks: list[str] = []
    key = headers.get("idempotency-key", "")
    if key:
        again.append("i:" + digest(scope, key))
        marks.append(again[0])
    count = headers.get("x-stainless-retry-count", "")
    if retry and count.isdigit():
        (again if int(count) else marks).append("s" + retry)
    return tuple(again), tuple(marks)


def settle(found: Clues, known: Mapping[Any, Any], start: Start) -> Identity:
    """The run that these clues lead to."""
    if found.given:
        return Identity(found.given, "given")
    for request in found.reads:
        stored = known.get(request)
        if stored is None or request.key in found.earlier:
            continue
        how = "retry" if request.local else "chained" if request.key == found.chained else "calls"
        run, _, started = stored.decode().partition("\n")
        return Identity(run, how, started=float(started or 0))
    before = next((known[Read(key)].decode().partition("\n")[0] for key in found.earlier if known.get(Read(key))), "")
    if found.session:
        return Identity("s" + found.session, "session", before=before)
    return Identity("r" + start.random[:10].hex(), "new", before=before)


def anchor(turn: Turn) -> str:
    """What a turn is recognised by when the agent sends it back.

    A text without its blanks: agents strip what they keep, and what was said in two rounds of one stream comes back as
    one text, or as two.
    """
    call_id = next((call.id for call in turn.calls if call.id), "")
    return call_id or "text:" + digest("".join(word for text in turn.texts for word in text.split()))


def call_key(credential: str, task: str, call_id: str) -> str:
    return "c:" + digest(credential, task, call_id)


def retry_key(credential: str, body: bytes) -> str:
    return f"b:{credential}:{hashlib.sha256(body).hexdigest()[:32]}"


def run_key(credential: str, run: str) -> str:
    return "run:" + digest(credential, run)


_record = msgspec.json.Decoder(RunRecord).decode


def read_record(value: bytes | None) -> RunRecord | None:
    """A stored run; None where there is none, or it can't be read."""
    try:
        return _record(value) if value else None
    except msgspec.DecodeError:
        return None


def put_record(credential: str, run: str, record: RunRecord) -> Put:
    return Put(run_key(credential, run), msgspec.json.encode(record), 7 * DAY)


def handed_out(identity: Identity, credential: str, task: str, ids: Sequence[str]) -> Iterator[Put]:
    """What is kept of calls that leave for the agent."""
    for call_id in ids:
        yield Put(call_key(credential, task, call_id), value(identity), 7 * DAY)


def chained(identity: Identity, credential: str, response: str) -> Iterator[Put]:
    """What is kept of a response that later asks may chain on."""
    yield Put(f"r:{credential}:{response}", value(identity), 7 * DAY)


def value(identity: Identity) -> bytes:
    """A run as it is stored under its clues."""
    return f"{identity.run}\n{identity.started}".encode()


def digest(*parts: str) -> str:
    """24 hex digits over parts that no joining can confuse."""
    return _short_digest(*parts) if sum(map(len, parts)) < _SHORT else _digest(*parts)


def _digest(*parts: str) -> str:
    joined = "\x00".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


_SHORT = 400
_short_digest = lru_cache(maxsize=4096)(_digest)
"""The same few keys are asked for by each hook."""


def _answered(credential: str, turns: Sequence[Turn], tasks: Reader) -> Iterator[str]:
    """The key of the latest answer, if it was a text."""
    at = next((at for at in range(len(turns) - 1, -1, -1) if turns[at].role == "assistant"), 0)
    past = tasks.last_task(turns[:at])
    if past >= 0 and not turns[at].calls:
        yield call_key(credential, words(turns[past]), anchor(turns[at]))


def _called(credential: str, turns: Sequence[Turn], tasks: Reader) -> Iterator[str]:
    """The keys of the latest calls before a task."""
    at = next((at for at in range(len(turns) - 1, -1, -1) if any(call.id for call in turns[at].calls)), 0)
    past = tasks.last_task(turns[:at])
    said = words(turns[past]) if past >= 0 else ""
    for call_id in _handed_out(turns[past + 1 :]):
        yield call_key(credential, said, call_id)


def _handed_out(turns: Sequence[Turn]) -> Iterator[str]:
    """Ids of the latest calls: one of each of the last two turns with calls."""
    found = 0
    for turn in reversed(turns):
        call_id = next((call.id for call in turn.calls if call.id), "")
        if call_id:
            yield call_id
            found += 1
            if found == 2:
                return
