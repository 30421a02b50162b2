"""Where requests go and how long anything may take: `upstreams:` and `upstream:` of a pack.

All times are in seconds. Knows no network: the numbers are carried out by the shell.
"""

from typing import Any, Literal, Self

from pydantic import Field, model_validator
from pydantic.json_schema import JsonSchemaValue

from proxy.settings.fields import BreakerSettings, Count, Frozen, HttpUrl, Name, Seconds, Shorthand


class Match(Frozen):
    """Which requests an entry of `upstreams` is for; what is not given matches all."""

    dialect: Literal["chat_completions", "responses", "messages"] | None = Field(default=None, description="The API.")
    model: Name | None = Field(default=None, description="A glob over the model's name: gpt-*, claude-*.")
    path: Name | None = Field(default=None, description="A glob over the request's path: /v1/embeddings.")


class UpstreamEntry(Frozen):
    """One provider. The first entry that matches wins; --upstream is the last."""

    match: Match = Field(default=Match(), description="Which requests go there; not given: all.")
    url: HttpUrl = Field(description="Base address; /v1/* of the agent maps onto it.")
    fallback: HttpUrl | None = Field(
        default=None, description="Where they go while its breaker is open; not given: upstream.fallback."
    )


class RequestTime(Shorthand):
    """Time for a whole exchange: a number fixes it, `{floor, ceiling}` bounds what is measured (P99 × 2)."""

    floor: Seconds = Field(default=120, description="Seconds that are always granted.")
    ceiling: Seconds = Field(
        default=1800, description="Seconds that are never exceeded; in force until enough is known."
    )

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        return {"type": "number", "exclusiveMinimum": 0}

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        return {"floor": value, "ceiling": value}

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.floor > self.ceiling:
            raise ValueError("has a floor above its ceiling")
        return self


class UpstreamSettings(Frozen):
    """Time limits, the rounds of an exchange, and the breaker, for every upstream."""

    connect: Seconds = Field(default=2, description="Seconds to connect.")
    first_byte: Seconds = Field(default=600, description="Seconds until the first byte of the answer.")
    idle: Seconds = Field(default=300, description="Seconds between two pieces of a stream.")
    request: RequestTime = Field(
        default=RequestTime(), description="Seconds for the whole request; on a stream only until the first byte."
    )
    step: Seconds = Field(default=60, description="Seconds for everything that Handrail adds to one exchange.")
    rounds: Count = Field(default=12, description="Upstream calls of one exchange, whatever they are for.")
    breaker: BreakerSettings | None = Field(
        default=None, description="When to stop asking an upstream; not given: never."
    )
    fallback: HttpUrl | None = Field(default=None, description="Where requests go while the breaker is open.")
