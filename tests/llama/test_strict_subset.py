import json

import pytest

from proxy.repair.strict import Carried, carried
from tests.llama.cases import cases
from tests.llama.strict_subset import refusal, spelled_out


def closed(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, "'type: \"object\"'"),
        ({**closed(a={"type": "string"}), "additionalProperties": True}, "'additionalProperties' is required"),
        ({**closed(a={"type": "string"}), "required": []}, "Missing 'a'"),
        (closed(a={}), "In context=('properties', 'a'), schema must have a 'type' key."),
        (closed(a={"type": "object"}), "In context=('properties', 'a'), 'additionalProperties'"),
        (closed(a={"type": "array"}), "array schema missing items"),
        (closed(a={"type": "string", "format": "uri"}), "'uri' is not a valid format"),
        (closed(a={"oneOf": [{"type": "string"}]}), "'oneOf' is not permitted"),
        (closed(a={"type": "array", "items": {"type": "text"}}), "'text' is not a valid type"),
        (closed(a={"anyOf": [{"type": "null"}, closed(b={"type": ["text", "null"]})]}), "'b'), 'text'"),
    ],
)
def test_what_lies_outside_is_refused_at_its_place(schema, said):
    assert said in (refusal(schema) or "")


@pytest.mark.parametrize("case", tuple(cases()), ids=lambda case: case.task)
def test_the_agents_own_schemas_lie_outside_and_their_carried_forms_inside(case):
    made = carried(json.dumps(case.schema).encode(), checked=True)
    assert isinstance(made, Carried)
    assert refusal(case.schema) is not None
    assert refusal(json.loads(made.schema)) is None


def test_a_list_of_types_keeps_what_stands_beside_it():
    node = {"type": ["string", "null"], "enum": ["a", None]}
    told = {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null", "enum": [None]}]}
    assert spelled_out(node) == told
    assert spelled_out(closed(type=node))["properties"] == {"type": told}
    assert spelled_out({"type": "array", "items": node}) == {"type": "array", "items": told}
