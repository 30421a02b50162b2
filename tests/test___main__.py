"""The process as an operator meets it: started, signalled, reloaded, refused."""

import asyncio
import json
import os
import re
import signal
import stat
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest

from tests.wire import Client, Provider, hello, until

ASK = ("POST /v1/chat/completions", "Content-Type: application/json", "Authorization: Bearer sk-test-12345678")
FREE = ("--upstream", "http://h/v1", "--admin-port", "0")
BODY = b'{"model":"m","messages":[{"role":"user","content":"hi"}]}'


def command(*argv):
    return [sys.executable, "-m", "proxy", *map(str, argv)]


class Process:
    """A proxy in a process of its own."""

    def __init__(self, process, ready):
        self.process = process
        self.port, self.admin = ready["port"], ready["admin_port"]
        self.ready = ready
        self.said = ""

    async def ask(self, line, *lines, body=b"", admin=False):
        client = await Client.connect(self.admin if admin else self.port)
        try:
            return await client.ask(line, *lines, body=body)
        finally:
            client.close()

    def signal(self, number):
        self.process.send_signal(number)

    async def ended(self, seconds=10):
        _, err = await asyncio.wait_for(self.process.communicate(), seconds)
        self.said += err.decode()
        return self.process.returncode

    async def line(self, event):
        while True:
            line = json.loads(await asyncio.wait_for(self.process.stderr.readline(), 10))
            if line["event"] == event:
                return line


