"""Reads what Node, Deno and Bun print for an uncaught error, and `error.stack` texts.

The code frame before and the `at …` frames go; the message, its causes and the telling properties
(`code`, `hint`, `detail`, `address`) stay.
"""

import re

from proxy.failures.call import Call
from proxy.failures.story import Link, Story, named

_FRAME = re.compile(
    r"^\s+at (?:async )?(?:.{1,300}[(\s])?(?:node:|file:|/|[A-Za-z]:\\|<anonymous>|eval at|native"
    r"|ext:|https?:|[\w@.\-]+[/\\.:])?[^()\n]{0,300}:\d+(?::\d+)?\)?(?: \{)?\s*$|^\s+at (?:async"
    r" )?(?:new )?[\w.$<>\[\] ]{1,120} \((?:<anonymous>|native|index \d+)\)(?: \{)?\s*$|^\s+\.\.\."
    r" \d+ lines matching cause stack trace \.\.\.$"
)
_INTERNAL = re.compile(r"^(?:node:internal|Node\.js v\d|Uncaught |error: Uncaught|\s*at .*node:internal)", re.MULTILINE)
_PLACE = re.compile(r"^(?:file://|node:|deno:|ext:)?(?:[A-Za-z]:)?[^\s:][^\n:]{0,200}:(\d+)(?::\d+)?$")
_PROPERTY = re.compile(
    r"^\s*(code|hint|detail|address|port|status|statusCode|constraint|table|column|reason|syscall"
    r"|path|hostname|available|param|type): ('[^'\n]{1,400}'|\"[^\"\n]{1,400}\"|[-\w.]{1,60}),?$"
)
_CAUSE = re.compile(r"\[cause\]: (?:\[?)([^\n]{1,800})")
_INNER_ERRORS = re.compile(r"\[errors\]: \[")
_FATAL = re.compile(r"^(?:FATAL ERROR|RangeError): (.{1,300})$", re.MULTILINE)
_DULL = frozenset(("undefined", "null", "''"))


def read(text: str, call: Call) -> Story | None:
    """The story of a JavaScript error with frames, or None."""
    if "FATAL ERROR: " in text and (fatal := _FATAL.search(text)):
        return Story((Link("", fatal.group(1).strip()),), runtime="javascript", traced=True)
    lines = text.split("\n")
    first = _first_frame(lines)
    if first is None:
        return None
    if not any(_javascript(line) for line in lines[first : first + 24] if _FRAME.match(line)) and not _INTERNAL.search(
        text[:4000]
    ):
        return None
    start = _header(lines, first)
    if start is None:
        return None
    head = re.sub(r"^(?:error: )?Uncaught (?:\(in promise\) )?", "", lines[start].strip())
    found = named(head)
    message = "\n".join([found[1] if found else re.sub(r"^error: ", "", head), *lines[start + 1 : first]]).strip()
    message = re.sub(r"\]?\s*\{$", "", message)
    name = found[0] if found else ""
    rest = lines[first:]
    output = _output(lines[:start])
    return Story(
        links=(Link(name, message), *_causes("\n".join(rest))),
        output=output,
        lines=_own_line(lines, call),
        facts=_properties(rest),
        runtime="javascript",
        traced=True,
        at_start=not output,
        frames=tuple(line.strip() for line in rest if _FRAME.match(line))[:40],
    )


def _first_frame(lines: list[str]) -> int | None:
    """The first frame; for an AggregateError without frames of its own, the line after its name."""
    for number, line in enumerate(lines):
        if _FRAME.match(line) or line.strip() == "[errors]: [":
            return number
    return None


def _javascript(line: str) -> bool:
    return bool(
        re.search(
            r"node:|node_modules|\.(?:c|m)?[jt]sx?:\d+|<anonymous>|ext:|\bfile://|^\s+at (?:async" r" )?[\w.$<>]+ \(",
            line,
        )
    ) and not re.search(r"\.(?:java|kt|scala|cs|clj):", line)


def _header(lines: list[str], first: int) -> int | None:
    """The line with the error's name: the nearest above the first frame, else the paragraph's first line."""
    at = first - 1
    fallback: int | None = None
    while at >= 0 and first - at < 400:
        line = lines[at].strip()
        bare = re.sub(r"^(?:error: )?Uncaught (?:\(in promise\) )?", "", line)
        if named(bare) or re.match(r"^(?:error|Error|AggregateError|Uncaught)\b.{0,3}: ?", line):
            return at
        if not line:
            break
        fallback = at
        at -= 1
    if fallback is None and first:
        return first - 1 if lines[first - 1].strip() else None
    return fallback


def _output(before: list[str]) -> str:
    """What was printed, without the code frame (place, code, caret)."""
    kept: list[str] = []
    for number, line in enumerate(before):
        if _PLACE.match(line.strip()) and any(
            "^" in later and not later.strip("^ \t") for later in before[number : number + 6]
        ):
            break
        kept.append(line)
    return "\n".join(kept).strip()


def _causes(rest: str) -> list[Link]:
    links = []
    if _INNER_ERRORS.search(rest):
        for line in rest.split("\n"):
            found = re.match(r"^\s{2,}(?:\[cause\]: )?((?:\w*Error|\w*Exception)(?: \[\w+\])?: .{1,400})$", line)
            if found and (inner := named(found.group(1))):
                links.append(Link(*inner))
        return links[:6]
    for found in _CAUSE.finditer(rest):
        inner = named(found.group(1).rstrip("] {"))
        if inner:
            links.append(Link(*inner))
        elif found.group(1).strip() not in ("{}", "{"):
            links.append(Link("", found.group(1).strip(" {")))
    return links[:6]


def _properties(rest: list[str]) -> tuple[str, ...]:
    facts = []
    for line in rest[:200]:
        if (found := _PROPERTY.match(line)) and found.group(2) not in _DULL and len(line) - len(line.lstrip()) <= 4:
            value = found.group(2).strip("'\"")
            facts.append(value if found.group(1) == "hint" else f"{found.group(1)}: {value}")
    return tuple(dict.fromkeys(facts))[:8]


def _own_line(lines: list[str], call: Call) -> tuple[str, ...]:
    if call.kind not in ("code", "shell"):
        return ()
    for number, line in enumerate(lines[:8]):
        place = _PLACE.match(line.strip())
        if place and not re.search(r"node_modules|^node:|^deno:|ext:", line.strip()):
            code = lines[number + 1].strip() if number + 1 < len(lines) else ""
            return (f"line {place.group(1)}: {code}"[:300],) if code else (f"line {place.group(1)}",)
    return ()
