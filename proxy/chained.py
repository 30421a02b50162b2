"""Conversations that go on from an answer's id, with their earlier turns kept by the provider.

Two things are missing on the wire then. Policies lack the steps: these are kept in short under each answer's id and
given to them as `Ask.earlier`, which is never written to a wire. And the provider may lack what Handrail did unseen: an
answer of Handrail's own, results of calls that it answered itself, an id that only the agent knows. For these a link
is kept: what to chain on instead, and which turns to put in front.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from proxy.dialects.dialect import Dialect
from proxy.identity import DAY, digest
from proxy.memo import along
from proxy.model import Ask, Put, Reply, ToolCall, ToolResult, Turn, replace
from proxy.task import Step, steps
from proxy.verdicts import Read

_WEEK = 7 * DAY
_RESULT = 2000
"""Characters of a result that are kept."""
_STEPS = 120


class Link(msgspec.Struct, frozen=True):
    """What a later ask really goes on from."""

    previous: str
    turns: str = ""
    """Turns to put in front, in the dialect's JSON."""


class Kept(msgspec.Struct, frozen=True):
    """One earlier step: its calls (id, tool, arguments), and results by call id."""

    calls: tuple[tuple[str, str, str], ...]
    results: dict[str, str] = {}


_links = msgspec.json.Decoder(Link)
_steps = msgspec.json.Decoder(tuple[Kept, ...])
_encode = msgspec.json.Encoder().encode


def reads(credential: str, previous: str) -> tuple[Read, Read]:
    """What is to be read for an ask that chains on this answer: its link, its steps."""
    return Read("l:" + digest(credential, previous)), Read("t:" + digest(credential, previous))


def joined(ask: Ask, known: Mapping[Any, Any], credential: str, dialect: Dialect) -> Ask:
    """The ask with what its earlier answer's id leads to."""
    link, past = (known.get(read) for read in reads(credential, ask.previous))
    if past is not None:
        ask = replace(ask, earlier=tuple(_turns(_steps.decode(past))))
    if link is not None:
        found = _links.decode(link)
        front = dialect.unpack_turns(found.turns.encode()) if found.turns else ()
        ask = replace(ask, previous=found.previous, turns=(*front, *ask.turns) if front else ask.turns)
    return ask


def _turns(kept: Sequence[Kept]) -> Iterator[Turn]:
    for one in kept:
        yield Turn("assistant", calls=tuple(ToolCall(i, tool, args, tool, args) for i, tool, args in one.calls))
        if one.results:
            tools = {call_id: tool for call_id, tool, _ in one.calls}
            results = (ToolResult(call_id, (text,), tools.get(call_id, "")) for call_id, text in one.results.items())
            yield Turn("tool", results=tuple(results))


def past(credential: str, ask: Ask, reply: Reply, begin: int) -> Put:
    """The steps of the run up to this reply, under its id. `begin`: where the task begins in the history."""
    found = steps(ask.history, begin, ask.memory)
    kept = list(along(ask.memory, past, found, lambda at: _kept(found[at])))
    kept.append(Kept(tuple((call.id, call.tool, call.args) for call in reply.calls)))  # none: it was an answer
    return Put("t:" + digest(credential, reply.id), _encode(tuple(kept[-_STEPS:])), _WEEK)


def _kept(step: Step) -> Kept:
    results = {result.call_id: result.text[:_RESULT] for result in step.results if result is not None}
    return Kept(tuple((call.id, call.tool, call.args) for call in step.calls), results)


def link(credential: str, reply: Reply, dialect: Dialect) -> Iterator[Put]:
    """The link of an answer that the provider keeps under another id, or with calls that Handrail answered itself."""
    turns = ""
    if reply.withheld:
        own = tuple(ToolResult(one.call.id, (one.result,), one.call.tool) for one in reply.withheld)
        turns = dialect.pack_turns([Turn("tool", results=own)]).decode()
    if turns or (reply.kept_as and reply.kept_as != reply.id):
        yield _put(credential, reply.id, Link(reply.kept_as or reply.id, turns))


def own_answer(credential: str, ask: Ask, reply: Reply, text: str, dialect: Dialect) -> Put:
    """The link of an answer that no provider knows: its ask, and the answer, stand in front of what follows."""
    asked = (ask.source or ask).turns
    turns = [turn for turn in asked if turn.role != "system"]
    return _put(
        credential, reply.id, Link(ask.previous, dialect.pack_turns([*turns, Turn("assistant", (text,))]).decode())
    )


def _put(credential: str, answer: str, found: Link) -> Put:
    return Put("l:" + digest(credential, answer), _encode(found), _WEEK)
