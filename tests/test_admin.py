from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession, web

from proxy.admin import Health, build, is_loopback
from proxy.metrics import Metrics


@asynccontextmanager
async def running(health=None, **settings):
    async def secret(_):
        return web.Response(text="what agents said")

    settings = {"host": "127.0.0.1", **settings}
    runner = web.AppRunner(build(health or Health(), Metrics(), routes=[web.get("/runs", secret)], **settings))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as session:
        yield session
    await runner.cleanup()


async def test_health_and_readiness():
    health = Health(dropped=lambda: 7, log_error=lambda: "disk full")
    async with running(health) as session:
        assert (await session.get("/healthz")).status == 200
        answer = await session.get("/readyz")
        assert (answer.status, (await answer.json())["status"]) == (503, "starting")
        health.ready = True
        answer = await session.get("/readyz")
        assert answer.status == 200
        assert await answer.json() == {
            "ready": True, "status": "ready", "dropped_log_records": 7, "log_error": "disk full", "store_error": ""
        }  # fmt: skip
        health.ready, health.why = False, "draining"
        assert (await (await session.get("/readyz")).json())["status"] == "draining"


async def test_metrics_are_text():
    async with running() as session:
        answer = await session.get("/metrics")
        assert answer.content_type == "text/plain"
        assert "handrail_active_requests 0.0" in await answer.text()


async def test_elsewhere_the_rest_needs_the_token():
    async with running(host="0.0.0.0", token="t0ken") as session:  # noqa: S104 - the point of the test
        for path in ("/healthz", "/metrics"):
            assert (await session.get(path)).status == 200
        assert (await session.get("/readyz")).status == 503
        assert (await session.get("/runs")).status == 401
        assert (await session.get("/runs", headers={"Authorization": "Bearer wrong"})).status == 401
        assert (await session.get("/runs", headers={"Authorization": "Bearer t0ken"})).status == 200


async def test_elsewhere_without_a_token_the_rest_is_closed():
    async with running(host="10.0.0.1") as session:
        assert (await session.get("/runs", headers={"Authorization": "Bearer "})).status == 401


async def test_on_loopback_the_rest_is_open_but_not_to_other_names():
    async with running() as session:
        assert (await session.get("/runs")).status == 200
        assert (await session.get("/runs", headers={"Host": "localhost:1"})).status == 200
        assert (await session.get("/runs", headers={"Host": "[::1]:1"})).status == 200
        assert (await session.get("/runs", headers={"Host": "evil.test"})).status == 403
        assert (await session.get("/healthz", headers={"Host": "evil.test"})).status == 200


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - the point
        ("h", False),
    ],
)
def test_loopback(host, local):
    assert is_loopback(host) is local
