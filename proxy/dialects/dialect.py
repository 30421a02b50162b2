"""What a dialect can do: read an API's bytes into the model and write edits back.

Dialects edit, they don't convert: agent and upstream speak the same API. A dialect knows no policy; the engine and
the policies know no dialect but through this protocol. Nothing read here is ever written anew unless it was changed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from proxy.model import Ask, Reply, Turn, Usage
from proxy.rawjson import UnreadableError

__all__ = ["Dialect", "Ids", "StreamReader", "UnreadableError"]

Ids = Callable[[], str]
"""Makes ids for calls that came without one: 9 letters and digits, which every provider takes."""


class StreamReader(Protocol):
    """Reads one streamed answer, event by event.

    Events that can leave at once are returned by `feed`; what belongs to a tool call, and what must come after it, is
    held. `held` is exactly what was not returned, in order.
    """

    done: bool
    """The API's own last event has been seen."""
    spoke: bool
    """The agent has seen text of this round, or of one that it goes on with."""

    @property
    def held(self) -> bool:
        """Whether anything is held."""

    def feed(self, event: bytes) -> bytes:
        """Takes one whole SSE event, delimiters included; returns what may leave now (empty: held)."""

    def reply(self, *, whole: bool) -> Reply:
        """The answer so far. `whole`: the stream ended as it should; else open turns count as cut."""

    def unchanged(self) -> bytes:
        """What is held, verbatim."""

    def write(self, reply: Reply, comment: bytes = b"") -> bytes:
        """The rest of the stream for a reply that a policy changed, or that must be written anew; `comment` is an SSE
        comment that goes before the last event.
        """


class Dialect(Protocol):
    """One wire API."""

    name: str
    chains: bool
    """Whether a later ask may go on from an answer's id, without its turns on the wire."""

    def matches(self, method: str, path: str) -> bool:
        """Whether this is the API's generation call. `path` as the agent sent it, without query."""

    def read_ask(self, body: bytes) -> Ask:
        """Raises UnreadableError."""

    def write_ask(self, ask: Ask) -> bytes:
        """The received object itself where nothing was changed."""

    def read_reply(self, body: bytes, ask: Ask, ids: Ids) -> Reply:
        """An unstreamed 2xx answer. Raises UnreadableError."""

    def write_reply(self, reply: Reply, hidden: Usage | None = None) -> bytes:
        """The received object itself where nothing was changed and no hidden round is to be told."""

    def malformed(self, reply: Reply) -> str:
        """Why a plain client would misread this answer as it came (a call without id …); empty: it would not."""

    def stream(
        self, ask: Ask, ids: Ids, after: StreamReader | None, hidden: Usage | None, *, mute: bool
    ) -> StreamReader:
        """A reader for the next round; `after` is that of the round before it, when the agent has seen some of that:
        the agent must see one stream. `hidden` is the usage of the rounds before. `mute`: the text of this round is
        held, and left out if it ends in calls (it says again what a rejected attempt said).
        """

    def extend(self, ask: Ask, reply: Reply, results: Mapping[str, str], *, fix: bool) -> Ask:
        """The ask for a hidden round: the reply's first turn as the model said it, then the results of its calls.
        `fix`: arguments that are no JSON object go back as `{}`.
        """

    def compose(self, ask: Ask, text: str, ids: Ids, wall: float, call: tuple[str, str] | None = None) -> Reply:
        """A whole answer of Handrail's own (or one call: name and JSON arguments), in this API's shape."""

    def write_stream(self, reply: Reply, after: StreamReader | None) -> bytes:
        """A composed reply as a whole stream, or as the rest of the stream that `after` has begun."""

    def closing(self, ask: Ask, text: str) -> Ask:
        """The ask for a closing round: tools stay, none may be called, `text` says what is wanted."""

    def error(self, status: int, message: str, code: str, kind: str) -> bytes:
        """An error body in this API's shape."""

    def stream_error(self, message: str, code: str, kind: str) -> bytes:
        """The same as an event of a stream that has begun."""

    def pack_turns(self, turns: Sequence[Turn]) -> bytes:
        """Turns as JSON for the store: what is put back verbatim in later asks."""

    def unpack_turns(self, data: bytes) -> tuple[Turn, ...]:
        """The same turns again."""
