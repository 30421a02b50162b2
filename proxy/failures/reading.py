"""The shapes that go into and come out of reading a tool result. Data only, so that every reader, the policy that
calls and the tests agree on one picture.

Knows no dialect, no policy and no reader. All values are frozen; a reading is a value, never an exception.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Language = Literal["en", "zh"]
Retry = Literal["as_is", "with_changes", "no"]
Type = Literal[
    "validation",
    "rate_limit",
    "timeout",
    "communication",
    "unavailable",
    "auth",
    "not_found",
    "conflict",
    "business_rejection",
    "resource",
    "bug",
]
ActionKind = Literal[
    "change_argument",
    "fix_arguments",
    "fix_code",
    "use_tool",
    "wait",
    "retry",
    "check_state",
    "choose_other",
    "ask_human",
    "stop",
]


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result as it stands on the wire, and the call it answers."""

    tool: str
    description: str
    arguments: Mapping[str, Any] | str
    """The call's arguments: an object, or the text as sent where it was no object."""
    text: str
    is_error: bool | None = None
    """The dialect's own flag; None where the API has none."""


@dataclass(frozen=True, slots=True)
class ErrorForm:
    """How one kind of this tool's errors looks: a JSON pointer that is present and not null, or a pattern."""

    pointer: str = ""
    pattern: str = ""
    code: str = ""
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """What the pack says about a tool's results."""

    errors: tuple[ErrorForm, ...] = ()
    permanent: frozenset[str] = frozenset()
    """Codes (Handrail's, or the tool's own) that no retry cures."""
    returns: Literal["rows"] | None = None
    is_error: Literal["never"] | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """Facts out of earlier results of the run: columns by table, keys of rows, values by key."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside the result itself. Everything may be empty."""

    schema: Mapping[str, Any] | None = None
    """JSON Schema of the tool's parameters."""
    tools: tuple[str, ...] = ()
    """Names of the tools that are offered."""
    declared: Declared = Declared()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The catalogue: columns by table."""
    earlier: Earlier = Earlier()
    call_problems: tuple[str, ...] = ()
    """What checking the call against its schema found; used where a framework hides the cause."""


@dataclass(frozen=True, slots=True)
class Action:
    """The next step that is advised. `wait_s` is seconds."""

    kind: ActionKind
    argument: str = ""
    value: str = ""
    """A value that is likely meant, where one stands out."""
    tool: str = ""
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Wrapper:
    """What stood around the failing text and stays: put(new) gives the whole text again.

    `json`: the hole is inside a JSON string, so the new text is escaped.
    """

    before: str = ""
    after: str = ""
    json: bool = False

    def put(self, text: str) -> str:
        inner = json.dumps(text, ensure_ascii=False)[1:-1] if self.json else text
        return f"{self.before}{inner}{self.after}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A result that is a failure as a whole, read."""

    code: str
    """One of codes.py, or a code that the pack declares."""
    type: Type
    message: str
    """What the tool said, without frames, runtime paths, colours and secrets; may have several lines."""
    retry: Retry
    action: Action
    available: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By kind: columns, tables, tools, values, keys, near, options, alternatives."""
    facts: tuple[str, ...] = ()
    """What else the text holds: hints, causes, lines of the model's own code, output before the failure."""
    wrapper: Wrapper = Wrapper()
    terse: bool = False
    """The message alone says too little: the code's own sentence is put before it."""

    @property
    def retryable(self) -> bool:
        return self.retry != "no"


@dataclass(frozen=True, slots=True)
class EmptyRows:
    """An empty answer of a tool that is declared to return rows. A success."""

    wrapper: Wrapper = Wrapper()
    text: str = '{"status":"ok","rows":[],"count":0}'
