"""Responses answers of Handrail's own: a text, or one call, as a JSON body or as the full set of events.

The id of such an answer exists at no provider; the exchange has to remember what it stands for, should an agent chain
on it.
"""

import msgspec

from proxy.dialects.responses_assembly import StreamItem
from proxy.dialects.responses_events import Trail
from proxy.dialects.responses_items import write_call
from proxy.dialects.responses_names import Names
from proxy.dialects.responses_reply import as_output, made_id, new_message, with_hidden
from proxy.dialects.wire import Bytes, arr, dump, edit
from proxy.model import Ask, Reply, Usage


class Composed(msgspec.Struct, frozen=True):
    """A reply that was never on a wire."""

    response: bytes
    """The response object as it begins."""
    created: int
    """Seconds since the epoch."""
    names: Names


_ZERO = {
    "input_tokens": 0,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 0,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 0,
}


def begin(ask: Ask, response_id: str, created: int) -> bytes:
    """The response object as `response.created` tells it."""
    return dump(
        {
            "id": response_id,
            "object": "response",
            "created_at": created,
            "status": "in_progress",
            "background": False,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "max_output_tokens": ask.limit,
            "model": ask.model,
            "output": [],
            "parallel_tool_calls": True,
            "previous_response_id": ask.previous or None,
            "reasoning": {"effort": None, "summary": None},
            "store": False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
            "user": None,
            "metadata": {},
        }
    )


def output(reply: Reply, wire: Composed) -> list[Bytes]:
    turn = reply.turns[0]
    texts = (*turn.texts, *turn.appended)
    said = [new_message(texts, reply.id)] if texts else []
    return [*said, *(as_output(write_call(call, wire.names), reply.id, turn) for call in turn.calls)]


def whole(reply: Reply, wire: Composed, hidden: Usage | None) -> bytes:
    """The JSON body."""
    usage = dump(_ZERO)
    return _ended(
        wire.response, output(reply, wire), wire.created, usage if hidden is None else with_hidden(usage, hidden)
    )


def stream(reply: Reply, wire: Composed, trail: Trail) -> bytes:
    """The events of the whole answer, or the rest of a stream that the agent already reads."""
    out: list[bytes] = []
    begun = trail.response
    if begun is None:
        begun = wire.response
        out += [trail.event(kind, ("response", begun)) for kind in ("response.created", "response.in_progress")]
    items = list(trail.output)
    for raw in output(reply, wire):
        out += trail.item(raw, StreamItem(""))
        items.append(raw)
    out.append(trail.event("response.completed", ("response", _ended(begun, items, wire.created, dump(_ZERO)))))
    return b"".join(out)


def _ended(response: Bytes, items: list[Bytes], at: int, usage: bytes) -> bytes:
    changes = {"status": b'"completed"', "completed_at": dump(at), "output": arr(items), "usage": usage}
    return edit(response, changes)


def response_id(made: str) -> str:
    """From an id of 9 letters and digits, one of the length that clients know."""
    return made_id("resp_", made)
