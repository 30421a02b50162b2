"""What the call asked for: its values, and what kind of tool answers. A traceback from a tool that shows logs is data,
the same traceback from a tool that books rooms is a failure; a name that the model itself sent is the model's mistake,
one that it never sent is the tool's.

Reads the tool's name and description as words; knows no tool by name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proxy.failures import kinds
from proxy.failures.commands import pipelines, viewing
from proxy.failures.kinds import Kind, kind_of, words_of
from proxy.failures.reading import Result

_MAX_VALUES = 200
_PRINTS_ERROR = re.compile(
    r"\b(?:print|puts|echo|log)\W{1,4}(?:repr\(|str\()?(?:e|err|error|ex|exc|exception)\b(?=[).\s])"
)
_MAX_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Call:
    """The call, looked at once."""

    tool: str
    words: frozenset[str]
    """Words of the tool's name."""
    about: frozenset[str]
    """Words of its name and description."""
    arguments: Mapping[str, Any]
    values: tuple[tuple[str, str], ...]
    """Scalars of the arguments, as (name of the nearest key, text)."""
    kind: Kind
    commands: tuple[str, ...] = ()
    """Shell tools: the simple commands of the command line, assignments and `sudo` taken off."""
    shows: bool = False
    """Its answer is content that may well quote failures."""

    @property
    def own(self) -> frozenset[str]:
        return frozenset(text for _, text in self.values if len(text) >= 3)

    @property
    def programs(self) -> frozenset[str]:
        return frozenset(command.split(None, 1)[0].rsplit("/", 1)[-1] for command in self.commands)

    @property
    def getter(self) -> bool:
        return bool(self.words & kinds.GETTERS)

    @property
    def commercial(self) -> bool:
        """It does business: what it refuses in plain words, a rule refuses."""
        return (
            self.kind == "action"
            and not self.getter
            and bool(
                self.words & kinds.BUSINESS or any(term in text for text in self.about for term in kinds.BUSINESS_ZH)
            )
        )

    @property
    def makes(self) -> bool:
        """Its answer is text made by a model or a recognizer: any sentence may come out of it."""
        return bool(self.words & kinds.MAKERS)

    @property
    def checks(self) -> bool:
        """It checks something that it is given, and what it finds is its answer."""
        return bool(self.words & kinds.CHECKS)

    @property
    def reports(self) -> bool:
        return kinds.reports(self.words)

    def names(self, text: str) -> bool:
        """Whether `text` names the tool. Short names are words of any sentence."""
        if len(self.tool) < 4:
            return False
        return re.search(rf"(?<!\w){re.escape(self.tool)}(?!\w)", text, re.IGNORECASE) is not None

    def prints(self, line: str) -> bool:
        """Whether the call holds the line in quotes: `print("error: none")`."""
        bare = line.strip()
        if self.kind == "code" and any(_PRINTS_ERROR.search(value) for _, value in self.values):
            return True
        return len(bare) > 3 and any(f"{quote}{bare}{quote}" in value for quote in "'\"" for _, value in self.values)

    def argument_of(self, text: str) -> str:
        """Name of the argument whose value is `text` or holds it as a word; empty if none."""
        if not text:
            return ""
        for name, value in self.values:
            if value == text:
                return name or "value"
        low = text.lower()
        if len(low) < 2:
            return ""
        for name, value in self.values:
            if _holds(value.lower(), low):
                return name or "value"
        return ""


def _holds(value: str, text: str) -> bool:
    at = value.find(text)
    while at >= 0:
        before = value[at - 1] if at else " "
        end = at + len(text)
        after = value[end] if end < len(value) else " "
        if not (before.isalnum() and text[0].isalnum()) and not (after.isalnum() and text[-1].isalnum()):
            return True
        at = value.find(text, at + 1)
    return False


def understood(result: Result) -> Call:
    """The call that `result` answers."""
    arguments = _object(result.arguments)
    values = tuple(_scalars(arguments))
    words = frozenset(kinds.words_of_tool(result.tool))
    about = words | frozenset(words_of(result.description[:400]))
    lines = pipelines(arguments, result.tool)
    commands = tuple(command for pipeline in lines for command in pipeline)
    kind = (
        "shell"
        if lines and result.tool == commands[0].split(None, 1)[0]
        else kind_of(words, arguments, commands=bool(commands))
    )
    shows = viewing(lines) if kind == "shell" else kind == "content"
    return Call(result.tool, words, about, arguments, values, kind, commands, shows)


def _object(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments
    try:
        found = json.loads(arguments) if len(arguments) < _MAX_TEXT else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    return {"": arguments[:_MAX_TEXT]} if arguments.strip() else {}


def _scalars(value: Any) -> Iterator[tuple[str, str]]:
    """At most _MAX_VALUES, without recursion."""
    stack: list[tuple[str, Any]] = [("", value)]
    given = 0
    while stack and given < _MAX_VALUES:
        name, item = stack.pop()
        if isinstance(item, Mapping):
            if name:
                given += len(item)
                yield from ((name, str(key)) for key in list(item)[:_MAX_VALUES])
            stack += [(str(key), inner) for key, inner in reversed(list(item.items())[:_MAX_VALUES])]
        elif isinstance(item, list | tuple):
            stack += [(name, inner) for inner in reversed(item[:_MAX_VALUES])]
        elif item is not None and not isinstance(item, bool):
            given += 1
            yield name, str(item)[:_MAX_TEXT]
