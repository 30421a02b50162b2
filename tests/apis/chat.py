"""Chat Completions for tests: builds what agents and providers send, reads what they get."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proxy.dialects import sse
from tests.apis.neutral import Asked, Call, Results, Said, Seen, System, Tool, Turn, User, pieces

_HEAD = {"created": 1700000000, "model": "m"}
_USAGE = {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60}


class Chat:
    """`/v1/chat/completions`."""

    name = "chat"
    path = "/v1/chat/completions"
    chained = False

    def ask(self, turns: Sequence[Turn], tools: Sequence[Tool] = (), **more: Any) -> dict[str, Any]:
        body: dict[str, Any] = {"model": "m", "messages": [one for turn in turns for one in _messages(turn)]}
        if tools:
            body["tools"] = [{"type": "function", "function": _function(tool)} for tool in tools]
        if choice := more.pop("choice", ""):
            body["tool_choice"] = (
                {"type": "function", "function": {"name": choice[1:]}} if choice.startswith("=") else choice
            )
        if limit := more.pop("limit", 0):
            body["max_completion_tokens"] = limit
        return body | more

    def answer(self, said: Said, number: int = 1) -> bytes:
        (message,) = _messages(said)
        choice = {"index": 0, "message": message, "finish_reason": said.ending}
        head = {"id": f"chatcmpl-{number}", "object": "chat.completion", **_HEAD}
        return json.dumps({**head, "choices": [choice], "usage": _USAGE}).encode()

    def events(self, said: Said, number: int = 1) -> list[bytes]:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in pieces(said.text)]
        for index, call in enumerate(said.calls):
            function = {"name": call.tool, "arguments": ""}
            begun = {"index": index, "id": call.id, "type": "function", "function": function}
            deltas.append({"tool_calls": [begun]})
            for piece in pieces(call.text):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", **_HEAD}
        choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": said.ending})
        return [*(sse.event(json.dumps({**head, "choices": [one]}).encode()) for one in choices), sse.event(b"[DONE]")]

    def read_ask(self, body: bytes) -> Asked:
        asked = json.loads(body)
        tools = {tool["function"]["name"]: tool["function"] for tool in asked.get("tools", ())}
        choice = asked.get("tool_choice", "")
        return Asked(
            _turns(asked["messages"]), tools, choice if isinstance(choice, str) else "=" + choice["function"]["name"]
        )

    def read_answer(self, body: bytes) -> Seen:
        answer = json.loads(body)
        (choice,) = answer["choices"]
        message = choice["message"]
        assert message["role"] == "assistant"
        calls = _calls(message)
        assert all(call.id for call in calls)
        return Seen(Said(message.get("content") or "", calls, choice["finish_reason"]), answer["usage"], answer["id"])

    def read_stream(self, body: bytes) -> Seen:
        splitter = sse.Splitter()
        payloads = [payload for event in splitter.feed(body) if (payload := sse.data(event)) is not None]
        assert splitter.rest() == b""
        assert payloads[-1] == b"[DONE]"
        merged = _Merged()
        for payload in payloads[:-1]:
            merged.add(json.loads(payload))
        return merged.seen()


class _Merged:
    """Chunks put together as plain clients do: by index, strings appended."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._text = self._finish = ""
        self._calls: dict[int, dict[str, str]] = {}
        self._usage: Mapping[str, Any] = {}

    def add(self, chunk: dict[str, Any]) -> None:
        assert "error" not in chunk, chunk
        self._ids |= {chunk["id"]} if chunk.get("id") else set()
        self._usage = chunk.get("usage") or self._usage
        for choice in chunk["choices"]:
            assert not self._finish, "nothing comes after the finish reason"
            delta = choice["delta"]
            self._text += delta.get("content") or ""
            for piece in delta.get("tool_calls") or ():
                self._add_call(piece)
            self._finish = choice["finish_reason"] or ""

    def _add_call(self, piece: dict[str, Any]) -> None:
        if piece["index"] not in self._calls:
            assert piece["index"] == len(self._calls), "indexes count up"
            assert piece["id"]
            assert piece["type"] == "function"
            self._calls[piece["index"]] = {"id": piece["id"], "name": "", "arguments": ""}
        call = self._calls[piece["index"]]
        assert piece.get("id", call["id"]) == call["id"]
        call["name"] += piece["function"].get("name") or ""
        call["arguments"] += piece["function"].get("arguments") or ""

    def seen(self) -> Seen:
        assert self._finish, "a stream ends with a finish reason"
        assert len(self._ids) <= 1, "one stream has one id"
        calls = tuple(Call(one["id"], one["name"], one["arguments"]) for one in self._calls.values())
        return Seen(Said(self._text, calls, self._finish), self._usage, next(iter(self._ids), ""))


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": f"The tool {tool.name}.", "parameters": tool.schema}


def _messages(turn: Turn) -> list[dict[str, Any]]:
    match turn:
        case System():
            return [{"role": "system", "content": turn.text}]
        case User():
            return [{"role": "user", "content": turn.text}]
        case Results():
            return [{"role": "tool", "tool_call_id": key, "content": text} for key, text in turn.texts.items()]
        case Said():
            message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
            if turn.calls:
                message["tool_calls"] = [
                    {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.text}}
                    for call in turn.calls
                ]
            return [message]


def _calls(message: Mapping[str, Any]) -> tuple[Call, ...]:
    return tuple(
        Call(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    )


def _turns(messages: Sequence[Mapping[str, Any]]) -> tuple[Turn, ...]:
    """Every result must answer a call of the turn before it, once, and every call must be answered."""
    turns: list[Turn] = []
    wanted: set[str] = set()
    for message in messages:
        content = _text(message.get("content"))
        if message["role"] == "tool":
            wanted.remove(message["tool_call_id"])
            before = turns.pop().texts if isinstance(turns[-1], Results) else {}  # type: ignore[union-attr]
            turns.append(Results({**before, message["tool_call_id"]: content}))
            continue
        assert not wanted, "a call without its result"
        if message["role"] == "assistant":
            calls = _calls(message)
            wanted = {call.id for call in calls}
            turns.append(Said(content, calls))
        else:
            turns.append(User(content) if message["role"] == "user" else System(content))
    assert not wanted, "a call without its result"
    return tuple(turns)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n\n".join(part["text"] for part in content or ())
