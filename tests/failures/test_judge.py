"""Is it a failure at all? The same text is one from one tool and data from another."""

import pytest

from proxy.failures.reading import Failure
from tests.failures.results import failure, reading

TRACE = """Traceback (most recent call last):
  File "/srv/app/shop.py", line 12, in total
    return order["total"]
KeyError: 'total'"""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "/srv/logs/app.log"}),
        ("get_logs", {"service": "shop"}),
        ("run_shell", {"command": "tail -n 4 app.log"}),
        ("run_shell", {"command": "docker logs shop"}),
        ("search_issues", {"q": "KeyError"}),
    ],
)
def test_a_traceback_that_was_asked_for_is_data(tool: str, arguments: dict[str, str]):
    assert reading(TRACE, tool=tool, arguments=arguments) is None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("book_room", {"room": "B"}),
        ("run_shell", {"command": "python shop.py"}),
        ("run_python", {"code": "import shop\nshop.total({})"}),
    ],
)
def test_the_same_traceback_from_a_tool_that_does_something_is_a_failure(tool: str, arguments: dict[str, str]):
    assert isinstance(reading(TRACE, tool=tool, arguments=arguments), Failure)


def test_a_traceback_that_was_caught_and_printed_is_data():
    text = f"skipping bad row:\n{TRACE}\n\nrow 2 ok\n3 rows done\n"
    assert reading(text, tool="run_shell", arguments={"command": "python report.py"}) is None


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ('{"id": "J1", "state": "failed", "error": "OOMKilled", "started": "10:00"}', "get_job"),
        ('{"order": {"id": 1}, "error": null}', "get_order"),
        ('{"sent": 8, "failed": 2, "errors": [{"to": "x", "error": "mailbox full"}]}', "bulk_send"),
        ("Imported 98 of 100 rows. 2 rows failed.", "import_csv"),
        ("Deleted 14 files, 0 failed.", "delete_files"),
        ("[]", "search_orders"),
        ("No orders match your search.", "search_orders"),
        ("未找到相关订单", "search_orders"),
        ("0.02", "error_rate"),
    ],
)
def test_records_part_success_and_empty_answers_are_data(text: str, tool: str):
    assert reading(text, tool=tool, arguments={"id": "J1"}) is None


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Order D1 was cancelled.", "cancel_order"),
        ("Card blocked", "block_card"),
        ("Timeout set to 30 s", "set_timeout"),
        ("订单 D1 已取消", "取消订单"),
        ('{"id": "I1", "status": "rejected"}', "reject_invoice"),
        ('Mail "Error report" sent.', "send_mail"),
    ],
)
def test_what_was_asked_for_is_no_failure_although_its_words_sound_so(text: str, tool: str):
    assert reading(text, tool=tool, arguments={"id": "D1", "subject": "Error report"}) is None


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("grep -rn Timeout src", "[exit code: 1]"),
        ("diff a b", "3c3\n< error: old\n---\n> error: new\n[exit code: 1]"),
        ("git commit -am wip", "nothing to commit, working tree clean\n\n[exit code: 1]"),
        ("systemctl is-active nginx", "failed\n[exit code: 3]"),
    ],
)
def test_an_exit_code_that_only_means_no_is_no_failure(command: str, text: str):
    assert reading(text, tool="run_shell", arguments={"command": command}) is None


def test_an_exit_code_that_means_a_failure_is_one_without_a_word():
    assert failure("[exit code: 137]", tool="run_shell", arguments={"command": "make"}).code == "OUT_OF_MEMORY"
    assert failure("[exit code: 1]", tool="run_shell", arguments={"command": "./deploy.sh"})
    assert failure(
        "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n", tool="run_shell", arguments={"command": "./deploy.sh"}
    )


def test_a_line_that_the_code_prints_itself_is_output():
    assert reading("error: none", tool="run_python", arguments={"code": 'print("error: none")'}) is None
    assert reading("error: none", tool="run_python", arguments={"code": "main()\nexit()"})
