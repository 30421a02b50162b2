import json
from typing import Any

import pytest

from proxy.dialects.responses_names import NO_NAMES
from proxy.dialects.responses_tools import read_choice, read_tools, write_choice, write_tools
from proxy.dialects.wire import COMPACT, items
from proxy.model import Tool, replace

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
QUERY = {"type": "function", "name": "query", "description": "Asks.", "parameters": SCHEMA, "strict": True}
SQL = {"type": "custom", "name": "sql", "format": {"type": "text"}}
SEARCH = {"type": "web_search", "search_context_size": "low"}
SPACE: dict[str, Any] = {
    "type": "namespace",
    "name": "mcp__bench",
    "description": "Bench.",
    "tools": [{"type": "function", "name": "order", "parameters": SCHEMA}, {"type": "function", "name": "query"}],
}
ALL = [QUERY, SQL, SEARCH, SPACE]


def read(tools, inputs=()):
    return read_tools(json.dumps(tools).encode(), items(json.dumps(list(inputs)).encode()))


def written(tools, names):
    return json.loads(write_tools(tools, names, COMPACT))


def test_each_kind_of_tool_is_read():
    tools, _ = read(ALL)
    assert [(tool.name, tool.kind) for tool in tools] == [
        ("query", "function"),
        ("sql", "custom"),
        ("web_search", "builtin"),
        ("order", "function"),
        ("mcp__bench__query", "function"),
    ]
    assert json.loads(tools[0].schema) == SCHEMA
    assert (tools[0].description, tools[0].strict) == ("Asks.", True)
    assert (tools[1].schema, tools[4].schema) == (b"", b"")


def test_no_tools():
    assert read_tools(None, ())[0] == ()
    assert read_tools(b"null", ())[0] == ()
    odd, names = read([3, {**SPACE, "tools": []}])
    assert [tool.kind for tool in odd] == ["builtin", "builtin"]
    assert written([replace(tool) for tool in odd], names) == [3, {**SPACE, "tools": []}]


def test_untouched_tools_are_written_as_they_were():
    tools, names = read(ALL)
    assert written([replace(tool) for tool in tools], names) == ALL


def test_a_changed_tool_is_edited_where_it_stands():
    tools, names = read(ALL)
    narrow = b'{"type":"object"}'
    changed = [replace(tool, schema=narrow) if tool.name in ("query", "order") else tool for tool in tools]
    out = written(changed, names)
    assert out[0] == {**QUERY, "parameters": {"type": "object"}}
    assert out[3]["tools"] == [{**SPACE["tools"][0], "parameters": {"type": "object"}}, SPACE["tools"][1]]
    assert out[1:3] == [SQL, SEARCH]


def test_tools_are_taken_out_of_a_namespace_and_renamed_in_it():
    tools, names = read(ALL)
    left = [tool for tool in tools if tool.name != "order"]
    assert written(left, names)[3]["tools"] == [SPACE["tools"][1]]
    renamed = [replace(tool, name="order_2") if tool.name == "order" else tool for tool in tools]
    assert [tool["name"] for tool in written(renamed, names)[3]["tools"]] == ["order_2", "query"]


def test_a_tool_of_a_policy_comes_last_as_a_function():
    tools, names = read(ALL)
    more = Tool("read_more", "Reads on.", b'{"type":"object","properties":{}}', strict=False)
    assert written([*tools, more], names)[-1] == {
        "type": "function",
        "name": "read_more",
        "description": "Reads on.",
        "parameters": {"type": "object", "properties": {}},
        "strict": False,
    }
    assert written([Tool("bare")], names)[0]["parameters"] == {"type": "object", "properties": {}}


def test_tools_that_the_input_brings_are_offered_and_stay_in_their_items():
    late = {"type": "function", "name": "late", "parameters": SCHEMA}
    inputs = [
        {"type": "additional_tools", "role": "developer", "tools": [late, QUERY]},
        {"type": "tool_search_output", "tools": [{**SPACE, "name": "mcp__late"}]},
    ]
    tools, names = read([QUERY], inputs)
    assert [tool.name for tool in tools] == ["query", "late", "order", "mcp__late__query"]
    assert names.meant("mcp__late", "order") == ("order", "")
    assert written(tools, names) == [QUERY]


@pytest.mark.parametrize(
    ("wire", "read_as"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ({"type": "function", "name": "query"}, "=query"),
        ({"type": "custom", "name": "sql"}, "=sql"),
        ({"type": "web_search"}, "=web_search"),
        ({"type": "function", "name": "order", "namespace": "mcp__bench"}, "=order"),
    ],
)
def test_the_choice_is_read_and_written_back(wire, read_as):
    tools, names = read(ALL)
    assert read_choice(wire, names) == read_as
    assert json.loads(write_choice(read_as, tools, names) or b"") == wire


def test_allowed_tools_are_read_as_their_mode():
    allowed = {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "query"}]}
    assert read_choice(allowed, NO_NAMES) == "required"
    assert read_choice({"type": "allowed_tools"}, NO_NAMES) == "auto"
    assert read_choice(None, NO_NAMES) == ""
    assert write_choice("", (), NO_NAMES) is None
