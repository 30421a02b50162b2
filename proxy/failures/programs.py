"""Reads what command-line programs print when they fail: shells, coreutils, git, curl, package managers, database
clients, compilers, linters and test runners.

A program says its failure in lines of a few forms (`prog: subject: reason`, `error: …`, `fatal: …`, `file:line:col:
error: …`). Which lines are such is decided here by form; what they mean is decided by their words elsewhere. Output
that was asked for (`cat`, `grep`, `git log`) is never read as a failure, unless the program that shows it complains
itself.
"""

import re

from proxy.failures.call import Call
from proxy.failures.commands import VIEWERS
from proxy.failures.good_news import good
from proxy.failures.story import Link, Story
from proxy.failures.vocabulary import tells
from proxy.failures.wordsets import wordset

_PROGRAM_LINE = re.compile(
    r"^(?P<program>(?:/[\w./-]{1,80}/)?[a-zA-Z][\w.+-]{1,40}?(?:\[\d+\])?): (?:line \d+: |cmd\."
    r" line:\d+: |\(\d+\) |-e expression #\d+, |error: |warning: |fatal: |\*\*\*"
    r" )?(?P<reason>\S.*)$"
)
_ERROR_LINE = re.compile(
    r"^\s{0,3}(?:\[?(?:ERROR|Error|error|FATAL|Fatal|fatal|FAILURE|FAILED|Failed|CRITICAL|CMake"
    r" Error|E|ERR|ERR!|err)\]?(?:\[\w{1,12}\])?(?: at [^\n:]{1,80}:\d+ \(\w+\))?[ :!]|npm"
    r" (?:error|ERR!)|yarn error|pnpm:|ERR_\w+|\(error\) |ERROR \d{4}"
    r"|make(?:\[\d+\])?: \*\*\*|Makefile:\d+: \*\*\*|[\w./-]{1,60}:\d+: \*\*\*"
    r"|error(?:\[E\d{4}\])?:|Error:|fatal:|Exception|Uncaught |Unable to |Cannot |Can't |Could not"
    r" |Couldn't |Failed |No such |Unknown |Invalid |Permission denied|Access denied|Segmentation"
    r" fault"
    r"|Killed$|Aborted|Bus error|Terminated$|abort: |panic: |CONFLICT |Usage: |usage: |--"
    r" (?:\[E\d+\] )?.{0,40}Error: |\d+ errors? found|Error from server|Unable|The connection to"
    r" the server|Connection |connect(?:ion)? (?:to|refused)|svn: E\d+|ORA-\d{5}|SP2-\d{4}|Msg"
    r" \d+, Level|psql: |mysql: |mysqldump: |Host key|ssh: |Author identity unknown"
    r"|WRONGTYPE |NOAUTH |NOPERM |WRONGPASS |READONLY |OOM |BUSY |LOADING |MISCONF |EXECABORT "
    r"|NOSCRIPT |CLUSTERDOWN |CROSSSLOT |MOVED |DENIED |ERR |error\b.{0,40}:|[\w.-]{2,30}:"
    r" (?:[Cc]ould not|[Cc]annot|[Cc]an't|[Uu]nable to|[Ff]ailed to|[Nn]o such|[Ii]nvalid "
    r"|[Uu]nknown |[Pp]ermission denied|[Aa]ccess denied|[Nn]ot found|command not found|fatal"
    r"|error)|syntax error\b|Found [1-9]\d* (?:errors?|problems?|issues?)|(?:parse|syntax|type"
    r"|runtime|compile|compilation|fatal|import|value|lexical|input)"
    r" error\b.{0,40}:|[\w.-]+@[\w.-]+: Permission denied|\S+: No such file or directory$"
    r"|\d{4}-\d\d-\d\d[ T][\d:.,]{5,15}Z? (?:ERROR|FATAL|CRITICAL)\b|╷|│ Error:|╭──? ?Error|× |✖ "
    r"|✘ |❌)"
)
_METRIC = re.compile(r"^[\w \t%()/.-]{1,60}[:=]\s*-?\d[\d.,]*\s?[%\w]{0,8}\s*$")
_NONE = re.compile(r"\b(?:0|no) (?:errors?|problems|failures)\b", re.IGNORECASE)
_DIAGNOSTIC = re.compile(
    r"^(?P<place>(?:[A-Za-z]:)?[\w./\\@+-]{1,200}?(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)|, line \d+))(?::| -)"
    r" (?:fatal )?(?P<kind>error|Error|ERROR|note)(?: ?\[?[A-Z]{1,4}\d{2,5}\]?)?:? (?P<reason>.*)$"
)
_BARE_DIAGNOSTIC = re.compile(
    r"^(?:\./)?[\w./-]{1,160}\.(?:go|hs|zig|nim|v|rb|sh|pl|py|js|ts|tf|yml|yaml|json|toml|rs"
    r"|sql):\d+(?::\d+)?: (?!info|note|warning)\S.*$"
)
_RUSTC = re.compile(r"^error(?:\[E\d{4}\])?: ", re.MULTILINE)
_TYPE_CHECKER = re.compile(
    r"error TS\d{4}:|\berror: .{1,400}\[[a-z][a-z-]{2,40}\]$|Found \d+ errors? in \d+ file", re.MULTILINE
)
_TESTS = re.compile(
    r"^(?:=+ .*\b\d+ failed\b.*=+|FAILED \(.*(?:failures|errors)=\d+.*\)|Tests?: +.*\b\d+"
    r" failed\b.*|test result: FAILED.*|\s*\d+ failing\b.*|FAIL\b.*|--- FAIL: .*|\d+ examples?,"
    r" [1-9]\d* failures?.*|Tests run: \d+, (?:Failures: [1-9]\d*|Failures: 0, Errors: [1-9]\d*).*"
    r"|not ok \d+.*|FAILURES!|# fail [1-9]\d*|=*\s*[1-9]\d* failed\b.*|.*\b[1-9]\d* (?:tests?"
    r"|specs?|examples?|suites?|scenarios?) failed\b.*)$",
    re.MULTILINE,
)
_RUNNERS = re.compile(
    r"\b(?:pytest|unittest|jest|mocha|vitest|ava|tap|tape|rspec|minitest|phpunit|go test|cargo"
    r" test|mvn|gradle|ctest|tox|nox|npm (?:run )?test|yarn test|pnpm test|test|tests|spec)\b"
)
_BUILDS = re.compile(
    r"^(?:CMake Error|make(?:\[\d+\])?: \*\*\*|ninja: |FAILURE: Build failed|\[ERROR\] (?:Failed"
    r" to execute goal|COMPILATION)|BUILD FAILED|ERROR: Job failed|error: builder for)"
)
_BUILDERS = wordset(
    """
    cmake ninja meson bazel gradle gradlew mvn msbuild xcodebuild webpack vite rollup esbuild
    """
)
_LINTERS = re.compile(
    r"\b(?:ruff|flake8|pylint|eslint|shellcheck|rubocop|golangci-lint|stylelint|hadolint|yamllint"
    r"|black|prettier|clippy)\b"
)
_UTILITIES = wordset(
    "cp mv rm mkdir rmdir touch chmod chown ln tar gzip gunzip unzip zip dd mount umount kill ps"
    " curl wget ssh scp rsync make"
)
_CLIENTS = wordset("mysql mariadb psql sqlite3 duckdb sqlcmd clickhouse-client bq")
_COLUMN = re.compile(r"^[a-z_]\w{0,40}$")
"""Clients of databases, and the name of a column above what they print."""
_LOG = re.compile(r"(?:INFO|DEBUG|WARN|WARNING|NOTICE|NOTE|HINT|TIP|TRACE|LOG)\b", re.IGNORECASE)
_SHELL_SAYS = re.compile(r"^(?:/bin/)?(?:bash|sh|zsh|dash|ksh|fish|cmd|pwsh|powershell)$|^[\w./-]+\.sh$")
_BOX_LINE = re.compile(r"^[\s╷│╵╭╰]+")
_DULL = re.compile(r"^\s*(?:\[?exit code|Process exited|\^+|\s*~+|npm error$)", re.IGNORECASE)


