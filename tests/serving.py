"""A real `handrail serve` process for tests: its own port, its own data folder, ended by SIGTERM as in production.

What it said on stderr is read at the end: a test that made it complain has found something, whatever the agent saw.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 60.0
"""Seconds for a start or an end, on a machine that is busy with other things."""


@dataclass
class Served:
    """A process that serves."""

    port: int
    admin_port: int
    data: Path
    said: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """Dies as it stands, like a machine without power."""
        self.process.kill()
        self.process.wait()

    def complaints(self) -> list[dict[str, Any]]:
        """What it logged that is no mere information."""
        lines = [json.loads(line) for line in self.said.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["level"] not in ("debug", "info")]


@asynccontextmanager
async def serving(
    upstream: str, folder: Path, pack: str = "default", *, expected: Collection[str] = ()
) -> AsyncIterator[Served]:
    """Starts a process in front of an upstream's address. `pack`: a shipped name, or the text of one.

    `expected`: what the test means it to warn of.
    """
    said = folder / "stderr"
    process = _started(upstream, folder, pack, said)
    try:
        ready = await asyncio.to_thread(_ready, process, said)
        served = Served(ready["port"], ready["admin_port"], folder / "data", said, process)
        yield served
        if process.returncode == -signal.SIGKILL:
            return
        process.terminate()
        assert await asyncio.to_thread(process.wait, PATIENCE) == 0
        assert [line for line in served.complaints() if line["event"] not in expected] == []
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _started(upstream: str, folder: Path, pack: str, said: Path) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    if ":" in pack:
        (folder / "pack.yaml").write_text(pack)
        pack = str(folder / "pack.yaml")
    command = [sys.executable, "-m", "proxy", "serve", "--upstream", upstream, "--pack", pack, "--port", "0"]
    command += ["--admin-port", "0", "--data", str(folder / "data"), "--drain", "5"]
    with said.open("wb") as stderr:
        return subprocess.Popen(command, cwd=ROOT, env=_environment(), stdout=subprocess.DEVNULL, stderr=stderr)


def _environment() -> dict[str, str]:
    """Nothing that the machine has set may lead the test astray."""
    own = {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY")}
    return {name: value for name, value in own.items() if not name.startswith(("HANDRAIL_", "SSL_CERT"))}


def _ready(process: subprocess.Popen[bytes], said: Path) -> dict[str, Any]:
    """What it says once it serves. Raises RuntimeError."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        for line in said.read_text().splitlines():
            if line.startswith("{") and (found := json.loads(line))["event"] == "ready":
                return dict(found)
        time.sleep(0.02)
    raise RuntimeError(f"did not start: {said.read_text()}")
