"""The demo's agent: the loop that everybody writes, on the official OpenAI SDK. It does not know of Handrail."""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proxy.demo.shop import TOOLS, Shop

if TYPE_CHECKING:
    from openai import AsyncOpenAI

LIMIT = 12
"""Requests after which the demo pulls the plug; the agent itself has no limit."""


@dataclass
class Outcome:
    """How a task went."""

    answer: str = ""
    requests: int = 0
    executed: int = 0
    mails: int = 0
    endless: bool = False
    told: list[str] = field(default_factory=list)
    """What `x-handrail` said."""


async def work(client: "AsyncOpenAI", task: str) -> Outcome:
    """Does one task."""
    shop, outcome = Shop(), Outcome()
    messages: list[Any] = [{"role": "user", "content": task}]
    while outcome.requests < LIMIT:
        raw = await client.chat.completions.with_raw_response.create(
            model="scripted-model",
            messages=messages,
            tools=TOOLS,  # type: ignore[arg-type]
        )
        outcome.requests += 1
        did = raw.headers.get("x-handrail", "none")
        outcome.told += [] if did == "none" else [did]
        message = raw.parse().choices[0].message
        if not message.tool_calls:
            outcome.answer = message.content or ""
            break
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            if call.type != "function":
                continue
            result = shop.call(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    else:
        outcome.endless = True
    outcome.executed, outcome.mails = shop.made, len(shop.outbox)
    return outcome
