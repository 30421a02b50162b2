"""A conversation in neutral terms, for tests that say once what must hold on each of the three APIs.

Each API (`chat`, `responses`, `messages`) builds its requests, answers and streams from these, and reads back into them
what the agent got and what the model was asked. The readers are written as plain clients are: strict where those break.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Tool:
    name: str
    properties: Mapping[str, Any]
    required: Sequence[str] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further keywords of the schema."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": dict(self.properties), "required": list(self.required), **self.more}


@dataclass(frozen=True)
class Call:
    id: str
    tool: str
    args: Any
    """A mapping, or a text that is perhaps no JSON."""

    @property
    def text(self) -> str:
        return self.args if isinstance(self.args, str) else json.dumps(self.args)

    @property
    def value(self) -> Any:
        """The arguments as data; the text itself where it is no JSON."""
        try:
            return json.loads(self.text)
        except ValueError:
            return self.text


@dataclass(frozen=True)
class System:
    text: str


@dataclass(frozen=True)
class User:
    text: str


@dataclass(frozen=True)
class Said:
    """A turn of the assistant. `finish`: stop, tool_calls or length; empty: what follows from its calls."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""

    @property
    def ending(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True)
class Results:
    """Results of the turn before, by call id, and what stands behind them in the same turn."""

    texts: Mapping[str, str]
    note: str = ""


Turn = System | User | Said | Results


@dataclass(frozen=True)
class Seen:
    """An answer as an agent reads it."""

    said: Said
    usage: Mapping[str, Any]
    id: str = ""

    @property
    def calls(self) -> list[tuple[str, Any]]:
        return [(call.tool, call.value) for call in self.said.calls]

    @property
    def ids(self) -> list[str]:
        return [call.id for call in self.said.calls]


@dataclass(frozen=True)
class Asked:
    """A request as the model reads it."""

    turns: tuple[Turn, ...]
    tools: Mapping[str, Mapping[str, Any]]
    """Name to the tool as it stands on the wire, without the wrapping of the API."""
    choice: str = ""
    """auto, none, required, `=NAME`; empty: nothing is said."""
    previous: str = ""
    """The answer that it goes on from, where the provider keeps the conversation."""

    @property
    def results(self) -> dict[str, str]:
        return {key: text for turn in self.turns if isinstance(turn, Results) for key, text in turn.texts.items()}

    @property
    def calls(self) -> list[Call]:
        return [call for turn in self.turns if isinstance(turn, Said) for call in turn.calls]

    @property
    def tail(self) -> str:
        """All that stands behind the last turn of the assistant."""
        last = max((at for at, turn in enumerate(self.turns) if isinstance(turn, Said)), default=-1)
        return "\n".join(text_of(turn) for turn in self.turns[last + 1 :])

    @property
    def text(self) -> str:
        return "\n".join(map(text_of, self.turns))


def text_of(turn: Turn) -> str:
    return "\n".join([*turn.texts.values(), turn.note]) if isinstance(turn, Results) else turn.text


class Api(Protocol):
    """One wire API. `chained`: earlier turns stay at the provider, and only what is new is sent."""

    name: str
    path: str
    chained: bool

    def ask(self, turns: Sequence[Turn], tools: Sequence[Tool] = (), **more: Any) -> dict[str, Any]:
        """A request. `choice` (as in `Asked`), `limit` (output tokens) and `previous` (id of the last answer, where the
        provider keeps the conversation) are translated, others stand as they are.
        """

    def answer(self, said: Said, number: int = 1) -> bytes:
        """The body of an unstreamed answer; `number` makes its id."""

    def events(self, said: Said, number: int = 1) -> list[bytes]:
        """The events of a whole stream."""

    def read_ask(self, body: bytes) -> Asked: ...

    def read_answer(self, body: bytes) -> Seen: ...

    def read_stream(self, body: bytes) -> Seen:
        """Reads as a strict client does; an AssertionError for what would break one."""


def pieces(text: str, size: int = 7) -> list[str]:
    """A text as a model streams it."""
    return [text[at : at + size] for at in range(0, len(text), size)]
