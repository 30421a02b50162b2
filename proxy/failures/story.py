"""What a reader makes of a text: who failed with which words, because of what, after which output.

The one shape between the readers (one per runtime or family) and everything after them. Data and two small
helpers on lines; no reader is known here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Link:
    """One exception: its class as written ("" if the text has none) and its message."""

    name: str
    message: str

    @property
    def short(self) -> str:
        """The class without its package."""
        return re.split(r"[.:$\\/]", self.name.rstrip(":"))[-1] if self.name else ""

    def told(self) -> str:
        """As one line would say it."""
        if not self.name:
            return self.message
        return f"{self.short}: {self.message}" if self.message else self.short


@dataclass(frozen=True, slots=True)
class Story:
    """A failure as a reader found it."""

    links: tuple[Link, ...]
    """What failed, then its causes."""
    context: tuple[Link, ...] = ()
    """What had failed before it, without being called its cause."""
    output: str = ""
    """What was printed before the failure."""
    lines: tuple[str, ...] = ()
    """Lines of the model's own code that failed: `line 3: total = 5`."""
    facts: tuple[str, ...] = ()
    runtime: str = ""
    traced: bool = False
    """The text has frames."""
    at_start: bool = True
    """Nothing but the failure stands in the text."""
    frames: tuple[str, ...] = ()
    """Functions of the frames, to see whose traceback it is."""
    data: Mapping[str, Any] = field(default_factory=dict)


_CLASS = re.compile(
    r"^(?:Uncaught (?:\(in promise\) )?)?\[?((?:[A-Za-z_][\w.$:\\]{0,160}?)?(?:Error|Exception"
    r"|Failure|Failed|Fault|Exit|Interrupt|Timeout|TimedOut|Expired"
    r"|NotFound|Found|Exists|Denied|Refused|Rejected|Rejection|Invalid|Iteration|Warning|Abort"
    r"|Aborted|Cancelled|Unavailable|Violation|Overflow"
    r"|Missing|Required|Forbidden|Unauthorized|Conflict|Exceeded|Mismatch|Closed|Lost|Unreachable"
    r"|Throwable|Panic|Group|Reset|Err|Problem|Column|Table|Object|Function))"
    r"(?: \[(\w+)\])?\]?(?:: ?|$)"
)


def named(line: str) -> tuple[str, str] | None:
    """`Name: message` with a name that is an exception's; the message may be empty."""
    found = _CLASS.match(line)
    if not found:
        return None
    name, code = found.group(1), found.group(2)
    rest = line[found.end() :].strip()
    return name, f"{code}: {rest}" if code else rest


def link_of(text: str) -> Link:
    """A link out of the first line of `text` and what follows it."""
    head, _, tail = text.strip().partition("\n")
    found = named(head)
    if not found:
        return Link("", text.strip())
    name, message = found
    return Link(name, f"{message}\n{tail}".strip() if tail else message)
