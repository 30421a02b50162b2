import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

from aiohttp import ClientSession

ROOT = Path(__file__).parents[2]


async def _demo(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "proxy", "demo", "--port", "0", *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )


async def test_the_demo_shows_the_difference() -> None:
    process = await _demo("--once")
    said, _ = await asyncio.wait_for(process.communicate(), 90)
    text = said.decode()
    assert process.returncode == 0
    assert "Acme has 2 open orders" in text
    assert "Bolt has 1 open order" in text
    assert "12 requests (stopped by the demo), 12 tool calls" in text
    assert "2 e-mails sent" in text
    assert ", 1 e-mail sent" in text
    assert "out at the moment" in text
    for did in ("repaired", "reasked", "halted", "replayed"):
        assert f"did={did}" in text
    assert "did=failed" not in text, "no policy breaks down"


async def test_the_proxy_stays_up_and_ends_when_told() -> None:
    process = await _demo()
    assert process.stdout is not None
    seen = b""
    while b"Ctrl-C ends the demo" not in seen:
        line = await asyncio.wait_for(process.stdout.readline(), 90)
        assert line, seen
        seen += line
    port = int(seen.split(b"still running on 127.0.0.1:")[1].split(b",")[0])
    command = seen.split(b"Try it:")[1]
    body = command.split(b"-d '")[1].split(b"'\n")[0]
    async with ClientSession() as session:
        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        answer = await session.post(url, data=body, headers={"content-type": "application/json"})
        assert b"2024-03-05" in await answer.read(), "what the newcomer is told to try shows a repair"
        assert answer.headers["x-handrail"] == "repair_arguments;did=repaired;n=1"
        metrics = await session.get(seen.split(b"curl -s ")[1].split(b"\n")[0].decode())
        assert b"handrail_requests_total" in await metrics.read()
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGINT)
    assert await asyncio.wait_for(process.wait(), 30) == 0


async def test_without_the_sdk_it_says_what_is_missing() -> None:
    code = "import sys; sys.modules['openai'] = None; from proxy.cli import main; sys.exit(main(['demo', '--once']))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=ROOT, stderr=asyncio.subprocess.PIPE)
    _, said = await process.communicate()
    assert process.returncode == 2
    assert b"pip install 'handrail[demo]'" in said
    assert b"Traceback" not in said
