"""What a Responses answer holds, streamed or not: output items, why it ended, usage; and the response object anew.

The whole output is one assistant turn. Knows no request and no stream.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from proxy.dialects.dialect import Ids, UnreadableError
from proxy.dialects.responses_items import CallOrigin, kind_of, member, read_texts
from proxy.dialects.responses_names import Names
from proxy.dialects.responses_turns import Item, Origin, assistant, write_assistant
from proxy.dialects.wire import Bytes, arr, dump, edit, fields, items, obj, value
from proxy.model import Finish, ToolCall, Turn, Usage, replace

_LENGTH: Final = frozenset({"max_output_tokens", "max_tokens", "length", "max_completion_tokens"})


def read_output(raws: Sequence[Bytes], names: Names, ids: Ids) -> tuple[Turn, str]:
    """The turn that output items make, and why a plain client would misread it (empty: it would not)."""
    group: list[Item] = []
    for at, raw in enumerate(raws):
        item = value(raw)
        if not isinstance(item, dict):
            raise UnreadableError(f"output[{at}] is not an object")
        group.append((item, raw))
    turn = assistant(group, names)
    calls, why = sound_calls(turn.calls, ids)
    cut = any(kind_of(item).endswith("_call") and member(item, "status") == "incomplete" for item, _ in group)
    origin = turn.wire
    if isinstance(origin, Origin):
        origin = replace(origin, calls=calls, reply=True)
    return replace(turn, calls=calls, cut=cut, wire=origin), why


def sound_calls(calls: Sequence[ToolCall], ids: Ids) -> tuple[tuple[ToolCall, ...], str]:
    """Calls with an id of their own, and why a plain client would misread them as they came."""
    seen: set[str] = set()
    out: list[ToolCall] = []
    why = ""
    for call in calls:
        sound = call
        if not call.id or call.id in seen:
            why = why or ("two calls with one id" if call.id else "a call without id")
            sound = replace(call, id=ids())
        if isinstance(call.wire, CallOrigin):
            why = why or call.wire.why
        seen.add(sound.id)
        out.append(sound)
    return tuple(out), why


def read_finish(response: Mapping[str, Any], *, calls: bool) -> tuple[Finish, bool]:
    """Why the model stopped, and whether the output was cut off. A response in the background has not stopped yet."""
    status = response.get("status")
    if status == "incomplete":
        details = response.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        if reason == "content_filter":
            return "filter", True
        return ("length" if reason is None or reason in _LENGTH else "other"), True
    if status in ("failed", "cancelled"):
        return "other", True
    if status in ("queued", "in_progress") and not calls:
        return "", False
    return ("tool_calls" if calls else "stop"), False


def read_usage(usage: object) -> Usage | None:
    """Tokens as the provider counted them; None where it said nothing, or nothing but zeros."""
    if not isinstance(usage, dict):
        return None
    sent, got = usage.get("input_tokens"), usage.get("output_tokens")
    if not isinstance(sent, int) or not isinstance(got, int) or not sent + got:
        return None
    details = usage.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(sent, got, cached if isinstance(cached, int) else 0)


def hidden_usage(hidden: Usage) -> bytes:
    """What the hidden rounds used, beside the usage of the round that the agent sees."""
    return dump(
        {
            "hidden_input_tokens": hidden.input,
            "hidden_output_tokens": hidden.output,
            "hidden_cached_tokens": hidden.cached,
            "estimated": hidden.estimated,
        }
    )


# ---------------------------------------------------------------- writing


def write_output(turn: Turn, names: Names, seed: str) -> list[Bytes]:
    """The output items of a reply's turn. `seed` makes the ids of new items differ between two replies."""
    origin = turn.wire if isinstance(turn.wire, Origin) else Origin(())
    written = write_assistant(replace(turn, appended=()), names=names)
    old = {id(raw) for raw in origin.items}
    out = [raw if id(raw) in old else as_output(raw, seed, turn) for raw in written]
    if turn.appended:
        out.append(new_message(turn.appended, seed))
    return out


def as_output(raw: Bytes, seed: str, turn: Turn) -> Bytes:
    """An item as an output carries it: with an id and a status; one that ended with calls is completed."""
    item = value(raw)
    kind = kind_of(item)
    changes: dict[str, Bytes | None] = {}
    if not item.get("id"):
        prefix = {"function_call": "fc_", "custom_tool_call": "ctc_"}.get(kind, "msg_")
        changes["id"] = dump(made_id(prefix, seed, member(item, "call_id") or bytes(raw).decode("utf-8", "replace")))
    if "status" not in item or (item["status"] == "incomplete" and turn.finish in ("stop", "tool_calls")):
        changes["status"] = b'"completed"'
    return edit(raw, changes) if changes else raw


def new_message(texts: Sequence[str], seed: str) -> bytes:
    parts = [obj([("type", b'"output_text"'), ("text", dump(text)), ("annotations", b"[]")]) for text in texts]
    return obj(
        [
            ("type", b'"message"'),
            ("id", dump(made_id("msg_", seed, *texts))),
            ("status", b'"completed"'),
            ("role", b'"assistant"'),
            ("content", arr(parts)),
        ]
    )


def made_id(prefix: str, *parts: str) -> str:
    """An id made of what it names: the same for the same reply, whoever writes it and how often."""
    return prefix + blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def ends_well(response: Bytes, finish: Finish) -> bool:
    """Whether a response that was cut off ends well now, because its turn was changed."""
    members = fields(response)
    rest: dict[str, Any] = {key: value(members[key]) for key in ("status", "incomplete_details") if key in members}
    return finish in ("stop", "tool_calls") and read_finish(rest, calls=True)[1]


def write_response(
    response: Bytes, output: Sequence[Bytes], finish: Finish, hidden: Usage | None, more: Mapping[str, Bytes]
) -> bytes:
    """The response object with this output, ended for this reason; `more` are further members."""
    members = fields(response)
    changes: dict[str, Bytes | None] = {"output": arr(output), **more}
    if ends_well(response, finish):
        changes |= {"status": b'"completed"', "incomplete_details": b"null"}
    if hidden is not None:
        changes["usage"] = with_hidden(members.get("usage", b"null"), hidden)
    if bytes(members.get("output_text", b"")).startswith(b'"'):
        changes["output_text"] = dump("".join(_texts(output)))
    return edit(response, changes)


def with_hidden(usage: Bytes, hidden: Usage) -> bytes:
    counted = usage if bytes(usage).startswith(b"{") else b"{}"
    return edit(counted, {"handrail": hidden_usage(hidden)})


def _texts(output: Sequence[Bytes]) -> list[str]:
    told = [item for item in map(value, output) if kind_of(item) == "message"]
    return [text for item in told for text in read_texts(item.get("content"))[0]]


def output_of(response: Bytes) -> list[Bytes]:
    """The output items of a response object. Raises UnreadableError where it has none."""
    listed = fields(response).get("output")
    if listed is None or not bytes(listed).lstrip().startswith(b"["):
        raise UnreadableError("the answer has no output")
    return list(items(listed))
