"""Tells a human that a run was ended: a signed POST to the pack's webhook, tried a few times, never in anybody's way.

What waits is bounded; what can't be delivered is logged and counted, and the run log has it all the same. The signature
is HMAC-SHA256 over the body, `x-handrail-signature: sha256=…`, with the secret from the environment.
"""

import asyncio
import contextlib
import hmac
import json
import os
from collections.abc import Mapping
from typing import Any

import structlog
from aiohttp import ClientError, ClientSession, ClientTimeout

from proxy.settings.pack import Escalation

WAITING = 100
TRIES = 4
_PAUSES = (0.5, 2.0, 8.0)
_SECONDS = ClientTimeout(total=10)
log: Any = structlog.get_logger("handrail")


class Alerts:
    """Delivers alerts, one after another, on one event loop."""

    def __init__(self, escalation: Escalation | None, pauses: tuple[float, ...] = _PAUSES) -> None:
        self.delivered = self.lost = 0
        self.escalation = escalation
        self._pauses = pauses
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(WAITING)
        self._task: asyncio.Task[None] | None = None

    def send(self, payload: Mapping[str, Any]) -> None:
        """Puts an alert in the queue; never waits."""
        log.warning("run ended by a gate", run=payload.get("run"), by=payload.get("by"), limit=payload.get("limit"))
        if self.escalation is None:
            return
        try:
            self._queue.put_nowait(json.dumps(dict(payload), ensure_ascii=False).encode())
        except asyncio.QueueFull:
            self._lose("too many alerts wait")
            return
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._deliver())

    async def _deliver(self) -> None:
        async with ClientSession(timeout=_SECONDS, trust_env=True) as session:
            while not self._queue.empty():
                body = self._queue.get_nowait()
                escalation = self.escalation
                if escalation is not None:
                    await self._try(session, escalation, body)

    async def _try(self, session: ClientSession, escalation: Escalation, body: bytes) -> None:
        why = ""
        for pause in (0.0, *self._pauses):
            await asyncio.sleep(pause)
            try:
                async with session.post(escalation.webhook, data=body, headers=_headers(escalation, body)) as answer:
                    if answer.status < 300:
                        self.delivered += 1
                        return
                    why = f"status {answer.status}"
                    if answer.status < 500 and answer.status not in (408, 429):
                        break
            except (ClientError, TimeoutError, OSError) as error:
                why = type(error).__name__
        self._lose(why)

    def _lose(self, why: str) -> None:
        self.lost += 1
        log.error("alert not delivered", why=why)

    async def close(self, seconds: float = 5.0) -> None:
        """Delivers what waits, as long as that takes no longer than this."""
        if self._task is not None and not self._task.done():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._task, seconds)


def _headers(escalation: Escalation, body: bytes) -> dict[str, str]:
    headers = {"content-type": "application/json"}
    secret = os.environ.get(escalation.secret_env or "", "")
    if secret:
        headers["x-handrail-signature"] = "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()
    return headers
