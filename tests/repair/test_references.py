from typing import Any

import pytest

from proxy.repair.references import References

NESTED: dict[str, Any] = {"$defs": {"Material": {"type": "object"}}, "properties": {"m": {"$ref": "#/$defs/Material"}}}
DOCUMENT: dict[str, Any] = {
    "$id": "https://example.test/root.json",
    "$defs": {
        "a/b": {"title": "slash"},
        "Twice": {"title": "outer"},
        "Anchored": {"$anchor": "here", "title": "anchor"},
        "Other": {
            "$id": "other.json",
            "$defs": {"In": {"title": "in other"}},
            "properties": {"x": {"$ref": "#/$defs/In"}},
        },
    },
    "properties": {"request": NESTED, "deep": {"$defs": {"Twice": {"title": "inner"}, "Only": {"title": "only"}}}},
    "items": [{"title": "first"}],
}  # fmt: skip
REF = NESTED["properties"]["m"]


def found(ref, source=REF):
    target = References(DOCUMENT).resolve(ref, source)
    return None if target is None else (target.schema, target.exact)


@pytest.mark.parametrize(
    ("ref", "schema"),
    [
        ("#", DOCUMENT),
        ("#/$defs/a~1b", {"title": "slash"}),
        ("#/%24defs/a~1b", {"title": "slash"}),
        ("#/items/0", {"title": "first"}),
        ("#/$defs/Twice", {"title": "outer"}),
        ("#here", DOCUMENT["$defs"]["Anchored"]),
        ("https://example.test/root.json#/$defs/Twice", {"title": "outer"}),
        ("other.json#/$defs/In", {"title": "in other"}),
    ],
)
def test_a_reference_means_what_the_standard_says(ref, schema):
    assert found(ref) == (schema, True)


def test_a_resource_with_an_id_of_its_own_is_the_root_of_its_references():
    inner = DOCUMENT["$defs"]["Other"]["properties"]["x"]
    assert found("#/$defs/In", inner) == ({"title": "in other"}, True)


def test_a_root_relative_reference_may_mean_the_schema_around_it():
    assert found("#/$defs/Material") == ({"type": "object"}, False)


def test_a_name_that_stands_once_anywhere_is_certain():
    assert found("#/definitions/Only") == ({"title": "only"}, False)
    assert found("#/definitions/Twice") is None


@pytest.mark.parametrize(
    "ref",
    ["#/$defs/Nowhere", "#nowhere", "https://example.test/else.json", "file:///etc/passwd", "#/items/7", "#/$id", ""],
)
def test_what_is_not_in_the_document_is_nowhere(ref):
    assert found(ref) is None or ref == ""
