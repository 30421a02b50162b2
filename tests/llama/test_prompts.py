from typing import Any

from tests.llama.prompts import prompt, signature


def test_a_tool_is_shown_as_a_type():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["integer", "null"], "minimum": 1, "description": "how many"},
            "b": {"type": "array", "items": {"enum": ["x", "y"]}},
            "c": {"anyOf": [{"type": "object", "properties": {"d": {"type": "string"}}, "required": ["d"]}]},
        },
        "required": ["a"],
    }
    shown = "type f = {a: integer | null /* minimum: 1, how many */, b?: ('x' | 'y')[], c?: {d: string}} // Does it."
    assert signature({"name": "f", "description": "Does it.", "parameters": schema}) == shown


def test_a_conversation_ends_with_an_opened_call():
    call = {"function": {"name": "f", "arguments": '{"a": 1}'}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "do it"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "no"},
    ]
    shown = prompt({"name": "f", "parameters": {}}, messages)
    assert shown.endswith(
        "<|im_start|>user\ndo it<|im_end|>\n"
        '<|im_start|>assistant\n<tool_call>\n{"a": 1}\n</tool_call><|im_end|>\n'
        "<|im_start|>user\nno\ntype f = any<|im_end|>\n"
        "<|im_start|>assistant\n<tool_call>\n"
    )
