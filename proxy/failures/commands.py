"""Command lines: which programs they call, and whether what they print is text that was there before (`cat`, `grep`,
`git log`, a manual) or the outcome of something that ran.

Cut by a shell's rules of quoting, without expanding anything.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.failures.wordsets import wordset

_MAX_TEXT = 20_000
_SHELL_ARGUMENTS = wordset("command cmd commands shell_command argv bash script_command cmdline command_line")
_PROGRAMS = wordset(
    """
    git gh kubectl docker podman helm aws gcloud az terraform npm yarn pnpm pip cargo go make psql mysql curl
    systemctl journalctl
    """
)
"""Programs that tools are named after."""
_PROGRAM_ARGUMENTS = wordset("args arguments argv subcommand command cmd")
VIEWERS = wordset(
    """
    cat bat head tail less more grep egrep fgrep zgrep rg ag ack sed awk gawk jq yq cut sort uniq wc
    strings zcat xxd hexdump od nl tac journalctl dmesg man info apropos whatis echo printf ls ll dir
    find fd locate tree stat diff comm column fold fmt tee history env printenv type which pygmentize
    """
)
_VIEWING = """
    git log, git show, git diff, git blame, git grep, git help, git status, git reflog, docker logs, podman logs,
    docker inspect, kubectl logs, kubectl describe, kubectl get events, kubectl explain, gh issue, gh pr, gh run,
    systemctl status, heroku logs, gcloud logging, aws logs, npm help, cargo doc, python -m pydoc, pydoc, perldoc,
    ri, go doc, rustc --explain, crontab -l, sqlite3 .dump
"""
_VIEWING_STARTS = tuple(start.strip() for start in _VIEWING.split(","))
_SILENT = wordset(
    """
    cd set export source true : pushd popd exit mkdir touch sleep unset alias shopt umask
    """
)
"""Programs that print nothing."""
_HELP = re.compile(r"\s(?:--help|--usage)(?:[=\s]|$)|^\S+ help\b|\s-h\s*$")
_PREFIX = re.compile(
    r"^(?:[A-Za-z_]\w*=\S*\s+|(?:sudo|time|env|nohup|nice|xargs|command)\s+|timeout\s+\S+\s+|2>&1\s*)+"
)
_INNER = re.compile(r"^(?:/bin/)?(?:ba|z|da)?sh -l?c (['\"]?)(.*)\1$", re.DOTALL)

Pipelines = tuple[tuple[str, ...], ...]


def pipelines(arguments: Mapping[str, Any], tool: str = "") -> Pipelines:
    """The command line as pipelines of simple commands; that of a program where `tool` is called like one."""
    rest = next((value for key, value in arguments.items() if key in _PROGRAM_ARGUMENTS), None)
    if tool in _PROGRAMS and rest is not None:
        arguments = {"command": f"{tool} {_joined(rest).removeprefix(tool)}"}
    for name, value in arguments.items():
        if name.lower() in _SHELL_ARGUMENTS or (name == "" and isinstance(value, str)):
            line = _joined(value)[:_MAX_TEXT].strip()
            inner = _INNER.match(line)
            return tuple(pipeline for pipeline in _split(inner.group(2) if inner else line) if pipeline)
    return ()


def _joined(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _split(line: str) -> Iterator[tuple[str, ...]]:
    """Cuts at `;`, `&&`, `||`, newline into pipelines and at `|` into commands, outside of quotes."""
    pipeline: list[str] = []
    start, quote, at = 0, "", 0
    while at <= len(line):
        char = line[at : at + 1]
        if quote:
            quote = "" if char == quote else quote
        elif char in ("'", '"'):
            quote = char
        elif char == "\\":
            at += 1
        elif char in ("|", ";", "\n", "") or line.startswith("&&", at):
            if simple := _PREFIX.sub("", line[start:at].strip() + " ").strip():
                pipeline.append(simple)
            if char != "|" or line.startswith("||", at):
                yield tuple(pipeline)
                pipeline = []
            at += line.startswith(("&&", "||"), at)
            start = at + 1
        at += 1
    if quote:
        yield (*pipeline, line[start:].strip())


def viewing(pipelines: Pipelines) -> bool:
    """Whether everything that prints shows text that is there, or a manual."""
    printing = [
        pipeline
        for pipeline in pipelines
        if pipeline[0].split()[0] not in _SILENT and not re.search(r">>?\s?[^&\s]", pipeline[-1])
    ]
    return bool(printing) and all(all(_views(command) for command in pipeline) for pipeline in printing)


def _views(command: str) -> bool:
    words = command.split()
    program = words[0].rsplit("/", 1)[-1]
    start = " ".join([program, *words[1:3]])
    if program in VIEWERS or _HELP.search(command) or program in _SILENT:
        return True
    return start.startswith(_VIEWING_STARTS)
