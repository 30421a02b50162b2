"""What a pack knows about a parameter that the tool's schema does not say: its format, unit, bounds or values.

Overlays become part of the schema before it is compiled, so that validation, repair and advice need not know that there
are two sources. They only ever add to a property that the schema declares.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from proxy.repair.schema import Checker, compile_schema


class Overlay(Protocol):
    """Facts about one parameter; `format` is one of JSON Schema's names, `unit` a word that units.py may know."""

    @property
    def format(self) -> str | None: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def min(self) -> float | None: ...
    @property
    def max(self) -> float | None: ...
    @property
    def enum(self) -> Sequence[Any]: ...


def overlaid(checker: Checker, overlays: Mapping[str, Overlay]) -> Checker:
    """The checker of the same schema with the overlays in it; their keys are names of top-level properties."""
    if not overlays or not checker.usable:
        return checker
    added = {name: _keywords(overlay) for name, overlay in overlays.items()}
    return _overlaid(checker.raw, json.dumps(added, sort_keys=True))


def _keywords(overlay: Overlay) -> dict[str, Any]:
    stated = {
        "format": overlay.format,
        "x-unit": overlay.unit,
        "minimum": overlay.min,
        "maximum": overlay.max,
        "enum": list(overlay.enum) or None,
    }
    return {keyword: value for keyword, value in stated.items() if value is not None}


@lru_cache(maxsize=256)
def _overlaid(raw: bytes, added: str) -> Checker:
    checker = compile_schema(raw)
    declared = checker.schema.get("properties") if isinstance(checker.schema, dict) else None
    if not isinstance(declared, dict):
        return checker
    properties = dict(declared)
    for name, keywords in json.loads(added).items():
        if name in properties:
            properties[name] = _with(properties[name], keywords)
    return compile_schema(json.dumps({**checker.schema, "properties": properties}).encode())


def _with(schema: Any, keywords: dict[str, Any]) -> Any:
    """A reference may silence its siblings, so what is added to one goes around it."""
    if not isinstance(schema, dict):
        return schema
    return {"allOf": [schema], **keywords} if "$ref" in schema else {**schema, **keywords}
