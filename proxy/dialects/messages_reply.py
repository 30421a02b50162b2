"""What Messages answers hold, streamed or not: stop reasons, usage, calls made sound, thinking that must not be lost.

Knows no request and no stream.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from proxy.dialects.dialect import Ids
from proxy.dialects.messages_content import slots, text_of
from proxy.dialects.wire import Bytes, dump
from proxy.model import Finish, ToolCall, Turn, Usage, replace

_FINISH: Final[Mapping[str, Finish]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filter",
}
_WRITTEN: Final[Mapping[str, str]] = {"tool_calls": "tool_use", "length": "max_tokens", "filter": "refusal"}
_INPUT: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""All input of a round, in this API's words: the three do not overlap."""
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})


def read_finish(reason: object) -> Finish:
    return _FINISH.get(reason, "other") if isinstance(reason, str) and reason else ""


def finish_of(turn: Turn) -> Finish:
    """The finish reason that fits the turn: an agent looks at it to find out whether there are calls to answer."""
    if turn.calls and turn.finish in ("stop", ""):
        return "tool_calls"
    return "stop" if turn.finish == "tool_calls" and not turn.calls else turn.finish


def stop_edits(turn: Turn, reason: object) -> dict[str, Bytes | None]:
    """Changes to an object that holds the stop reason `reason`, for the turn as it is now."""
    finish = finish_of(turn)
    if finish == read_finish(reason):
        return {}
    return {"stop_reason": dump(_WRITTEN.get(finish, "end_turn")), "stop_sequence": b"null"}


def stop_reason(turn: Turn) -> str:
    return _WRITTEN.get(finish_of(turn), "end_turn")


def sound_calls(calls: Sequence[ToolCall], ids: Ids) -> tuple[tuple[ToolCall, ...], str]:
    """Calls with an id of their own, and why a plain client would misread them as they came."""
    seen: set[str] = set()
    out: list[ToolCall] = []
    why = ""
    for call in calls:
        sound = call
        if not call.id or call.id in seen:
            why = why or ("a call without id" if not call.id else "two calls with one id")
            sound = replace(call, id=ids())
        seen.add(sound.id)
        out.append(sound)
    return (tuple(out) if why else tuple(calls)), why


def leading_thinking(content: Bytes | None) -> tuple[Bytes, ...]:
    """The thinking blocks that an answer begins with."""
    found: list[Bytes] = []
    for slot in slots(content) or ():
        if text_of(slot.members, "type") not in _THINKING:
            break
        found.append(slot.raw)
    return tuple(found)


def read_usage(usage: object, *, estimated: bool = False) -> Usage | None:
    """Tokens as the provider counted them, cached ones among the input; None where it said nothing, or only zeros."""
    if not isinstance(usage, dict):
        return None
    counts = [_count(usage, key) for key in _INPUT]
    sent, got = sum(counts), _count(usage, "output_tokens")
    return Usage(sent, got, counts[2], estimated) if sent + got else None


def _count(usage: Mapping[str, Any], key: str) -> int:
    found = usage.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def missing_input(usage: object, begun: object) -> dict[str, Bytes | None]:
    """The input counts of the round that is shown, where its last usage leaves them to its first event.

    The agent has seen the first event of another round, and would take the numbers from there.
    """
    known = usage if isinstance(usage, dict) else {}
    first = begun if isinstance(begun, dict) else {}
    return {key: dump(first[key]) for key in _INPUT if known.get(key) is None and first.get(key) is not None}


def hidden_usage(hidden: Usage) -> bytes:
    """What the hidden rounds used, beside the usage of the round that the agent sees.

    As in the API, cached input is not among the input tokens; input that was written to the cache is.
    """
    return dump(
        {
            "hidden_input_tokens": hidden.input - hidden.cached,
            "hidden_cache_read_input_tokens": hidden.cached,
            "hidden_output_tokens": hidden.output,
            "estimated": hidden.estimated,
        }
    )
