"""Reads stack traces whose frames are `at …` lines of the JVM (Java, Kotlin, Scala, Clojure) and of .NET.

The header lines with their causes stay, the frames go.
"""

import re

from proxy.failures.call import Call
from proxy.failures.story import Link, Story

_FRAME = re.compile(
    r"^\s+(?:at [\w.$/<>@\-]+\(.*\)|at .{1,300}|\.\.\. \d+ (?:more|common frames omitted)|--- End"
    r" of .{1,60} ---)\s*$"
)
_SURE_FRAME = re.compile(
    r"^\s+at (?:[\w.$/<>@\-]+\((?:[\w$]+\.(?:java|kt|scala|clj|groovy):\d+|Native Method|Unknown"
    r" Source)\)|[\w.`<>\[\]$]+\(.{0,300}\)(?: in .{1,300}:line \d+)?)\s*$"
)
_HEAD = re.compile(
    r"^\s*(?:Exception in thread \"[^\"\n]{0,120}\" |Unhandled exception\. ?|Unhandled Exception: "
    r"|\[ERROR\] |ERROR:? )?"
    r"(?P<joint>Caused by: |Suppressed: |---> |Wrapped by: )?"
    r"(?P<name>(?:[a-zA-Z_]\w*\.){0,12}[A-Z][\w$]*(?:Exception|Error|Throwable|Failure|Fault"
    r"|Rejected|Timeout)[\w$]*)(?: \([\w.]{1,60}\))?(?:: ?(?P<message>.*))?$"
)
_LAUNCH = re.compile(r"^Error: (Could not find or load main class .*|.*\bMain method not found.*)$")
_CLOJURE = re.compile(r"^(?:Execution|Syntax) error \((\w+)\) at (.{1,200})\.\s*\n(.{1,600})", re.DOTALL)


def read(text: str, call: Call) -> Story | None:
    """The story of a JVM or .NET stack trace, or None."""
    if found := _CLOJURE.search(text):
        return Story(
            (Link(found.group(1), found.group(3).strip()),), runtime="jvm", traced=True, at_start=found.start() == 0
        )
    lines = text.split("\n")
    frames = any(_SURE_FRAME.match(line) for line in lines[:400])
    launch = next((found for line in lines[:5] if (found := _LAUNCH.match(line))), None)
    if (
        not frames
        and not launch
        and "Exception in thread" not in text
        and "Caused by: " not in text
        and "Unhandled exception. " not in text
    ):
        return None
    links, output = _links(lines)
    if launch:
        links.insert(0, Link("", launch.group(1)))
    if not links or not (frames or launch or len(links) > 1 or "Exception in thread" in text or "Unhandled" in text):
        return None
    return Story(
        links=tuple(links),
        output=output,
        lines=_own_line(lines, call),
        runtime="jvm",
        traced=True,
        at_start=not output,
        frames=tuple(line.strip() for line in lines if _SURE_FRAME.match(line))[:40],
    )


def _links(lines: list[str]) -> tuple[list[Link], str]:
    links: list[Link] = []
    before: list[str] = []
    open_message: list[str] | None = None
    name = ""
    for line in lines:
        found = _HEAD.match(line)
        if found and (links or open_message is None or found.group("joint")):
            if open_message is not None:
                links.append(Link(name, "\n".join(open_message).strip()))
            name, open_message = found.group("name"), [_inner(found.group("message") or "")]
        elif _FRAME.match(line):
            if open_message is not None:
                links.append(Link(name, "\n".join(open_message).strip()))
                open_message = None
                name = ""
        elif open_message is not None:
            open_message.append(line)
        elif not links:
            before.append(line)
    if open_message is not None:
        links.append(Link(name, "\n".join(open_message).strip()))
    return links[:8], "\n".join(before).strip() if links else ""


def _inner(message: str) -> str:
    """.NET writes inner exceptions behind ` ---> `."""
    return message


def _own_line(lines: list[str], call: Call) -> tuple[str, ...]:
    """The first frame, where the model's own code was run."""
    if call.kind not in ("code", "shell"):
        return ()
    for line in lines:
        if not _SURE_FRAME.match(line):
            continue
        place = re.search(r"\((Main|[A-Z]\w*)\.(?:java|kt|scala):(\d+)\)$", line.strip()) or re.search(
            r"([\w.]+\.cs):line (\d+)$", line.strip()
        )
        if place and not re.match(r"^\s+at (?:java|jdk|sun|javax|kotlin|scala)[./]", line):
            return (f"line {place.group(2)}",)
    return ()
