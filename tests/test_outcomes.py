import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.failures.reading import Declared, ErrorForm
from proxy.model import ToolCall, ToolResult
from proxy.outcomes import UNSURE, Failed, Outcome, failure, outcome, structured

PAY = ToolCall("a", "pay", '{"to":"lee"}', "pay", '{"to":"lee"}')
OWN = '{"status":"error","code":"OUT_OF_STOCK","type":"conflict","suggested_action":"Ask."}'


def result(text: str, *, is_error: bool | None = None) -> ToolResult:
    return ToolResult("a", (text,), "pay", is_error)


@pytest.mark.parametrize(("text", "came"), [
    ("paid, receipt 77", Outcome.OK),
    ("[]", Outcome.OK),
    ("", Outcome.OK),
    ("Error: 400 invalid recipient", Outcome.FAILED),
    ("Error: insufficient funds", Outcome.FAILED),
    ("Error: the request timed out after 30 s", Outcome.UNKNOWN),
    ("Error: connection reset by peer", Outcome.UNKNOWN),
    ("Error: 503 Service Unavailable", Outcome.UNKNOWN),
])  # fmt: skip
def test_what_came_of_a_call(text: str, came: Outcome) -> None:
    assert outcome(PAY, result(text)) is came


def test_the_apis_own_flag_counts() -> None:
    assert outcome(PAY, result("no", is_error=True)) is Outcome.FAILED
    assert outcome(PAY, result("paid", is_error=False)) is Outcome.OK


def test_an_error_that_is_structured_already_is_taken_at_its_word() -> None:
    assert failure(PAY, result(OWN)) == Failed("conflict", "OUT_OF_STOCK")
    assert outcome(PAY, result(OWN.replace("conflict", "timeout"))) is Outcome.UNKNOWN
    assert structured('{"status":"error","suggested_action":"x"}') == Failed("bug", "UNKNOWN_ERROR")


@pytest.mark.parametrize("text", ["", "{}", '{"status":"error"}', '{"status":"error"', '{"status":"ok"}', "[1]"])
def test_what_is_not_structured(text: str) -> None:
    assert structured(text) is None


def test_the_pack_says_what_a_failure_looks_like() -> None:
    declared = Declared((ErrorForm("", "^NAK", "FAX_REFUSED", "timeout"),))
    assert outcome(PAY, result("NAK 7")) is Outcome.OK
    assert failure(PAY, result("NAK 7"), declared) == Failed("timeout", "FAX_REFUSED")
    assert outcome(PAY, result("NAK 7"), declared) is Outcome.UNKNOWN


def test_several_texts_are_read_together() -> None:
    assert outcome(PAY, ToolResult("a", ("Error: 400 invalid", "recipient"), "pay")) is Outcome.FAILED


@given(st.text(max_size=200) | st.text(max_size=20).map(lambda text: text * 400))
def test_any_text_has_one_outcome(text: str) -> None:
    failed = failure(PAY, result(text))
    assert failed == failure(PAY, result(text))
    expected = Outcome.OK if failed is None else Outcome.UNKNOWN if failed.type in UNSURE else Outcome.FAILED
    assert outcome(PAY, result(text)) is expected
