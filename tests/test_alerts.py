import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from proxy.alerts import WAITING, Alerts
from proxy.settings.pack import Escalation

PAYLOAD = {"run": "r1", "by": "steps", "limit": 8, "text": "未完成"}


class Hook:
    """A webhook that answers with the statuses it was given, then 200."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        self.got.append((dict(request.headers), await request.read()))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 200)


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    hook = Hook()
    app = web.Application()
    app.router.add_post("/hook", hook.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    hook.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield hook
    await runner.cleanup()


async def test_an_alert_is_signed_over_its_body(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", "s3cret")
    alerts = Alerts(Escalation(webhook=hook.url, secret_env="HOOK_SECRET"))
    alerts.send(PAYLOAD)
    await alerts.close()
    ((headers, body),) = hook.got
    assert json.loads(body) == PAYLOAD
    wanted = "sha256=" + hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
    assert headers["x-handrail-signature"] == wanted
    assert alerts.delivered == 1


@pytest.mark.parametrize(("statuses", "delivered"), [([503, 503], 1), ([503] * 4, 0), ([404], 0), ([429], 1)])
async def test_a_webhook_that_is_down_is_tried_again_for_a_while(
    hook: Hook, statuses: list[int], delivered: int
) -> None:
    hook.statuses = list(statuses)
    alerts = Alerts(Escalation(webhook=hook.url), pauses=(0.0, 0.0, 0.0))
    alerts.send(PAYLOAD)
    await alerts.close()
    assert (alerts.delivered, alerts.lost) == (delivered, 1 - delivered)
    assert "x-handrail-signature" not in {name.lower() for name in hook.got[0][0]}


async def test_nobody_waits_for_an_alert_and_what_waits_is_bounded() -> None:
    alerts = Alerts(Escalation(webhook="http://127.0.0.1:9/none"), pauses=())
    for _ in range(WAITING + 5):
        alerts.send(PAYLOAD)
    assert alerts.lost == 5
    await alerts.close(10)


async def test_without_a_webhook_nothing_is_sent() -> None:
    alerts: Any = Alerts(None)
    alerts.send(PAYLOAD)
    await alerts.close()
    assert (alerts.delivered, alerts.lost) == (0, 0)
