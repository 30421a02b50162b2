"""What a scenario of the matrix is, and how it is played: told once in neutral terms, held on each API, both ways.

A scenario belongs to one policy. Each of its exchanges says what the agent sends, what the model says round by round,
what the agent must see, and how the model must read each round. Played through the pure exchange: no sockets, no clock.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.apis import APIS, CHAINED, Api, Asked, Call, Said, Seen, Tool, Turn
from tests.playbook import SSE, Answer, Played, World

ALL: tuple[Api, ...] = (*APIS, CHAINED)


@dataclass(frozen=True)
class Refused:
    """An error of the provider, in place of an answer."""

    status: int


Says = Said | Refused | Callable[[Asked], Said]
"""A function gets what the model was asked."""


@dataclass(frozen=True)
class Sees:
    """What the agent must get. `calls`: tool and arguments; `text`: the whole text; `says`: parts of it."""

    calls: tuple[tuple[str, Any], ...] = ()
    text: str | None = None
    says: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    finish: str = ""
    """Empty: what follows from the calls."""
    tools: tuple[str, ...] | None = None
    """The tools that are called, where their arguments are left to `check`."""
    check: Callable[[Seen], bool] | None = None
    """Whatever else must hold."""


@dataclass(frozen=True)
class Reads:
    """How the model must read one round. Texts are parts that must be there."""

    results: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By call id."""
    tail: tuple[str, ...] = ()
    """Behind the last turn of the assistant."""
    says: tuple[str, ...] = ()
    """Anywhere in the conversation."""
    unsaid: tuple[str, ...] = ()
    """Nowhere in it."""
    calls: tuple[str, ...] | None = None
    """Ids of all calls, in order."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of calls, by id."""
    tools: tuple[str, ...] | None = None
    choice: str | None = None
    check: Callable[[Asked], bool] | None = None
    """Whatever else must hold."""
    untouched: bool = False
    """It is the agent's request, byte for byte."""


@dataclass(frozen=True)
class Exchange:
    """One request of the agent and all that comes of it. `turns`: the whole conversation, as the agent has it."""

    turns: tuple[Turn, ...]
    says: tuple[Says, ...]
    sees: Sees
    reads: Mapping[int, Reads] = field(default_factory=dict)
    """By round, from 1."""
    more: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ""
    waits: float = 0.0
    """Seconds before it."""


@dataclass(frozen=True)
class Scenario:
    """`apis`: where it can happen at all. `quiet`: the policy has nothing to say."""

    policy: str
    name: str
    pack: str
    tools: tuple[Tool, ...]
    exchanges: tuple[Exchange, ...]
    apis: tuple[Api, ...] = ALL
    streamed: tuple[bool, ...] = (False, True)
    quiet: bool = False

    def happens(self, api: Api, *, stream: bool) -> bool:
        return api in self.apis and stream in self.streamed


@dataclass
class Part:
    """What came of one exchange."""

    exchange: Exchange
    played: Played
    asked: list[Asked]
    seen: Seen | None
    """None: it is not looked at."""
    body: bytes
    answers: list[bytes]


class Play:
    """One cell of the matrix. `observe`: the pack only watches, and each exchange has its first round alone."""

    def __init__(self, scenario: Scenario, api: Api, *, stream: bool, observe: bool = False) -> None:
        self._scenario, self._api, self._stream, self._observe = scenario, api, stream, observe
        self._world = World(("mode: observe\n" if observe else "") + scenario.pack)
        self._number = 0
        self._previous = ""

    def parts(self) -> Iterator[Part]:
        """Plays the exchanges one after the other."""
        for exchange in self._scenario.exchanges:
            self._world.now += exchange.waits
            yield self._part(exchange)

    def _part(self, exchange: Exchange) -> Part:
        api = self._api
        more = {**exchange.more, **({"stream": True} if self._stream else {})}
        more |= {"previous": self._previous} if api.chained and self._previous else {}
        body = json.dumps(api.ask(exchange.turns, self._scenario.tools, **more)).encode()
        answers: list[bytes] = []
        says = (_first(exchange.says),) if self._observe else exchange.says
        script = self._script(says, answers, lambda: playing.played)
        playing = self._world.begin(body, script, path=api.path, agent=exchange.agent)
        played = playing.run()
        assert len(played.sent) == len(says), f"{len(played.sent)} rounds in place of {len(says)}"
        assert played.status == 200, played.body
        assert not played.aborted
        asked = [api.read_ask(sent) for sent in played.sent]
        known = {f"resp_{number}" for number in range(1, self._number + 1)}
        assert all(one.previous in known for one in asked if one.previous), "an answer that the provider never gave"
        if self._observe and not api.chained:
            return Part(exchange, played, asked, None, body, answers)
        seen = api.read_stream(played.body) if self._stream else api.read_answer(played.body)
        self._previous = seen.id
        return Part(exchange, played, asked, seen, body, answers)

    def _script(self, says: Sequence[Says], answers: list[bytes], played: Callable[[], Played]) -> Iterator[Answer]:
        for one in says:
            said = one(self._api.read_ask(played().sent[-1])) if callable(one) else one
            if isinstance(said, Refused):
                yield Answer([b'{"error":{"message":"no","type":"invalid_request_error"}}'], said.status)
                continue
            self._number += 1
            if self._stream:
                events = self._api.events(said, self._number)
                answers.append(b"".join(events))
                yield Answer(events, headers=SSE)
            else:
                answers.append(self._api.answer(said, self._number))
                yield Answer([answers[-1]])


