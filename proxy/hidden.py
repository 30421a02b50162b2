"""Hidden turns that stay part of a conversation: pages that were read, results that were replayed.

The agent gets a turn without them; they are kept under that turn (its first call's id, or its text) and put back at
that place, verbatim, in every later ask. So the model sees one unbroken conversation, the provider's prompt cache
keeps its prefix, and no earlier message is rewritten. Corrections are not kept: they leave no trace.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from proxy.dialects.dialect import Dialect
from proxy.identity import anchor, digest
from proxy.model import Ask, Put, Reply, ToolResult, Turn, Withheld, replace
from proxy.verdicts import Read

WEEK = 7 * 86400.0


class Kept(msgspec.Struct, frozen=True):
    """What was hidden around one turn that the agent got. Turns are in the dialect's own JSON."""

    before: str = ""
    """Whole hidden rounds before it."""
    turn: str = ""
    """The turn itself, with the calls that were withheld from it."""
    results: tuple[tuple[str, str], ...] = ()
    """Results of these, by call id."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Kept).decode


def key(credential: str, run: str, at: str) -> str:
    return "h:" + digest(credential, run, at)


def full_turn(turn: Turn, withheld: Sequence[Withheld], order: Sequence[str]) -> Turn:
    """The turn with its withheld calls, in the order in which the model made them."""
    calls = {call.id: call for call in (*turn.calls, *(one.call for one in withheld))}
    ranked = sorted(calls, key=lambda call_id: order.index(call_id) if call_id in order else len(order))
    return replace(turn, calls=tuple(calls[call_id] for call_id in ranked), appended=())


def keep(
    dialect: Dialect, reply: Reply, rounds: Sequence[Sequence[Turn]], order: Sequence[str]
) -> tuple[tuple[str, ...], Kept] | None:
    """What to store for a reply that is about to leave, and under which anchors; None: nothing was hidden.

    On a stream the agent has heard the text of the hidden rounds too, so a turn without calls has a second anchor; and
    the turn itself is stored, so that nothing is said twice when it is put back.
    """
    if not rounds and not reply.withheld:
        return None
    turn = reply.turns[0]
    before = [one for turns in rounds for one in turns]
    kept = Kept(
        dialect.pack_turns(before).decode() if before else "",
        dialect.pack_turns([full_turn(turn, reply.withheld, order)]).decode(),
        tuple((one.call.id, one.result) for one in reply.withheld),
    )
    heard = [one.text for one in before if one.role == "assistant" and one.text]
    aloud = replace(turn, texts=("\n\n".join((*heard, turn.text)),))
    return tuple(dict.fromkeys((anchor(turn), anchor(aloud)))), kept


def put(credential: str, run: str, at: str, kept: Kept) -> Put:
    return Put(key(credential, run, at), _encode(kept), WEEK)


def reads(ask: Ask, anchors: Mapping[str, str], credential: str) -> dict[int, Read]:
    """Which turns of the ask have something hidden; `anchors` names the run that each was kept under."""
    found = {}
    for at, turn in enumerate(ask.turns):
        if turn.role == "assistant" and (run := anchors.get(anchor(turn))) is not None:
            found[at] = Read(key(credential, run, anchor(turn)))
    return found


def restored(ask: Ask, found: Mapping[int, Read], known: Mapping[Any, Any], dialect: Dialect) -> Ask:
    """The ask with its hidden turns in their places."""
    kept = {at: _decode(known[read]) for at, read in found.items() if known.get(read) is not None}
    if not kept:
        return ask
    turns: list[Turn] = []
    pending: tuple[tuple[str, str], ...] = ()
    for at, turn in enumerate(ask.turns):
        here = turn
        if pending:
            here, spare = _answered(turn, pending, turns[-1])
            turns += spare
            pending = ()
        if at not in kept:
            turns.append(here)
            continue
        one = kept[at]
        if one.before:
            turns += [replace(hidden, kept=True) for hidden in dialect.unpack_turns(one.before.encode())]
        turns += dialect.unpack_turns(one.turn.encode()) if one.turn else (here,)
        pending = one.results
    if pending:
        turns.append(Turn("tool", results=tuple(_results(pending, turns[-1]))))
    return replace(ask, turns=tuple(turns))


def _answered(turn: Turn, pending: Sequence[tuple[str, str]], called: Turn) -> tuple[Turn, list[Turn]]:
    """The turn after one with withheld calls, with their results among the agent's."""
    own = tuple(_results(pending, called))
    if turn.role != "tool":
        return turn, [Turn("tool", results=own)]
    order = [call.id for call in called.calls]
    merged = sorted(
        (*turn.results, *own), key=lambda result: order.index(result.call_id) if result.call_id in order else len(order)
    )
    return replace(turn, results=tuple(merged)), []


def _results(pending: Sequence[tuple[str, str]], called: Turn) -> Iterator[ToolResult]:
    tools = {call.id: call.tool for call in called.calls}
    for call_id, text in pending:
        yield ToolResult(call_id, (text,), tools.get(call_id, ""), kept=True)


def unfinished(language: str) -> str:
    """What the agent is told when the model was still busy with what Handrail answers itself."""
    if language == "zh":
        return "在读取全部数据之前已停止;以上结论可能不完整。"
    return "Stopped before all of the data was read; what is said above may be incomplete."
