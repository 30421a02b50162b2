"""Judges replayed exchanges: each difference between what was recorded and what left must be one that the log explains.

What was recorded is read by the dialect (its own tests hold it to that); what the agent got, where it is not the
recorded bytes, is read as a plain client reads it. A difference is explained by a verdict of that exchange that names
the very call which differs.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from proxy.dialects import sse
from proxy.dialects.dialect import Dialect, UnreadableError
from proxy.model import Ask, Reply
from proxy.plan import DIALECTS
from tests.apis import CHAT, Seen
from tests.replaying import API, SECOND, Replayed, fields_of, shown, verdicts

DIALECT: dict[str, Dialect] = {dialect.name: dialect for dialect in DIALECTS}
_IDS = ("tool_call_id", "call_id", "tool_use_id", "id")
_ABSENT = object()


@dataclass(frozen=True)
class Judged:
    """What became of an exchange. `answer`, `ask`: same, or what kind of difference it is."""

    answer: str
    ask: str
    unexplained: tuple[str, ...] = ()


def judge(one: Replayed) -> Judged:
    """Judges an exchange under an enforcing pack."""
    wrong = [*_wrong_ask(one), *_wrong_rounds(one)]
    if (one.got.status, one.got.cut) != (one.recorded.status, False):
        wrong.append(f"answered {one.got.status}, cut: {one.got.cut}")
    second = len(one.asked) > 1 and not one.recorded.stream  # then the headers are those of the answer that is seen
    if not second and fields_of(one.got.headers) != fields_of(one.recorded.headers):
        wrong.append(f"other headers than were recorded: {one.got.headers}")
    ask = "same" if one.asked[0].body == one.recorded.body else "changed"
    answer = _kind(one)
    if answer in ("changed", "asked again"):
        wrong += _wrong_answer(one)
    return Judged(answer, ask, tuple(wrong))


def _kind(one: Replayed) -> str:
    recorded, got = one.recorded.answer, one.got.body
    if len(one.asked) > 1:
        return "asked again"
    if got == recorded:
        return "same"
    if one.recorded.stream and _without_pings(got) == _without_pings(recorded):
        return "same, pings earlier"
    if one.recorded.stream and recorded.startswith(got) and _is_another_answer(recorded[len(got) :]):
        return "same, but one answer of two"
    return "changed"


def _without_pings(stream: bytes) -> list[bytes]:
    """Signs of life need not wait for the call that is held."""
    return [event for event in sse.Splitter().feed(stream) if sse.name(event) != b"ping"]


def _is_another_answer(behind: bytes) -> bool:
    """A recorder wrote two answers into one body: the second begins as every answer does."""
    kinds = (b'data: {"type":"message_start"', b'data: {"type":"response.created"')
    return any(kind in behind[:200] for kind in kinds)


# ---------------------------------------------------------------- what went upstream


def _wrong_ask(one: Replayed) -> Iterator[str]:
    """Differences of the first ask that no verdict names."""
    sent = one.asked[0].body
    if sent == one.recorded.body:
        return
    done = [line["detail"] for line in verdicts(one, "enforce") if line["did"] == "rewrote" or _stays(line["detail"])]
    named: set[str] = {word for detail in done for word in _words(detail)}
    for path, call_id, _, after in differences(json.loads(one.recorded.body), json.loads(sent)):
        offered = path.startswith("/tools/") and "read_more" in shown(after)
        if not (call_id in named or (offered and done)):
            yield f"the ask differs at {path} ({call_id}), and no verdict names it"


def _stays(detail: Any) -> bool:
    """Whether it tells of a change that an earlier ask had already."""
    return "kept" in detail or detail.get("by") == "nudge"


def differences(old: Any, new: Any, path: str = "", owner: str = "") -> Iterator[tuple[str, str, Any, Any]]:
    """Where two JSON values differ: path, id of the call or result that it belongs to, before, after."""
    if isinstance(old, dict) and isinstance(new, dict):
        owner = next((str(old[key]) for key in _IDS if isinstance(old.get(key), str)), owner)
        for key in dict.fromkeys((*old, *new)):
            yield from differences(old.get(key, _ABSENT), new.get(key, _ABSENT), f"{path}/{key}", owner)
    elif isinstance(old, list) and isinstance(new, list):
        for at, (before, after) in enumerate(itertools.zip_longest(old, new, fillvalue=_ABSENT)):
            yield from differences(before, after, f"{path}/{at}", owner)
    elif old is not new and (type(old) is not type(new) or old != new):
        yield path, owner, old, new


def _words(detail: Any) -> Iterator[str]:
    """All texts in a detail."""
    if isinstance(detail, str):
        yield detail
    elif isinstance(detail, dict):
        for key, value in detail.items():
            yield str(key)
            yield from _words(value)
    elif isinstance(detail, list):
        for value in detail:
            yield from _words(value)


# ---------------------------------------------------------------- rounds, as the log has them


def _wrong_rounds(one: Replayed) -> Iterator[str]:
    """The log must hold what was sent and what came, to the byte; a round more needs a verdict that says why."""
    kinds = [line["kind"] for line in one.lines]
    if kinds[0] != "start" or kinds[-1] != "end" or kinds.count("answer") != 1:
        yield f"the log tells no whole story: {kinds}"
    for kind, real in (("send", [seen.body for seen in one.asked]), ("reply", [one.recorded.answer])):
        for line, body in zip((line for line in one.lines if line["kind"] == kind), real, strict=False):
            logged = one.logged.get(str(line.get("body")), b"")
            if not (line.get("masked") or body == logged or (kind == "reply" and body.startswith(logged))):
                yield f"the log has other bytes than were really there: {kind}"
    if kinds.count("send") != len(one.asked):
        yield "the log has another number of rounds"
    reasked = [line for line in verdicts(one, "enforce") if line["did"] in ("reasked", "replayed", "halted")]
    if len(one.asked) > 1 and not reasked:
        yield "asked again, and no verdict says why"


# ---------------------------------------------------------------- what the agent got


def _wrong_answer(one: Replayed) -> Iterator[str]:
    told = verdicts(one, "enforce")
    if not any(line["did"] in ("repaired", "reasked", "halted", "rewrote", "replayed") for line in told):
        yield "the answer differs, and no verdict says why"
        return
    try:
        got = _read(one)
    except (AssertionError, KeyError, ValueError) as error:
        yield f"a plain client breaks on the answer: {type(error).__name__} {error}"
        return
    reply = recorded_reply(one)
    if reply is None:
        yield "an answer that cannot be read was changed"
    elif len(one.asked) > 1:
        yield from _wrong_second(reply, got)
    else:
        yield from _wrong_change(reply, got, told)


def _read(one: Replayed) -> Seen:
    """A provider's own ways that no client minds (no [DONE]) are overlooked."""
    api, body = API[one.recorded.file], one.got.body
    if not one.recorded.stream:
        return api.read_answer(body)
    if api is CHAT and b"[DONE]" not in one.recorded.answer:
        body += b"data: [DONE]\n\n"
    return api.read_stream(body)


