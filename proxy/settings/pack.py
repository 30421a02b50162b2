"""A pack as an object: everything an operator can set, frozen, with the few questions that others ask it.

The engine and the policies see only this, never the file. `digest` names the content, so that a run log can say which
settings it was made under and a replay can tell whether it has the same ones.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, model_validator
from pydantic.json_schema import JsonSchemaValue

from proxy.settings.fields import (
    Count,
    EnvName,
    Frozen,
    HttpUrl,
    Mode,
    ModeField,
    Name,
    Pattern,
    Seconds,
    Seq,
    Shorthand,
    least,
)
from proxy.settings.policies import Policies, PolicySettings
from proxy.settings.tools import ToolFacts
from proxy.settings.upstreams import UpstreamEntry, UpstreamSettings


class Catalog(Shorthand):
    """What can be asked for: a list of names, `{tables: {orders: [id, status]}}`, or the address of a database."""

    values: Seq[JsonValue] = Field(default=(), description="Names that exist.")
    tables: dict[str, Seq[Name]] = Field(default={}, description="Tables and their columns.")
    url: Name | None = Field(
        default=None, repr=False, description="SQLAlchemy address of a database that is read, never written."
    )
    refresh_s: Seconds = Field(default=300, description="Seconds for which what was read from `url` is kept.")

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        return {"type": "array"}

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        return {"values": value}

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.url is None) == (not self.values and not self.tables):
            raise ValueError("needs either a url or fixed values or tables")
        return self


class Price(Frozen):
    """Price of one model, per 1,000,000 tokens, in the currency of `gates.money`."""

    input: float = Field(ge=0, description="Per 1M input tokens.")
    output: float = Field(ge=0, description="Per 1M output tokens.")
    cached: float | None = Field(default=None, ge=0, description="Per 1M cached input tokens; not given: as input.")


class Escalation(Frozen):
    """How a human hears that a run was ended."""

    webhook: HttpUrl = Field(repr=False, description="Address that gets a signed POST.")
    secret_env: EnvName | None = Field(
        default=None, description="Environment variable with the secret that signs it; not given: unsigned."
    )


class LogSettings(Frozen):
    """What the run log keeps."""

    bodies: bool = Field(
        default=True,
        description="Keep what was sent and received; false: only what was decided.",
    )
    days: float = Field(default=7, gt=0, description="Days for which runs are kept.")
    max_bytes: Count = Field(
        default=10 * 1024**3, description="Bytes on disk; the oldest whole runs go first when there is more."
    )
    mask: Seq[Pattern] = Field(default=(), description="Patterns (RE2); what they match is blacked out in the log.")


class EndWith(Frozen):
    """The tool through which alone an agent ends."""

    tool: Name = Field(description="Name of the tool.")
    argument: Name = Field(description="The argument that carries the final answer.")


class Pack(Frozen):
    """Settings of Handrail. Under `agents: NAME:` the same keys again, merged over these for that agent."""

    extends: Name | None = Field(
        default=None,
        exclude=True,
        description="Name or path of the pack that this one is merged over (one level; lists are replaced).",
    )
    mode: ModeField = Field(default="enforce", description="The most that any policy may do.")
    language: Literal["en", "zh", "auto"] = Field(
        default="auto", description="Language of what Handrail writes; auto: that of the task."
    )
    policies: Policies = Field(default=Policies(), description="What is done; the order is fixed. Not named: off.")
    tools: dict[str, ToolFacts] = Field(
        default={}, description="Facts by tool name or glob; the exact name wins, else the longest glob, never both."
    )
    catalogs: dict[str, Catalog] = Field(default={}, description="What tools can be asked for, by name of catalogue.")
    prices: dict[str, Price] = Field(default={}, description="Prices by model name or glob; as with tools.")
    upstreams: Seq[UpstreamEntry] = Field(
        default=(), description="Providers; the first match wins, --upstream is last."
    )
    upstream: UpstreamSettings = Field(default=UpstreamSettings(), description="Time limits and breaker of upstreams.")
    escalate: Escalation | None = Field(default=None, description="Tell a human when a gate ends a run.")
    log: LogSettings = Field(default=LogSettings(), description="What the run log keeps, and for how long.")
    end_with: EndWith | None = Field(default=None, description="For agents that end only through a tool.")
    task_patterns: Seq[Pattern] = Field(
        default=(), description="A user turn that matches one (RE2) is a new task, whatever else it looks like."
    )
    tool_result_patterns: Seq[Pattern] = Field(
        default=(), description="A user turn that matches one (RE2) is a tool result written as text, not a task."
    )
    agents: dict[str, "Pack"] = Field(
        default={}, description="What is different for the agent whose base URL has /as/NAME before /v1."
    )

    def for_agent(self, name: str) -> "Pack":
        """The pack of the agent behind /as/NAME; this one if the name is unknown."""
        return self.agents.get(name, self)

    def policy(self, name: str) -> PolicySettings:
        """Settings of the policy with that name (one of PIPELINE_NAMES)."""
        settings: PolicySettings = getattr(self.policies, name)
        return settings

    def effective_mode(self, policy: str, limit: str | None = None) -> Mode:
        """What a policy, or one limit of it, may really do: the weakest of pack, policy and limit."""
        settings = self.policy(policy)
        own = getattr(settings, limit).mode if limit else None
        return least(self.mode, settings.mode, own)

    def tool(self, name: str) -> ToolFacts:
        """Facts about a tool; empty facts where the pack has none."""
        return self._facts(name)

    def price(self, model: str) -> Price | None:
        """Price of a model, or None if the pack names none."""
        return self.prices.get(_best(self.prices, model))

    @cached_property
    def _facts(self) -> Callable[[str], ToolFacts]:
        """Globs are slow, and the same few names are asked for with each request."""

        def find(name: str) -> ToolFacts:
            return self.tools.get(_best(self.tools, name), _NO_FACTS)

        return lru_cache(maxsize=1024)(find)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A changed pack, which does not inherit what was worked out for this one."""
        copied = super().model_copy(update=update, deep=deep)
        for name in ("_facts", "digest"):
            copied.__dict__.pop(name, None)
        return copied

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical content, in hex: equal for packs that mean the same."""
        content = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


_NO_FACTS = ToolFacts()


def _best(globs: dict[str, Any], name: str) -> str:
    """The exact name, else the longest glob that matches, the first of equals; "" if none does."""
    if name in globs:
        return name
    return max((glob for glob in globs if fnmatchcase(name, glob)), key=len, default="")