def _first(says: Sequence[Says]) -> Said:
    """What the model says where nothing of the ask was changed: it has nothing to react to."""
    return says[0] if says and isinstance(says[0], Said) else Said("All right.")


def problems(scenario: Scenario, api: Api, *, stream: bool) -> list[str]:
    """What does not hold in one cell."""
    found: list[str] = []
    told = False
    try:
        for number, part in enumerate(Play(scenario, api, stream=stream).parts(), 1):
            where = f"exchange {number}: " if len(scenario.exchanges) > 1 else ""
            found += [where + why for why in (*_seen(part), *_read(part))]
            told = told or any(note["policy"] == scenario.policy for note in part.played.notes())
    except (AssertionError, KeyError, ValueError, RuntimeError) as error:
        found.append(f"{type(error).__name__}: {error}")
    if not found and told is scenario.quiet:
        found.append("nothing is told of it in the log" if not told else "the log tells of something")
    return found


def _seen(part: Part) -> Iterator[str]:
    wanted, seen = part.exchange.sees, part.seen
    assert seen is not None
    if wanted.tools is not None:
        if [tool for tool, _ in seen.calls] != list(wanted.tools):
            yield f"the agent gets {seen.calls} in place of calls of {wanted.tools}"
    elif seen.calls != list(wanted.calls):
        yield f"the agent gets {seen.calls} in place of {list(wanted.calls)}"
    if wanted.text is not None and seen.said.text != wanted.text:
        yield f"the agent reads {seen.said.text!r} in place of {wanted.text!r}"
    yield from (
        f"the agent does not read {text!r} but {seen.said.text!r}" for text in wanted.says if text not in seen.said.text
    )
    yield from (f"the agent reads {text!r}" for text in wanted.unsaid if text in seen.said.text)
    if wanted.check is not None and not wanted.check(seen):
        yield f"what else must hold of the answer does not: {seen}"
    finish = wanted.finish or ("tool_calls" if wanted.calls or wanted.tools else "stop")
    if seen.said.finish != finish:
        yield f"it ends with {seen.said.finish} in place of {finish}"


def _read(part: Part) -> Iterator[str]:
    for number, wanted in part.exchange.reads.items():
        asked = part.asked[number - 1]
        found = _missing(asked, wanted)
        if wanted.untouched and _plain(part.played.sent[number - 1]) != _plain(part.body):
            yield f"round {number}: the request is not the agent's"
        yield from (f"round {number}: {why}" for why in found)


def _plain(body: bytes) -> bytes | dict[str, Any]:
    """A request without the id that it chains on: the agent knows a stream by the id that it began with."""
    if b'"previous_response_id"' not in body:
        return body
    return {key: value for key, value in json.loads(body).items() if key != "previous_response_id"}


def _missing(asked: Asked, wanted: Reads) -> Iterator[str]:
    for key, texts in wanted.results.items():
        result = asked.results.get(key, "")
        yield from (f"the result of {key} has no {text!r}: {result[:300]!r}" for text in texts if text not in result)
    yield from (f"the end has no {text!r}: {asked.tail[-300:]!r}" for text in wanted.tail if text not in asked.tail)
    yield from (f"nowhere is {text!r}" for text in wanted.says if text not in asked.text)
    yield from (f"the model reads {text!r}" for text in wanted.unsaid if text in asked.text)
    if wanted.calls is not None and [call.id for call in asked.calls] != list(wanted.calls):
        yield f"the calls are {[call.id for call in asked.calls]}"
    args = {call.id: call.value if isinstance(call.args, str) else call.args for call in asked.calls}
    yield from (
        f"{key} was called with {args.get(key)}" for key, value in wanted.args.items() if args.get(key) != value
    )
    if wanted.tools is not None and list(asked.tools) != list(wanted.tools):
        yield f"the tools are {list(asked.tools)}"
    if wanted.choice is not None and asked.choice != wanted.choice:
        yield f"the tool choice is {asked.choice!r}"
    if wanted.check is not None and not wanted.check(asked):
        yield "what else must hold does not"


def observed(scenario: Scenario, api: Api, *, stream: bool) -> list[str]:
    """What differs, or is not foretold, while the pack only watches."""
    found: list[str] = []
    told = False
    for part in Play(scenario, api, stream=stream, observe=True).parts():
        if part.played.sent != [part.body]:
            found.append("the request is not the agent's")
        if part.played.body != b"".join(part.answers):
            found.append("the answer is not the provider's")
        notes = [note for note in part.played.notes() if note["policy"] == scenario.policy]
        found += [f"{note['policy']} {note['did']}" for note in notes if note["mode"] == "enforce"]
        told = told or bool(notes)
    if not (told or scenario.quiet or api.chained):  # what the provider keeps is not stored for mere watching
        found.append("nothing is foretold")
    return found


def call(key: str, tool: str, args: Any) -> Call:
    """A call whose id looks like a provider's: `call("A", …)` has the id `call_Aa1b2c3`."""
    return Call(name(key), tool, args)


def name(key: str) -> str:
    """The id of `call(key, …)`."""
    return f"call_{key}a1b2c3"


def says(*calls: Call, text: str = "", finish: str = "") -> Said:
    return Said(text, calls, finish)
