"""`handrail demo`: starts the scripted model and a real `handrail serve`, lets the agent do its tasks through both, and
prints the two side by side. Then the proxy stays up for the newcomer's own requests.
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from proxy.demo.agent import Outcome, work
from proxy.demo.model import provider
from proxy.demo.shop import TOOLS

TASKS = (
    "How many open orders of Acme are there since 5 March 2024?",
    "How many open orders of Bolt are there since 1 April 2024?",
    "Where is parcel P-7?",
    "Send the e-mail to Lee with invoice 7.",
    "What is the total in EUR of all orders of Acme?",
)
_WIDTH = 52
PACK = Path(__file__).with_name("pack.yaml")


def demo(arguments: argparse.Namespace) -> int:
    """The command."""
    try:
        import openai  # noqa: F401, PLC0415 - an extra
    except ImportError:
        sys.stderr.write("handrail demo needs the OpenAI SDK: pip install 'handrail[demo]'\n")
        return 2
    with contextlib.suppress(KeyboardInterrupt):
        return asyncio.run(_demo(once=arguments.once, port=arguments.port))
    return 0


async def _demo(*, once: bool, port: int) -> int:
    from openai import AsyncOpenAI  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="handrail-demo-") as data:
        async with _model() as upstream, _handrail(upstream, data, port) as (served, admin):
            if not served:
                sys.stderr.write("handrail demo: the proxy did not start; its own words stand above\n")
                return 3
            direct = AsyncOpenAI(base_url=upstream, api_key="demo", max_retries=0)
            through = AsyncOpenAI(base_url=f"http://127.0.0.1:{served}/v1", api_key="demo", max_retries=0)
            _say("One agent (official OpenAI SDK), five tasks, a scripted model. Left: direct. Right: with Handrail,")
            _say(f"the agent's base URL being the only difference. The pack: {PACK}\n")
            for task in TASKS:
                _say("\n".join(_compared(task, await work(direct, task), await work(through, task))))
            if not once:
                _say(_invitation(served, admin, data))
                await _until_interrupted()
    return 0


@contextlib.asynccontextmanager
async def _model() -> AsyncIterator[str]:
    from aiohttp import web  # noqa: PLC0415

    runner = web.AppRunner(provider(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def _handrail(upstream: str, data: str, wanted: int) -> AsyncIterator[tuple[int, int]]:
    """A real `handrail serve` in front of the model; its ports for traffic and for operators, 0 if it did not start."""
    port, admin = _port(wanted), _port(wanted + 1)
    command = [sys.executable, "-m", "proxy", "serve", "--upstream", upstream, "--pack", str(PACK)]
    where = ["--port", str(port), "--admin-port", str(admin), "--data", data, "--drain", "1"]
    log = os.open(Path(data, "demo.log"), os.O_CREAT | os.O_RDWR, 0o600)
    process = await asyncio.create_subprocess_exec(*command, *where, "--quiet", stderr=log)
    try:
        served = await _answers(port, process)
        if not served:
            sys.stderr.write(os.pread(log, 65536, 0).decode(errors="replace"))
        yield (port, admin) if served else (0, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        os.close(log)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _port(wanted: int) -> int:
    """The wanted port, or a free one where somebody else has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does: what is closing is free
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _answers(port: int, process: asyncio.subprocess.Process) -> bool:
    for _ in range(400):
        if process.returncode is not None:
            return False
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return True
        await asyncio.sleep(0.05)
    return False


def _compared(task: str, direct: Outcome, through: Outcome) -> Iterator[str]:
    yield f"─── {task}"
    left, right = _lines(direct), _lines(through)
    for at in range(max(len(left), len(right))):
        a = left[at] if at < len(left) else ""
        b = right[at] if at < len(right) else ""
        yield f"  {a:<{_WIDTH}} │ {b}".rstrip()
    for one in dict.fromkeys(through.told):
        yield f"  {'':<{_WIDTH}} │   x-handrail: {one}"
    yield ""


def _lines(outcome: Outcome) -> list[str]:
    answer = "(still going)" if outcome.endless else f"“{outcome.answer}”"
    mails = f", {outcome.mails} e-mail{'' if outcome.mails == 1 else 's'} sent" if outcome.mails else ""
    cut = " (stopped by the demo)" if outcome.endless else ""
    calls = f"{outcome.executed} tool call{'' if outcome.executed == 1 else 's'}"
    counts = f"{outcome.requests} requests{cut}, {calls}{mails}"
    return [*textwrap.wrap(answer, _WIDTH), counts]


def _invitation(port: int, admin: int, data: str) -> str:
    asked = {"role": "user", "content": TASKS[0]}
    body = json.dumps({"model": "m", "messages": [asked], "tools": TOOLS[:1]}, separators=(",", ":"))
    handrail = f"{Path(sys.executable).parent}{os.sep}handrail"
    return (
        f"Handrail is still running on 127.0.0.1:{port}, in front of the scripted model. Try it:\n\n"
        f"  curl -si http://127.0.0.1:{port}/v1/chat/completions -H 'content-type: application/json' \\\n"
        f"    -d '{body}'\n\n"
        f"What each policy decided, and exactly what the model got (as long as the demo runs); health and metrics:\n\n"
        f"  {handrail} runs list --data {data}\n"
        f"  curl -s http://127.0.0.1:{admin}/metrics\n\n"
        f"In front of your own provider:\n\n"
        f"  HANDRAIL_UPSTREAM=https://api.openai.com/v1 make run\n\n"
        f"Ctrl-C ends the demo."
    )


async def _until_interrupted() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
