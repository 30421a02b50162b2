"""The command line: what can be typed, and which module does it. Answers go to stdout, logs to stderr.

Every option of `serve` can also be set by environment, flags win. The work is imported when its command runs, so that
`--help` is there at once. Exit codes: 0 ok, 1 a finding, 2 bad usage or pack, 3 no port, data folder or store.
"""

import argparse
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proxy import __version__

OK, FINDING, USAGE, UNAVAILABLE = 0, 1, 2, 3

_EPILOG = """\
Each option of serve can be set by environment: HANDRAIL_UPSTREAM, HANDRAIL_PACK, HANDRAIL_HOST, HANDRAIL_PORT,
HANDRAIL_ADMIN_HOST, HANDRAIL_ADMIN_PORT, HANDRAIL_DATA, HANDRAIL_STORE, HANDRAIL_DRAIN. Flags win.
HANDRAIL_ADMIN_TOKEN opens the admin port where it is not on loopback. HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE are
honoured upstream."""


def default_data(environ: Mapping[str, str]) -> Path:
    """Where data goes when nobody says: the user's folder for state (XDG), ~/.local/state/handrail."""
    state = environ.get("XDG_STATE_HOME", "")
    return (Path(state) if state.startswith("/") else Path.home() / ".local" / "state") / "handrail"


def parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    """The whole command line; a parsed one has `run`, the `module:function` that does it."""
    top = argparse.ArgumentParser(
        prog="handrail",
        description="A sidecar proxy for LLM API traffic that makes tool calling reliable.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"handrail {__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    _serve(commands.add_parser("serve", help="run the proxy", epilog=_EPILOG), environ)
    _check(commands.add_parser("check", help="check packs"))
    _lint(commands.add_parser("lint", help="what in the tools costs retries"), environ)
    _runs(commands, environ)
    codes = commands.add_parser("codes", help="the error codes that a model can see")
    codes.set_defaults(run="proxy.cli:codes")
    _demo(commands.add_parser("demo", help="show what it does, with a scripted model"))
    return top


def _demo(demo: argparse.ArgumentParser) -> None:
    demo.set_defaults(run="proxy.demo.show:demo")
    demo.add_argument("--once", action="store_true", help="end after the tasks, instead of serving on")
    demo.add_argument("--port", type=_port, default=8080, help="port of the proxy; a free one if it is taken")


def _serve(serve: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    serve.formatter_class = argparse.RawDescriptionHelpFormatter
    serve.set_defaults(run="proxy.__main__:serve")

    def option(name: str, default: str, kind: Callable[[str], object], text: str) -> None:
        variable = "HANDRAIL_" + name.strip("-").upper().replace("-", "_")
        serve.add_argument(name, default=environ.get(variable) or default, type=kind, help=text)

    option("--upstream", "", str, "base address of the provider; /v1/* maps onto it")
    option("--pack", "default", str, "name of a shipped pack, or a file (default: default)")
    option("--host", "127.0.0.1", str, "address for agents (default: 127.0.0.1)")
    option("--port", "8080", _port, "port for agents (default: 8080)")
    option("--admin-host", "", str, "address of the admin port (default: as --host)")
    option("--admin-port", "8081", _port, "port for health and metrics (default: 8081)")
    option("--data", str(default_data(environ)), Path, "folder for state and runs (default: ~/.local/state/handrail)")
    option(
        "--store",
        "",
        str,
        "redis:// (rediss://, unix://) address of state that several processes share (default: in --data)",
    )
    option("--drain", "30", _seconds, "seconds that open streams get at SIGTERM (default: 30)")
    serve.add_argument("--access-log", action="store_true", help="log a line for each request")
    serve.add_argument("--quiet", action="store_true", help="log only what is wrong")


def _check(check: argparse.ArgumentParser) -> None:
    check.set_defaults(run="proxy.__main__:check")
    check.add_argument("files", nargs="+", metavar="FILE", help="a pack: a file, or the name of a shipped one")


def _lint(lint: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    lint.set_defaults(run="proxy.lint:lint")
    given = "a request or list of tools (JSON), a run of the log, a pack; - for stdin"
    lint.add_argument("what", nargs="+", metavar="FILE|RUN|PACK", help=given)
    lint.add_argument("--pack", default="", help="judge the tools as the model sees them under this pack")
    lint.add_argument("--json", action="store_true", help="as JSON lines")
    data = Path(environ.get("HANDRAIL_DATA") or default_data(environ))
    lint.add_argument("--data", type=Path, default=data, help="folder that `serve` writes to")


def _runs(commands: Any, environ: Mapping[str, str]) -> None:
    from proxy.runs import add_arguments, since  # noqa: PLC0415 - its options stand where they are read

    runs = commands.add_parser("runs", help="look at the run log").add_subparsers(metavar="WHAT", required=True)
    data = Path(environ.get("HANDRAIL_DATA") or default_data(environ))
    add_arguments(runs, data)
    suggest = commands.add_parser("suggest", help="print a tools: block for a pack, from what the runs show")
    suggest.set_defaults(run="proxy.suggest:suggest")
    suggest.add_argument("--since", type=since, metavar="WHEN", help="30m, 12h, 7d, or a date and time (UTC)")
    suggest.add_argument("--data", type=Path, default=data, help="folder that `serve` writes to")


def main(argv: Sequence[str] | None = None) -> int:
    """Parses and runs a command; its exit code."""
    arguments = parser(os.environ).parse_args(argv)
    module, _, function = arguments.run.partition(":")
    run: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(module), function)
    try:
        return run(arguments)
    except BrokenPipeError:
        return OK


def codes(arguments: argparse.Namespace) -> int:
    """`handrail codes`."""
    from proxy.failures.codes import documented  # noqa: PLC0415

    del arguments
    print(documented())
    return OK


def _port(text: str) -> int:
    port = int(text) if text.strip().isdecimal() else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 86400:
        raise argparse.ArgumentTypeError("seconds, less than a day")
    return seconds
