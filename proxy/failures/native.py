"""Reads how compiled programs die: Go panics, Rust panics, C and C++ assertions and signals, Swift traps.

Goroutine dumps and backtraces go; message, source line and causes stay.
"""

import re

from proxy.failures.call import Call
from proxy.failures.story import Link, Story, link_of

_GO = re.compile(
    r"^(?:panic|fatal error): (?P<message>.*?)(?=\n\n?goroutine \d+|\n\[signal|\n\s*panic: |\Z)",
    re.MULTILINE | re.DOTALL,
)
_GO_PLACE = re.compile(r"^\t(?:\S*/)?([\w.-]+\.go):(\d+)", re.MULTILINE)
_RUST = re.compile(
    r"^thread '(?P<thread>[^'\n]{0,80})'(?: \(\d+\))? panicked at (?:'(?P<old>.{1,2000}?)',"
    r" )?(?P<place>[^\s,]{1,200}?:\d+(?::\d+)?):?[ ]?(?:\n(?P<message>.*?))?(?=\nnote: |\nstack"
    r" backtrace:|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ASSERT = re.compile(
    r"^(?:[\w./-]{1,80}: )?(?P<place>[\w./-]{1,120}\.(?:c|cc|cpp|h|hpp):\d+):"
    r" .{0,200}?[Aa]ssertion [`'\"](?P<message>.{1,600}?)['\"`] failed\.?",
    re.MULTILINE,
)
_TERMINATE = re.compile(
    r"^terminate called (?:after throwing an instance of '(?P<name>[^'\n]{1,120})'|without an"
    r" active exception)(?:\n\s*what\(\):\s*(?P<message>[^\n]{0,800}))?",
    re.MULTILINE,
)
_SANITIZER = re.compile(r"^(?:==\d+==)?\s?ERROR: (?P<name>\w+Sanitizer): (?P<message>[^\n]{1,300})", re.MULTILINE)
_SWIFT = re.compile(
    r"^(?:[\w./-]{1,120}:\d+: )?Fatal error: (?P<message>[^\n]{1,600}?)(?:: file"
    r" (?P<place>[^\n]{1,120}, line \d+))?$",
    re.MULTILINE,
)
_CAUSES = re.compile(r"^Caused by:\s*\n((?:\s+.{1,600}\n?){1,20})", re.MULTILINE)
_RUST_MAIN = re.compile(
    r"^Error: (?P<message>.{1,2000}?)(?=\n\nCaused by:|\n\nStack backtrace|\nLocation:|\Z)", re.MULTILINE | re.DOTALL
)


def read(text: str, call: Call) -> Story | None:
    """The story of a crash of a compiled program, or None."""
    del call
    for reader in (_go, _rust, _caused, _c):
        if story := reader(text):
            return story
    return None


def _go(text: str) -> Story | None:
    found = _GO.search(text)
    if not found or not ("goroutine " in text or "[signal" in text or "[recovered" in text):
        return None
    message = re.sub(r"\s*\[recovered\]|^main\.\w+\{|^\(\*?[\w.]+\) ", "", found.group("message")).strip()
    message = re.sub(r"^(?:\*?errors\.\w+|&?fmt\.\w+)\{?", "", message).strip('"')
    place = next(
        (hit for hit in _GO_PLACE.finditer(text) if "/go/src/" not in text[max(0, hit.start() - 1) : hit.end()]), None
    )
    lines = (f"{place.group(1)} line {place.group(2)}",) if place else ()
    output = text[: found.start()].strip()
    return Story((Link("panic", message),), output=output, lines=lines, runtime="go", traced=True, at_start=not output)


def _rust(text: str) -> Story | None:
    found = _RUST.search(text)
    if not found:
        return None
    message = (found.group("old") or found.group("message") or "").strip()
    file, line = found.group("place").split(":")[:2]
    output = text[: found.start()].strip()
    own = (f"{re.split(r'[/]', file)[-1]} line {line}",) if not file.startswith("/rustc") else ()
    return Story((Link("panic", message),), output=output, lines=own, runtime="rust", traced=True, at_start=not output)


def _caused(text: str) -> Story | None:
    """anyhow, eyre, errors with numbered causes."""
    causes = _CAUSES.search(text)
    head = _RUST_MAIN.search(text)
    if not causes or not head:
        return None
    inner = [re.sub(r"^\s*(?:\d+: )?", "", line).strip() for line in causes.group(1).strip("\n").split("\n")]
    links = [link_of(head.group("message")), *(link_of(line) for line in inner if line)]
    return Story(
        tuple(links[:6]), output=text[: head.start()].strip(), runtime="rust", traced=True, at_start=head.start() == 0
    )


def _c(text: str) -> Story | None:
    found = _ASSERT.search(text)
    if found:
        file, _, line = found.group("place").rpartition(":")
        return _died(
            text, found, Link("Assertion failed", found.group("message")), (f"{file.rsplit('/', 1)[-1]} line {line}",)
        )
    if found := _TERMINATE.search(text):
        return _died(text, found, Link(found.group("name") or "terminate", found.group("message") or ""))
    if found := _SANITIZER.search(text):
        return _died(
            text, found, Link(found.group("name"), re.sub(r" on (?:unknown )?address .*", "", found.group("message")))
        )
    if (found := _SWIFT.search(text)) and found.group("place"):
        return _died(text, found, Link("Fatal error", found.group("message")), (found.group("place"),))
    return None


def _died(text: str, found: re.Match[str], link: Link, lines: tuple[str, ...] = ()) -> Story:
    output = text[: found.start()].strip()
    return Story((link,), output=output, lines=lines, runtime="c", traced=True, at_start=not output)
