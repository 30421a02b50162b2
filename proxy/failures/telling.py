"""Puts into words what a story tells: the message and the facts, without frames, runtime paths and secrets.

Nothing is summarised away: causes, hints, lines of the model's own code, the exit code, output printed before the
failure and the other fields of an error object stay as facts.
"""

import re
from dataclasses import dataclass

from proxy.failures.call import Call
from proxy.failures.noise import bounded, plain, quiet
from proxy.failures.pages import without_markup
from proxy.failures.peel import Peeled
from proxy.failures.reading import Known
from proxy.failures.secrets import masked
from proxy.failures.story import Link, Story
from proxy.failures.validators import pydantic
from proxy.failures.wordsets import wordset

_MESSAGE, _LONG_MESSAGE, _FACT, _OUTPUT = 1500, 3000, 500, 600
_DULL_NAMES = wordset(
    """
    Exception Error error RuntimeError Uncaught HTTPError ToolError panic Rejected ToolException
    """
)
_FRAME_LINE = re.compile(
    r"^\s*(?:at (?:async )?[\w.$<>\[\] /:@\\()-]{1,300}[:(]\S{0,300}\d+\)?|#\d+ .{1,300}|\d+:"
    r" 0x[0-9a-f]+.*|\d{1,3}: +(?:core|std|rust_begin_unwind|__rust)\S*.*|from \S+:\d+:in .*"
    r"|\[C\]: in .*|\S+\.lua:\d+: in .*|(?:\[0x)?[0-9a-f]{8,16}\]?.*|goroutine \d+ \[.*"
    r"|/\S+\.go:\d+ \+0x.*|    at .*)\s*$"
)


@dataclass(frozen=True, slots=True)
class Telling:
    message: str
    facts: tuple[str, ...]
    terse: bool


def told(story: Story, layers: Peeled, call: Call, known: Known, code: str) -> Telling:
    """Message and facts of a failure."""
    own = call.own
    long = story.runtime in ("tests", "compiler", "shell", "validator")
    message = _clean(_headline(story), own, _LONG_MESSAGE if long else _MESSAGE)
    facts = list(_facts(story, layers, message))
    if code in ("UNKNOWN_ERROR", "INVALID_ARGUMENTS") and known.call_problems:
        facts += known.call_problems
    cleaned = [text for fact in facts if (text := _clean(fact, own, _FACT)) and text not in message]
    message = message or (cleaned.pop(0) if cleaned else "")
    return Telling(message, tuple(dict.fromkeys(cleaned)), _terse(message))


def _headline(story: Story) -> str:
    link = story.links[0]
    text = pydantic(link.message)
    if link.name and (link.short not in _DULL_NAMES or not text):
        return Link(link.name, text).told()
    return text


def _facts(story: Story, layers: Peeled, message: str) -> list[str]:
    facts = [link.told() for link in story.links[1:]]
    if story.runtime not in ("shell", "compiler", "tests"):
        facts += [link.told() for link in story.context[:3]]
    facts += [*story.facts, *story.lines]
    facts += [name for name in layers.names if name.lower() not in message.lower()]
    facts += layers.facts
    if layers.exit_code not in (None, 0):
        facts.append(f"exit code {layers.exit_code}")
    if layers.status and str(layers.status) not in message:
        facts.append(f"HTTP {layers.status}")
    facts += [text for text in (story.output, layers.output) if text.strip()]
    facts += [said for said in layers.said if not message or re.search(r"\bline \W?\w", said)]
    return facts


def _clean(text: str, own: frozenset[str], limit: int) -> str:
    text = without_markup(plain(bounded(text, limit * 3)))
    text = "\n".join(line for line in text.split("\n") if not _FRAME_LINE.match(line))
    text = quiet(masked(text, own), own)
    return bounded(text, limit).strip()


def _terse(message: str) -> bool:
    """A bare key, a number, a class name: too little to act on."""
    words = re.findall(r"[A-Za-z一-鿿]{2,}", message)
    return len(words) <= 3 and len(message) < 60
