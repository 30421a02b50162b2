"""Agents on the official SDKs: what they send and how they read answers is the SDK's own doing.

Each keeps its conversation in the SDK's own objects, as agents do. `sync`: the blocking client, in a thread; `stream`:
the SDK's own accumulating helper; else one plain call. What an SDK raises passes through.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import anthropic
import openai

from tests.apis import CHAT, MESSAGES, RESPONSES, Call, Said, Seen, Tool

_PATIENCE = 60.0


class Agent(Protocol):
    """One conversation."""

    chained: bool
    """The provider keeps it, and only what is new is sent."""
    on_length: tuple[type[Exception], ...]
    """What the SDK raises for an answer that was cut by its length limit; nothing: it gives it out."""

    def say(self, text: str) -> None:
        """The user says something."""

    def give(self, results: Mapping[str, str]) -> None:
        """Answers the calls of the last answer, by id."""

    async def ask(self) -> Seen:
        """Asks the model; its answer joins the conversation."""

    async def close(self) -> None: ...


class _Sdk:
    """What all of them share: a client that blocks or not, and a helper or a plain call."""

    chained = False

    def __init__(self, client: Any, on_length: type[Exception] | None, *, sync: bool, stream: bool) -> None:
        self.client = client
        self.on_length: tuple[type[Exception], ...] = (on_length,) if stream and on_length else ()
        self._sync, self._stream = sync, stream

    async def close(self) -> None:
        if self._sync:
            self.client.close()
        else:
            await self.client.close()

    async def _asked(self, resource: Any, final: str, body: Mapping[str, Any]) -> Any:
        """`resource` has `create` and `stream`; `final` gives the accumulated answer of a stream."""
        if self._sync:
            return await asyncio.to_thread(self._blocking, resource, final, body)
        if not self._stream:
            return await resource.create(**body)
        async with resource.stream(**body) as stream:
            return await getattr(stream, final)()

    def _blocking(self, resource: Any, final: str, body: Mapping[str, Any]) -> Any:
        if not self._stream:
            return resource.create(**body)
        with resource.stream(**body) as stream:
            return getattr(stream, final)()


class ChatAgent(_Sdk):
    """`client.chat.completions`."""

    def __init__(self, url: str, key: str, tools: Sequence[Tool], *, sync: bool, stream: bool, **options: Any) -> None:
        make = openai.OpenAI if sync else openai.AsyncOpenAI
        client = make(base_url=f"{url}/v1", api_key=key, timeout=_PATIENCE, **options)
        super().__init__(client, openai.LengthFinishReasonError, sync=sync, stream=stream)
        self._tools = CHAT.ask((), tools)["tools"]
        self._messages: list[Any] = []

    def say(self, text: str) -> None:
        self._messages.append({"role": "user", "content": text})

    def give(self, results: Mapping[str, str]) -> None:
        self._messages += [{"role": "tool", "tool_call_id": key, "content": text} for key, text in results.items()]

    async def ask(self) -> Seen:
        body = {"model": "m", "messages": self._messages, "tools": self._tools}
        answer = await self._asked(self.client.chat.completions, "get_final_completion", body)
        (choice,) = answer.choices
        self._messages.append(choice.message)
        listed = choice.message.tool_calls or ()
        calls = tuple(Call(call.id, call.function.name, call.function.arguments) for call in listed)
        usage = answer.usage.model_dump() if answer.usage else {}
        return Seen(Said(choice.message.content or "", calls, choice.finish_reason), usage, answer.id)


class ResponsesAgent(_Sdk):
    """`client.responses`. `chained`: the provider keeps the conversation."""

    def __init__(
        self,
        url: str,
        key: str,
        tools: Sequence[Tool],
        *,
        sync: bool,
        stream: bool,
        chained: bool = False,
        **options: Any,
    ) -> None:
        make = openai.OpenAI if sync else openai.AsyncOpenAI
        client = make(base_url=f"{url}/v1", api_key=key, timeout=_PATIENCE, **options)
        super().__init__(client, RuntimeError, sync=sync, stream=stream)
        self._tools = RESPONSES.ask((), tools)["tools"]
        self.chained = chained
        self._previous = ""
        self._input: list[Any] = []

    def say(self, text: str) -> None:
        self._input.append({"role": "user", "content": text})

    def give(self, results: Mapping[str, str]) -> None:
        known = {"type": "function_call_output"}
        self._input += [{**known, "call_id": key, "output": text} for key, text in results.items()]

    async def ask(self) -> Seen:
        body = {"model": "m", "input": self._input, "tools": self._tools}
        if self._previous:
            body["previous_response_id"] = self._previous
        answer = await self._asked(self.client.responses, "get_final_response", body)
        if self.chained:
            self._previous, self._input = answer.id, []
        else:
            self._input = [*self._input, *answer.output]
        calls = tuple(
            Call(item.call_id, item.name, item.arguments) for item in answer.output if item.type == "function_call"
        )
        ending = "length" if answer.status == "incomplete" else "tool_calls" if calls else "stop"
        usage = answer.usage.model_dump() if answer.usage else {}
        return Seen(Said(answer.output_text, calls, ending), usage, answer.id)


class MessagesAgent(_Sdk):
    """`client.messages`."""

    def __init__(self, url: str, key: str, tools: Sequence[Tool], *, sync: bool, stream: bool, **options: Any) -> None:
        make = anthropic.Anthropic if sync else anthropic.AsyncAnthropic
        client = make(base_url=url, api_key=key, timeout=_PATIENCE, **options)
        super().__init__(client, None, sync=sync, stream=stream)
        self._tools = MESSAGES.ask((), tools)["tools"]
        self._messages: list[Any] = []

    def say(self, text: str) -> None:
        self._messages.append({"role": "user", "content": text})

    def give(self, results: Mapping[str, str]) -> None:
        known = {"type": "tool_result"}
        blocks = [{**known, "tool_use_id": key, "content": text} for key, text in results.items()]
        self._messages.append({"role": "user", "content": blocks})

    async def ask(self) -> Seen:
        body = {"model": "m", "max_tokens": 1000, "messages": self._messages, "tools": self._tools}
        answer = await self._asked(self.client.messages, "get_final_message", body)
        self._messages.append({"role": "assistant", "content": answer.content})
        calls = tuple(Call(block.id, block.name, block.input) for block in answer.content if block.type == "tool_use")
        text = "".join(block.text for block in answer.content if block.type == "text")
        endings = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length"}
        return Seen(Said(text, calls, endings[answer.stop_reason]), answer.usage.model_dump(), answer.id)
