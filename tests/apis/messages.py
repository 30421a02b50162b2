"""Messages for tests: builds what agents and providers send, reads what they get."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.apis.neutral import Asked, Call, Results, Said, Seen, System, Tool, Turn, User, pieces
from tests.dialects import messages_script as script

_ENDINGS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
_NEUTRAL = {told: ending for ending, told in _ENDINGS.items()}
_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


class Messages:
    """`/v1/messages`."""

    name = "messages"
    path = "/v1/messages"
    chained = False

    def ask(self, turns: Sequence[Turn], tools: Sequence[Tool] = (), **more: Any) -> dict[str, Any]:
        system = [turn.text for turn in turns if isinstance(turn, System)]
        spoken = [_message(turn) for turn in turns if not isinstance(turn, System)]
        body: dict[str, Any] = {"model": "m", "max_tokens": more.pop("limit", 1000), "messages": spoken}
        if system:
            body["system"] = "\n".join(system)
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if choice := more.pop("choice", ""):
            forced = choice.startswith("=")
            body["tool_choice"] = {"type": "tool", "name": choice[1:]} if forced else {"type": _CHOICES[choice]}
        return body | more

    def answer(self, said: Said, number: int = 1) -> bytes:
        message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m"}
        usage = {"input_tokens": 50, "output_tokens": 10}
        ending = {"stop_reason": _ENDINGS[said.ending], "stop_sequence": None, "usage": usage}
        return json.dumps({**message, "content": _blocks(said), **ending}).encode()

    def events(self, said: Said, number: int = 1) -> list[bytes]:
        data = script.start(50, id=f"msg_{number}")
        at = 0
        if said.text:
            data += script.text(at, *pieces(said.text))
            at += 1
        for call in said.calls:
            data += script.call(at, *pieces(call.text), name=call.tool, call_id=call.id)
            at += 1
        events: list[bytes] = script.events(data + script.end(_ENDINGS[said.ending]))
        return events

    def read_ask(self, body: bytes) -> Asked:
        asked = json.loads(body)
        tools = {tool["name"]: tool for tool in asked.get("tools", ())}
        choice = asked.get("tool_choice") or {}
        back = {told: neutral for neutral, told in _CHOICES.items()}
        given = "=" + choice["name"] if choice.get("type") == "tool" else back.get(choice.get("type", ""), "")
        system = asked.get("system")
        said = () if system is None else (System(_text(system)),)
        return Asked((*said, *_turns(asked["messages"])), tools, given)

    def read_answer(self, body: bytes) -> Seen:
        return _seen(json.loads(body))

    def read_stream(self, body: bytes) -> Seen:
        return _seen(script.read(body))


def _tool(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": f"The tool {tool.name}.", "input_schema": tool.schema}


def _message(turn: Turn) -> dict[str, Any]:
    match turn:
        case User() | System():
            return {"role": "user", "content": turn.text}
        case Results():
            known = {"type": "tool_result"}
            results = [{**known, "tool_use_id": key, "content": text} for key, text in turn.texts.items()]
            return {"role": "user", "content": results}
        case Said():
            return {"role": "assistant", "content": _blocks(turn)}


def _blocks(said: Said) -> list[dict[str, Any]]:
    texts = [{"type": "text", "text": said.text}] if said.text else []
    return [*texts, *({"type": "tool_use", "id": one.id, "name": one.tool, "input": _input(one)} for one in said.calls)]


def _input(call: Call) -> dict[str, Any]:
    """What is no object has no form here: the provider says {} for it."""
    value = call.value
    return value if isinstance(value, dict) else {}


def _seen(message: Mapping[str, Any]) -> Seen:
    assert message["type"] == "message"
    said = _said(message["content"])
    assert all(call.id for call in said.calls)
    ending = _NEUTRAL.get(message["stop_reason"], message["stop_reason"])
    return Seen(Said(said.text, said.calls, ending), message["usage"], message["id"])


def _said(content: Any) -> Said:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    calls = [Call(one["id"], one["name"], one["input"]) for one in blocks if one["type"] == "tool_use"]
    return Said("".join(texts), tuple(calls))


def _turns(messages: Sequence[Mapping[str, Any]]) -> tuple[Turn, ...]:
    """Roles take turns, and the results of a message's calls stand first in the message right behind it."""
    turns: list[Turn] = []
    wanted: set[str] = set()
    for at, message in enumerate(messages):
        assert message["role"] == ("assistant" if at % 2 else "user"), "roles take turns"
        content = message["content"]
        if message["role"] == "assistant":
            said = _said(content)
            wanted = {call.id for call in said.calls}
            turns.append(said)
            continue
        results = [] if isinstance(content, str) else [one for one in content if one["type"] == "tool_result"]
        assert {one["tool_use_id"] for one in results} == wanted
        assert len(results) == len(wanted)
        assert results == content[: len(results)] or not results, "results stand first"
        note = _text([one for one in content if one not in results] if results else content)
        texts = {one["tool_use_id"]: _text(one.get("content", "")) for one in results}
        turns.append(Results(texts, note) if results else User(note))
        wanted = set()
    assert not wanted, "a call without its result"
    return tuple(turns)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)
