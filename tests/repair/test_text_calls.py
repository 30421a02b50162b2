"""Calls that a model wrote as text: each known form, and all that is no call."""

import json

import pytest

from proxy.repair.text_calls import MAX_TEXT, TextCall, found

NAMES = {"weather", "f", "mcp__docs.search"}
CALL = TextCall("weather", '{"city": "Oslo", "n": 1.50}')
JSON = '{"name": "weather", "arguments": {"city": "Oslo", "n": 1.50}}'

FORMS = {
    "tag": f"<tool_call>\n{JSON}\n</tool_call>",
    "tag that is not closed": f"<tool_call>{JSON}",
    "tag with the end token": f"<tool_call>{JSON}<|im_end|>",
    "tag around a list": f"<tool_calls>[{JSON}]</tool_calls>",
    "other tag": f"<function_call> {JSON} </function_call>",
    "parameters": '<tool_call>{"name": "weather", "parameters": {"city": "Oslo", "n": 1.50}}</tool_call>',
    "arguments first": '<tool_call>{"arguments": {"city": "Oslo", "n": 1.50}, "name": "weather"}</tool_call>',
    "arguments as text": r'<tool_call>{"name": "weather", "arguments": "{\"city\": \"Oslo\", \"n\": 1.50}"}',
    "as the API has it": f'<tool_call>{{"id": "c1", "type": "function", "function": {JSON}}}</tool_call>',
    "function tag": '<function=weather>{"city": "Oslo", "n": 1.50}</function>',
    "function tag that is not closed": '<function=weather> {"city": "Oslo", "n": 1.50}',
    "mistral": f"[TOOL_CALLS][{JSON}]</s>",
    "mistral, newer": '[TOOL_CALLS]weather[ARGS]{"city": "Oslo", "n": 1.50}',
    "mistral with an id": '[TOOL_CALLS]weather[CALL_ID]abc123[ARGS]{"city": "Oslo", "n": 1.50}',
    "harmony": "<|channel|>commentary to=functions.weather <|constrain|>json<|message|>"
    '{"city": "Oslo", "n": 1.50}<|call|>',
    "harmony, other order": "<|start|>assistant to=functions.weather<|channel|>commentary json<|message|>"
    '{"city": "Oslo", "n": 1.50}',
    "fence": f"```json\n{JSON}\n```",
    "fence without a language": f"```\n{JSON}\n```\n",
    "fence with a list": f"```json\n[{JSON}]\n```",
    "bare": JSON,
    "bare list": f"  [{JSON}]",
    "python tag": f"<|python_tag|>{JSON}<|eom_id|>",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_each_form_is_read_with_its_arguments_as_they_were_written(text):
    read = found(text, NAMES)
    assert read is not None
    assert (read.before.strip(), read.calls) == ("", (CALL,))


@pytest.mark.parametrize("text", [text for form, text in FORMS.items() if not form.startswith("bare")])
def test_text_may_stand_before_the_calls_but_nothing_behind(text):
    read = found(f"Let me look.\n\n{text}", NAMES)
    assert read is not None
    assert (read.before, read.calls) == ("Let me look.\n\n", (CALL,))
    assert found(f"{text}\nis how it is called", NAMES) is None


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("[weather(city='Oslo', n=1.5)]", {"city": "Oslo", "n": 1.5}),
        ("[weather()]", {}),
        (
            '[ weather( tags=["a", \'b"\'], deep={"x": None}, on=True) ]',
            {"tags": ["a", 'b"'], "deep": {"x": None}, "on": True},
        ),
        ("<|python_start|>[weather(n=-3)]<|python_end|>", {"n": -3}),
        (r"[weather(path='C:\dir')]", {"path": "C:\\dir"}),
    ],
)
def test_python_calls_are_read(text, args):
    read = found(text, NAMES)
    assert read is not None
    assert [(call.name, json.loads(call.args)) for call in read.calls] == [("weather", args)]


