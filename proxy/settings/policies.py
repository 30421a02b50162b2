"""One settings class per policy, the policies' names in order, and what they all have in common.

The order of the names is the order in which an ask meets the policies; a reply meets them the other way round. It is
code, not configuration: an operator says what each policy does, never when. The fields of a class are the keys under
`policies: NAME:` in a pack, and their descriptions are what an editor shows.
"""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, model_validator

from proxy.settings.fields import (
    BreakerSettings,
    Count,
    CountLimit,
    Frozen,
    Limit,
    ModeField,
    Name,
    Seconds,
    Seq,
    least,
)

PIPELINE_NAMES = (
    "gates",
    "explain_errors",
    "truncate_results",
    "fold_history",
    "pin_task",
    "tool_health",
    "run_once",
    "repair_arguments",
    "rescue_text_calls",
    "constrain_tools",
)


class PolicySettings(Frozen):
    """What every policy has."""

    mode: ModeField = Field(
        default="enforce",
        description="off: as if absent; observe: only say what it would do; enforce: do it. "
        "A policy that the pack does not name is off; one that is named without a mode enforces.",
    )
    fail: Literal["open", "closed"] = Field(
        default="open",
        description="What happens when the policy itself breaks. open: go on without it; closed: answer with an error.",
    )


class GatesSettings(PolicySettings):
    """Limits that end a run. A limit that is not given does not exist."""

    steps: CountLimit | None = Field(default=None, description="Assistant turns with tool calls since the last task.")
    seconds: Limit | None = Field(default=None, description="Wall clock since the run began, in seconds.")
    repeats: CountLimit | None = Field(
        default=None,
        description="Equal calls in a row with the same outcome; the call that would be this one is stopped.",
    )
    varied_repeats: CountLimit | None = Field(
        default=None, description="Equal calls in a row whose outcomes differ; usually larger than `repeats`."
    )
    cycles: CountLimit | None = Field(
        default=None,
        description="Rounds of a cycle of different calls (A, B, A, B) with the same outcomes; the round that would be "
        "this one is stopped.",
    )
    drift: CountLimit | None = Field(
        default=None,
        description="Calls of one tool in a row with other arguments and the same failure; the call that would be "
        "this one is stopped.",
    )
    tokens: CountLimit | None = Field(
        default=None, description="Input and output tokens of one run, hidden rounds too."
    )
    tokens_per_day: CountLimit | None = Field(default=None, description="Tokens of all callers in one UTC day.")
    tokens_per_key: CountLimit | None = Field(default=None, description="Tokens of one credential in one UTC day.")
    money: Limit | None = Field(
        default=None, description="Cost of one run, in the currency of `prices`; needs `prices`."
    )
    money_per_day: Limit | None = Field(default=None, description="Cost of all callers in one UTC day.")
    money_per_key: Limit | None = Field(default=None, description="Cost of one credential in one UTC day.")
    grace_seconds: Seconds = Field(
        default=20, description="Seconds that the closing call may take, in which the model sums up what it found."
    )
    nudge: bool = Field(
        default=True,
        description="Tell the model at the second equal call, before the third ends the run.",
    )

    def limits(self) -> Iterator[tuple[str, Limit]]:
        """Name and limit of each limit that is given and not off."""
        for name in type(self).model_fields:
            limit = getattr(self, name)
            if isinstance(limit, Limit) and least(limit.mode) != "off":
                yield name, limit


class ExplainErrorsSettings(PolicySettings):
    """Failed tool results become one structured error that the model can act on."""

    stop_after: Count = Field(
        default=2, description="Equal permanent failures in a row after which the advice is to stop and ask."
    )


class TruncateResultsSettings(PolicySettings):
    """Long tool results are cut, and the rest is offered through read_more."""

    bytes: Count = Field(default=4096, description="Limit for rows (JSON arrays, CSV, tables), in bytes of UTF-8.")
    text_bytes: Count | None = Field(
        default=None, description="Limit for everything else, in bytes of UTF-8; not given: as `bytes`."
    )
    offer: Literal["needed", "always"] = Field(
        default="needed",
        description="When read_more joins the tools. needed: from the first cut result of a run on; "
        "always: from its first ask on.",
    )


class FoldHistorySettings(PolicySettings):
    """Old steps become one line each, in batches, so that the provider's prompt cache keeps working."""

    keep_steps: Count = Field(default=4, description="Latest steps that always stay in full.")
    batch: Count = Field(default=3, description="Steps that are folded at once; larger means fewer cache misses.")
    when: Literal["always", "pays"] = Field(
        default="always",
        description="`pays`: only where the run costs no more for it, reckoned with the provider's prompt cache.",
    )


class PinTaskSettings(PolicySettings):
    """The task and its hard constraints are said again at the end of a long history."""

    after_step: int = Field(default=2, ge=0, description="The first step after which the pin is shown.")
    when: Literal["always", "pays"] = Field(
        default="always",
        description="`pays`: only where less is spent on it than was saved on this request by cutting and folding.",
    )
    constraints: Seq[Name] = Field(
        default=(), description="Constraints to pin verbatim, besides those found in system prompt and task."
    )


class ToolHealthSettings(BreakerSettings, PolicySettings):
    """A circuit breaker per tool, fed by the outcomes read from results."""


class RunOnceSettings(PolicySettings):
    """An equal call of a tool with a side effect happens once in a run."""

    expires_s: Seconds = Field(default=3600, description="Seconds for which an outcome is remembered.")


class RepairArgumentsSettings(PolicySettings):
    """Arguments of tool calls are checked against the schema, repaired, or asked for again."""

    max_reasks: int = Field(default=2, ge=0, description="Rounds in which the model is asked again; 0: never.")
    exhausted: Literal["pass", "answer"] = Field(
        default="pass",
        description="What happens after that. pass: the call as it was; answer: an honest text in its place.",
    )


class RescueTextCallsSettings(PolicySettings):
    """Tool calls that a model wrote as text become real calls."""


class ConstrainToolsSettings(PolicySettings):
    """Tools marked `strict` are decoded under their schema by the provider's own means."""

    names: Literal["as_is", "portable"] = Field(
        default="as_is",
        description="Tool names sent upstream. as_is: the agent's; portable: mapped to what every provider "
        "takes, and mapped back in the reply.",
    )


class Policies(Frozen):
    """`policies:` of a pack. What is not named is off."""

    gates: GatesSettings = GatesSettings(mode="off")
    explain_errors: ExplainErrorsSettings = ExplainErrorsSettings(mode="off")
    truncate_results: TruncateResultsSettings = TruncateResultsSettings(mode="off")
    fold_history: FoldHistorySettings = FoldHistorySettings(mode="off")
    pin_task: PinTaskSettings = PinTaskSettings(mode="off")
    tool_health: ToolHealthSettings = ToolHealthSettings(mode="off")
    run_once: RunOnceSettings = RunOnceSettings(mode="off")
    repair_arguments: RepairArgumentsSettings = RepairArgumentsSettings(mode="off")
    rescue_text_calls: RescueTextCallsSettings = RescueTextCallsSettings(mode="off")
    constrain_tools: ConstrainToolsSettings = ConstrainToolsSettings(mode="off")

    @model_validator(mode="before")
    @classmethod
    def _named_is_on(cls, data: Any) -> Any:
        """`explain_errors:` with nothing behind it names the policy all the same."""
        if not isinstance(data, dict):
            return data
        return {key: {} if value is None and key in PIPELINE_NAMES else value for key, value in data.items()}
