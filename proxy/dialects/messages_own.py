"""Messages that Handrail writes itself: an honest answer, whole or as a stream, and errors.

A stream that has begun is gone on with: its blocks count on, and its id stays the one that the agent knows.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from proxy.dialects import sse
from proxy.dialects.dialect import Ids
from proxy.dialects.messages_content import text_block, write_call
from proxy.dialects.messages_outlet import Outlet, event
from proxy.dialects.messages_reply import hidden_usage, stop_reason
from proxy.dialects.wire import Bytes, arr, dump, edit, obj
from proxy.model import Ask, Reply, ToolCall, Turn, Usage

_TYPES: Final[Mapping[int, str]] = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_NO_TOKENS: Final = b'{"input_tokens":0,"output_tokens":0}'


class Composed(msgspec.Struct, frozen=True):
    """A reply that was never on a wire."""


def compose(ask: Ask, text: str, ids: Ids, call: tuple[str, str] | None) -> Reply:
    calls: tuple[ToolCall, ...] = ()
    if call is not None:
        calls = (ToolCall(ids(), call[0], call[1], call[0], call[1]),)
    texts = (text,) if text and not calls else ()
    turn = Turn("assistant", texts, calls, finish="tool_calls" if calls else "stop")
    return Reply((turn,), Usage(0, 0), "msg_" + ids(), ask.model, wire=Composed())


def whole(reply: Reply, hidden: Usage | None) -> bytes:
    """A composed answer as a body."""
    turn = reply.turns[0]
    usage = _NO_TOKENS if hidden is None else edit(_NO_TOKENS, {"handrail": hidden_usage(hidden)})
    blocks: list[Bytes] = [text_block(text) for text in (*turn.texts, *turn.appended)]
    blocks += [write_call(call) for call in turn.calls]
    return obj({**_message(reply, arr(blocks), dump(stop_reason(turn))), "usage": usage})


def streamed(reply: Reply, outlet: Outlet) -> bytes:
    """A composed answer as a whole stream, or as the rest of the one that has begun."""
    turn = reply.turns[0]
    out = [outlet.shut()]
    if not outlet.begun:
        outlet.begun = True
        message = obj({**_message(reply, b"[]", b"null"), "usage": _NO_TOKENS})
        out.append(event("message_start", {"message": message}))
    out += [outlet.text(text) for text in (*turn.texts, *turn.appended) if text]
    out += [outlet.call(call) for call in turn.calls]
    delta = dump({"stop_reason": stop_reason(turn), "stop_sequence": None})
    out += [event("message_delta", {"delta": delta, "usage": _NO_TOKENS}), event("message_stop", {})]
    return b"".join(out)


def _message(reply: Reply, content: Bytes, stop: Bytes) -> dict[str, Bytes]:
    return {
        "id": dump(reply.id),
        "type": b'"message"',
        "role": b'"assistant"',
        "model": dump(reply.model),
        "content": content,
        "stop_reason": stop,
        "stop_sequence": b"null",
    }


def error(status: int, message: str, code: str) -> bytes:
    """An error body. The type is the API's word for the status; Handrail's own code stands beside it."""
    named: dict[str, Any] = {"type": _TYPES.get(status, "api_error"), "message": message}
    if code:
        named["code"] = code
    return dump({"type": "error", "error": named})


def error_event(message: str, code: str) -> bytes:
    return sse.event(error(504 if code == "timeout" else 500, message, code), b"error")
