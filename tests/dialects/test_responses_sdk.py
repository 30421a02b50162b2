"""The official SDK reads what the dialect writes: over a loopback server, with its decoder and its strict stream."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from aiohttp import web

from proxy.dialects.responses import Responses
from proxy.model import Usage, replace
from tests.dialects import responses_sample as sample
from tests.dialects.responses_sample import call, custom, message, play, reasoning, search, stream

DIALECT = Responses()
ASK = DIALECT.read_ask(
    json.dumps(
        {
            "model": "gpt-x",
            "stream": True,
            "input": "x",
            "tools": [{"type": "function", "name": "query", "parameters": {"type": "object", "properties": {}}}],
        }
    ).encode()
)


@asynccontextmanager
async def client(body: bytes, kind="text/event-stream") -> AsyncIterator[openai.AsyncOpenAI]:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=body, content_type=kind)

    app = web.Application()
    app.router.add_post("/v1/responses", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert runner.addresses
    host, port = runner.addresses[0]
    try:
        async with openai.AsyncOpenAI(base_url=f"http://{host}:{port}/v1", api_key="k", max_retries=0) as found:
            yield found
    finally:
        await runner.cleanup()


async def read(body: bytes) -> tuple[Any, list[Any]]:
    """The final response of the strict stream, and the events of the plain one."""
    async with client(body) as found:
        async with found.responses.stream(model="gpt-x", input="x") as strict:
            final = await strict.get_final_response()
        plain = await found.responses.create(model="gpt-x", input="x", stream=True)
        return final, [event async for event in plain]


def arguments(events, index) -> set[str]:
    """The arguments of a call, in all copies that a client may execute."""
    mine = [event for event in events if getattr(event, "output_index", None) == index]
    deltas = "".join(event.delta for event in mine if event.type == "response.function_call_arguments.delta")
    done = [event.arguments for event in mine if event.type == "response.function_call_arguments.done"]
    item = [event.item.arguments for event in mine if event.type == "response.output_item.done"]
    last = [event.response.output[index].arguments for event in events if event.type == "response.completed"]
    assert (len(done), len(item), len(last)) == (1, 1, 1)
    return {deltas, *done, *item, *last}


def repaired(items, args='{"n":42}'):
    reader = DIALECT.stream(ASK, sample.ids(), None, None, mute=False)
    out = play(reader, stream(items))
    reply = reader.reply(whole=True)
    turn = reply.turns[0]
    calls = tuple(replace(one, args=args) if one.kind == "function" else one for one in turn.calls)
    return out + reader.write(replace(reply, turns=(replace(turn, calls=calls),)), b": handrail x\n\n")


@pytest.mark.parametrize(
    "items",
    [
        [call()],
        [message(), call()],
        [reasoning("hm"), message(), call(), call(number=2)],
        [reasoning(), search(), call(), message("more", 2), custom()],
    ],
)
async def test_a_repaired_stream(items):
    final, events = await read(repaired(items))
    indexes = [index for index, item in enumerate(items) if item["type"] == "function_call"]
    for index in indexes:
        assert arguments(events, index) == {'{"n":42}'}
        assert final.output[index].arguments == '{"n":42}'
    assert [item.type for item in final.output] == [item["type"] for item in items]
    assert final.usage is not None
    assert [event.sequence_number for event in events] == list(range(len(events)))


@pytest.mark.parametrize(
    ("first", "second", "known_as"),
    [
        ([call()], [call(number=2)], "resp_2"),
        ([message(), call()], [call(number=2)], "resp_1"),
        ([message(), call()], [message("again", 2), call(number=2)], "resp_1"),
        ([reasoning("hm"), call()], [reasoning("oh", 2), call(number=2)], "resp_1"),
        ([message(), call()], [message("Done.", 2)], "resp_1"),
    ],
)
async def test_two_rounds_are_one_stream(first, second, known_as):
    one = DIALECT.stream(ASK, sample.ids(), None, None, mute=False)
    out = play(one, stream(first, 1))
    two = DIALECT.stream(ASK, sample.ids(), one, Usage(5, 3), mute=True)
    out += play(two, stream(second, 2))
    final, events = await read(out + two.write(two.reply(whole=True)))
    assert final.id == known_as
    calls = [item.call_id for item in final.output if item.type == "function_call"]
    assert calls == [item["call_id"] for item in second if item["type"] == "function_call"]
    assert sum(event.type == "response.created" for event in events) == 1


async def test_a_composed_stream_alone_and_behind_another():
    reply = DIALECT.compose(ASK, "What I found.", sample.ids(), 1700000000)
    final, _ = await read(DIALECT.write_stream(reply, None))
    assert (final.output_text, final.id) == ("What I found.", reply.id)
    one = DIALECT.stream(ASK, sample.ids(), None, None, mute=False)
    out = play(one, stream([reasoning("hm"), message(), call()]))
    final, _ = await read(out + DIALECT.write_stream(reply, one))
    assert (final.output_text, final.id) == ("Let me look.What I found.", "resp_1")
    final, _ = await read(DIALECT.write_stream(DIALECT.compose(ASK, "", sample.ids(), 0, ("final", "{}")), None))
    assert [item.arguments for item in final.output if item.type == "function_call"] == ["{}"]


async def test_an_error_within_a_stream_is_raised():
    one = DIALECT.stream(ASK, sample.ids(), None, None, mute=False)
    out = play(one, stream([message(), call()]))
    async with client(out + DIALECT.stream_error("Too late.", "timeout", "handrail_error")) as found:
        events = await found.responses.create(model="gpt-x", input="x", stream=True)
        with pytest.raises(openai.APIError, match="Too late"):
            [event async for event in events]


async def test_bodies():
    reply = DIALECT.read_reply(json.dumps(sample.response([message(), call()])).encode(), ASK, sample.ids())
    turn = reply.turns[0]
    changed = replace(reply, turns=(replace(turn, calls=(replace(turn.calls[0], args='{"n":42}'),)),))
    for body, text in (
        (DIALECT.write_reply(changed, Usage(1, 2)), "Let me look."),
        (DIALECT.write_reply(DIALECT.compose(ASK, "Mine.", sample.ids(), 0)), "Mine."),
    ):
        async with client(body, "application/json") as found:
            answer = await found.responses.create(model="gpt-x", input="x")
        assert answer.output_text == text
        assert answer.usage is not None
