"""The kinds of value that a pack is made of: modes, limits, lists, patterns.

Every settings class derives from `Frozen`: it can't be changed after it was read, takes no unknown key and guesses
no type ("10" is not 10). A section that is named but left empty (all its lines commented out) means its defaults.
Knows no policy, no file and no YAML: what a place in a file is, `document.py` knows.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

import re2
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    Strict,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

Mode = Literal["off", "observe", "enforce"]
_ORDER: tuple[Mode, ...] = ("off", "observe", "enforce")


def least(*modes: Mode | None) -> Mode:
    """The weakest of some modes; None says nothing."""
    return min((mode for mode in modes if mode is not None), key=_ORDER.index, default="enforce")


class Frozen(BaseModel):
    """Base of every settings class."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _empty_is_default(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        fields = cls.model_fields
        return {
            key: value
            for key, value in data.items()
            if value is not None or key not in fields or fields[key].default is None
        }


def _off(value: Any) -> Any:
    """YAML 1.1 reads a bare `off` as false; tools that write packs may do so too."""
    return "off" if value is False else value


def _pattern(text: str) -> str:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "malformed"
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"is no pattern of the linear-time kind (RE2): {shown}") from None
    return text


def _http_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        known = False
    if not known:
        raise ValueError("should be an http:// or https:// address")
    return text


ModeField = Annotated[Mode, BeforeValidator(_off)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, le=1)]
Pattern = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
EnvName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Name = Annotated[str, Field(min_length=1)]
T = TypeVar("T")
Seq = Annotated[tuple[T, ...], Strict(strict=False)]


class Shorthand(Frozen):
    """A section that a plain value may stand for: `steps: 8` is `steps: {limit: 8}`."""

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        """The JSON Schema of the plain form."""
        raise NotImplementedError

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        """The section that the plain value stands for, or the value itself if it stands for none."""
        raise NotImplementedError

    @model_validator(mode="before")
    @classmethod
    def _spell_out(cls, data: Any) -> Any:
        return data if isinstance(data, Mapping) else cls.from_plain(data)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        full = handler.resolve_ref_schema(handler(core_schema))
        return {"title": cls.__name__, "anyOf": [cls.plain_schema(), full]}


class Limit(Shorthand):
    """A limit of a gate: a plain number, or `{limit: N, mode: observe}`."""

    limit: float = Field(gt=0, description="The number at which the gate acts.")
    mode: ModeField | None = Field(
        default=None, description="off, observe or enforce for this limit alone; not given: as the policy."
    )

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        return {"type": "number", "exclusiveMinimum": 0}

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        return {"limit": value}


class CountLimit(Limit):
    """A limit that is a whole number."""

    limit: int = Field(ge=1, description="The number at which the gate acts.")

    @classmethod
    def plain_schema(cls) -> JsonSchemaValue:
        return {"type": "integer", "minimum": 1}


class BreakerSettings(Frozen):
    """When a circuit breaker opens, and for how long. `failures`, `success_rate` or both; one suffices to open."""

    failures: Count | None = Field(default=None, description="Opens after this many failures in a row.")
    success_rate: Share | None = Field(
        default=None,
        description="Opens when the share of successes in the window falls under this; "
        "0.5 where neither this nor `failures` is given.",
    )
    min_calls: Count = Field(default=10, description="Calls in the window before `success_rate` is looked at.")
    window_seconds: Seconds = Field(default=60, description="Length of the sliding window, in seconds.")
    reset_seconds: Seconds = Field(
        default=30, description="Seconds from opening until one call is let through as a probe."
    )

    @model_validator(mode="before")
    @classmethod
    def _some_rule(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("failures") is None and data.get("success_rate") is None:
            return {**data, "success_rate": 0.5}
        return data
