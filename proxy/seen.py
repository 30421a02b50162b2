"""What runs show of the tools that they used: how often each was called, repeated, failed, answered long. Pure.

Evidence, not verdicts: whether a tool has side effects no log can tell for sure, so each candidate comes with what
speaks for it, and is left to a person.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from proxy.model import Ask, Tool, ToolCall, ToolResult
from proxy.outcomes import failure
from proxy.repair.canonical import canonical
from proxy.task import Reader, steps

_WORDS = re.compile(r"[A-Za-z][a-z]*|[A-Z]+(?![a-z])|[\u3400-\u9fff]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CHANGING = _words(
    "send post create add insert update delete remove pay charge refund transfer book order cancel submit "
    "publish write set put patch upload notify email mail sms buy purchase sell approve reject deploy "
    "restart kill move rename merge push commit schedule invite assign archive issue"
)
_ASKING = _words("status state poll wait check progress job task pending ready health ping")
_READING = _words("read get list search find query fetch show view describe lookup count check is has")
_EXACT = _words("read cat open view file source diff blob download raw content")
_LONG = 4096


class Evidence(msgspec.Struct):
    """One tool, over all runs that were looked at."""

    name: str
    description: str = ""
    calls: int = 0
    runs: int = 0
    failed: int = 0
    longest: int = 0
    """Characters of its longest result."""
    repeated: int = 0
    """Equal calls in one run, after the first."""
    changing: int = 0
    """Of these, in a row, with another result than the one before."""
    same: int = 0
    """Of these, in a row, with the same result."""


def look(ask: Ask, evidence: dict[str, Evidence]) -> None:
    """Takes in one run, as its last ask shows it."""
    for tool in ask.tools:
        _of(tool, evidence)
    met: set[str] = set()
    made: dict[tuple[str, bytes], int] = {}
    before: dict[str, tuple[bytes, str]] = {}
    for step in steps(ask.turns, Reader().last_task(ask.turns)):
        for call, result in zip(step.calls, step.results, strict=True):
            one = evidence.setdefault(call.tool, Evidence(call.tool))
            if call.tool not in met:
                met.add(call.tool)
                one.runs += 1
            _count(one, call, result, made, before)


def _of(tool: Tool, evidence: dict[str, Evidence]) -> None:
    one = evidence.setdefault(tool.name, Evidence(tool.name))
    one.description = one.description or tool.description


def _count(
    one: Evidence,
    call: ToolCall,
    result: ToolResult | None,
    made: dict[tuple[str, bytes], int],
    before: dict[str, tuple[bytes, str]],
) -> None:
    one.calls += 1
    form = canonical(call.args)
    made[call.tool, form] = made.get((call.tool, form), 0) + 1
    one.repeated += made[call.tool, form] > 1
    if result is None:
        return
    one.longest = max(one.longest, len(result.text))
    one.failed += failure(call, result) is not None
    last = before.get(call.tool)
    if last is not None and last[0] == form:
        one.same += last[1] == result.text
        one.changing += last[1] != result.text
    before[call.tool] = (form, result.text)


def candidates(one: Evidence) -> Iterator[tuple[str, str]]:
    """Facts that a pack may want to state, and what speaks for each."""
    words = {word.lower() for word in _WORDS.findall(one.name)}
    first = next(iter(_WORDS.findall(one.name)), "").lower()
    changing = sorted(words & _CHANGING)
    if changing and first not in _READING:
        repeated = f"; called again with equal arguments {one.repeated} times" if one.repeated else ""
        yield "side_effect: true", f"its name says {', '.join(changing)}{repeated}"
    if one.changing and (one.changing >= one.same or words & _ASKING):
        yield "polling: true", f"{one.changing} equal calls in a row, each with another result"
    elif words & _ASKING and one.repeated:
        yield "polling: true", f"its name says {', '.join(sorted(words & _ASKING))}; {one.repeated} equal calls"
    if words & _EXACT and one.longest > _LONG:
        says = ", ".join(sorted(words & _EXACT))
        yield "exempt: true", f"its name says {says}; results of up to {one.longest:,} characters"
    elif one.longest > _LONG:
        yield "bytes: 16384", f"results of up to {one.longest:,} characters"


def block(evidence: Sequence[Evidence]) -> Iterator[str]:
    """A `tools:` block for a pack: each tool, its candidates commented out, the evidence beside them."""
    yield "tools:"
    for one in sorted(evidence, key=lambda one: (-one.calls, one.name)):
        name = one.name if re.fullmatch(r"[A-Za-z_][\w.-]*", one.name) else f'"{one.name}"'
        failed = f", {one.failed} failed" if one.failed else ""
        yield f"  {name}: {{}}  # {one.calls} calls in {one.runs} runs{failed}"
        for fact, why in candidates(one):
            yield f"  # {name}: {{{fact}}}  # {why}"
