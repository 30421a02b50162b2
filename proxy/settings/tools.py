"""Facts about single tools that no schema carries: `tools:` of a pack.

Policies ask `Pack.tool(name)` and get one `ToolFacts`, whoever wrote the tool. Nothing here knows what a policy does
with a fact.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, JsonValue, WithJsonSchema, field_validator, model_validator
from pydantic.json_schema import JsonSchemaValue

from proxy.settings.fields import Count, Frozen, Name, Pattern, Seconds, Seq, Shorthand


def _code(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Code = Annotated[Name, BeforeValidator(_code), WithJsonSchema({"type": ["string", "integer"]})]


class IdempotencyKey(Shorthand):
    """The argument that carries a stable idempotency key: its name, or `{argument: NAME, form: run}`."""

    argument: Name = Field(description="The argument, at the top of the tool's arguments.")
    form: Literal["run", "step"] = Field(
        default="run",
        description="What the key is made of. run: run, tool and arguments (an equal call later in the run "
        "has the same key); step: thread, step and arguments (it has another).",
    )

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        return {"type": "string", "minLength": 1}

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        return {"argument": value}


class Polling(Shorthand):
    """A tool that is asked again and again by intent: `true`, or `{repeats: 50, seconds: 600}`."""

    repeats: Count | None = Field(default=None, description="Equal calls in a row; not given: no limit.")
    seconds: Seconds | None = Field(
        default=None, description="Seconds since the first of the equal calls; not given: no limit."
    )

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        return {"type": "boolean"}

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        return {} if value is True else value


class Instead(Shorthand):
    """The tool to use when this one is down: its name, or `{tool: NAME, arguments: {mine: its}}`."""

    tool: Name = Field(description="Name of the other tool.")
    arguments: dict[str, Name] = Field(
        default={}, description="This tool's argument → the other's; arguments that are not listed keep their names."
    )

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        return {"type": "string", "minLength": 1}

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        return {"tool": value}


class ParameterFacts(Frozen):
    """What the schema of one parameter fails to say."""

    format: Name | None = Field(
        default=None, description="A format of JSON Schema: date, date-time, time, duration, email, uri …"
    )
    unit: Name | None = Field(default=None, description="The unit of the number: ms, s, min, KB, EUR, km …")
    min: float | None = Field(default=None, description="Smallest allowed number, in `unit`.")
    max: float | None = Field(default=None, description="Largest allowed number, in `unit`.")
    description: Name | None = Field(default=None, description="Shown to the model in place of the tool's own text.")
    reason: Name | None = Field(default=None, description="Why the tool needs it; shown to the model.")
    example: JsonValue = Field(default=None, description="A right value; shown to the model.")
    examples: Seq[JsonValue] = Field(default=(), description="Right values; shown to the model.")
    enum: Seq[JsonValue] = Field(default=(), description="The allowed values; may only narrow the schema's own.")

    @model_validator(mode="after")
    def _range(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("has a min above its max")
        return self

    @property
    def all_examples(self) -> tuple[JsonValue, ...]:
        return self.examples if self.example is None else (self.example, *self.examples)


class ErrorForm(Frozen):
    """How a failure of this tool looks: a JSON pointer to something that is there, or a pattern."""

    pointer: str | None = Field(
        default=None,
        pattern=r"^(/.*)?$",
        description="A JSON pointer (RFC 6901) into the result; an error if the value there is true, a "
        "non-empty text, list or object, or a number other than 0.",
    )
    pattern: Pattern | None = Field(default=None, description="A pattern (RE2) found anywhere in the result's text.")
    code: Name | None = Field(default=None, description="The code to give it, in SCREAMING_SNAKE.")
    type: (
        Literal[
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
        | None
    ) = Field(default=None, description="The kind of failure.")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.pointer is None) == (self.pattern is None):
            raise ValueError("needs either pointer or pattern")
        return self


class ToolFacts(Frozen):
    """Everything a pack says about one tool (or about all tools under one glob)."""

    side_effect: bool = Field(
        default=False,
        description="The tool changes something outside (sends, pays, writes): an equal call is not made twice.",
    )
    idempotency_key: IdempotencyKey | None = Field(
        default=None, description="Argument into which a stable key is written; hidden from the model."
    )
    expires_s: Seconds | None = Field(
        default=None, description="Seconds for which its outcome is remembered; not given: as run_once says."
    )
    strict: bool = Field(
        default=False,
        description="Have the provider decode its arguments under its schema (constrain_tools).",
    )
    polling: Polling | None = Field(
        default=None, description="Repeated equal calls are meant; with limits of their own."
    )
    instead: Instead | None = Field(default=None, description="The alternate tool while this one's breaker is open.")
    when_open: Literal["cached", "instead", "unavailable"] | None = Field(
        default=None,
        description="The answer while its breaker is open. cached: the last answer of the same call, with its "
        "age; instead: the alternate tool; unavailable: a structured error. Not given: `instead` where there is "
        "one, else unavailable.",
    )
    catalog: Name | None = Field(default=None, description="The catalogue that knows what this tool's names can be.")
    parameters: dict[str, ParameterFacts] = Field(default={}, description="Facts about its parameters, by name.")
    returns: Literal["rows"] | None = Field(
        default=None, description="rows: an empty result is said to be a success with no rows."
    )
    errors: Seq[ErrorForm] = Field(
        default=(), description="How its failures look; these overrule Handrail's own reading."
    )
    permanent: Seq[Code] = Field(default=(), description="Error codes for which trying again is of no use.")
    exempt: bool = Field(
        default=False,
        description="Its results reach the model byte for byte: never cut.",
    )
    bytes: Count | None = Field(default=None, description="As truncate_results.bytes, for this tool.")
    text_bytes: Count | None = Field(default=None, description="As truncate_results.text_bytes, for this tool.")

    @field_validator("polling", mode="before")
    @classmethod
    def _not_polling(cls, value: Any) -> Any:
        return None if value is False else value

    @model_validator(mode="after")
    def _alternate(self) -> Self:
        if self.when_open == "instead" and self.instead is None:
            raise ValueError("says when_open: instead, but names no tool under instead")
        return self

    @property
    def open_answer(self) -> Literal["cached", "instead", "unavailable"]:
        """What is answered while the breaker is open."""
        return self.when_open or ("instead" if self.instead else "unavailable")
