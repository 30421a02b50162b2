"""Laws that hold for any text, whatever it is made of."""

import json

from hypothesis import given
from hypothesis import strategies as st

from proxy.failures.reading import Failure, Wrapper
from proxy.failures.written import structured
from tests.failures.results import reading
from tests.failures.test_messages import CASES

PIECES = [
    "Traceback (most recent call last):\n",
    '  File "a.py", line 1, in f\n',
    "KeyError: 'x'\n",
    "Error: ",
    "error",
    '{"error": ',
    '"}',
    "}",
    "[",
    "\x1b[31m",
    "\n\n",
    "    at f (a.js:1:2)\n",
    "Caused by: ",
    "1 validation error for X\n",
    "失败：",
    "<tool_use_error>",
    "</tool_use_error>",
    "Exit code: 1\n",
    "'",
    '"',
    ": ",
    "\\",
    "| ",
    "╭",
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=40).map("".join)
TOOLS = st.sampled_from(["run_shell", "read_file", "book_room", "get_order", "run_python", "查询", ""])
ARGUMENTS = st.sampled_from(
    [{}, {"command": "ls 'x"}, {"code": "print(1)\n"}, {"path": "/x"}, "no object", "{", {"id": [1, {"a": None}]}]
)


@given(TEXTS, TOOLS, ARGUMENTS, st.sampled_from([None, True, False]))
def test_any_text_is_read_the_same_way_twice_and_written_as_json(text, tool, arguments, is_error):
    found = reading(text, tool=tool, arguments=arguments, is_error=is_error)
    assert reading(text, tool=tool, arguments=arguments, is_error=is_error) == found
    if isinstance(found, Failure):
        assert json.loads(structured(found, attempts=1, elapsed_s=0.1))["status"] == "error"
        assert "\x1b" not in found.message


@given(
    st.lists(st.dictionaries(st.sampled_from(["id", "name", "total", "city"]), st.integers() | st.text(), min_size=1))
)
def test_rows_are_data(rows):
    assert reading(json.dumps(rows), tool="search_orders") is None


@given(st.floats() | st.integers() | st.booleans() | st.none())
def test_a_bare_value_is_data(value):
    assert reading(json.dumps(value), tool="calculate") is None


@given(st.sampled_from([case for case in CASES if case["type"]]), st.text(alphabet="abc xyz.\n", max_size=60))
def test_a_reminder_of_the_agent_changes_no_reading(case, note):
    plain = reading(case["content"], tool=case["tool"], arguments=case["arguments"])
    tail = f"\n\n<system-reminder>{note}</system-reminder>"
    noted = reading(case["content"] + tail, tool=case["tool"], arguments=case["arguments"])
    assert isinstance(plain, Failure)
    assert isinstance(noted, Failure)
    assert noted.code == plain.code
    assert noted.wrapper.put("x").endswith(tail)


@given(st.text(), st.text(), st.text())
def test_a_wrapper_gives_back_what_stood_around(before, after, inner):
    assert Wrapper(before, after).put(inner) == before + inner + after
    assert json.loads(f'"{Wrapper(json=True).put(inner)}"') == inner
