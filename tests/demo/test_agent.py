from aiohttp import web
from openai import AsyncOpenAI

from proxy.demo.agent import LIMIT, work
from proxy.demo.model import provider


async def test_without_handrail_an_agent_goes_on_for_ever() -> None:
    runner = web.AppRunner(provider())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with AsyncOpenAI(base_url=f"http://127.0.0.1:{runner.addresses[0][1]}/v1", api_key="x") as client:
            outcome = await work(client, "Where is parcel P-7?")
            assert (outcome.endless, outcome.requests) == (True, LIMIT)
            assert (await work(client, "Send the e-mail to Lee.")).mails == 2
    finally:
        await runner.cleanup()
