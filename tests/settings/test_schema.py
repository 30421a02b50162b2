"""The schema for editors says the same as the classes, and the file is the one that they generate."""

import json
from pathlib import Path

import jsonschema
import pytest
import referencing

from proxy.settings.build import compile_pack
from proxy.settings.document import plain, read_document
from proxy.settings.schema import schema_json

POLICIES = Path(__file__).parents[2] / "policies"
VALIDATOR = jsonschema.Draft7Validator(json.loads(schema_json()), registry=referencing.Registry())


def accepted(text):
    """Whether the schema and the classes take it; they have to agree."""
    document = read_document(text, "f")
    assert document.root is not None
    return VALIDATOR.is_valid(plain(document.root)), compile_pack(document).pack is not None


def test_the_file_is_fresh():
    assert (POLICIES / "schema.json").read_text() == schema_json(), "run `make schema`"


def test_the_schema_is_a_schema():
    jsonschema.Draft7Validator.check_schema(json.loads(schema_json()))


@pytest.mark.parametrize("name", ["default", "strict", "observe", "coding-agent"])
def test_the_shipped_packs_are_valid(name):
    document = read_document((POLICIES / f"{name}.yaml").read_text(), name)
    assert document.root is not None
    assert [error.message for error in VALIDATOR.iter_errors(plain(document.root))] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "policies:\n  gates: {steps: 8, seconds: {limit: 90, mode: observe}}\n  explain_errors:\n",
        "tools:\n",
        "tools: {t: {polling: true, instead: {tool: x, arguments: {a: b}}, idempotency_key: k}}",
        "tools: {t: {polling: {repeats: 3}, instead: x, idempotency_key: {argument: k, form: step}}}",
        "tools: {t: {parameters: {p: {enum: [a, 1, null], example: {x: 1}}}, permanent: [404, GONE]}}",
        "upstream: {request: 30}",
        "upstream: {request: {floor: 3}, breaker: {failures: 3}}",
        "catalogs: {a: [x], b: {url: 'sqlite://'}}",
        "agents: {a: {mode: observe, end_with: {tool: t, argument: a}}, b: }",
    ],
)
def test_what_loads_is_green_in_the_editor(text):
    assert accepted(text) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        "polices: {}",
        "mode: on",
        "policies: {gate: {}}",
        "policies: {gates: {steps: '8'}}",
        "policies: {gates: {steps: 0}}",
        "policies: {gates: {steps: {limit: 8, mod: observe}}}",
        "tools: {t: {polling: sometimes}}",
        "upstreams: [{}]",
        "agents: {a: {log: {}}}",
        "agents: {a: {policies: {gate: {}}}}",
        "log: {mask: x}",
    ],
)
def test_what_does_not_load_is_red_in_the_editor(text):
    assert accepted(text) == (False, False)


def test_every_key_has_a_description():
    schema = json.loads(schema_json())
    for name, section in [("Pack", schema), *schema["$defs"].items()]:
        forms = [section, *section.get("anyOf", [])]
        for form in forms:
            for key, value in form.get("properties", {}).items():
                described = value.get("description") or "$ref" in json.dumps(value)
                assert described, f"{name}.{key}"
