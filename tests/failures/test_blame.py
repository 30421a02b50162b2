"""Whose fault it is: the model's arguments or code, or the tool. And a rule of a business is no outage."""

import pytest

from tests.failures.results import failure

NONE = "unsupported operand type(s) for +: 'int' and 'NoneType'"


def test_a_fault_in_the_models_own_code_is_to_be_mended_by_it():
    text = f'Traceback (most recent call last):\n  File "<string>", line 2, in <module>\nTypeError: {NONE}'
    found = failure(text, tool="run_python", arguments={"code": "a = None\nprint(1 + a)"})
    assert (found.type, found.retry) == ("bug", "with_changes")
    assert found.action.kind == "fix_code"


def test_the_same_fault_inside_a_tool_is_the_tools():
    found = failure(f"TypeError: {NONE}", tool="get_total", arguments={"id": "D1"})
    assert (found.code, found.type, found.retry) == ("TOOL_BUG", "bug", "no")


def test_a_number_that_was_sent_as_text_is_the_models_mistake():
    text = "TypeError: unsupported operand type(s) for +: 'int' and 'str'"
    assert failure(text, tool="add_tax", arguments={"price": "12.5"}).type == "validation"
    assert failure(text, tool="add_tax", arguments={"order": "D1"}).type == "bug"


def test_a_missing_key_is_the_models_only_if_it_sent_it():
    assert failure("'colour'", tool="pick", arguments={"field": "colour"}).type in ("validation", "not_found")
    assert failure("KeyError: 'api_url'", tool="get_total", arguments={"id": "D1"}).type == "bug"


def test_json_that_cannot_be_read_is_the_models_if_it_sent_some():
    text = "Expecting value: line 1 column 1 (char 0)"
    assert failure(text, tool="save", arguments={"data": "{'a': 1}"}).code == "INVALID_JSON"
    assert failure(text, tool="get_rate", arguments={"currency": "EUR"}).code == "INVALID_RESPONSE"


def test_a_package_that_is_to_be_installed_is_not_a_missing_dependency():
    text = "ERROR: No matching distribution found for nopkg"
    assert failure(text, tool="run_shell", arguments={"command": "pip install nopkg"}).type == "not_found"


@pytest.mark.parametrize(
    "text",
    [
        "Insufficient funds",
        "Error executing tool transfer: Insufficient funds. Please try again.",
        '{"code": 4001, "msg": "余额不足", "data": null}',
        "转账失败：单笔限额为 20000 元",
        "余额不足，请稍后重试",
        "The account is frozen until the end of the month",
        "ValueError: transfers to this country are not possible",
    ],
)
def test_a_rule_of_business_is_no_outage_whatever_wraps_it(text: str):
    found = failure(text, tool="transfer", arguments={"amount": 50000, "to": "B"})
    assert found.type == "business_rejection"
    assert found.retry != "as_is"


@pytest.mark.parametrize(
    ("text", "of_type"),
    [
        ("连接超时，请稍后重试", "timeout"),
        ("网络异常，请稍后重试", "communication"),
        ("请求过于频繁，请 30 秒后再试", "rate_limit"),
        ("系统维护中，请稍后再试", "unavailable"),
        ("登录已过期，请重新登录", "auth"),
        ("Service Unavailable", "unavailable"),
        ("Connection reset by peer", "communication"),
        ("Request timed out", "timeout"),
        ("429 Too Many Requests", "rate_limit"),
    ],
)
def test_an_outage_is_no_rule_of_business_even_from_a_tool_of_business(text: str, of_type: str):
    found = failure(text, tool="transfer", arguments={"amount": 50000, "to": "B"})
    assert found.type == of_type
