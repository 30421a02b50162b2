"""The composition root: reads the command line, the environment and the pack, builds every part, and serves.

The only module that knows all others. What it decides is the order: first what can be wrong with the settings (exit
code 2), then what the machine may refuse (3), and only then the first byte; at the end the reverse, so that no answer
and no record is lost.
"""

import argparse
import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from proxy.cli import OK, UNAVAILABLE, USAGE
from proxy.cli import main as command_line

if TYPE_CHECKING:
    from aiohttp import web

    from proxy.app import State
    from proxy.runlog import RunLog
    from proxy.settings import Pack

_FORCED_AFTER = 0.2
_SWITCH_SECONDS = 0.0005
"""How long a thread that writes logs may keep the interpreter from the one that serves (5 ms where nobody says)."""
_FLUSH_SECONDS = 5.0


def main() -> None:
    """`handrail`."""
    sys.exit(command_line())


def check(arguments: argparse.Namespace) -> int:
    """`handrail check FILE…`."""
    from proxy.check import check as check_packs  # noqa: PLC0415 - each command imports what it needs

    return check_packs(arguments.files)


def serve(arguments: argparse.Namespace) -> int:
    """`handrail serve`."""
    from proxy.spared import spared  # noqa: PLC0415 - as above

    with spared("rich"):
        import structlog  # noqa: F401, PLC0415
    from proxy import oplog  # noqa: PLC0415 - as above
    from proxy.settings import PackError  # noqa: PLC0415

    oplog.configure(quiet=arguments.quiet)
    try:
        state = _state(arguments)
    except PackError as error:
        return _refused(USAGE, str(error))
    except ValueError as error:
        return _refused(USAGE, f"handrail: {error}")
    try:
        return _run(_Serving(arguments, state).run)
    except OSError as error:
        where = f"{error.filename}: " if error.filename and error.strerror else ""
        return _refused(UNAVAILABLE, f"handrail: {where}{error.strerror or error}")


def _refused(code: int, why: str) -> int:
    sys.stderr.write(why + "\n")
    return code


def _run(main: Callable[[], Any]) -> int:
    try:
        import uvloop  # noqa: PLC0415 - not on every platform
    except ImportError:
        factory = None
    else:
        factory = uvloop.new_event_loop
    sys.setswitchinterval(_SWITCH_SECONDS)
    with asyncio.Runner(loop_factory=factory) as runner:
        code: int = runner.run(main())
    return code


def _state(arguments: argparse.Namespace) -> "State":
    """Everything that the pack says. Raises PackError, ValueError."""
    from proxy.app import State  # noqa: PLC0415
    from proxy.packs import load_pack  # noqa: PLC0415
    from proxy.plan import build  # noqa: PLC0415
    from proxy.store import check_address  # noqa: PLC0415

    if arguments.store:
        check_address(arguments.store)
    pack = load_pack(arguments.pack)
    if not arguments.upstream and not pack.upstreams:
        raise ValueError("no upstream: name one with --upstream or HANDRAIL_UPSTREAM, or in the pack")
    return State.build(build(pack), pack, arguments.upstream)


