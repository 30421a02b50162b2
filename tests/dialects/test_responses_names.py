from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.responses_names import NO_NAMES, named

NAMES = named([("", "read"), ("mcp__bench", "query"), ("mcp__bench", "read"), ("mcp__shop", "order")])


def test_a_tool_of_a_namespace_is_meant_by_its_own_name():
    assert NAMES.meant("mcp__bench", "query") == ("query", "")
    assert NAMES.wire("query") == ("mcp__bench", "query")


def test_a_name_that_two_tools_have_is_joined_with_the_namespace():
    assert NAMES.meant("mcp__bench", "read") == ("mcp__bench__read", "")
    assert NAMES.meant("", "read") == ("read", "")
    assert NAMES.wire("mcp__bench__read") == ("mcp__bench", "read")


def test_a_call_that_lost_its_namespace_finds_its_tool_and_is_to_be_written_anew():
    for name in ("order", "mcp__shop__order", "mcp__shop.order", "mcp__shop_order"):
        assert NAMES.meant("", name) == ("order", "a call without its namespace")


def test_what_is_not_known_stays_as_it_is():
    assert NAMES.meant("", "nothing") == ("nothing", "")
    assert NAMES.meant("order", "order") == ("order", "")
    assert NAMES.wire("nothing") == ("", "nothing")
    assert NO_NAMES.meant("space", "tool") == ("tool", "")


@given(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.sampled_from(["x", "y", "z"]))))
def test_each_tool_has_one_name_that_leads_back_to_it(pairs):
    names = named(pairs)
    for namespace, name in pairs:
        tool, why = names.meant(namespace, name)
        assert not why
        assert names.wire(tool) == (namespace, name)
