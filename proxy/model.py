"""The neutral picture of a conversation that policies see: turns, calls, results, tools.

Only what a policy acts on is typed here. Each value keeps a `wire` handle, opaque to everybody but the
dialect that made it, so that what was not touched is written back as it was read. Values are frozen: a
policy returns a changed copy (`replace`), and a dialect finds out by identity what has changed.

This module knows no dialect and no policy. The classes are msgspec structs because a request of twenty steps
makes a hundred of them, and a struct costs a tenth of a frozen dataclass.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, Literal, Protocol

import msgspec

replace = msgspec.structs.replace

Memory = dict[object, Any]
"""What was worked out about one conversation, by who did (`memo.along`, `task.steps`), as long as it is remembered."""

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["", "stop", "tool_calls", "length", "filter", "other"]


class Tool(msgspec.Struct, frozen=True):
    """A tool offered by the agent (or added by a policy, then `wire` is None)."""

    name: str
    """The name on the wire."""
    description: str = ""
    schema: bytes = b""
    """JSON bytes of the parameters' schema as sent; empty: the tool declares none."""
    kind: Literal["function", "custom", "builtin"] = "function"
    """`function` has JSON arguments; `custom` takes free text; `builtin` runs at the provider."""
    strict: bool | None = None
    """The provider's own constrained decoding, as the agent asked for it."""
    wire: object = None


class ToolCall(msgspec.Struct, frozen=True):
    """One call of a turn. Policies use `tool` and `args`; the dialect writes edits of these back to the wire."""

    id: str
    name: str
    """The name on the wire, e.g. a wrapper or with a namespace."""
    arguments: str
    """The arguments as they stood on the wire. An object (some providers) is kept as its JSON text."""
    tool: str
    """The tool that is meant."""
    args: str
    """The arguments that are meant, JSON text (free text where `kind` is custom)."""
    kind: Literal["function", "custom", "builtin"] = "function"
    wire: object = None


class ToolResult(msgspec.Struct, frozen=True):
    """The answer to one call, as the agent sends it to the model."""

    call_id: str
    texts: tuple[str, ...]
    """Its text parts in order; pictures and other parts stay on the wire, untouched."""
    tool: str = ""
    """Tool that was called, if its call stands in the same request."""
    is_error: bool | None = None
    """The API's own flag; None where the API has none."""
    wire: object = None
    kept: bool = False
    """Handrail's own answer to a call that was withheld, put back: the agent does not know of it."""

    @property
    def text(self) -> str:
        return self.texts[0] if len(self.texts) == 1 else "\n".join(self.texts)


class Turn(msgspec.Struct, frozen=True):
    """One turn of the conversation.

    A `tool` turn holds the results of the calls of the turn before it, and in some APIs text that a user wrote
    beside them.
    """

    role: Role
    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    appended: tuple[str, ...] = ()
    """Texts that a policy adds behind all others of this turn (a pin, folded steps), each a part of its own."""
    finish: Finish = ""
    """Replies only: why the model stopped."""
    cut: bool = False
    """Replies only: the output was cut off (length limit, dead stream); its last call may be incomplete."""
    choice: int = 0
    """Replies only: the choice's index."""
    wire: object = None
    kept: bool = False
    """A hidden round that was put back: the agent does not know of it."""

    @property
    def text(self) -> str:
        return self.texts[0] if len(self.texts) == 1 else "\n".join(self.texts)


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one round. `estimated`: counted from bytes because the provider said nothing (or zero)."""

    input: int
    output: int
    cached: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        return self.input + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.estimated or other.estimated,
        )


class Note(msgspec.Struct, frozen=True):
    """What a policy did, for the log, the header and the metrics.

    `did` is one of rewrote, repaired, reasked, replayed, halted, observed, failed, found. `detail` is plain JSON data.
    """

    policy: str
    did: str
    detail: Mapping[str, Any] = {}


class Put(msgspec.Struct, frozen=True):
    """A write to the shared store. `durable`: on disk before anything that depends on it leaves."""

    key: str
    value: bytes | None
    """None deletes."""
    ttl: float = 604800.0
    """Seconds."""
    durable: bool = False
    local: bool = False
    """Only for this process, and not for longer than it lives."""
    final: bool = False
    """It stays as it is: see `Read.final`."""


class Spend(msgspec.Struct, frozen=True):
    """A budget that this exchange draws on. What was really used is added at its end, and the reservation taken off."""

    key: str
    reserved: int
    input: float
    output: float
    cached: float
    """Weight of one token of each kind."""
    ttl: float = 172800.0
    local: bool = False
    """Only watched: counted by this process alone."""

    def weigh(self, sent: int, got: int, cached: int = 0) -> int:
        return round((sent - cached) * self.input + cached * self.cached + got * self.output)


class View(msgspec.Struct, frozen=True):
    """What the model sees of the tools where that is not what the agent said.

    Applied when an ask is written, so that policies, and turns that are stored, keep the agent's names and schemas.
    """

    tools: tuple[Tool, ...]
    """In place of `Ask.tools`, in the same order."""
    names: Mapping[str, str] = {}
    """The agent's name of a tool to the one upstream, where they differ; tools of the history too."""


class Fallback(msgspec.Struct, frozen=True):
    """How to ask once more when the provider refuses the first round (400, 422) and may not if this is left out."""

    view: View | None
    notes: tuple[Note, ...] = ()
    """Told if that is accepted."""
    puts: tuple[Put, ...] = ()
    """Written if that is accepted."""