def test_several_calls_are_read_in_order():
    two = '<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>\n<tool_call>{"name":"weather"}</tool_call>'
    for text in (
        two,
        "[f(a=1), weather()]",
        '[TOOL_CALLS]f[ARGS]{"a":1}[TOOL_CALLS]weather[ARGS]{}',
        '[TOOL_CALLS] [{"name":"f","arguments":{"a":1}},{"name":"weather","arguments":{}}]',
        '<function=f>{"a":1}</function><function=weather>{}</function>',
        '<|python_tag|>{"name":"f","parameters":{"a":1}}; {"name":"weather","parameters":{}}',
        '```json\n{"name":"f","parameters":{"a":1}}\n```\n```json\n{"name":"weather","parameters":{}}\n```',
        (
            '<|channel|>commentary to=functions.f<|message|>{"a":1}<|call|>\n'
            "<|start|>assistant<|channel|>commentary to=functions.weather<|message|>{}<|call|>"
        ),
    ):
        read = found(text, NAMES)
        assert read is not None, text
        assert [(call.name, call.args) for call in read.calls] == [("f", '{"a":1}'), ("weather", "{}")], text


def test_parameters_in_tags_are_texts():
    text = (
        "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n"
        "<parameter=n>3</parameter>\n</function>\n</tool_call>"
    )
    read = found(text, NAMES)
    assert read is not None
    assert json.loads(read.calls[0].args) == {"city": "Oslo", "n": "3"}


def test_what_the_model_thought_before_stays_text():
    text = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{}"
    read = found(text, NAMES)
    assert read is not None
    assert read.before == "<|channel|>analysis<|message|>hm<|end|>"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The weather is fine.",
        "Use <tool_call> to call a tool.",
        f"<tool_call>```json\n{JSON}\n```",
        "<tool_call>weather</tool_call>",
        '<tool_call>{"name": "unknown", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {}}</tool_call><tool_call>{"name": "no", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {"a": 1</tool_call>',
        '<tool_call>{"name": "f", "arguments": [1]}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {"a": NaN}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {}, "parameters": {}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {}, "why": "because"}</tool_call>',
        '<tool_call>{"name": 3, "arguments": {}}</tool_call>',
        '<tool_call>{"name": "f", "function": {"name": "f"}}</tool_call>',
        '<tool_call>{"arguments": {}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {}}</function_call> and more',
        "<function=f>no JSON</function>",
        "<function=f>",
        "<function=f><parameter=a>1</parameter>",
        "[TOOL_CALLS]",
        "[TOOL_CALLS]f",
        '<|channel|>final<|message|>{"a": 1}',
        "<|channel|>commentary to=functions.f<|message|>3",
        '{"name": "f"}',
        '{"name": "Bob", "age": 3}',
        "[1, 2]",
        "[]",
        "[f(1)]",
        "[f(**{})]",
        "[f(a=g())]",
        "[f(a={1, 2})]",
        "[f(a=1), 2]",
        "[f(a=1e999)]",
        "[f(a=1) for x in y]",
        "f(a=1)",
        "[(f)(a=1)]",
        "[f(a=" + "[" * 600,
        '```python\n{"name": "f", "arguments": {}}\n```',
        '```json\n{"name": "f", "arguments": {}}',
        '```json\n{"city": "Oslo"}\n```',
        'In prose: ```{"name": "f", "arguments": {}}```',
        "\ud800<tool_call>" + '{"name": "f", "arguments": {"a": "\ud800"}}',
    ],
)
def test_all_else_is_text(text):
    assert found(text, NAMES) is None


def test_what_is_too_long_is_text():
    assert found(f'<tool_call>{{"name":"f","arguments":{{"a":"{"x" * MAX_TEXT}"}}}}</tool_call>', NAMES) is None
    assert found("<tool_call>" * 20 + '{"name":"f","arguments":{}}', NAMES) is None
    assert found("<tool_call>" + "[" * 30000, NAMES) is None
    assert found("[f(" + "-" * 7000, NAMES) is None
