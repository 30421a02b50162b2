import json

import pytest

from proxy.repair.properties import MAX_NAMES, meant_by, standing_for
from proxy.repair.schema import compile_schema

SCHEMA = compile_schema(
    json.dumps({"properties": {"recipient": {}, "cc": {}, "start_date": {}, "text": {}}, "required": ["text"]}).encode()
).root


@pytest.mark.parametrize(
    ("name", "found", "meant"),
    [
        ("recipent", {"recipent": 1}, "recipient"),
        ("startDate", {"startDate": 1}, "start_date"),
        ("recipent", {"recipent": 1, "recipient": 2}, None),
        ("recipent", {"recipent": 1, "recipeint": 2}, None),
        ("sender", {"sender": 1}, None),
        ("ccc", {"ccc": 1}, None),
        ("recipent", {f"k{n}": n for n in range(MAX_NAMES + 1)}, None),
    ],
)
def test_a_misspelt_name_is_the_unset_property_that_nothing_else_claims(name, found, meant):
    assert meant_by(name, found, SCHEMA) == meant


def test_a_missing_property_is_found_under_its_misspelt_name():
    assert standing_for("text", {"TEXT": 1, "other": 2}, SCHEMA) == "TEXT"
    assert standing_for("text", {"body": 1}, SCHEMA) is None
    assert standing_for("text", {"Text": 1, "TEXT": 2}, SCHEMA) is None
    assert standing_for("elsewhere", {"else_where": 1}, SCHEMA) == "else_where"
    assert standing_for("text", {f"k{n}": n for n in range(MAX_NAMES + 1)}, SCHEMA) is None
