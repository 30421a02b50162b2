"""What Chat Completions answers hold, streamed or not: choices, finish reasons, usage, and calls made sound.

Reads leniently what providers send beside the API's own form. Knows no request and no stream.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from proxy.dialects import chat_messages
from proxy.dialects.chat_messages import CallOrigin, Origin
from proxy.dialects.dialect import Ids, UnreadableError
from proxy.dialects.wire import Bytes, Raw, dump, edit, fields, mended, value
from proxy.model import Finish, ToolCall, Turn, Usage, replace

_FINISH: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "eos": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "filter",
}
_CUT: Final = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


class Choice(msgspec.Struct):
    """A choice, of which only the message is needed as it stands."""

    index: Any = None
    message: Raw = Raw(b"{}")
    finish_reason: Any = None
    native_finish_reason: Any = None


class Answer(msgspec.Struct):
    """An unstreamed answer."""

    choices: list[Choice]
    id: Any = None
    model: Any = None
    usage: Any = None


_answer = msgspec.json.Decoder(Answer).decode


def read_answer(body: bytes) -> Answer:
    """Raises UnreadableError."""
    try:
        return _answer(body)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        pass
    try:
        return _answer(mended(body))
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise UnreadableError(f"the answer has no choices: {error}") from None


def read_choice(choice: Choice, at: int, ids: Ids) -> tuple[Turn, str]:
    message = value(choice.message)
    if not isinstance(message, dict):
        raise UnreadableError(f"choices[{at}].message is not an object")
    texts, _ = chat_messages.read_texts(message.get("content"))
    calls, why = sound_calls(chat_messages.read_calls(message, choice.message), ids)
    finish, cut = read_finish(choice.finish_reason, choice.native_finish_reason)
    index = choice.index if isinstance(choice.index, int) else at
    return Turn("assistant", texts, calls, (), (), finish, cut, index, Origin((choice.message,), texts, calls)), why


def read_finish(reason: object, native: object) -> tuple[Finish, bool]:
    """The finish reason as meant, and whether the output was cut off."""
    finish: Finish = _FINISH.get(reason, "other") if isinstance(reason, str) and reason else ""
    cut = finish == "length" or (isinstance(native, str) and native.lower() in _CUT)
    return finish, cut


def sound_calls(calls: Sequence[ToolCall], ids: Ids) -> tuple[tuple[ToolCall, ...], str]:
    """Calls with an id of their own, and why a plain client would misread them as they came."""
    seen: set[str] = set()
    out: list[ToolCall] = []
    why = ""
    for call in calls:
        origin = call.wire if isinstance(call.wire, CallOrigin) else None
        legacy = origin is not None and origin.legacy
        sound = call
        if not legacy and (not call.id or call.id in seen):
            why = why or ("a call without id" if not call.id else "two calls with one id")
            sound = replace(call, id=ids())
        if origin is not None:
            why = why or chat_messages.misread(origin)
        seen.add(sound.id)
        out.append(sound)
    return tuple(out), why


def write_choice(raw: Raw, turn: Turn) -> Bytes:
    origin = turn.wire
    if not isinstance(origin, Origin):
        return raw
    message = chat_messages.write_turn(replace(turn, wire=replace(origin, rewrite=True)))[0]
    members = fields(raw)
    old, _ = read_finish(value(members.get("finish_reason", b"null")), None)
    changes: dict[str, Bytes | None] = {"message": message}
    if turn.finish != old:
        changes["finish_reason"] = dump(write_finish(turn))
    return edit(raw, changes)


def write_finish(turn: Turn) -> str:
    if turn.finish == "tool_calls" and any(map(chat_messages.is_legacy, turn.calls)):
        return "function_call"
    return {"filter": "content_filter", "other": "stop", "": "stop"}.get(turn.finish, turn.finish)


def read_usage(usage: object) -> Usage | None:
    """Tokens as the provider counted them; None where it said nothing, or nothing but zeros."""
    if not isinstance(usage, dict):
        return None
    sent, got = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(got, int) or not sent + got:
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(sent, got, cached if isinstance(cached, int) else 0)


def hidden_usage(hidden: Usage) -> bytes:
    """What the hidden rounds used, beside the usage of the round that the agent sees."""
    return dump(
        {
            "hidden_prompt_tokens": hidden.input,
            "hidden_completion_tokens": hidden.output,
            "hidden_cached_tokens": hidden.cached,
            "estimated": hidden.estimated,
        }
    )