def error_lines(lines: list[str], call: Call) -> list[str]:
    """The lines, in order, that tell of a failure by their form. A line that the code itself has to print does not."""
    shown = (line[:2000] for line in lines[:400] if not call.prints(line))
    return [line.strip() for line in shown if _complaint(line, call) or (not call.shows and _is_error_line(line))]


def _is_error_line(line: str) -> bool:
    if _METRIC.match(line) or _NONE.search(line):
        return False
    return bool(_ERROR_LINE.match(line) or _DIAGNOSTIC.match(line) or _BARE_DIAGNOSTIC.match(line))


def _complaint(line: str, call: Call) -> bool:
    """`prog: …` where prog was called, or a shell."""
    if re.match(r"^(?:fatal|error): \S", line) and call.programs & {"git", "gh", "hg", "svn"}:
        return True
    if line.startswith("parse error: ") and call.programs & {"jq", "yq", "gojq"}:
        return True
    found = _PROGRAM_LINE.match(line)
    if found and good(found.group("reason"), call):
        return False
    if not found:
        return bool(
            re.match(r"^'[^'\n]{1,80}' is not recognized as ", line) or re.match(r"^zsh: |^-?bash: |^sh: \d+: ", line)
        )
    if found.group("program") in ("sudo", "xargs", "env", "timeout", "nohup", "time", "nice"):
        return True
    program = found.group("program").rsplit("/", 1)[-1].rstrip("0123456789.")
    if program in VIEWERS or program in _UTILITIES:
        return True
    return program in {name.rstrip("0123456789.") for name in call.programs} or bool(
        _SHELL_SAYS.match(found.group("program"))
    )


