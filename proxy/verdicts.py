"""What policies answer, and what the engine and its shell say to each other.

Verdicts are values, never exceptions: a policy returns the Ask or Reply (changed or not), or one of the three here.
Commands go from the exchange to the shell that carries them out, events come back. Both are frozen data, so that
a log of events is a test fixture and a replay input at once. This module knows nothing but the model.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from proxy.model import Note, Put, ToolCall

# ---------------------------------------------------------------- verdicts


class Read(msgspec.Struct, frozen=True):
    """Asks for the stored value of a key. Answer: bytes, or None."""

    key: str
    local: bool = False
    """Only what this process put there, and only for a while: costs nothing."""
    final: bool = False
    """What stands there once stays as it is, so a process that saw it need not look again."""


class Claim(msgspec.Struct, frozen=True):
    """Put if absent, atomic across workers. Answer: None when won, else the bytes that stand there."""

    key: str
    value: bytes
    ttl: float


class Add(msgspec.Struct, frozen=True):
    """Adds to a counter unless that would pass the limit, atomic. Answer: the new total, or None when refused."""

    key: str
    amount: int
    limit: int | None
    ttl: float
    local: bool = False
    """A budget that is only watched: counted by this process, for as long as it lives. Has no limit."""


class Lookup(msgspec.Struct, frozen=True):
    """Asks a catalog of the pack. Answer: mapping of table to columns; empty when it can't be reached."""

    catalog: str
    name: str = ""


class Rules(msgspec.Struct, frozen=True):
    """When a breaker opens, and for how long. Seconds; either `failures` in a row, or a success rate in a window."""

    failures: int | None = None
    success_rate: float | None = None
    min_calls: int = 1
    window: float = 60.0
    reset: float = 30.0


class Health(msgspec.Struct, frozen=True):
    """Asks the breaker of a tool. Answer: ("closed" | "probe" | "open", wall time until which it stays open).

    `take`: the one probe of a half-open breaker is taken; without, it is only looked at.
    """

    key: str
    rules: Rules
    take: bool = True


class Report(msgspec.Struct, frozen=True):
    """Tells the breaker of a tool what came of a call, once per `call`.

    `seconds` between the call and its result, if known. Answer: the P99 of that for this tool so far, None: not known.
    """

    key: str
    call: str
    good: bool
    rules: Rules
    seconds: float | None = None


Request = Read | Claim | Add | Lookup | Health | Report


class Need(msgspec.Struct, frozen=True):
    """The hook is called again with the answers in `run.known`, by request."""

    requests: tuple[Request, ...]


class Reask(msgspec.Struct, frozen=True):
    """Answer every call of this turn with these results and ask again, unseen by the agent.

    `keep`: the hidden round stays part of the conversation (a page was read, a result replayed) and is put back in
    later asks; corrections leave no trace. `counts`: it uses up one of the policy's own attempts.
    `exhausted` is what to hand out when no attempt is left or the hidden round fails; None: the reply as it came.
    """

    results: Mapping[str, str]
    """Call id to the text of its result."""
    policy: str
    keep: bool = False
    counts: int | None = None
    """Upper bound of rounds of this kind in this exchange; None: only the common bound."""
    exhausted: Any = None
    """A Reply or a Halt."""
    said: Any = None
    """The Reply that stays in the conversation, where it is not just as it came."""
    carry: tuple[ToolCall, ...] = ()
    """Calls of this turn that are right: they join the next reply, unless it calls the same tool again."""
    notes: tuple[Note, ...] = ()
    puts: tuple[Put, ...] = ()


class Halt(msgspec.Struct, frozen=True):
    """End the run in place of a further tool step, with an honest answer."""

    by: str
    """The limit that tripped: steps, seconds, repeats, tokens …"""
    text: str
    """The answer, made of the run's own results; used when no closing round is asked or it fails."""
    policy: str
    close: str | None = None
    """What to ask the model in one closing round without tools; None: no closing round."""
    grace: float = 20.0
    """Seconds that the closing round may take."""
    call: tuple[str, Mapping[str, Any]] | None = None
    """For agents that end only through a tool: its name and arguments; None as an argument stands for the answer."""
    alert: Mapping[str, Any] | None = None
    """What a human is told."""
    notes: tuple[Note, ...] = ()
    puts: tuple[Put, ...] = ()


# ---------------------------------------------------------------- commands

Headers = tuple[tuple[str, str], ...]


