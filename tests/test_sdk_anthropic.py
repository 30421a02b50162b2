"""The official `anthropic` SDK as an agent over loopback, in every way that it can ask, in front of a real process."""

from collections.abc import AsyncIterator
from typing import Any

import anthropic
import pytest
import pytest_asyncio

from tests.apis import Call, Said
from tests.scripted import Dies, Model, Refuses, scripted
from tests.sdk_agents import MessagesAgent
from tests.sdk_scenarios import PACK, SCENARIOS, TOOLS, Scenario
from tests.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAYS = {
    f"{'sync' if sync else 'async'}, {'streamed' if stream else 'plain'}": {"sync": sync, "stream": stream}
    for sync in (True, False)
    for stream in (False, True)
}
SAID = Said("Let me write to Ann.", (Call("toolu_Xa1b2c3", "send_email", {"to": "ann@example.com", "body": "Hi"}),))
OVERLOADED = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def process(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Served, Model]]:
    async with scripted(tmp_path_factory.mktemp("anthropic"), PACK) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def made(process, request) -> AsyncIterator[Any]:
    """Makes agents with a key of their own for each test, so that no test knows of another."""
    agents: list[MessagesAgent] = []

    def make(way: str, **options: Any) -> MessagesAgent:
        agents.append(MessagesAgent(process[0].url, f"sk-{request.node.name}", TOOLS, **WAYS[way], **options))
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
@pytest.mark.parametrize("status", [429, 529])
async def test_a_refusal_of_the_provider_is_tried_again_by_the_sdk(process, made, way: str, status: int) -> None:
    _, model = process
    model.says(Refuses(status, ("retry-after-ms: 20", "retry-after: 1"), OVERLOADED), Said("Here I am."))
    agent = made(way)
    agent.say("Hello?")
    assert (await agent.ask()).said.text == "Here I am."
    assert [seen.header("x-stainless-retry-count") for seen in model.seen] == [["0"], ["1"]]
    model.done()


@pytest.mark.parametrize("way", WAYS)
async def test_a_refusal_arrives_as_it_was(process, made, way: str) -> None:
    _, model = process
    model.says(Refuses(529, ("retry-after: 7", "request-id: r-1"), OVERLOADED))
    agent = made(way, max_retries=0)
    agent.say("Hello?")
    with pytest.raises(anthropic.APIStatusError) as caught:
        await agent.ask()
    assert (caught.value.status_code, caught.value.request_id) == (529, "r-1")
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.response.content == OVERLOADED


@pytest.mark.parametrize("way", [way for way in WAYS if "streamed" in way])
@pytest.mark.parametrize("events", [3, 9])
async def test_a_stream_that_dies_is_no_answer(process, made, way: str, events: int) -> None:
    _, model = process
    model.says(Dies(SAID, events))
    agent = made(way)
    agent.say("Write to Ann.")
    with pytest.raises(anthropic.APIError):
        await agent.ask()
    model.done()


@pytest.mark.parametrize("way", WAYS)
async def test_an_upstream_that_does_not_answer_is_an_error_that_nobody_tries_again(process, made, way: str) -> None:
    _, model = process
    model.says(Dies())
    agent = made(way)
    agent.say("Hello?")
    with pytest.raises(anthropic.InternalServerError) as caught:
        await agent.ask()
    assert caught.value.status_code == 502
    assert caught.value.response.headers["x-should-retry"] == "false"
    assert caught.value.response.json()["type"] == "error"
    model.done()


@pytest.mark.parametrize("way", [way for way in WAYS if "plain" in way])
async def test_half_a_body_is_an_error(process, made, way: str) -> None:
    _, model = process
    model.says(Dies(SAID, 1))
    agent = made(way)
    agent.say("Write to Ann.")
    with pytest.raises(anthropic.InternalServerError) as caught:
        await agent.ask()
    assert caught.value.status_code == 502
    model.done()
