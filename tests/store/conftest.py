"""Real servers: a Redis of our own on a socket, and stores that the same tests run against."""

import asyncio
import shutil
import socket
import subprocess
import sys
import time

import pytest

from proxy.store import open_store

SERVER = shutil.which("redis-server") or shutil.which("valkey-server")


class Server:
    """A Redis that forgets nothing, and can be killed and started again."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process = None

    def start(self):
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        self._process = subprocess.Popen(
            [str(SERVER), "--port", str(self.port), "--dir", str(self._folder), *options], stdout=subprocess.DEVNULL
        )
        for _ in range(1000):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    probe.sendall(b"PING\r\n")
                    if probe.recv(100).startswith(b"+PONG"):
                        return
            time.sleep(0.01)
        raise AssertionError("redis-server does not answer")

    def kill(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture(scope="session")
def _shared_server(tmp_path_factory):
    if SERVER is None:
        pytest.skip("no redis-server on this machine")
    server = Server(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def server(tmp_path):
    """A Redis for one test alone."""
    if SERVER is None:
        pytest.skip("no redis-server on this machine")
    folder = tmp_path / "redis"
    folder.mkdir()
    server = Server(folder)
    server.start()
    yield server
    server.kill()


@pytest.fixture(params=["disk", "redis"])
def url(request):
    """The address of the store under test; empty: in a folder."""
    if request.param == "disk":
        return ""
    server = request.getfixturevalue("_shared_server")
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"FLUSHALL\r\n")
        assert connection.recv(100).startswith(b"+OK")
    return server.url


async def closed(store):
    """Lets go of a store, whichever it is."""
    await store.aclose() if hasattr(store, "aclose") else await asyncio.to_thread(store.close)


@pytest.fixture
async def opening(tmp_path, url):
    """Opens the store, as often as wanted."""
    opened = []

    def open_one():
        opened.append(open_store(tmp_path, url))
        return opened[-1]

    yield open_one
    for store in opened:
        await closed(store)


@pytest.fixture
def store(opening):
    return opening()


@pytest.fixture
def elsewhere(tmp_path, url):
    """Starts a process of its own that has the store open as `store`, and runs the body of a coroutine in it."""
    started = []

    def start(body, *arguments):
        code = "\n".join(
            [
                "import asyncio, sys",
                "from pathlib import Path",
                "from proxy.model import Put",
                "from proxy.store import open_store",
                "from proxy.verdicts import Add, Claim, Read",
                "async def main(data, url, *args):",
                "    store = open_store(Path(data), url)",
                *(f"    {line}" for line in body.strip().splitlines()),
                "    if hasattr(store, 'aclose'): await store.aclose()",
                "    else: store.close()",
                "asyncio.run(main(*sys.argv[1:]))",
            ]
        )
        command = [sys.executable, "-c", code, str(tmp_path), url, *map(str, arguments)]
        started.append(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
