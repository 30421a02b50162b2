"""Reads one streamed Chat Completions answer.

A small state machine: text leaves at once, whatever belongs to a tool call is held, and so is all that must come
after it (the finish reason, the usage, [DONE]). Fragments are merged by what they mean, not by what their index says:
providers leave the index out, reuse it, repeat id and name, or send the whole call in one piece.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from proxy.dialects import sse
from proxy.dialects.chat_chunks import ChunkWriter
from proxy.dialects.chat_messages import (
    LEGACY,
    CallOrigin,
    Origin,
    as_id,
    as_name,
    as_text,
    is_legacy,
    read_texts,
    write_call,
)
from proxy.dialects.chat_reply import read_finish, read_usage, sound_calls
from proxy.dialects.dialect import Ids
from proxy.dialects.wire import Bytes, UnreadableError, arr, dump, edit, obj, value
from proxy.model import Reply, TextWatch, ToolCall, Turn, Usage

_BASE = ("id", "object", "created", "model", "system_fingerprint")


class _Call:
    """A call that is being put together."""

    __slots__ = ("args", "extra", "id", "index", "legacy", "name", "type")

    def __init__(self, index: int | None, *, legacy: bool) -> None:
        self.index, self.legacy = index, legacy
        self.id = self.name = self.type = ""
        self.args: list[str] = []
        self.extra: dict[str, Any] = {}


class _Choice:
    """A choice that is being put together."""

    __slots__ = ("calls", "extra", "finish", "left", "native", "size", "texts", "waits", "watch")

    def __init__(self, watch: TextWatch | None) -> None:
        self.texts: list[str] = []
        self.watch = watch
        self.waits = False
        """What its text ends with may be a call in words."""
        self.size = self.left = 0
        """Characters of text that have come, and that have left."""
        self.extra: dict[str, Any] = {}
        self.calls: list[_Call] = []
        self.finish: object = None
        self.native: object = None


class ChatStream:
    """`after` is the reader of the round before, when the agent has seen some of it: this round's events then go on
    with that stream (its id, no second role). `mute`: text waits until the end, and is left out if calls come, since
    it says again what the first attempt said. `watch` makes what tells which text must wait.
    """

    def __init__(
        self,
        ids: Ids,
        after: "ChatStream | None" = None,
        hidden: Usage | None = None,
        *,
        mute: bool = False,
        watch: Callable[[], TextWatch] | None = None,
    ) -> None:
        self.done = False
        self.malformed = ""
        self.spoke: bool = after is not None and after.spoke
        self.base: dict[str, Bytes] = dict(after.base) if after else {}
        self._ids = ids
        self._after = after
        self._mute = mute and self.spoke
        self._watch = watch
        self._hidden = hidden
        self._parted = self.spoke
        self._choices: dict[int, _Choice] = {}
        self._held: list[tuple[bytes, dict[str, Any] | None]] = []
        self._holding = False
        self._usage: Usage | None = None
        self._id = self._model = ""

    # ------------------------------------------------------------ reading

    def feed(self, event: bytes) -> bytes:
        payload = sse.data(event)
        if payload is None:
            return self._pass(event, None)
        if payload.strip() == b"[DONE]":
            self.done = True
            return self._hold(event, None)
        try:
            chunk = value(payload)
        except UnreadableError:
            return self._pass(event, None)
        if not isinstance(chunk, dict):
            return self._pass(event, None)
        if not self.base:
            self.base = {key: dump(chunk[key]) for key in _BASE if key in chunk}
        if self._read(chunk) or self._holding:
            self._holding = True
            return self._hold(event, chunk)
        return self._pass(event, chunk) if self._watch is None else self._watched(event, chunk)

    def _watched(self, event: bytes, chunk: dict[str, Any]) -> bytes:
        """Holds a chunk while some text may be a call; once none is, all that waited leaves."""
        choices = self._choices.values()
        if self._mute or any(choice.waits for choice in choices):
            return self._hold(event, chunk)
        waited, self._held = self._held, []
        for choice in choices:
            choice.left = choice.size
            self.spoke = self.spoke or choice.left > 0
        return b"".join(self._pass(*one) for one in (*waited, (event, chunk)))

    def _hold(self, event: bytes, chunk: dict[str, Any] | None) -> bytes:
        self._held.append((event, chunk))
        return b""

    def _pass(self, event: bytes, chunk: dict[str, Any] | None) -> bytes:
        if chunk is None:
            return self._hold(event, chunk) if self._holding else event
        if self._mute or (self._after is not None and self._hidden is not None and chunk.get("usage")):
            return self._hold(event, chunk)
        return event if self._after is None else self._go_on(event, chunk)

    def _go_on(self, event: bytes, chunk: dict[str, Any]) -> bytes:
        """An event of a later round that leaves at once, in the stream that the agent already reads."""
        choices = chunk.get("choices")
        part = choices[0] if isinstance(choices, list) and choices else None
        delta = part.get("delta") if isinstance(part, dict) else None
        silent = isinstance(delta, dict) and not any(found for key, found in delta.items() if key != "role")
        if silent and isinstance(part, dict) and part.get("finish_reason") is None:
            return b""
        lead = b""
        if self._parted and isinstance(delta, dict) and delta.get("content"):
            self._parted = False
            choice = obj({"index": b"0", "delta": obj({"content": dump("\n\n")}), "finish_reason": b"null"})
            lead = sse.event(obj({**self.base, "choices": arr([choice])}))
        return lead + self.relabelled(sse.data(event) or b"{}", {})

    def _read(self, chunk: dict[str, Any]) -> bool:
        """Takes a chunk in; True if it belongs to a call."""
        if "usage" in chunk:
            self._usage = read_usage(chunk["usage"]) or self._usage
        self._id = self._id or as_id(chunk)
        self._model = self._model or (chunk["model"] if isinstance(chunk.get("model"), str) else "")
        choices = chunk.get("choices")
        concerns = False
        for at, part in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(part, dict):
                concerns = self._read_choice(part, at) or concerns
        return concerns

    def _read_choice(self, part: dict[str, Any], at: int) -> bool:
        index = part.get("index")
        choice = self._choice(index if isinstance(index, int) else at)
        choice.finish = part.get("finish_reason") or choice.finish
        choice.native = part.get("native_finish_reason") or choice.native
        delta = part.get("delta") or part.get("message")
        if not isinstance(delta, dict):
            return False
        listed, legacy = delta.get("tool_calls"), delta.get("function_call")
        for key, found in delta.items():
            if key == "content":
                self._text(choice, read_texts(found)[0])
            elif key not in ("role", "tool_calls", "function_call") and found is not None:
                choice.extra[key] = _joined(choice.extra.get(key), found)
        if isinstance(legacy, dict):
            self._legacy(choice, legacy)
        if isinstance(listed, list):
            for fragment in listed:
                if isinstance(fragment, dict):
                    self._fragment(choice, fragment)
        return bool(listed) or isinstance(legacy, dict)

    def _choice(self, index: int) -> _Choice:
        if index not in self._choices:
            self._choices[index] = _Choice(self._watch() if self._watch is not None else None)
        return self._choices[index]

    def _text(self, choice: _Choice, texts: Sequence[str]) -> None:
        choice.texts.extend(texts)
        text = "".join(texts)
        choice.size += len(text)
        if choice.watch is None:
            self.spoke = self.spoke or bool(text)
        elif text:
            choice.waits = choice.watch.waits(text)

    def _legacy(self, choice: _Choice, fragment: dict[str, Any]) -> None:
        call = next((call for call in choice.calls if call.legacy), None)
        if call is None:
            call = _Call(None, legacy=True)
            choice.calls.append(call)
        call.name += as_name(fragment)
        call.args.append(as_text(fragment.get("arguments")))

    def _fragment(self, choice: _Choice, fragment: dict[str, Any]) -> None:
        found = fragment.get("index")
        index = found if isinstance(found, int) and not isinstance(found, bool) else None
        kind = fragment.get("type") if isinstance(fragment.get("type"), str) else ""
        body = fragment.get("custom") if kind == "custom" else fragment.get("function")
        body = body if isinstance(body, dict) else {}
        call_id, name = as_id(fragment), as_name(body)
        call = self._open(choice, index, call_id, name)
        if call is None:
            call = self._start(choice, index, call_id)
        else:
            self._blame(
                "a call whose id or name is repeated", when=bool(call_id and call.id) or name == call.name != ""
            )
        call.id = call.id or call_id
        call.type = call.type or str(kind)
        call.name = _name(call, name)
        args = body.get("input" if kind == "custom" or call.type == "custom" else "arguments")
        self._blame("arguments that are no string", when=args is not None and not isinstance(args, str))
        call.args.append(as_text(args))
        for key, extra in fragment.items():
            if key not in ("index", "id", "type", "function", "custom"):
                call.extra[key] = extra

    def _start(self, choice: _Choice, index: int | None, call_id: str) -> _Call:
        call = _Call(index, legacy=False)
        used = any(other.index == index for other in choice.calls)
        self._blame("a call without index", when=index is None)
        self._blame("an index used twice", when=index is not None and used)
        self._blame("a call without id", when=not call_id)
        choice.calls.append(call)
        return call

    @staticmethod
    def _open(choice: _Choice, index: int | None, call_id: str, name: str) -> _Call | None:
        """The call that a fragment goes on with; None: it begins one."""
        calls = [call for call in choice.calls if not call.legacy]
        if index is not None:
            calls = [call for call in calls if call.index == index] or (
                [call for call in calls if call.index is None and call.id == call_id != ""]
            )
        elif call_id:
            calls = [call for call in calls if call.id == call_id]
        if not calls:
            return None
        last = calls[-1]
        if call_id and last.id and call_id != last.id:
            return None
        begun = bool(last.name) and _whole("".join(last.args))
        if name and not call_id and begun and (name != last.name or index is None):
            return None
        return last

    def _blame(self, why: str, *, when: bool) -> None:
        if when and not self.malformed:
            self.malformed = why

    # ------------------------------------------------------------ the whole answer

    def reply(self, *, whole: bool) -> Reply:
        turns = tuple(self._turn(index, choice, whole=whole) for index, choice in sorted(self._choices.items()))
        return Reply(turns, self._usage, self._id, self._model, wire=self)

    def _turn(self, index: int, choice: _Choice, *, whole: bool) -> Turn:
        finish, cut = read_finish(choice.finish, choice.native)
        read = tuple(_tool_call(call) for call in choice.calls)
        calls, why = sound_calls(read, self._ids)
        self._blame(why, when=bool(why))
        texts = ("".join(choice.texts),) if choice.texts else ()
        origin = Origin((_message(choice, texts, calls),), texts, calls)
        cut = cut or not whole or (not finish and not self.done)
        return Turn("assistant", texts, calls, (), (), finish, cut, index, origin)

    # ------------------------------------------------------------ writing

    @property
    def held(self) -> bool:
        return bool(self._held)

    def unchanged(self) -> bytes:
        if self._after is None and self._hidden is None:
            return b"".join(event for event, _ in self._held)
        return self.write(self.reply(whole=True))

    def write(self, reply: Reply, comment: bytes = b"") -> bytes:
        turns = {turn.choice: turn for turn in reply.turns}
        said = {index: turn.text[self._choices[index].left :] for index, turn in turns.items() if _retold(turn)}
        writer = ChunkWriter(self, turns, said, mute=self._mute and bool(reply.calls))
        out: list[bytes] = []
        for event, chunk in self._held:
            ends = chunk is None and self.done and event is self._held[-1][0]
            out += [*(writer.rest() if ends else ()), event] if chunk is None else writer.chunk(event, chunk)
        out += writer.rest()
        if comment:
            out.insert(max(len(out) - 1, 0), comment)
        return b"".join(out)

    def relabelled(self, payload: bytes, changes: Mapping[str, Bytes | None]) -> bytes:
        """An event of a later round as one of the stream that the agent already reads."""
        base = self.base if self._after is not None else {}
        return sse.event(edit(payload, {**base, **changes}))

    @property
    def follows(self) -> bool:
        return self._after is not None

    @property
    def hidden(self) -> Usage | None:
        return self._hidden


def _retold(turn: Turn) -> bool:
    """Whether a policy changed what the turn says."""
    return isinstance(turn.wire, Origin) and turn.texts is not turn.wire.texts


def _joined(old: Any, new: Any) -> Any:
    """Fragments of a field that is not known: text and lists grow, anything else is replaced."""
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    return new


def _name(call: _Call, name: str) -> str:
    """A name may come in pieces, before any argument; the same name again is a repetition."""
    if not name or name == call.name or any(call.args):
        return call.name or name
    return call.name + name


def _whole(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _tool_call(call: _Call) -> ToolCall:
    args = "".join(call.args)
    if call.legacy:
        raw = obj({"name": dump(call.name), "arguments": dump(args)})
        return ToolCall("", call.name, args, call.name, args, wire=CallOrigin(raw, call.name, args, "", legacy=True))
    custom = call.type == "custom"
    kind = call.type or "function"
    body = obj({"name": dump(call.name), "input" if custom else "arguments": dump(args)})
    extra = {key: dump(found) for key, found in call.extra.items()}
    raw = obj({"id": dump(call.id), "type": dump(kind), "custom" if custom else "function": body, **extra})
    origin = CallOrigin(raw, call.name, args, call.id)
    return ToolCall(call.id, call.name, args, call.name, args, "custom" if custom else "function", origin)


def _message(choice: _Choice, texts: Sequence[str], calls: Sequence[ToolCall]) -> bytes:
    """The assistant message that these fragments make, as a request would carry it."""
    members: dict[str, Bytes] = {"role": b'"assistant"', "content": dump(texts[0]) if texts else b"null"}
    members |= {key: dump(found) for key, found in choice.extra.items()}
    listed = [write_call(call) for call in calls if not is_legacy(call)]
    if listed:
        members["tool_calls"] = arr(listed)
    legacy = next(filter(is_legacy, calls), None)
    if legacy is not None:
        members[LEGACY] = write_call(legacy)
    return obj(members)