class _Serving:
    """One process that serves, from the first socket to the last record."""

    def __init__(self, arguments: argparse.Namespace, state: "State") -> None:
        from structlog import get_logger  # noqa: PLC0415

        self._arguments = arguments
        self._state = state
        self._log: Any = get_logger("handrail")
        self._stop = asyncio.Event()
        self._reloading: asyncio.Task[None] | None = None
        self._warming: asyncio.Future[None] | None = None

    async def run(self) -> int:
        """Serves until a signal; the exit code. Raises OSError."""
        from proxy import oplog  # noqa: PLC0415

        asyncio.get_running_loop().set_exception_handler(lambda _, context: oplog.unhandled(context))
        self._build()
        arguments = self._arguments
        try:
            await self._reach_store()
            await _listen(self._operator, self._admin_host, arguments.admin_port)
            await _listen(self._traffic, arguments.host, arguments.port)
            self._signals()
            gc.collect()
            gc.freeze()  # what was built lives as long as the process; no collection needs to walk over it again
            self._say_ready()
            self._warming = asyncio.get_running_loop().run_in_executor(None, _warm)
            await self._stop.wait()
            await self._drain()
        finally:
            await self._traffic.cleanup()
            await self._app.upstream.close()
            await asyncio.to_thread(self._runlog.close, _FLUSH_SECONDS)
            await self._alerts.close()
            self._store.close()
            await self._operator.cleanup()
        return OK

    async def _reach_store(self) -> None:
        """Raises OSError: better not to start than to find out with the first side effect."""
        from proxy.store import StoreError  # noqa: PLC0415
        from proxy.verdicts import Read  # noqa: PLC0415

        try:
            await self._store.settle((Read("ready"),), ())
        except StoreError as error:
            raise OSError(f"cannot reach the store: {error}") from None

    def _build(self) -> None:
        """Every part, and which one knows which. Raises OSError."""
        from aiohttp import web  # noqa: PLC0415

        from proxy import admin  # noqa: PLC0415
        from proxy.alerts import Alerts  # noqa: PLC0415
        from proxy.app import App, serve  # noqa: PLC0415
        from proxy.breakers import Breakers  # noqa: PLC0415
        from proxy.catalogs import Catalogs  # noqa: PLC0415
        from proxy.datafolder import make_folder  # noqa: PLC0415
        from proxy.exchange import exchange  # noqa: PLC0415
        from proxy.metrics import Metrics  # noqa: PLC0415
        from proxy.store import open_store  # noqa: PLC0415
        from proxy.store.secret import load_secret  # noqa: PLC0415
        from proxy.upstream import Upstream  # noqa: PLC0415
        from proxy.world import World  # noqa: PLC0415

        data = make_folder(self._arguments.data)
        secret = load_secret(data / "secret")
        self._store = open_store(data, self._arguments.store)
        self._alerts = Alerts(self._state.pack.escalate)
        self._world = World(self._store, Breakers(time), Catalogs(self._state.pack.catalogs, monotonic))
        self._runlog = _run_log(data, self._state.pack)
        self._health = admin.Health(
            dropped=lambda: self._runlog.dropped,
            log_error=lambda: self._runlog.error,
            store_error=lambda: self._store.error,
        )
        self._metrics = Metrics(self._health.dropped)
        self._app = App(
            self._state, Upstream(), exchange, self._world, self._runlog, self._metrics, self._alert, secret=secret
        )
        self._app.access = self._arguments.access_log
        self._admin_host = self._arguments.admin_host or self._arguments.host
        token = os.environ.get("HANDRAIL_ADMIN_TOKEN", "")
        operator = admin.build(self._health, self._metrics, host=self._admin_host, token=token)
        self._operator = web.AppRunner(operator, access_log=None, shutdown_timeout=_FORCED_AFTER)
        self._traffic = web.ServerRunner(serve(self._app), shutdown_timeout=_FORCED_AFTER)

    def _alert(self, payload: Mapping[str, Any]) -> None:
        self._metrics.alerted()
        self._alerts.send(payload)

    def _say_ready(self) -> None:
        from proxy.admin import is_loopback  # noqa: PLC0415

        host = self._arguments.host
        if not is_loopback(host):
            self._log.warning("agents anywhere on the network can reach this port", host=host)
        self._health.ready = True
        self._log.info(
            "ready",
            host=host,
            port=self._traffic.addresses[0][1],
            admin_port=self._operator.addresses[0][1],
            pack=self._arguments.pack,
            upstreams=self._state.upstream_names(),
        )

    def _signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopped, number)
        loop.add_signal_handler(signal.SIGHUP, self._hung_up)

    def _stopped(self, number: int) -> None:
        """The first signal drains, the second one ends at once."""
        if self._stop.is_set():
            os._exit(128 + number)
        self._stop.set()

    def _hung_up(self) -> None:
        if self._reloading is None or self._reloading.done():
            self._reloading = asyncio.get_running_loop().create_task(self._reload())

    async def _reload(self) -> None:
        """The pack again; where it does not load, the last good one stays."""
        from proxy.catalogs import Catalogs  # noqa: PLC0415

        try:
            state = await asyncio.to_thread(_state, self._arguments)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the new one, the old one serves
            self._log.error("pack not reloaded; the last good one stays", problems=str(error).splitlines()[:20])
            return
        if state.pack.log != self._app.state.pack.log:
            before, self._runlog = self._runlog, _run_log(self._arguments.data, state.pack)
            self._app.log = self._runlog
            await asyncio.to_thread(before.close, _FLUSH_SECONDS)
        if state.pack.catalogs != self._state.pack.catalogs:
            self._world.catalogs = Catalogs(state.pack.catalogs, monotonic)
        self._alerts.escalation = state.pack.escalate
        self._app.state = self._state = state
        self._log.info("pack reloaded", pack=self._arguments.pack, digest=state.pack.digest[:12])

    async def _drain(self) -> None:
        """No new connections; what is open may finish, for a while."""
        self._health.ready, self._health.why = False, "draining"
        app = self._app
        app.stopping = True
        self._log.info("draining", open=app.active, seconds=self._arguments.drain)
        for site in self._traffic.sites:
            await site.stop()
        if self._traffic.server is not None:
            self._traffic.server.pre_shutdown()
        left = self._arguments.drain
        while app.active and left > 0:
            await asyncio.sleep(0.05)
            left -= 0.05
        self._log.info("drained", broken_off=app.active)


def _warm() -> None:
    """What the first long or failed result would otherwise wait for."""
    from proxy.late import warm  # noqa: PLC0415

    warm()


async def _listen(runner: "web.BaseRunner", host: str, port: int) -> None:
    """Raises OSError whose text names the address."""
    from aiohttp import web  # noqa: PLC0415

    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=1024).start()
    except OSError as error:
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {os.strerror(error.errno or 0)}") from None


def _run_log(data: Path, pack: "Pack") -> "RunLog":
    from proxy.runlog import RunLog  # noqa: PLC0415

    kept = pack.log
    return RunLog(data, bodies=kept.bodies, days=kept.days, max_bytes=kept.max_bytes, mask=kept.mask)


if __name__ == "__main__":
    main()