class Settle(msgspec.Struct, frozen=True):
    """Carry out requests of the store and catalogs. Event: Answers."""

    requests: tuple[Request, ...] = ()
    puts: tuple[Put, ...] = ()
    later: tuple[Add, ...] = ()
    """Carried out soon; nobody waits for them."""


class Send(msgspec.Struct, frozen=True):
    """Starts one upstream call. Event: none; what comes of it is received: Head, then Chunks, then End; or Failure."""

    round: int
    body: bytes
    """What goes upstream; the very object that was received where nothing changed."""
    seconds: float | None = None
    """Time left for this round; None: the upstream's own limits only."""
    model: str = ""
    streamed: bool = False
    """What was asked for: the time that an answer may take is learnt by model and form."""


class Receive(msgspec.Struct, frozen=True):
    """Waits for the next thing from upstream. Event: Head, Chunk, End or Failure; Tick when nothing came in time."""

    tick: float | None = None
    """Seconds after which a Tick comes instead; the wait for the upstream goes on with the next Receive."""


class Drop(msgspec.Struct, frozen=True):
    """Let go of the upstream answer that is open. Event: none."""


class Begin(msgspec.Struct, frozen=True):
    """Send status and headers to the agent. Event: none."""

    status: int
    headers: Headers
    length: int | None
    """Content length, None: not known yet."""


class Emit(msgspec.Struct, frozen=True):
    """Bytes of the body for the agent. Event: none."""

    data: bytes


class Abort(msgspec.Struct, frozen=True):
    """Break the connection: the agent must not take what it has for a whole answer. Event: none."""


class Record(msgspec.Struct, frozen=True):
    """One line for the run log. Event: none. `bodies` are stored by content and named in the line by their key."""

    run: str
    kind: Literal["start", "ask", "need", "send", "reply", "verdict", "answer", "end"]
    round: int
    fields: Mapping[str, Any]
    bodies: Mapping[str, bytes] = {}


class Alert(msgspec.Struct, frozen=True):
    """Tell a human (webhook, log event, metric). Event: none."""

    payload: Mapping[str, Any]


Command = Settle | Send | Receive | Drop | Begin | Emit | Abort | Record | Alert

# ---------------------------------------------------------------- events


class ClientGone(Exception):  # noqa: N818 - what happened, not what went wrong
    """Thrown into the exchange when the agent has left; what it still records is carried out, then it raises this."""


class Start(msgspec.Struct, frozen=True):
    """The agent's request, and everything that the exchange may not find out by itself."""

    method: str
    path: str
    headers: Headers
    """Without credentials: these are hashed by the shell."""
    body: bytes
    credential: str
    random: bytes
    """32 random bytes: ids and idempotency come from here."""
    wall: float
    mono: float
    secret: bytes = b""
    agent: str = ""
    """NAME of the path prefix /as/NAME."""
    digest: str = ""
    """The pack's digest."""
    facts: Mapping[str, Any] = {}


class Answers(msgspec.Struct, frozen=True):
    """Answers to `Settle`, by request."""

    known: Mapping[Any, Any]
    wall: float
    mono: float
    failed: bool = False
    """The store could not be asked: nothing is known, nothing was taken, nothing was promised."""


class Head(msgspec.Struct, frozen=True):
    """Status and end-to-end headers of the upstream's answer (content-encoding among them, as it was sent)."""

    status: int
    headers: Headers
    wall: float
    mono: float
    coded: bool = False
    """The body is in a content coding; `Chunk.data` is decoded, `Chunk.raw` is not."""
    readable: bool = True
    """False: the coding is not known here; `data` is the raw bytes."""


class Chunk(msgspec.Struct, frozen=True):
    """A piece of the body."""

    data: bytes
    """Decoded."""
    wall: float
    mono: float
    raw: bytes | None = None
    """As it came, where a content coding was taken off; None: the same as `data`."""


class Tick(msgspec.Struct, frozen=True):
    """Nothing came for the time that `Receive` named."""

    wall: float
    mono: float


class End(msgspec.Struct, frozen=True):
    wall: float
    mono: float


class Failure(msgspec.Struct, frozen=True):
    """The upstream failed. `kind`: connect, timeout, reset, protocol, open (breaker), decode."""

    kind: str
    message: str
    wall: float
    mono: float


Event = Start | Answers | Head | Chunk | Tick | End | Failure | None
