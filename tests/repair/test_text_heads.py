"""What the beginning of a text may become."""

import pytest

from proxy.repair.text_heads import look

NAMES = {"get_weather", "get_time"}


def verdict(head, *, begins=False, fresh=False):
    return look(head, NAMES, begins=begins, fresh=fresh).verdict


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<", "maybe"),
        ("<tool_call>", "maybe"),
        ("<tool_calx", "no"),
        ('<tool_call>{"name": "get_', "maybe"),
        ('<tool_call>{"name": "get_x', "no"),
        ('<tool_call>{"name": "get_time"', "sure"),
        ('<tool_call>{"type": "function", "function": {"na', "maybe"),
        ('<tool_call>{"function": 3', "no"),
        ('<tool_call>{"arguments": ', "maybe"),
        ('<tool_call>{"arguments": {', "sure"),
        ('<tool_call>{"name" 3', "no"),
        ('<tool_call>{"name": 3', "no"),
        ("<function=get_time", "maybe"),
        ("<function=get_time>", "sure"),
        ("<function=other>", "no"),
        ("[TOOL_CALLS] ", "maybe"),
        ("[TOOL_CALLS]get_time[", "sure"),
        ("[TOOL_CALLS]other[", "no"),
        ("<|channel|>commentary to=fun", "maybe"),
        ("<|channel|>commentary to=functions.get_t", "maybe"),
        ("<|channel|>commentary to=functions.other", "no"),
        ("<|channel|>commentary to=functions.get_time ", "sure"),
        ("<|channel|>final<|message|>", "no"),
        ("<|channel|>" + "x" * 300, "no"),
        ("<|python_start|>[get_time(", "sure"),
        ("<|python_tag|>", "maybe"),
        ('{"name": "get_time"', "no"),
        ("```json\n", "no"),
    ],
)
def test_a_form_is_followed_to_the_tools_name(head, expected):
    assert verdict(head) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('{"name": "get_time"', "sure"),
        ("[get_w", "maybe"),
        ("[get_weather", "maybe"),
        ("[get_weather(", "sure"),
        ("[get_weather]", "no"),
        ("[link](", "no"),
        ('[{"name": "get_time"', "sure"),
        ("[ ", "maybe"),
        ("[1", "no"),
    ],
)
def test_at_the_beginning_of_a_text_the_bare_forms_count(head, expected):
    assert verdict(head, begins=True) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [("`", "maybe"), ("```js", "maybe"), ("```python", "no"), ("```json\n{", "maybe"), ("```sh\nls", "no")],
)
def test_a_fence_counts_at_the_beginning_of_a_line(head, expected):
    assert verdict(head, fresh=True) == expected


def test_it_says_where_the_brackets_of_the_call_begin():
    head = '<tool_call> \n{"name": "get_time"'
    assert look(head, NAMES, begins=True, fresh=False).payload == head.index("{")
    assert look("[get_time(", NAMES, begins=True, fresh=False).payload == 0
    assert look("<function=get_time>", NAMES, begins=True, fresh=False).payload is None