class TextWatch(Protocol):
    """Follows the text of one choice of a streamed reply."""

    def waits(self, text: str) -> bool:
        """Takes more text; whether what came last must wait for what follows."""


class Ask(msgspec.Struct, frozen=True):
    """A request for a generation."""

    dialect: str
    model: str
    stream: bool
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: str = ""
    """"" (not said), auto, none, required, or `=NAME` for one forced tool."""
    n: int = 1
    """Choices asked for."""
    chained: bool = False
    """Earlier turns are kept by the provider and are not on the wire."""
    previous: str = ""
    """Id of the response that it chains on."""
    stored: bool = True
    """The provider keeps the answer, so that later asks may chain on it."""
    limit: int | None = None
    """Output token limit that the agent asked for."""
    size: int = 0
    """Bytes of the request."""
    wire: object = None
    view: View | None = None
    """None: the model sees the tools as they are here."""
    fallback: Fallback | None = None
    watcher: Callable[[Collection[str]], TextWatch] | None = None
    """Makes the watch for a choice whose text a policy may turn into calls of tools with these names."""
    earlier: tuple[Turn, ...] = ()
    """Steps of this run that stand at the provider, in short; for policies to read, never written to a wire."""
    source: "Ask | None" = None
    """The ask before any policy changed it; None: this one."""
    memory: Memory | None = None
    """What was worked out about this conversation before."""
    notes: tuple[Note, ...] = ()
    puts: tuple[Put, ...] = ()
    spends: tuple[Spend, ...] = ()

    def noting(self, *notes: Note) -> "Ask":
        return replace(self, notes=self.notes + notes)

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    def results(self) -> Iterator[tuple[Turn, ToolResult]]:
        for turn in self.turns:
            for result in turn.results:
                yield turn, result

    def presented(self) -> "Ask":
        """The ask as the model sees it: itself, where there is no view."""
        if self.view is None:
            return self
        names = self.view.names
        turns = tuple(_renamed(turn, names) for turn in self.turns) if names else self.turns
        if all(new is old for new, old in zip(turns, self.turns, strict=True)):
            turns = self.turns
        forced = names.get(self.tool_choice[1:]) if self.tool_choice.startswith("=") else None
        choice = f"={forced}" if forced else self.tool_choice
        return replace(self, tools=self.view.tools, turns=turns, tool_choice=choice)

    @property
    def watch(self) -> Callable[[], TextWatch] | None:
        """Makes the watch for one choice of the reply; None: all its text leaves at once."""
        if self.watcher is None:
            return None
        tools = self.tools if self.view is None else self.view.tools
        return partial(self.watcher, frozenset(tool.name for tool in tools if tool.kind == "function"))

    def upstream(self, name: str) -> str:
        """The name by which the model knows one of the agent's tools."""
        return name if self.view is None else self.view.names.get(name, name)

    def meant(self, name: str) -> str:
        """The agent's name of the tool that the model knows as `name`."""
        names = self.view.names if self.view is not None else {}
        return next((own for own, upstream in names.items() if upstream == name), name)

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns, and before them what is known of those that are not on the wire."""
        return (*self.earlier, *self.turns) if self.earlier else self.turns

    @property
    def concerns_tools(self) -> bool:
        """Whether any policy but a budget may act on it."""
        return bool(self.tools) or any(turn.calls or turn.results for turn in self.turns)


def _renamed(turn: Turn, names: Mapping[str, str]) -> Turn:
    if not any(call.tool in names for call in turn.calls):
        return turn
    return replace(turn, calls=tuple(replace(call, tool=names.get(call.tool, call.tool)) for call in turn.calls))


class Withheld(msgspec.Struct, frozen=True):
    """A call that is answered by Handrail beside calls that the agent gets."""

    call: ToolCall
    result: str


class Taking(msgspec.Struct, frozen=True):
    """A claim that is made when the call is really handed out, after the last policy has had its say."""

    policy: str
    call_id: str
    key: str
    value: bytes
    ttl: float


class Reply(msgspec.Struct, frozen=True):
    """A model's whole answer: one turn per choice."""

    turns: tuple[Turn, ...]
    usage: Usage | None = None
    id: str = ""
    model: str = ""
    kept_as: str = ""
    """The id under which the provider keeps the answer, where the agent knows another."""
    withheld: tuple[Withheld, ...] = ()
    takings: tuple[Taking, ...] = ()
    wire: object = None
    notes: tuple[Note, ...] = ()
    puts: tuple[Put, ...] = ()

    def noting(self, *notes: Note) -> "Reply":
        return replace(self, notes=self.notes + notes)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(call for turn in self.turns for call in turn.calls)


class Run(msgspec.Struct, frozen=True):
    """What a policy may know beside the request itself. Times are seconds; `wall` since the epoch."""

    id: str
    credential: str
    """Hash of the caller's credential; scopes everything that is stored."""
    started: float
    """Wall time of the run's first ask."""
    wall: float
    mono: float
    secret: bytes = b""
    """Kept in the data folder; signs cursors."""
    round: int = 1
    known: Mapping[Any, Any] = {}
    """Answers to `Need`, by request."""
    facts: Mapping[str, Any] = {}
    """The run's stored record: times of calls handed out, spend, hidden turns."""
    language: Literal["en", "zh"] = "en"
    new: bool = False
    """This is its first request: nothing is stored of it."""
    thread: str = ""
    """Conversation that the run belongs to: the id of its first run. What must outlive a task is kept under it."""
    arrived: float = 0.0
    """Wall time of the agent's request; unlike `wall`, the same as long as the exchange lasts."""
