"""Which findings a tool gets, and that a good one gets none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.findings import MAX_NODES, Finding, findings, of_facts
from proxy.model import Tool
from proxy.settings import parse_pack


def tool(properties: dict[str, Any], *, name: str = "query", required: tuple[str, ...] = (), **more: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    return Tool(name, "Queries orders.", json.dumps(schema).encode())


def found(*tools: Tool) -> list[tuple[str, str]]:
    return [(one.rule, one.pointer) for one in findings(tools)]


def rules(schema: dict[str, Any], name: str = "x", **more: Any) -> list[str]:
    return [rule for rule, _ in found(tool({name: {"description": "What it is.", **schema}}, **more))]


def test_a_good_tool_has_none() -> None:
    good = tool(
        {
            "status": {"type": "string", "enum": ["open", "closed"], "description": "Of the order."},
            "timeout_ms": {"type": "integer", "description": "How long to wait."},
            "limit": {"type": "integer", "description": "The number of rows."},
        },
        required=("status",),
    )
    assert found(good) == []


def test_the_tool_itself_is_looked_at() -> None:
    assert found(Tool("a.b", "Does it."), Tool("x" * 65, "Does it.")) == [("name", ""), ("name", "")]
    assert found(Tool("a", " "), Tool("a", "Does it.")) == [
        ("duplicate", ""),
        ("no_description", ""),
        ("duplicate", ""),
    ]
    assert found(Tool("web_search.v1", kind="builtin"), Tool("write", "Writes.", kind="custom")) == []


def test_what_is_not_said_of_a_property() -> None:
    one = tool({"a": {"type": "string"}, "b": {"type": "string"}, "c": {"$ref": "#/$defs/C"}}, required=("a",))
    schema = json.loads(one.schema) | {"$defs": {"C": {"type": "string", "description": "A colour."}}}
    assert found(Tool("query", "Queries.", json.dumps(schema).encode())) == [
        ("required_without_reason", "/properties/a"),
        ("no_description", "/properties/b"),
    ]


def test_properties_are_found_wherever_they_stand() -> None:
    inner: dict[str, Any] = {"type": "object", "properties": {"deep/er": {"type": "string"}}}
    places = tool(
        {
            "o": {"description": "x", **inner},
            "l": {"description": "x", "type": "array", "items": inner},
            "u": {"description": "x", "anyOf": [inner, {"type": "null"}]},
        },
        **dict[str, Any]({"$defs": {"D": inner}}),
    )
    assert {place for _, place in found(places)} == {
        "/$defs/D/properties/deep~1er",
        "/properties/o/properties/deep~1er",
        "/properties/l/items/properties/deep~1er",
        "/properties/u/anyOf/0/properties/deep~1er",
    }


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("timeout", {"type": "integer"}),
        ("max_wait", {"type": ["number", "null"]}),
        ("price", {"anyOf": [{"type": "number"}, {"type": "null"}]}),
        ("totalAmount", {"type": "number"}),
        ("distance", {"type": "number", "minimum": 0}),
        ("超时", {"type": "integer"}),
    ],
)
def test_a_measured_number_without_a_unit(name: str, schema: dict[str, Any]) -> None:
    assert rules(schema, name) == ["no_unit"]


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("timeout_ms", {"type": "integer"}),
        ("timeout", {"type": "integer", "description": "How long, in seconds."}),
        ("price", {"type": "number", "x-unit": "EUR cents"}),
        ("price", {"type": "number", "description": "Net price (USD)"}),
        ("timeout", {"type": "string"}),
        ("width", {"type": "integer", "description": "In pixels."}),
        ("page_size", {"type": "integer"}),
        ("token_budget", {"type": "integer"}),
        ("weight", {"type": "number", "minimum": 0, "maximum": 1}),
        ("price", {"type": "integer", "enum": [5, 10]}),
        ("count", {"type": "integer"}),
    ],
)
def test_a_number_that_needs_none_or_has_one(name: str, schema: dict[str, Any]) -> None:
    assert rules(schema, name) == []


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("Status: one of open, closed or all", "open, closed, all"),
        ("Must be 'asc' or 'desc'.", "asc, desc"),
        ("The order. Allowed values: asc, desc", "asc, desc"),
        ("'fast' | 'slow'", "fast, slow"),
        ('Either "daily" or "weekly"', "daily, weekly"),
        ("Format of the answer (text, markdown, or html)", "text, markdown, html"),
        ("'shallow' for a quick look, 'deep' for a long one", "shallow, deep"),
        ("排序方式，可选值：asc、desc", "asc, desc"),
        ("取值为 open 或 closed", "open, closed"),
    ],
)
def test_values_that_are_only_said(said: str, values: str) -> None:
    (one,) = findings([tool({"x": {"type": "string", "description": said}})])
    assert (one.rule, one.message) == ("enum_in_prose", f"its values ({values}) are said in words only")


def test_two_words_in_brackets_are_values_where_the_name_says_so() -> None:
    said = {"type": "string", "description": "The one to use (celsius or fahrenheit)"}
    assert rules(said, "unit") == ["enum_in_prose"]
    assert rules(said, "place") == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "description": "A city, such as Paris, London or Rome"},
        {"type": "string", "description": "City, e.g. 'Paris' or 'Rome'"},
        {"type": "string", "description": "The name of the order's author"},
        {"type": "string", "description": "A path to a file or folder"},
        {"type": "string", "description": "One of the customer's orders"},
        {"type": "string", "description": "Must be one of open, closed", "enum": ["open", "closed"]},
        {"type": "string", "description": "one of a, b", "pattern": "^[ab]$"},
        {"type": "integer", "description": "one of 1, 2, 3"},
        {"type": "string", "description": "日期，例如 2024-01-01 或 2024-02-01"},
    ],
)
def test_examples_and_prose_are_no_values(schema: dict[str, Any]) -> None:
    assert rules(schema) == []


def test_what_cannot_be_checked_is_told_with_its_place() -> None:
    schema = {
        "p": {"description": "x", "type": "string", "pattern": "(?=a)b"},
        "r": {"description": "x", "$ref": "#/no"},
    }
    assert set(found(tool(schema))) == {
        ("pattern_not_checked", "/properties/p/pattern"),
        ("unresolved_ref", "/properties/r/$ref"),
    }
    assert found(Tool("t", "Does it.", b'{"type": "strin"}')) == [("bad_schema", "/type")]
    assert found(Tool("t", "Does it.", b"{")) == [("bad_schema", "")]
    assert found(Tool("t", "Does it.", b"[]")) == [("bad_schema", "")]


def test_a_schema_may_be_too_deep_or_too_large_for_a_model() -> None:
    deep: dict[str, Any] = {"type": "string", "description": "x"}
    for _ in range(7):
        deep = {"type": "object", "description": "x", "properties": {"in": deep}}
    assert found(Tool("t", "Does it.", json.dumps(deep).encode())) == [("too_deep", "")]
    wide = {f"p{n}": {"type": "string", "description": "x"} for n in range(101)}
    assert found(tool(wide)) == [("too_large", "")]


def test_every_finding_says_place_rule_and_remedy() -> None:
    (one,) = findings([tool({"timeout": {"type": "integer", "description": "How long."}})])
    assert str(one) == (
        "query /properties/timeout: a number that is a time, without a unit (no_unit); name the unit: in the name "
        "(timeout_ms), the description, or the pack's `parameters: {unit: ms}`"
    )
    assert str(Finding("t", "", "duplicate", "x")).startswith("t: x (duplicate); ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "anyOf", "$ref", "required", "description", "enum", "price"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_whatever_the_schema_it_is_looked_at(schema: Any) -> None:
    assert all(one.remedy for one in findings([Tool("t", "Does it.", json.dumps(schema).encode())]))


def test_work_is_bounded() -> None:
    huge = {
        "type": "object",
        "properties": {f"p{n}": {"type": "object", "properties": {}} for n in range(MAX_NODES * 2)},
    }
    assert ("too_large", "") in found(Tool("t", "Does it.", json.dumps(huge).encode()))


# ---------------------------------------------------------------- packs


def facts(text: str) -> list[tuple[str, str]]:
    return [(one.rule, f"{one.tool}{one.pointer}") for one in of_facts(parse_pack(text))]


def test_what_a_pack_says_of_parameters_must_fit_together() -> None:
    assert facts("tools: {t: {parameters: {timeout: {min: 1}}}}") == [("no_unit", "t/parameters/timeout")]
    assert facts("tools: {t: {parameters: {timeout: {min: 1, unit: s}}}}") == []
    assert facts("tools: {t: {parameters: {n: {min: 1, example: 0}}}}") == [("bad_example", "t/parameters/n")]
    assert facts("tools: {t: {parameters: {n: {max: 1, examples: [1, 2]}}}}") == [("bad_example", "t/parameters/n")]
    assert facts("tools: {t: {parameters: {n: {enum: [a], example: b}}}}") == [("bad_example", "t/parameters/n")]
    assert facts("tools: {t: {parameters: {d: {format: date, example: 5 March}}}}") == [
        ("bad_example", "t/parameters/d")
    ]
    assert facts("tools: {t: {parameters: {d: {format: date, example: '2024-03-05'}}}}") == []
    assert facts("tools: {t: {parameters: {d: {format: datum}}}}") == [("unknown_format", "t/parameters/d")]
    assert facts("tools: {t: {parameters: {s: {description: 'one of a, b'}}}}") == [("enum_in_prose", "t/parameters/s")]


def test_names_in_a_pack_are_looked_at_where_nothing_maps_them() -> None:
    named = "tools: {a.b: {strict: true}, 'a.*': {strict: true}}\n"
    assert facts(named) == [("name", "a.b")]
    assert facts(named + "policies: {constrain_tools: {names: portable}}") == []
