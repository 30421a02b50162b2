"""The pack's own word about a tool's results comes before everything that is read."""

import pytest

from proxy.failures.reading import Declared, EmptyRows, ErrorForm, Known
from tests.failures.results import failure, reading

ROWS = Known(declared=Declared(returns="rows"))


def test_a_pointer_that_holds_something_is_a_failure_of_the_declared_code_and_type():
    known = Known(
        declared=Declared(errors=(ErrorForm(pointer="/fehler/text", code="SOLD_OUT_X", type="business_rejection"),))
    )
    found = failure('{"fehler": {"text": "ausverkauft"}}', known=known)
    assert (found.code, found.type) == ("SOLD_OUT_X", "business_rejection")
    assert "ausverkauft" in found.message


@pytest.mark.parametrize("value", ["null", "false", '""', "[]", "{}", "0"])
def test_a_pointer_that_holds_nothing_is_none(value: str):
    known = Known(declared=Declared(errors=(ErrorForm(pointer="/fehler"),)))
    assert reading(f'{{"fehler": {value}, "summe": 4}}', known=known) is None


def test_pointers_reach_into_lists_and_keys_with_slashes():
    known = Known(declared=Declared(errors=(ErrorForm(pointer="/a~1b/0/x~0y"),)))
    assert failure('{"a/b": [{"x~y": "broken"}]}', known=known)
    assert reading('{"a/b": []}', known=known) is None


def test_a_pattern_is_a_failure_where_nobody_would_guess_it():
    known = Known(declared=Declared(errors=(ErrorForm(pattern=r"^NAK \d"),)))
    assert failure("NAK 7", known=known)
    assert reading("ACK 7", known=known) is None
    assert reading("NAK 7") is None


def test_a_pattern_that_cannot_be_compiled_matches_nothing():
    assert reading("fine", known=Known(declared=Declared(errors=(ErrorForm(pattern="("),)))) is None


def test_a_permanent_code_is_not_to_be_repeated():
    text = '{"error": {"code": "E77", "message": "Service unavailable"}}'
    assert failure(text).retry == "as_is"
    assert failure(text, known=Known(declared=Declared(permanent=frozenset({"E77"})))).retry == "no"


def test_a_tool_without_errors_has_none():
    known = Known(declared=Declared(is_error="never"))
    assert reading("Traceback (most recent call last):\nKeyError: 'x'", known=known, is_error=True) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", "None", '{"rows": []}', '{"data": [], "total": 0}', "(0 rows)"]
)
def test_no_rows_of_a_tool_that_returns_rows_is_an_empty_answer(text: str):
    assert isinstance(reading(text, known=ROWS), EmptyRows)
    assert reading(text) is None


@pytest.mark.parametrize("text", ['[{"id": 1}]', '{"rows": [], "error": "no such table: x"}', '{"count": 0}'])
def test_rows_or_an_error_are_no_empty_answer(text: str):
    assert not isinstance(reading(text, known=ROWS), EmptyRows)
