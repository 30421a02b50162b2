"""The two ends of a measurement: an upstream that answers at once, and the floor, a bare aiohttp pass-through.

Each runs in a process of its own: `python -m tests.bench.servers upstream|floor PORT [UPSTREAM]`.
"""

import asyncio
import json
import sys
from typing import Any

from aiohttp import ClientSession, ClientTimeout, TCPConnector, web

EVENTS = 200
GAP = 0.005


CALL = "x-bench-call"
"""Names the id of the call that the answer to a request is to make."""


def _chat(text: str, call_id: str = "") -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if call_id:
        function = {"name": "search", "arguments": '{"q": "the next one"}'}
        message = {"role": "assistant", "content": None}
        message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
    finish = "tool_calls" if call_id else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    usage = {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": "m"}
    return json.dumps({**head, "choices": [choice], "usage": usage}, separators=(",", ":")).encode()


def _chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text} if text else {}, "logprobs": None, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m"}
    return b"data: " + json.dumps({**head, "choices": [choice]}, separators=(",", ":")).encode() + b"\n\n"


async def _answer(request: web.Request) -> web.StreamResponse:
    body = await request.read()
    if b'"stream":true' not in body:
        call_id = request.headers.get(CALL, "")
        return web.Response(body=_chat("", call_id) if call_id else ANSWER, content_type="application/json")
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for _ in range(EVENTS - 2):
        await response.write(_chunk("word "))
        await asyncio.sleep(GAP)
    await response.write(_chunk("", "stop") + b"data: [DONE]\n\n")
    await response.write_eof()
    return response


ANSWER = _chat("hello " * 40)


def upstream() -> web.Application:
    app = web.Application(client_max_size=1 << 28)
    app.router.add_route("*", "/{path:.*}", _answer)
    return app


def floor(target: str) -> web.Application:
    """What any proxy on aiohttp costs: read the request, send it on, stream the answer back."""
    hop = {"host", "connection", "content-length", "transfer-encoding", "keep-alive"}
    app = web.Application(client_max_size=1 << 28)

    async def session(app: web.Application) -> Any:
        app["session"] = ClientSession(
            connector=TCPConnector(limit=0), timeout=ClientTimeout(total=None), auto_decompress=False
        )
        yield
        await app["session"].close()

    async def pass_through(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        headers = {key: value for key, value in request.headers.items() if key.lower() not in hop}
        async with request.app["session"].request(
            request.method, target + request.rel_url.raw_path_qs, data=body, headers=headers
        ) as came:
            kept = {key: value for key, value in came.headers.items() if key.lower() not in hop}
            response = web.StreamResponse(status=came.status, headers=kept)
            await response.prepare(request)
            async for data in came.content.iter_any():
                await response.write(data)
            await response.write_eof()
            return response

    app.cleanup_ctx.append(session)
    app.router.add_route("*", "/{path:.*}", pass_through)
    return app


def main() -> None:
    kind, port, *rest = sys.argv[1:]
    app = upstream() if kind == "upstream" else floor(rest[0])
    loop = asyncio.new_event_loop()
    if rest and rest[-1] == "uvloop":
        import uvloop  # noqa: PLC0415

        loop.close()
        loop = uvloop.new_event_loop()
    web.run_app(app, host="127.0.0.1", port=int(port), print=None, access_log=None, loop=loop)


if __name__ == "__main__":
    main()
