"""The scripted model: an OpenAI-compatible provider on loopback whose answers follow a script.

It makes the mistakes that models are known for, and behaves as models do: told only that something failed, it tries the
same again; told what was wrong, it corrects that; told to stop, it stops.
"""

import json
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from aiohttp import web

Messages = Sequence[dict[str, Any]]
Step = dict[str, Any] | str
"""A call as {tool, arguments}, or the text of an answer."""

_numbers = count(1)


def answer(messages: Messages) -> list[Step]:
    """What the model does next."""
    task = next(str(message["content"]) for message in messages if message["role"] == "user")
    results = [str(message["content"]) for message in messages if message["role"] == "tool"]
    return next(script for word, script in SCRIPTS.items() if word in task)(results, str(messages[-1]["content"]))


def _loose_arguments(results: Sequence[str], last: str) -> list[Step]:
    """An enum in the wrong case, a date in words, a number as text."""
    if results and "A-101" in last:
        return ["Acme has 2 open orders since 5 March 2024: A-101 and A-102."]
    if len(results) >= 3:
        return ["I could not read the orders: the tool kept failing."]
    arguments = {"customer": "Acme", "status": "Open", "since": "5 March 2024", "limit": "20"}
    return [{"tool": "query_orders", "arguments": json.dumps(arguments)}]


def _missing_argument(results: Sequence[str], last: str) -> list[Step]:
    """A required argument left out; corrected as soon as somebody says which."""
    told = "INVALID_ARGUMENTS" in last
    if results and "A-104" in last:
        return ["Bolt has 1 open order since 1 April 2024: A-104."]
    if len(results) >= 3 and not told:
        return ["I could not read the orders: the tool kept failing."]
    arguments = {"customer": "Bolt", "status": "open", **({"since": "2024-04-01"} if told else {})}
    return [{"tool": "query_orders", "arguments": json.dumps(arguments)}]


def _for_ever(_: Sequence[str], last: str) -> list[Step]:
    """The same call again and again."""
    if "No tool can be called any more" in last:
        return ["Parcel P-7 was asked for twice and has no scan yet. Not finished: its place is unknown."]
    return [{"tool": "track_parcel", "arguments": '{"parcel": "P-7"}'}]


def _twice(results: Sequence[str], _: str) -> list[Step]:
    """One e-mail, sent twice with its arguments in another order."""
    mail = {"to": "lee@example.test", "subject": "Invoice 7", "body": "Please find it attached."}
    if len(results) >= 2:
        return ["The e-mail to Lee is sent."]
    turned = dict(reversed(mail.items())) if results else mail
    return [{"tool": "send_email", "arguments": json.dumps(turned)}]


def _dead_tool(results: Sequence[str], last: str) -> list[Step]:
    """Goes on asking a service that is down, until it is told that it is out."""
    if "TOOL_UNAVAILABLE" in last:
        return ["The rate service is out at the moment, so the total in EUR is missing; the total is 209.50 USD."]
    if len(results) >= 8:
        return ["I could not get the exchange rate."]
    return [{"tool": "exchange_rate", "arguments": json.dumps({"pair": f"USD/EUR#{len(results)}"})}]


SCRIPTS: dict[str, Callable[[Sequence[str], str], list[Step]]] = {
    "open orders of Acme": _loose_arguments,
    "open orders of Bolt": _missing_argument,
    "parcel P-7": _for_ever,
    "e-mail to Lee": _twice,
    "total in EUR": _dead_tool,
}


def _message(steps: Sequence[Step]) -> tuple[dict[str, Any], str]:
    calls = [
        {
            "id": f"call_demo{next(_numbers):06d}",
            "type": "function",
            "function": {"name": step["tool"], "arguments": step["arguments"]},
        }
        for step in steps
        if isinstance(step, dict)
    ]
    text = next((step for step in steps if isinstance(step, str)), None)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    return message, "tool_calls" if calls else "stop"


async def _completions(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    try:
        steps = answer(body["messages"])
    except StopIteration:
        steps = ["This model is a script; it knows the five tasks of the demo."]
    message, finish = _message(steps)
    head = {"id": f"chatcmpl-demo{next(_numbers)}", "created": 1700000000, "model": "scripted-model"}
    if body.get("stream"):
        return await _stream(request, head, message, finish)
    usage = {"prompt_tokens": len(str(body)) // 4, "completion_tokens": 20, "total_tokens": len(str(body)) // 4 + 20}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return web.json_response({**head, "object": "chat.completion", "choices": [choice], "usage": usage})


async def _stream(
    request: web.Request, head: dict[str, Any], message: dict[str, Any], finish: str
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    calls = [{"index": at, **call} for at, call in enumerate(message.pop("tool_calls", []))]
    deltas = [message, *({"tool_calls": [call]} for call in calls)]
    for delta, reason in [*((one, None) for one in deltas), ({}, finish)]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {**head, "object": "chat.completion.chunk", "choices": [choice]}
        await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
    await response.write(b"data: [DONE]\n\n")
    return response


def provider() -> web.Application:
    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/v1/chat/completions", _completions)
    return app
