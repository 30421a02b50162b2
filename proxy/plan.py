"""What the engine needs to play one exchange, made once from a pack: the dialect, the policies in order, the limits.

One plan per dialect and agent name, so that nothing is looked up or built while a request waits.
"""

from collections.abc import Mapping, Sequence

import msgspec

from proxy.dialects.chat_completions import ChatCompletions
from proxy.dialects.dialect import Dialect
from proxy.dialects.messages import Messages
from proxy.dialects.responses import Responses
from proxy.hooks import Bound
from proxy.policies.pipeline import PIPELINE
from proxy.settings import Pack
from proxy.task import Reader, reader

DIALECTS: tuple[Dialect, ...] = (ChatCompletions(), Responses(), Messages())


class Plan(msgspec.Struct, frozen=True):
    """Everything that does not change between two exchanges of one kind."""

    dialect: Dialect
    bounds: tuple[Bound, ...]
    """The policies that are on, in the order in which an ask meets them."""
    plain: tuple[Bound, ...]
    """Those of them that act on asks which have nothing to do with tools."""
    openings: tuple[Bound, ...]
    """Those that act on asks before the first call."""
    views: tuple[Bound, ...]
    """Those that decide how the model sees the tools: a closing round has them too."""
    tasks: Reader
    digest: str
    language: str
    """en, zh, or auto: that of the task."""
    rounds: int
    """Upstream calls of one exchange, whatever they are for."""
    step: float
    """Seconds for everything that Handrail adds to one exchange."""
    guards: bool
    """An enforced policy could change a reply: calls are held."""
    edits: bool
    """Some policy is enforced."""


class Plans:
    """The plans of a pack."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        names: Sequence[str] = ("", *pack.agents)
        self._plans: Mapping[tuple[str, str], Plan] = {
            (name, dialect.name): _plan(pack.for_agent(name) if name else pack, dialect)
            for name in names
            for dialect in DIALECTS
        }

    def find(self, method: str, path: str, agent: str) -> Plan | None:
        """The plan of a generation call; None: the request is none and passes through."""
        if method != "POST":
            return None
        for dialect in DIALECTS:
            if dialect.matches(method, path):
                return self._plans.get((agent, dialect.name)) or self._plans["", dialect.name]
        return None


def build(pack: Pack) -> Plans:
    return Plans(pack)


def _plan(pack: Pack, dialect: Dialect) -> Plan:
    bounds = tuple(_bounds(pack))
    return Plan(
        dialect,
        bounds,
        tuple(bound for bound in bounds if bound.policy.minds_plain_asks),
        tuple(bound for bound in bounds if bound.policy.minds_openings),
        tuple(bound for bound in bounds if bound.mode == "enforce" and getattr(bound.policy, "makes_views", False)),
        reader(pack.task_patterns, pack.tool_result_patterns),
        pack.digest,
        pack.language,
        pack.upstream.rounds,
        pack.upstream.step,
        guards=any(bound.mode == "enforce" and bound.policy.guards_replies for bound in bounds),
        edits=any(bound.mode == "enforce" for bound in bounds),
    )


def _bounds(pack: Pack) -> list[Bound]:
    out = []
    for make in PIPELINE:
        settings = pack.policy(make.name)
        mode = pack.effective_mode(make.name)
        if mode != "off":
            out.append(Bound(make(settings, pack), mode, settings.fail == "closed"))
    return out
