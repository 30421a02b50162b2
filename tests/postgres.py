"""A real PostgreSQL of our own for tests, in a temporary folder, run by a user that may run one."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 60.0


def programs() -> Path | None:
    """The folder with initdb and postgres; None: there is none on this machine."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None)


def _user() -> str | None:
    """Somebody other than root, whom PostgreSQL refuses; None: we are that already."""
    if os.geteuid():
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


@contextmanager
def postgres(statements: str) -> Iterator[str]:
    """Starts a server, runs the statements, and gives its address as `host:port`. The superuser is `tester`."""
    place, user = programs(), _user()
    if place is None:
        raise FileNotFoundError("no PostgreSQL on this machine")
    folder = Path(tempfile.mkdtemp(prefix="handrail-pg-"))
    if user:
        shutil.chown(folder, user)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    options = ["-c", "listen_addresses=127.0.0.1", "-p", str(port), "-k", str(folder), "-c", "fsync=off"]
    try:
        _run([place / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync"], folder, user)
        with (folder / "log").open("wb") as log:
            command = [str(place / "postgres"), "-D", str(data), *options]
            process = subprocess.Popen(command, cwd=folder, user=user, stdout=log, stderr=log)
        try:
            where = ["-h", "127.0.0.1", "-p", str(port), "-U", "tester", "-d", "postgres"]
            _wait([place / "pg_isready", *where], process)
            _run([place / "psql", *where, "-q", "-v", "ON_ERROR_STOP=1", "-c", statements], folder, user)
            yield f"127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)  # at once, whoever is connected
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str | Path], folder: Path, user: str | None) -> None:
    subprocess.run(list(map(str, command)), cwd=folder, user=user, check=True, stdout=subprocess.DEVNULL)


def _wait(ready: list[str | Path], process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        if subprocess.run(list(map(str, ready)), check=False, stdout=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.02)
    raise RuntimeError("PostgreSQL did not start")
