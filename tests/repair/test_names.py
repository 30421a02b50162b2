import pytest

from proxy.repair.names import MAX_OFFERED, nearest, suggestions

OFFERED = ["search_docs", "create_order", "delete_order", "mcp__files__read", "mcp__web__read", "weather.get"]


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("search_docs", "search_docs"),
        ("searchDocs", "search_docs"),
        ("functions.search_docs", "search_docs"),
        ("default_api:search_docs", "search_docs"),
        ("search_docs()", "search_docs"),
        ("search_docs<|channel|>commentary", "search_docs"),
        ("serch_docs", "search_docs"),
        ("mcp__files__Read", "mcp__files__read"),
        ("get", "weather.get"),
    ],
)
def test_a_wrong_name_means_the_one_tool(name, tool):
    assert nearest(name, OFFERED) == tool


@pytest.mark.parametrize(
    "name", ["read", "update_order", "order", "mcp__other__read", "search", "", "x" * 300, "<UNKNOWN>"]
)
def test_a_name_that_could_be_two_or_none_is_none(name):
    assert nearest(name, OFFERED) is None


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("get_user", ["set_user"]),
        ("enable_alarm", ["disable_alarm"]),
        ("create_invoice", ["delete_invoice"]),
        ("list_v1", ["list_v2"]),
        ("search_docs", ["Search_Docs", "SEARCH_DOCS"]),
        ("a", []),
    ],
)
def test_another_deed_is_no_misspelling(name, offered):
    assert nearest(name, offered) is None


def test_a_very_long_list_is_only_searched_for_the_name_itself():
    many = [f"tool_{n}" for n in range(MAX_OFFERED + 1)]
    assert nearest("tool_7", many) == "tool_7"
    assert nearest("Tool_7", many) is None


def test_suggestions_are_the_most_similar_first_and_few():
    assert suggestions("search_doc", OFFERED)[0] == "search_docs"
    assert suggestions("order", ["create_order", "order_list", "reorder", "orders"], n=2) == ["orders", "order_list"]
    assert suggestions("zzz", OFFERED) == []
    assert suggestions("x", []) == []
