"""A real process that is killed at each moment of a side effect, and started again over the same data.

The model wants the same mail twice; the agent asks again after each crash. The mails are counted.
"""

import asyncio
import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.serving import Served, serving
from tests.wire import Client, Peer, Provider, Seen

PACK = "policies:\n  run_once: {}\ntools:\n  send_email: {side_effect: true}\n"
TEXT = {"type": "string"}
MAIL = {
    "type": "function",
    "function": {"name": "send_email", "parameters": {"type": "object", "properties": {"to": TEXT, "subject": TEXT}}},
}
WANTED = ('{"to": "lee@x.org", "subject": "Hi"}', '{"subject":"Hi","to":"lee@x.org"}')
BEFORE, AFTER, HANDED, CLOSING = "before the model answers", "after it answered", "with the call out", "with its result"


def _said(asked: bytes) -> dict[str, Any]:
    """Wants the mail, wants it again in another order of keys, then is content."""
    results = sum(message["role"] == "tool" for message in json.loads(asked)["messages"])
    if results >= len(WANTED):
        return {"role": "assistant", "content": "It was sent."}
    call = {"id": f"call_{results}", "type": "function"}
    call["function"] = {"name": "send_email", "arguments": WANTED[results]}  # type: ignore[assignment]
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class _Model:
    """Kills the proxy once, at its moment, as soon as it is asked with so many results."""

    def __init__(self, moment: str) -> None:
        self.moment = moment
        self.kill: Callable[[], None] | None = None

    async def answer(self, seen: Seen, peer: Peer) -> None:
        said = _said(seen.body)
        results = seen.body.count(b'"role":"tool"')
        if (self.moment, results) in ((BEFORE, 0), (CLOSING, 1)):
            self._strike()
        ends = "tool_calls" if "tool_calls" in said else "stop"
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
        body["choices"] = [{"index": 0, "message": said, "finish_reason": ends}]
        await peer.reply(200, json.dumps(body).encode(), "Content-Type: application/json")
        if self.moment == AFTER:
            self._strike()

    def _strike(self) -> None:
        if self.kill is not None:
            self.kill()
            self.kill = None


class _Agent:
    """Keeps its history over the crashes of the proxy."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": "Send Lee the mail."}]
        self.outbox: list[str] = []

    async def work(self, port: int, *, leaving: bool = False) -> None:
        """Until the model is content. `leaving`: ends with its first call in hand. Raises OSError, EOFError."""
        for _ in range(6):
            body = {"model": "m", "tools": [MAIL], "messages": self.messages}
            raw = json.dumps(body, separators=(",", ":")).encode()
            client = await Client.connect(port)
            with contextlib.closing(client):
                answer = await client.ask("POST /v1/chat/completions", "Content-Type: application/json", body=raw)
            if answer.cut:
                raise EOFError
            assert answer.status == 200, answer.body
            message = json.loads(answer.body)["choices"][0]["message"]
            self.messages.append(message)
            for call in message.get("tool_calls") or ():
                self.outbox.append(call["function"]["arguments"])
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": "sent as m-1"})
            if leaving or not message.get("tool_calls"):
                return
        raise AssertionError("the model is never content")


@pytest.mark.parametrize("moment", [BEFORE, AFTER, HANDED, CLOSING])
async def test_a_killed_process_sends_no_second_mail(moment: str, tmp_path: Path) -> None:
    agent, model = _Agent(), _Model(moment)
    async with Provider(model.answer) as upstream:
        url = f"http://127.0.0.1:{upstream.port}/v1"
        async with serving(url, tmp_path, PACK) as served:
            await _until_killed(agent, model, served)
        assert len(agent.outbox) <= 1
        async with serving(url, tmp_path, PACK) as served:
            await agent.work(served.port)
    sure = moment != AFTER
    assert len(agent.outbox) == 1 if sure else len(agent.outbox) <= 1
    assert agent.messages[-1]["content"] == "It was sent."


async def _until_killed(agent: _Agent, model: _Model, served: Served) -> None:
    if model.moment == HANDED:
        await agent.work(served.port, leaving=True)
        served.kill()
        return
    model.kill = served.kill
    with contextlib.suppress(OSError, EOFError, asyncio.IncompleteReadError):
        await agent.work(served.port)
    assert model.kill is None, "it was never killed"