@asynccontextmanager
async def serving(tmp_path, upstream, *argv, **environ):
    process = await asyncio.create_subprocess_exec(
        *command("serve", "--upstream", upstream, "--port", 0, "--admin-port", 0, "--data", tmp_path / "data", *argv),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "NO_PROXY": "*", **environ},
    )
    line = b""
    assert process.stderr
    try:
        while b'"ready"' not in line:
            line = await asyncio.wait_for(process.stderr.readline(), 30)
            assert line, "did not start"
        yield Process(process, json.loads(line))
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def test_serves_logs_and_ends_clean(tmp_path):
    async with Provider(hello) as provider, serving(tmp_path, f"http://127.0.0.1:{provider.port}/v1") as running:
        assert (await running.ask("GET /healthz", admin=True)).status == 200
        ready = await running.ask("GET /readyz", admin=True)
        assert (ready.status, json.loads(ready.body)["status"]) == (200, "ready")
        answer = await running.ask(*ASK, body=BODY)
        assert (answer.status, answer.body) == (200, b"hello")
        assert re.fullmatch(r"\S+", answer.header("x-run-id")[0])
        metrics = (await running.ask("GET /metrics", admin=True)).body.decode()
        assert 'handrail_requests_total{kind="chat_completions",status="2xx"} 1.0' in metrics
        running.signal(signal.SIGTERM)
        assert await running.ended() == 0
    data = tmp_path / "data"
    for path in [data, *data.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    (log,) = data.rglob("*.jsonl")
    kinds = [json.loads(line).get("kind") for line in log.read_text().splitlines()]
    assert {"start", "send", "reply", "end"} <= set(kinds)
    everything = running.said.encode() + b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    assert b"12345678" not in everything


async def test_streams_finish_while_draining(tmp_path):
    go = asyncio.Event()

    async def slow(seen, peer):
        await peer.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        await peer.chunk(b"data: {}\n\n")
        await go.wait()
        await peer.chunk(b"data: [DONE]\n\n")
        await peer.send(b"0\r\n\r\n")

    async with Provider(slow) as provider, serving(tmp_path, f"http://127.0.0.1:{provider.port}/v1") as running:
        client, idle = await Client.connect(running.port), await Client.connect(running.port)
        await client.send(*ASK, body=BODY[:-1] + b',"stream":true}')
        await client.reader.readuntil(b"data: {}")
        running.signal(signal.SIGTERM)
        await running.line("draining")
        ready = await running.ask("GET /readyz", admin=True)
        assert (ready.status, json.loads(ready.body)["status"]) == (503, "draining")
        with pytest.raises(ConnectionError):
            await Client.connect(running.port)
        assert await idle.reader.read() == b""
        go.set()
        rest = await client.reader.read()
        assert rest.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
        assert await running.ended() == 0
        client.close()
        idle.close()


async def never(seen, peer):
    await peer.closed()


async def test_what_does_not_finish_in_time_is_broken_off(tmp_path):
    async with (
        Provider(never) as provider,
        serving(tmp_path, f"http://127.0.0.1:{provider.port}/v1", "--drain", 0.2) as running,
    ):
        client = await Client.connect(running.port)
        await client.send(*ASK, body=BODY)
        await until(lambda: provider.seen)
        running.signal(signal.SIGTERM)
        assert await client.reader.read() == b""
        assert await running.ended() == 0
        assert '"broken_off": 1' in running.said
        client.close()


async def test_second_signal_ends_at_once(tmp_path):
    async with Provider(never) as provider, serving(tmp_path, f"http://127.0.0.1:{provider.port}/v1") as running:
        client = await Client.connect(running.port)
        await client.send(*ASK, body=BODY)
        await until(lambda: provider.seen)
        running.signal(signal.SIGTERM)
        await running.line("draining")
        running.signal(signal.SIGINT)
        assert await running.ended(2) == 128 + signal.SIGINT
        client.close()


async def test_pack_is_reloaded_and_a_bad_one_is_not(tmp_path):
    pack = tmp_path / "pack.yaml"
    async with Provider(hello) as first, Provider(hello) as second:
        pack.write_text(f"upstreams: [{{url: 'http://127.0.0.1:{first.port}/v1'}}]\n")
        async with serving(tmp_path, "", "--pack", pack) as running:
            await running.ask("GET /v1/models")
            pack.write_text("policies: {gatez: {}}\n")
            running.signal(signal.SIGHUP)
            line = await running.line("pack not reloaded; the last good one stays")
            assert "gatez" in json.dumps(line)
            await running.ask("GET /v1/models")
            pack.write_text(f"upstreams: [{{url: 'http://127.0.0.1:{second.port}/v1'}}]\nlog: {{days: 1}}\n")
            running.signal(signal.SIGHUP)
            await running.line("pack reloaded")
            await running.ask("GET /v1/models")
            running.signal(signal.SIGTERM)
            assert await running.ended() == 0
    assert (len(first.seen), len(second.seen)) == (2, 1)


def test_anybody_on_the_network_is_worth_a_warning(tmp_path):
    process = subprocess.Popen(
        command("serve", "--upstream", "http://h/v1", "--host", "0.0.0.0", "--port", 0, "--admin-port", 0,  # noqa: S104
                "--data", tmp_path / "data"),
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr
    lines = [json.loads(process.stderr.readline()) for _ in range(2)]
    process.terminate()
    process.communicate()
    assert [line["level"] for line in lines] == ["warning", "info"]


def refused(*argv, **environ):
    return subprocess.run(
        command("serve", *argv), capture_output=True, text=True, timeout=30, check=False, env={**os.environ, **environ}
    )


def test_bad_packs_and_addresses_are_exit_code_2(tmp_path):
    pack = tmp_path / "pack.yaml"
    pack.write_text("policies:\n  gatez: {}\n")
    done = refused("--upstream", "http://h/v1", "--pack", pack, "--data", tmp_path / "data")
    assert done.returncode == 2
    assert f"{pack}:2" in done.stderr
    assert "gates" in done.stderr
    assert done.stdout == ""
    assert refused("--data", tmp_path / "data", HANDRAIL_UPSTREAM="").returncode == 2
    done = refused("--upstream", "https://user:pass@h/v1", "--data", tmp_path / "data")
    assert done.returncode == 2
    assert "pass@" not in done.stderr
    done = refused("--upstream", "http://h/v1", "--store", "there", "--data", tmp_path / "data")
    assert done.returncode == 2
    assert "--store: an address begins with redis://" in done.stderr
    for wrong in ("redis:/user:secret@h", "redis://user:secret@h:port"):
        done = refused("--upstream", "http://h/v1", "--store", wrong, "--data", tmp_path / "data")
        assert done.returncode == 2
        assert "secret" not in done.stderr
        assert "Traceback" not in done.stderr
    assert "less than a day" in refused("--upstream", "http://h/v1", "--drain", "soon").stderr
    done = refused("--upstream", "http://h/v1", "--data", tmp_path / "data", HANDRAIL_PORT="http")
    assert done.returncode == 2
    assert "a port is a number from 0 to 65535" in done.stderr


async def test_what_the_machine_refuses_is_exit_code_3(tmp_path):
    async with Provider(hello) as provider:
        done = refused(
            "--upstream", "http://h/v1", "--port", str(provider.port), "--admin-port", "0", "--data", tmp_path / "d"
        )
        assert done.returncode == 3
        assert f"127.0.0.1:{provider.port}" in done.stderr
    (tmp_path / "file").write_text("")
    done = refused(
        "--upstream", "http://h/v1", "--port", "0", "--admin-port", "0", "--data", tmp_path / "file" / "data"
    )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert f"{tmp_path / 'file'}" in done.stderr
    own = ("--upstream", "http://h/v1", "--port", "0", "--admin-port", "0", "--data", tmp_path / "d")
    done = refused(*own, "--store", f"unix://{tmp_path / 'nobody'}")
    assert done.returncode == 3
    assert "cannot reach the store" in done.stderr
    assert "ready" not in done.stdout
