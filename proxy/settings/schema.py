"""The JSON Schema of packs, for editors: completion, descriptions and red lines while a pack is written.

Generated from the settings classes and from nothing else; a test keeps `policies/schema.json` equal to it. Editors
know draft-07 best, and what pydantic writes here is valid there.
"""

import json
from typing import Any

from proxy.settings.build import NOT_IN_AGENTS
from proxy.settings.pack import Pack


def schema_json() -> str:
    """The schema as text, ending in a newline."""
    schema = Pack.model_json_schema()
    definitions: dict[str, Any] = schema["$defs"]
    pack = definitions.pop("Pack")
    pack["properties"]["agents"]["additionalProperties"] = _or_null({"$ref": "#/$defs/Agent"})
    for section in (pack, *definitions.values()):
        _allow_empty(section)
    definitions["Agent"] = {
        **pack,
        "title": "Agent",
        "description": "What is different for this agent.",
        "properties": {key: value for key, value in pack["properties"].items() if key not in NOT_IN_AGENTS},
    }
    whole = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **pack,
        "title": "Handrail pack",
        "$defs": dict(sorted(definitions.items())),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _allow_empty(section: dict[str, Any]) -> None:
    """A section that is named and left empty means its defaults; say so to the editor."""
    required = section.get("required", [])
    for name, value in section.get("properties", {}).items():
        if name not in required and ("$ref" in value or value.get("type") in {"object", "array"}):
            about = {key: value.pop(key) for key in ("description", "default", "title") if key in value}
            section["properties"][name] = {**about, **_or_null(value)}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}
