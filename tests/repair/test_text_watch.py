"""What waits on a stream: everything that may be a call in the end, and next to nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.text_calls import MAX_TEXT, found
from proxy.repair.text_watch import Watch
from tests.repair.test_text_calls import FORMS, NAMES


def left(text, size=1, names=NAMES):
    """How much of a text has left when it ends, and how much had left after each piece."""
    watch, gone, history = Watch(names), 0, []
    for at in range(0, len(text), size):
        piece = text[at : at + size]
        if not watch.waits(piece):
            gone = at + len(piece)
        history.append(gone)
    return gone, history


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("before", ["", " \n", "Let me look.\n\n", "a < b [1] `c` {d}\n"])
def test_nothing_of_a_call_leaves(text, size, before):
    read = found(before + text, NAMES)
    if read is not None:
        assert left(before + text, size)[0] <= len(read.before)


@pytest.mark.parametrize(
    "text",
    [
        "[f(a=1), weather(city='x)')]",
        "<|python_start|>[weather(n=-3)]<|python_end|>",
        '[TOOL_CALLS]f[ARGS]{"a":1}[TOOL_CALLS]weather[ARGS]{}',
        '```json\n{"name":"f","parameters":{"a":"}"}}\n```\n```json\n{"name":"weather","parameters":{}}\n```',
        '<tool_call>{"na\\u006de":"\\u0066","arguments":{}}</tool_call>',
        '<tool_call>{"type":null,"name":"f"}</tool_call>',
        '<tool_call>{"name":"f","arguments":{"a":"\\\\\\""}} </tool_call> <|im_end|>',
        '{"id":"' + "x" * 900 + '","name":"f","arguments":{}}',
        "<function=f>\n<parameter=a>\n}{\n</parameter>\n</function>",
    ],
)
@pytest.mark.parametrize("size", [1, 5])
def test_nothing_leaves_of_the_odder_ones(text, size):
    assert found(text, NAMES) is not None
    assert left(text, size)[0] == 0


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("Plain text, 1 < 2, [a](b) and {c} and `d`.", 1),
        ("<b>bold</b> <table><tr><td>1</td></tr></table>", 2),
        ('{"answer": {"name": "f"}}', len('{"a')),
        ('{"name": "Bob", "age": 3}', len('{"name": "B')),
        ("[1, 2, 3]", 1),
        ("[note]: see", 1),
        ("```python\nprint(1)\n```\nbye", len("\n```\n")),
        ('```json\n{"city": "Oslo"}\n```\nbye', len('```json\n{"c')),
        ("<tool_call> is how it is written", len("<tool_call> ")),
        ("<|channel|>final<|message|>Hello", len("<|channel|>final<|message|>")),
        ("Say [TOOL_CALLS] twice", len("[TOOL_CALLS] ")),
    ],
)
def test_other_text_waits_only_until_it_shows(text, longest):
    gone, history = left(text)
    assert gone == len(text)
    assert max(at + 1 - gone for at, gone in enumerate(history)) <= longest


@pytest.mark.parametrize("form", ["tag", "function tag that is not closed", "fence", "bare", "python tag"])
def test_prose_behind_a_call_lets_it_go(form):
    text = FORMS[form] + ("</function>" if "function" in form else "")
    gone, history = left(text + " is how it is called.")
    assert history[len(text) - 1] == 0
    assert gone == len(text + " is how it is called.") or form.startswith("function")


def test_what_is_too_long_to_be_a_call_leaves():
    text = '<tool_call>{"name":"f","arguments":{"a":"' + "x" * MAX_TEXT
    assert left(text, 1000)[0] == len(text)
    assert left(text[: MAX_TEXT - 1], 1000)[0] == 0


WORDS = """<tool_call> </tool_call> <function= f> { } "name" : "f" , "arguments" {} [ ] ```json ``` text f( a=1 )
    [TOOL_CALLS] [ARGS] f <|channel|> <|message|> commentary <|start|>assistant <|python_tag|> ; </s> \\ '"""
PIECES = st.sampled_from([*WORDS.split(), "\n", " ", " to=functions.f", *FORMS.values()])


@given(st.lists(PIECES, max_size=12), st.integers(1, 9))
def test_whatever_is_found_in_the_end_has_waited(pieces, size):
    text = "".join(pieces)
    read = found(text, {"f", "weather"})
    if read is not None:
        assert left(text, size, {"f", "weather"})[0] <= len(read.before)
