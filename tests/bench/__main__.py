"""`make bench`: what Handrail costs beside a bare aiohttp pass-through, measured in one run, turn by turn.

CPU time per request is read from the operating system for the whole process, so work that is done beside the traffic
(the run log) counts. Numbers depend on the machine; the ratios are what is compared. `--quick` for a shorter run;
`--data DIR` for the disk that the log is written to.
"""

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientTimeout, TCPConnector

from tests.bench.servers import CALL

_CPU_CLOCK = 2
"""With a process id above it: the clock of that process (`clock_getcpuclockid`, Linux)."""
LARGE_RUNS = 16
"""Runs of 205 KB that take turns."""
ROOT = Path(__file__).parents[2]


@dataclass
class Server:
    name: str
    process: subprocess.Popen[bytes]
    port: int
    cpu: list[float] = field(default_factory=list)
    """Seconds of CPU per request, one figure a turn."""
    latency: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    ready: float = 0.0

    def spent(self) -> float:
        """CPU seconds of the process so far, from the kernel's own clock of it: `/proc` counts in ticks of 10 ms."""
        return time.clock_gettime(~self.process.pid << 3 | _CPU_CLOCK)

    def memory(self) -> float:
        """Resident MB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(name: str, command: Callable[[int], list[str]]) -> Server:
    port = _free_port()
    began = time.monotonic()
    process = subprocess.Popen(command(port), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while time.monotonic() < began + 20:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return Server(name, process, port, ready=time.monotonic() - began)
        time.sleep(0.005)
    process.kill()
    raise RuntimeError(f"{name} did not start")


def _servers(data: str) -> list[Server]:
    python = [sys.executable, "-m"]
    upstream = _start("upstream", lambda port: [*python, "tests.bench.servers", "upstream", str(port)])
    target = f"http://127.0.0.1:{upstream.port}"
    floor = [*python, "tests.bench.servers", "floor"]

    def handrail(pack: str) -> Server:
        def command(port: int) -> list[str]:
            where = ["--port", str(port), "--admin-port", str(_free_port()), "--data", f"{data}/{pack}"]
            return [*python, "proxy", "serve", "--upstream", target + "/v1", "--pack", pack, *where]

        return _start(f"handrail, {pack}", command)

    return [
        upstream,
        _start("floor", lambda port: [*floor, str(port), target]),
        _start("floor (uvloop)", lambda port: [*floor, str(port), target, "uvloop"]),
        handrail("observe"),
        handrail("default"),
    ]


# ---------------------------------------------------------------- requests


def _tools() -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}
    function = {"name": "search", "description": "Searches the documents.", "parameters": schema}
    return [{"type": "function", "function": function}]


@dataclass(frozen=True)
class Request:
    """`call`: id of the call that the answer is to make."""

    body: bytes
    call: str = ""


def small(turn: int) -> list[Request]:
    """One request of about 1 KB; each is a new task."""
    text = f"Task {turn}: " + "find what was said about the invoice and the order " * 12
    messages = [{"role": "system", "content": "You are careful."}, {"role": "user", "content": text}]
    return [Request(_body(messages))]


def large(turn: int) -> list[Request]:
    """Requests of about 220 KB: step 20 of a run, whose call was handed out in answer to the request before."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Task {turn}: read all documents."}]
    for step in range(20):
        call_id = f"call_{turn:06d}{step:02d}"
        function = {"name": "search", "arguments": json.dumps({"q": f"document {step}"})}
        call = {"id": call_id, "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "\n".join(f"line {row} of {step}: all is well with the order and the invoice" for row in range(170))
        messages.append({"role": "tool", "tool_call_id": call_id, "content": text})
    return [Request(_body(messages[:-2]), call_id), Request(_body(messages))]


def _body(messages: list[dict[str, Any]], **more: Any) -> bytes:
    body = {"model": "m", "messages": messages, "tools": _tools(), **more}
    return json.dumps(body, separators=(",", ":")).encode()


HEADERS = {"authorization": "Bearer sk-bench-0000000000000000", "content-type": "application/json"}


async def _post(session: ClientSession, server: Server, request: Request) -> float:
    url = f"http://127.0.0.1:{server.port}/v1/chat/completions"
    headers = {**HEADERS, CALL: request.call} if request.call else HEADERS
    began = time.perf_counter()
    async with session.post(url, data=request.body, headers=headers) as answer:
        await answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{server.name}: {answer.status}")
    return time.perf_counter() - began


async def plain(servers: list[Server], make: Callable[[int], list[Request]], turns: int, batch: int) -> int:
    """Turn by turn through each server: latency one by one, CPU over a batch. Returns the size of a request."""
    async with ClientSession(connector=TCPConnector(limit=0), timeout=ClientTimeout(total=60)) as session:
        number = 0
        for server in servers:
            for _ in range(10):
                await _post(session, server, make(number)[-1])
                number += 1
        for _ in range(turns):
            for server in servers:
                bodies: list[Request] = []
                for _ in range(batch):
                    *before, last = make(number)
                    number += 1
                    for request in before:
                        await _post(session, server, request)
                    bodies.append(last)
                await asyncio.sleep(0.1)  # what is written beside the traffic is counted where it belongs
                spent = server.spent()
                for request in bodies:
                    server.latency.append(await _post(session, server, request))
                await asyncio.sleep(0.1)
                server.cpu.append((server.spent() - spent) / batch)
    return len(make(0)[-1].body)


async def streams(servers: list[Server], turns: int) -> None:
    """Time to the first text of a stream of 200 events, 5 ms apart."""
    async with ClientSession(connector=TCPConnector(limit=0), timeout=ClientTimeout(total=60)) as session:
        for turn in range(turns + 1):
            for server in servers:
                body = _body([{"role": "user", "content": f"Stream {turn}: tell a story"}], stream=True)
                url = f"http://127.0.0.1:{server.port}/v1/chat/completions"
                spent = server.spent()
                began = time.perf_counter()
                async with session.post(url, data=body, headers=HEADERS) as answer:
                    await answer.content.readany()
                    first = time.perf_counter() - began
                    await answer.read()
                if turn:
                    server.first.append(first)
                    server.cpu.append(server.spent() - spent)


# ---------------------------------------------------------------- the table


def _rows(title: str, servers: list[Server], *, stream: bool = False) -> list[str]:
    base = servers[0]
    rows = []
    for server in servers:
        cpu = statistics.mean(server.cpu)
        ratio = cpu / statistics.mean(base.cpu)
        times = server.first if stream else server.latency
        added = statistics.median(times) - statistics.median(base.first if stream else base.latency)
        rows.append(
            f"| {title} | {server.name} | {cpu * 1e6:,.0f} µs | {ratio:.2f} | {statistics.median(times) * 1e3:.2f} ms"
            f" | {added * 1e3:+.2f} ms |"
        )
    for server in servers:
        server.cpu, server.latency, server.first = [], [], []
    return rows


def file_cost(folder: str) -> float:
    """CPU to make a file, in µs: 20 as a rule, but 500 on ext4 for minutes after many files nearby were deleted."""
    began = time.process_time()
    for number in range(200):
        os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY, 0o600))
    return (time.process_time() - began) / 200 * 1e6


