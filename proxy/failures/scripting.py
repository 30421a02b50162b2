"""Reads how PHP, Ruby, Perl, Lua, R, Julia, Elixir, Dart, Haskell, Tcl and PowerShell report an uncaught error.

Each has one telling line and frames around it; the line stays with its class and place, the frames go.
"""

import re

from proxy.failures.call import Call
from proxy.failures.story import Link, Story, link_of

_PHP = re.compile(
    r"^(?:PHP )?(?:Fatal|Parse|Catchable fatal|Recoverable fatal|Uncaught) error: +(?:Uncaught"
    r" )?(?P<message>.{1,3000}?)(?=\nStack trace:|\n\s*thrown in|\n#\d|\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_RUBY = re.compile(
    r"^(?P<place>[^\s:][^\n:]{0,200}:\d+):in [`'](?P<where>[^'\n]{1,120})':"
    r" (?P<message>.{0,3000}?) \((?P<name>[A-Z][\w:]{1,100})\)(?P<more>.*?)(?=\n\tfrom |\n\s+from "
    r"|\Z)",
    re.MULTILINE | re.DOTALL,
)
_RUBY_TOP = re.compile(
    r"^(?P<place>[\w./-]{1,200}\.rb:\d+): (?P<message>.{1,2000}?)(?:" r" \((?P<name>[A-Z]\w{2,60})\))?(?=\n\tfrom |\Z)",
    re.MULTILINE | re.DOTALL,
)
_PERL = re.compile(r"^(?P<message>.{1,2000}?) at (?P<place>\S{1,200} line \d+)(?:, <\w+> line \d+)?\.?$", re.MULTILINE)
_LUA = re.compile(
    r"^(?:lua[\d.]*|luajit|texlua): (?P<message>.{1,2000}?)(?=\nstack traceback:|\Z)", re.MULTILINE | re.DOTALL
)
_R = re.compile(
    r"^Error(?: in (?P<where>[^\n]{1,300}?))? ?: ?\n? *(?P<message>.{1,2000}?)(?=\nCalls: "
    r"|\nExecution halted|\nIn addition: |\n(?:Backtrace|Traceback):|\Z)",
    re.MULTILINE | re.DOTALL,
)
_JULIA = re.compile(
    r"^ERROR: (?:LoadError: |InitError: )?(?P<message>.{1,2000}?)(?=\nStacktrace:|\nin expression" r" starting at|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ELIXIR = re.compile(
    r"^\*\* \((?P<name>[\w.]{1,120})\) (?P<message>.{0,2000}?)(?=\n {4}[^\s*]|\Z)", re.MULTILINE | re.DOTALL
)
_DART = re.compile(r"^Unhandled exception:\n(?P<message>.{1,2000}?)(?=\n#0 )", re.MULTILINE | re.DOTALL)
_HASKELL = re.compile(
    r"^[\w./-]{1,60}: (?P<message>.{1,2000}?)\nCallStack \(from HasCallStack\):", re.MULTILINE | re.DOTALL
)
_TCL = re.compile(r"^(?P<message>.{1,800}?)\n {4}(?:while executing|\(file )", re.DOTALL)
_POWERSHELL = re.compile(r"^(?:(?P<command>[\w-]{2,60}) ?: )?(?P<message>.{1,2000}?)\n(?:At |Line \|)", re.DOTALL)
_OCAML = re.compile(r"^Fatal error: exception (?P<message>[^\n]{1,600})", re.MULTILINE)
_ERLANG = re.compile(
    r"^(?:escript: )?\*{0,2} ?exception (?P<name>error|exit|throw): (?P<message>.{1,800}?)(?=\n {2,}in |\Z)",
    re.MULTILINE | re.DOTALL,
)


def read(text: str, call: Call) -> Story | None:
    """The story of a scripting language's error, or None."""
    for reader in (_php, _ruby, _lua, _elixir, _simple, _perl):
        if story := reader(text, call):
            return story
    return None


def _story(text: str, found: re.Match[str], link: Link, runtime: str, lines: tuple[str, ...] = ()) -> Story:
    output = text[: found.start()].strip()
    return Story((link,), output=output, lines=lines, runtime=runtime, traced=True, at_start=not output)


def _php(text: str, call: Call) -> Story | None:
    del call
    found = _PHP.search(text)
    if not found:
        return None
    kind = "ParseError" if re.match(r"^(?:PHP )?Parse", found.group()) else ""
    link = link_of(found.group("message"))
    return _story(text, found, link if link.name or not kind else Link(kind, link.message), "php")


def _ruby(text: str, call: Call) -> Story | None:
    del call
    if found := _RUBY.search(text):
        more = found.group("more").strip()
        message = f"{found.group('message')}\n{more}" if more else found.group("message")
        return _story(text, found, Link(found.group("name"), message.strip()), "ruby", (_line(found.group("place")),))
    found = _RUBY_TOP.search(text)
    if found and (found.group("name") or "syntax error" in found.group("message")):
        return _story(
            text,
            found,
            Link(found.group("name") or "SyntaxError", found.group("message").strip()),
            "ruby",
            (_line(found.group("place")),),
        )
    return None


def _line(place: str) -> str:
    file, _, number = place.rpartition(":")
    return f"{file.rsplit('/', 1)[-1]} line {number}"


def _lua(text: str, call: Call) -> Story | None:
    del call
    found = _LUA.search(text)
    return _story(text, found, link_of(found.group("message")), "lua") if found else None


def _elixir(text: str, call: Call) -> Story | None:
    del call
    if found := _ELIXIR.search(text):
        return _story(text, found, Link(found.group("name"), found.group("message").strip()), "elixir")
    if found := _ERLANG.search(text):
        return _story(text, found, Link("", found.group("message").strip()), "erlang")
    return None


def _simple(text: str, call: Call) -> Story | None:
    """Languages whose error is a head, a message and a marker behind it."""
    del call
    if found := _DART.search(text):
        return _story(text, found, link_of(found.group("message")), "dart")
    if "HasCallStack" in text and (found := _HASKELL.search(text)):
        return _story(text, found, Link("", found.group("message").strip()), "haskell")
    if ("Stacktrace:" in text or "in expression starting at" in text) and (found := _JULIA.search(text)):
        return _story(text, found, link_of(found.group("message")), "julia")
    if ("Execution halted" in text or text.startswith("Error in ")) and (found := _R.search(text)):
        return _story(text, found, Link("", re.sub(r"\s*\n\s*", " ", found.group("message")).strip()), "r")
    if ("CategoryInfo" in text or "FullyQualifiedErrorId" in text or "\nLine |" in text) and (
        found := _POWERSHELL.match(text)
    ):
        return _story(text, found, Link("", re.sub(r"\s*\n\s*", " ", found.group("message")).strip()), "powershell")
    if "\n    while executing" in text and (found := _TCL.match(text)):
        return _story(text, found, Link("", found.group("message").strip()), "tcl")
    if found := _OCAML.search(text):
        return _story(text, found, link_of(found.group("message")), "ocaml")
    return None


def _perl(text: str, call: Call) -> Story | None:
    """`message at FILE line N.`, as a line of its own; several belong together."""
    found = _PERL.search(text)
    if not found or not re.search(r"\.(?:pl|pm|t)\b|-e line", found.group("place")):
        return None
    if call.shows:
        return None
    output = text[: found.start()].strip()
    return Story(
        (Link("", text[found.start() :].strip()),), output=output, runtime="perl", traced=False, at_start=not output
    )