def recorded_ask(one: Replayed) -> Ask | None:
    try:
        return DIALECT[one.recorded.file].read_ask(one.recorded.body)
    except UnreadableError:
        return None


def recorded_reply(one: Replayed) -> Reply | None:
    """The recorded answer, read."""
    dialect, ask = DIALECT[one.recorded.file], recorded_ask(one)
    numbers = itertools.count()
    if ask is None:
        return None
    if not one.recorded.stream:
        try:
            return dialect.read_reply(one.recorded.answer, ask, lambda: f"made{next(numbers)}")
        except UnreadableError:
            return None
    reader = dialect.stream(ask, lambda: f"made{next(numbers)}", None, None, mute=False)
    splitter = sse.Splitter()
    for event in splitter.feed(one.recorded.answer):
        if not reader.done:
            reader.feed(event)
    if not reader.done and (rest := splitter.rest()):
        reader.feed(rest)
    return reader.reply(whole=True)


def _wrong_second(reply: Reply, got: Seen) -> Iterator[str]:
    """Asked again: the second answer, with right calls of the first one; what was said aloud stays said."""
    turn = reply.turns[0]
    if not got.said.text.endswith(SECOND):
        yield f"the second answer is not there: {got.said.text[-200:]!r}"
    if got.said.text not in (SECOND, turn.text + SECOND, f"{turn.text}\n\n{SECOND}"):
        yield f"the text is neither answer's: {got.said.text[:200]!r}"
    known = {call.id: call.arguments for call in turn.calls}
    for call in got.said.calls:
        if call.id not in known or json.loads(known[call.id]) != call.value:
            yield f"the call {call.id} is none of the first answer's"


def _wrong_change(reply: Reply, got: Seen, told: list[dict[str, Any]]) -> Iterator[str]:
    """Repaired or written anew: nothing differs but what a verdict names."""
    if len(reply.turns) != 1:
        yield "an answer of several choices was changed"
        return
    (turn,) = reply.turns
    repaired = {line["detail"].get("call"): line["detail"]["repairs"] for line in told if line["did"] == "repaired"}
    if got.said.text != turn.text.strip() and got.said.text != "".join(turn.texts):
        yield f"the text differs: {shown([turn.text, got.said.text])}"
    if len(got.said.calls) != len(turn.calls):
        yield "the number of calls differs"
    for old, new in zip(turn.calls, got.said.calls, strict=False):
        if old.id != new.id and not old.id.startswith("made"):
            yield f"the id {old.id} became {new.id}"
        same = old.tool == new.tool and _value(old.arguments) == new.value
        if not same and not repaired.get(old.id):
            yield f"the call {old.id} differs, and no verdict names it: {shown([old.arguments, new.text])}"
    if got.said.finish != turn.finish and not (turn.calls and got.said.finish == "tool_calls"):
        yield f"it ends with {got.said.finish} in place of {turn.finish}"


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
