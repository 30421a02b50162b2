"""Wrappers of agents and protocols come off; what has to stay around the new text stays."""

import json

import pytest

from proxy.failures.reading import Known, Wrapper
from tests.failures.results import failure, reading

INNER = "ls: cannot access '/x': No such file or directory"
LS = {"command": "ls /x"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "\n\n<system-reminder>Be brief.</system-reminder>"),
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\n", ""),
        ("Chunk ID: 5f\nWall time: 0.0512 seconds\nProcess exited with code 2\nOutput:\n", ""),
        ("<returncode>2</returncode>\n<output>\n", "\n</output>"),
        ("Call id: call_1\n", ""),
    ],
)
def test_what_belongs_to_the_agent_stays_around_the_new_text(before: str, after: str):
    found = failure(f"{before}{INNER}{after}", tool="run_shell", arguments=LS)
    assert found.code == "FILE_NOT_FOUND"
    assert found.message == INNER
    assert found.wrapper.put("NEW").strip() == f"{before}NEW{after}".strip()


@pytest.mark.parametrize(
    "text",
    [
        "<tool_use_error>Order D9 not found</tool_use_error>",
        "Error executing tool get_order: Order D9 not found",
        "Error: ToolException('Order D9 not found')\n Please fix your mistakes.",
        "An error occurred while running the tool. Please try again. Error: Order D9 not found",
        '{"isError": true, "content": [{"type": "text", "text": "Order D9 not found"}]}',
        '[{"type": "text", "text": "Error: Order D9 not found"}]',
        '{"error": "Order D9 not found"}',
        '{"status": "error", "error": {"message": "Order D9 not found"}}',
        "{'error': 'Order D9 not found'}",
        "status: error\nmessage: Order D9 not found",
        "工具执行失败：Order D9 not found",
        'GET /orders/D9 returned 404: {"error": "Order D9 not found"}',
    ],
)
def test_the_wrapper_of_a_framework_comes_off(text: str):
    found = failure(text, tool="get_order", arguments={"id": "D9"})
    assert found.type == "not_found"
    assert "Order D9 not found" in found.message
    assert "Please" not in found.message


def test_a_wrapper_that_hides_the_cause_says_what_was_wrong_with_the_call():
    text = "An error occurred while running the tool. Please try again."
    hidden = failure(text, tool="get_order", arguments={"id": 5})
    known = failure(
        text, tool="get_order", arguments={"id": 5}, known=Known(call_problems=("id: expected a string, got 5",))
    )
    assert hidden.code == "UNKNOWN_ERROR"
    assert known.code == "INVALID_ARGUMENTS"
    assert known.retry == "with_changes"
    assert "id: expected a string, got 5" in known.facts


@pytest.mark.parametrize("text", ["<system-reminder>Be brief.</system-reminder>", "Wall time: 0.1 seconds\nOutput:\n"])
def test_wrappers_around_nothing_are_data(text: str):
    assert reading(text, tool="run_shell", arguments=LS) is None


def test_json_wrappers_escape_what_is_put_into_them():
    put = Wrapper('{"text":"', '"}', json=True).put('say "no"\n')
    assert json.loads(put) == {"text": 'say "no"\n'}


@pytest.mark.parametrize("blanks", [1, 400, 20_000])
def test_an_exit_line_is_the_last_line_that_says_something(blanks: int):
    found = failure(f"{INNER}\n[exit code: 2]" + "\n" * blanks, tool="run_shell", arguments=LS)
    assert (found.code, found.message) == ("FILE_NOT_FOUND", INNER)


def test_an_exit_code_inside_a_line_is_no_exit_line():
    text = "the job is told " + "very " * 40 + "often: exit code 1"
    assert reading(text, tool="read_file", arguments={"path": "a.log"}) is None
