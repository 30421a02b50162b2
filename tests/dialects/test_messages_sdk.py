"""The official SDK as the reader: what the dialect writes is what an agent's own client puts together."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import pytest
from aiohttp import web

from proxy.dialects.messages import Messages
from proxy.model import Usage, replace
from tests.dialects.messages_script import PING, call, end, ids, play, raw, start, text, thinking

DIALECT = Messages()
ASK = DIALECT.read_ask(raw({"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True}))


@asynccontextmanager
async def client(
    body: bytes, kind: str = "text/event-stream", status: int = 200
) -> AsyncIterator[anthropic.AsyncAnthropic]:
    """The SDK's client, whose server gives this answer to all that is asked."""

    async def handle(request: web.Request) -> web.Response:
        return web.Response(body=body, status=status, headers={"content-type": kind, "x-should-retry": "false"})

    app = web.Application()
    app.router.add_post("/v1/messages", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    try:
        async with anthropic.AsyncAnthropic(base_url=f"http://{host}:{port}", api_key="sk-test", max_retries=0) as made:
            yield made
    finally:
        await runner.cleanup()


async def streamed(body: bytes) -> Any:
    async with client(body) as made, made.messages.stream(**QUESTION) as stream:
        return await stream.get_final_message()


QUESTION: dict[str, Any] = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}


def uses(message):
    return [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]


def reader(data, **options):
    made = DIALECT.stream(ASK, ids(), options.get("after"), options.get("hidden"), mute=options.get("mute", False))
    return made, play(made, data)


async def test_a_repaired_stream():
    one, early = reader(start() + thinking(0) + text(1, "hi") + call(2, '{"a":', '"x"}') + PING + end())
    reply = one.reply(whole=True)
    fixed = replace(reply.turns[0], calls=(replace(reply.calls[0], args='{"a":1}'),))
    message = await streamed(early + one.write(replace(reply, turns=(fixed,)), b": handrail done\n\n"))
    assert uses(message) == [("tu1", "read", {"a": 1})]
    assert message.stop_reason == "tool_use"
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
    assert message.content[0].signature == "c2ln+/="
    assert (message.usage.input_tokens, message.usage.output_tokens) == (10, 7)


async def test_an_unchanged_stream():
    one, early = reader(start() + text(0, "hi") + call(1, '{"a":', "1}") + call(2, call_id="tu2") + end())
    assert uses(await streamed(early + one.unchanged())) == [("tu1", "read", {"a": 1}), ("tu2", "read", {})]


async def test_several_rounds_are_one_stream():
    one, early = reader(start() + text(0, "I look.") + call(1, '{"a') + end())
    two, more = reader(
        start(100) + thinking(0) + text(1, "I look.") + call(2, '{"a":2}', call_id="tu2") + end(),
        after=one,
        hidden=Usage(15, 7, 5),
        mute=True,
    )
    message = await streamed(early + more + two.unchanged())
    assert uses(message) == [("tu2", "read", {"a": 2})]
    assert [block.text for block in message.content if block.type == "text"] == ["I look."]
    assert (message.id, message.usage.input_tokens) == ("msg_1", 100)


async def test_a_round_that_died_is_not_noticed():
    one, early = reader(start() + text(0, "a") + call(1, '{"a":1}') + end())
    _, more = reader(start() + text(0, "b", stop=False), after=one, hidden=Usage(1, 1))
    assert uses(await streamed(early + more + one.unchanged())) == [("tu1", "read", {"a": 1})]


async def test_answers_of_our_own():
    honest = DIALECT.compose(ASK, "honest", ids(), 0.0)
    message = await streamed(DIALECT.write_stream(honest, None))
    assert (message.content[0].text, message.stop_reason) == ("honest", "end_turn")
    ending = DIALECT.compose(ASK, "", ids(), 0.0, ("finish", '{"answer":"x"}'))
    assert uses(await streamed(DIALECT.write_stream(ending, None))) == [("made00001", "finish", {"answer": "x"})]
    one, early = reader(start() + text(0, "hm") + call(1, "{") + end())
    message = await streamed(early + DIALECT.write_stream(honest, one))
    assert [block.text for block in message.content] == ["hm", "honest"]


async def test_answers_that_are_not_streamed():
    body = raw(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "tool_use", "id": "tu1", "name": "read", "input": {"a": "x"}}],
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 2},
        }
    )
    reply = DIALECT.read_reply(body, ASK, ids())
    fixed = replace(reply.turns[0], calls=(replace(reply.calls[0], args='{"a":1}'),))
    async with client(DIALECT.write_reply(replace(reply, turns=(fixed,)), Usage(3, 4)), "application/json") as made:
        assert uses(await made.messages.create(**QUESTION)) == [("tu1", "read", {"a": 1})]
    async with client(DIALECT.write_reply(DIALECT.compose(ASK, "honest", ids(), 0.0)), "application/json") as made:
        message: Any = await made.messages.create(**QUESTION)
        assert message.content[0].text == "honest"


async def test_errors_are_raised_as_the_sdk_s_own():
    async with client(DIALECT.error(504, "late", "timeout", ""), "application/json", 504) as made:
        with pytest.raises(anthropic.APIStatusError) as caught:
            await made.messages.create(**QUESTION)
    assert caught.value.body == json.loads(DIALECT.error(504, "late", "timeout", ""))
    with pytest.raises(anthropic.APIStatusError, match="late"):
        await streamed(start() + text(0, "x") + DIALECT.stream_error("late", "timeout", ""))