def main() -> None:
    quick = "--quick" in sys.argv
    where = Path(sys.argv[sys.argv.index("--data") + 1]) if "--data" in sys.argv else ROOT
    turns, batch = (3, 40) if quick else (8, 100)
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=where) as data:
        upstream, *servers = all_servers = _servers(data)
        try:
            rows = []
            size = asyncio.run(plain(servers, small, turns, batch * 2))
            rows += _rows(f"{size / 1000:.0f} KB request", servers)
            size = asyncio.run(plain(servers, large, turns, LARGE_RUNS))
            rows += _rows(f"{size / 1000:.0f} KB request, 20 steps", servers)
            asyncio.run(streams(servers, 4 if quick else 15))
            rows += _rows("stream of 200 events, first text", servers, stream=True)
            print("| what | through | CPU per request | × floor | median | added |\n|---|---|---|---|---|---|")
            print("\n".join(rows))
            handrail = servers[-1]
            print(f"\nHandrail: {handrail.memory():.0f} MB after load, {handrail.ready:.2f} s from start to ready.")
            print(f"Each run is a file of the log; making a file takes {file_cost(data):.0f} µs of CPU on this disk.")
        finally:
            for server in all_servers:
                server.process.terminate()
            for server in all_servers:
                server.process.wait(10)
        del upstream


if __name__ == "__main__":
    main()
