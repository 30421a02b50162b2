"""The official `openai` SDK as an agent over loopback, in every way that it can ask, in front of a real process."""

from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
import pytest_asyncio

from tests.apis import Call, Said
from tests.scripted import Dies, Model, Refuses, scripted
from tests.sdk_agents import Agent, ChatAgent, ResponsesAgent
from tests.sdk_scenarios import PACK, SCENARIOS, TOOLS, Scenario
from tests.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAYS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    f"{name}, {'sync' if sync else 'async'}, {'streamed' if stream else 'plain'}": (
        agent,
        {"sync": sync, "stream": stream, **more},
    )
    for name, agent, more in (
        ("chat", ChatAgent, {}),
        ("responses", ResponsesAgent, {}),
        ("responses chained", ResponsesAgent, {"chained": True}),
    )
    for sync in (True, False)
    for stream in (False, True)
}
SAID = Said("Let me write to Ann.", (Call("call_Xa1b2c3", "send_email", {"to": "ann@example.com", "body": "Hi"}),))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def process(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Served, Model]]:
    async with scripted(tmp_path_factory.mktemp("openai"), PACK) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def made(process, request) -> AsyncIterator[Any]:
    """Makes agents with a key of their own for each test, so that no test knows of another."""
    agents: list[Agent] = []

    def make(way: str, **options: Any) -> Agent:
        kind, how = WAYS[way]
        agents.append(kind(process[0].url, f"sk-{request.node.name}", TOOLS, **how, **options))
        return agents[-1]

    yield make
    for agent in agents:
        await agent.close()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
async def test_scenario(process, made, way: str, scenario: Scenario) -> None:
    await scenario(made(way, max_retries=0), process[1])
    process[1].done()


@pytest.mark.parametrize("way", WAYS)
async def test_a_refusal_of_the_provider_is_tried_again_by_the_sdk(process, made, way: str) -> None:
    _, model = process
    model.says(Refuses(429, ("retry-after-ms: 20", "retry-after: 1", "x-request-id: r-1")), Said("Here I am."))
    agent = made(way)
    agent.say("Hello?")
    assert (await agent.ask()).said.text == "Here I am."
    assert [seen.header("x-stainless-retry-count") for seen in model.seen] == [["0"], ["1"]]
    model.done()


@pytest.mark.parametrize("way", WAYS)
async def test_a_refusal_arrives_as_it_was(process, made, way: str) -> None:
    _, model = process
    model.says(Refuses(429, ("retry-after: 7", "x-request-id: r-1", "x-ratelimit-remaining-requests: 0")))
    agent = made(way, max_retries=0)
    agent.say("Hello?")
    with pytest.raises(openai.RateLimitError) as caught:
        await agent.ask()
    assert caught.value.request_id == "r-1"
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.response.headers["x-ratelimit-remaining-requests"] == "0"
    assert caught.value.code == "rate_limit"


@pytest.mark.parametrize("way", [way for way in WAYS if "streamed" in way])
@pytest.mark.parametrize("events", [4, 9])
async def test_a_stream_that_dies_is_no_answer(process, made, way: str, events: int) -> None:
    _, model = process
    model.says(Dies(SAID, events))
    agent = made(way)
    agent.say("Write to Ann.")
    with pytest.raises(openai.APIError):
        await agent.ask()
    model.done()


@pytest.mark.parametrize("way", WAYS)
async def test_an_upstream_that_does_not_answer_is_an_error_that_nobody_tries_again(process, made, way: str) -> None:
    _, model = process
    model.says(Dies())
    agent = made(way)
    agent.say("Hello?")
    with pytest.raises(openai.InternalServerError) as caught:
        await agent.ask()
    assert caught.value.status_code == 502
    assert caught.value.response.headers["x-should-retry"] == "false"
    assert caught.value.code == "reset"
    model.done()


@pytest.mark.parametrize("way", [way for way in WAYS if "plain" in way])
async def test_half_a_body_is_an_error(process, made, way: str) -> None:
    _, model = process
    model.says(Dies(SAID, 1))
    agent = made(way)
    agent.say("Write to Ann.")
    with pytest.raises(openai.InternalServerError) as caught:
        await agent.ask()
    assert caught.value.status_code == 502
    model.done()