def read(text: str, call: Call, *, failed: bool) -> Story | None:
    """The story of a program's output.

    `failed`: it is known to have failed (exit code). Otherwise only output that begins or ends with lines of an
    error's form is one.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return None
    if not failed and len(lines) > 1 and call.programs & _CLIENTS and _COLUMN.match(lines[0]):
        return None
    if story := _tests(text, lines, call, failed=failed):
        return story
    told = error_lines(lines, call)
    if not told and not failed and not call.shows:
        told = _spoken_lines(lines, call)
    if not told and not failed:
        return None
    if not failed and not _at_the_edge(lines, told):
        return None
    key = told or [line.strip() for line in lines if not _DULL.match(line)][-3:] or lines[-1:]
    return _told(text, key, call)


def _spoken_lines(lines: list[str], call: Call) -> list[str]:
    """First and last lines in which a program tells of a failure: `gzip: stdin: not in gzip format`."""
    edges = [line.strip() for line in dict.fromkeys((lines[0], *lines[-2:]))]
    if not _speaks(edges[-1]):
        return []
    return [line for line in edges if line[:1].islower() and _speaks(line) and not good(line, call)]


def _speaks(line: str) -> bool:
    found = _PROGRAM_LINE.match(line)
    return found is not None and not _LOG.match(line) and tells(found.group("reason"))


def _at_the_edge(lines: list[str], told: list[str]) -> bool:
    edges = {lines[0].strip(), *(line.strip() for line in lines[-3:])}
    diagnostics = sum(1 for line in told if _DIAGNOSTIC.match(line) or _BARE_DIAGNOSTIC.match(line))
    return (
        bool(edges & set(told))
        or bool(diagnostics)
        or any(line.startswith(("CMake Error", "npm ERR!", "npm error")) for line in told)
    )


def _told(text: str, key: list[str], call: Call) -> Story:
    """The first error line is the failure, the others its context."""
    links = [Link("", _BOX_LINE.sub("", line)) for line in key[:12]]
    if any(_BUILDS.match(line) for line in key) or (
        call.programs & _BUILDERS and not any(_SHELL_SAYS.match(line.split(":")[0]) for line in key)
    ):
        return Story((Link("", text.strip()),), context=tuple(links), runtime="build")
    runtime = (
        "compiler"
        if any(_LINTERS.search(command) for command in call.commands)
        or any(_DIAGNOSTIC.match(line) or _BARE_DIAGNOSTIC.match(line) for line in key)
        or _RUSTC.search(text)
        else "shell"
    )
    return Story((Link("", text.strip()),), context=tuple(links), runtime=runtime, at_start=True)


def _tests(text: str, lines: list[str], call: Call, *, failed: bool) -> Story | None:
    """A test run's report, by its summary."""
    tail = "\n".join(lines[-25:] + lines[:3])
    found = _TESTS.search(tail)
    runs = "test" in call.about or "tests" in call.about or any(_RUNNERS.search(command) for command in call.commands)
    if not found or re.search(r"\b0 failed\b|no tests? failed", found.group()) or not (runs or failed) or call.shows:
        return None
    return Story((Link("", text.strip()),), context=(Link("TestsFailed", found.group().strip()),), runtime="tests")


def compiler_code(text: str, call: Call) -> str:
    """Which kind of checker complains: type checker, linter, or compiler."""
    if _TYPE_CHECKER.search(text) or any(
        re.search(r"\b(?:mypy|pyright|tsc|flow|pytype)\b", command) for command in call.commands
    ):
        return "TYPE_CHECK_FAILED"
    if any(_LINTERS.search(command) for command in call.commands):
        return "LINT_FAILED"
    return "COMPILE_ERROR"
