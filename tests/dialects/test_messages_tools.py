"""Tools, and the choice among them."""

import json

import pytest

from proxy.dialects.messages_tools import container_of, read_tool_choice, read_tools, write_tool_choice, write_tools
from proxy.dialects.wire import COMPACT, SPACED, Raw, items
from proxy.model import Tool, replace

PLAIN = {"name": "read", "description": "d", "input_schema": {"type": "object"}, "strict": True, "defer_loading": True}
TYPED = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
MCP = {"type": "mcp_toolset", "mcp_server_name": "files"}


def tools(*listed, messages=()):
    return read_tools(Raw(json.dumps(listed).encode()), items(json.dumps(messages).encode()))


def written(*made):
    return [json.loads(bytes(one)) for one in write_tools(made, COMPACT)]


def test_what_tools_read_as():
    own, custom, bare, typed, mcp = tools(PLAIN, {**PLAIN, "type": "custom"}, {"name": "x"}, TYPED, MCP)
    assert (own.name, own.description, own.schema, own.kind, own.strict) == (
        "read",
        "d",
        b'{"type": "object"}',
        "function",
        True,
    )
    assert custom.kind == "function"
    assert (bare.schema, bare.strict) == (b"", None)
    assert (typed.name, typed.kind) == ("web_search", "builtin")
    assert (mcp.name, mcp.kind) == ("files", "builtin")


def test_no_tools_are_none():
    assert read_tools(None, []) == ()
    assert read_tools(Raw(b"null"), []) == ()


def test_untouched_tools_are_the_objects_that_came():
    raws = items(json.dumps([PLAIN, TYPED]).encode())
    made = read_tools(Raw(json.dumps([PLAIN, TYPED]).encode()), [])
    assert [bytes(one) for one in write_tools(made, COMPACT)] == [bytes(one) for one in raws]


def test_only_what_was_changed_of_a_tool_is_written_anew():
    (own,) = tools(PLAIN)
    changed = replace(own, name="r", description="e", schema=b'{"type":"object","properties":{}}', strict=None)
    assert written(changed) == [
        {
            "name": "r",
            "description": "e",
            "input_schema": {"type": "object", "properties": {}},
            "defer_loading": True,
        }
    ]
    assert written(replace(own, strict=False))[0]["strict"] is False


def test_a_new_tool():
    new = Tool("more", "d", b'{"type":"object"}', strict=True)
    assert written(new) == [{"name": "more", "description": "d", "input_schema": {"type": "object"}, "strict": True}]
    assert written(Tool("bare")) == [{"name": "bare", "input_schema": {"type": "object", "properties": {}}}]


def test_a_tool_offered_in_mid_conversation_is_read_and_stays_there():
    added = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": PLAIN}}
    known = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "x"}}
    messages = [
        {"role": "user", "content": 'no "tool_definition" here'},
        {"role": "system", "content": [{"type": "text", "text": "t"}, known, added]},
        {"role": "system", "content": '"tool_definition"'},
    ]
    first, second = tools(TYPED, messages=messages)
    assert (first.name, second.name) == ("web_search", "read")
    assert written(first, second) == [TYPED]


@pytest.mark.parametrize(
    ("choice", "read"),
    [
        (None, ""),
        ("auto", ""),
        ({"type": "auto"}, "auto"),
        ({"type": "any"}, "required"),
        ({"type": "none"}, "none"),
        ({"type": "tool", "name": "read"}, "=read"),
    ],
)
def test_the_choice_is_read(choice, read):
    assert read_tool_choice(Raw(json.dumps(choice).encode())) == read
    assert read_tool_choice(None) == ""


@pytest.mark.parametrize(
    ("choice", "written_choice"),
    [
        ("auto", {"type": "auto", "disable_parallel_tool_use": True}),
        ("required", {"type": "any", "disable_parallel_tool_use": True}),
        ("=read", {"type": "tool", "name": "read", "disable_parallel_tool_use": True}),
        ("none", {"type": "none"}),
    ],
)
def test_the_choice_is_written_with_what_was_said_of_parallel_calls(choice, written_choice):
    received = Raw(b'{"type":"any","disable_parallel_tool_use":true}')
    assert json.loads(write_tool_choice(choice, received, SPACED) or b"") == written_choice


def test_no_choice_takes_it_out():
    assert write_tool_choice("", None, COMPACT) is None
    assert write_tool_choice("auto", None, COMPACT) == b'{"type":"auto"}'


@pytest.mark.parametrize(
    ("container", "named"),
    [
        (None, ""),
        (b"null", ""),
        (b'"c1"', "c1"),
        (b'{"id":"c1","skills":[]}', "c1"),
        (b'{"skills":[]}', ""),
        (b"{", ""),
    ],
)
def test_containers_are_named_by_their_id(container, named):
    assert container_of(container) == named
