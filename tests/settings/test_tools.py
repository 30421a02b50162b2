"""Facts about tools: every short form and its long form, and what can't be true."""

import pytest
from pydantic import ValidationError

from proxy.settings.tools import ErrorForm, IdempotencyKey, Instead, ParameterFacts, Polling, ToolFacts


def facts(**data):
    return ToolFacts.model_validate(data)


def test_short_forms_are_their_long_forms():
    assert facts(idempotency_key="idem").idempotency_key == IdempotencyKey(argument="idem", form="run")
    assert facts(polling=True).polling == Polling()
    assert facts(polling={"repeats": 50}).polling == Polling(repeats=50)
    assert facts(instead="other").instead == Instead(tool="other")
    assert facts(instead={"tool": "o", "arguments": {"a": "b"}}).instead == Instead(tool="o", arguments={"a": "b"})


def test_polling_false_is_no_polling():
    assert facts(polling=False).polling is None


def test_codes_may_be_numbers_or_words():
    assert facts(permanent=[404, "NO_STOCK"]).permanent == ("404", "NO_STOCK")


def test_examples_of_either_form_come_together():
    both = ParameterFacts.model_validate({"example": "2026-05-01", "examples": ["2026-06-01"]})
    assert both.all_examples == ("2026-05-01", "2026-06-01")
    assert ParameterFacts().all_examples == ()


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ({}, "unavailable"),
        ({"instead": "x"}, "instead"),
        ({"instead": "x", "when_open": "cached"}, "cached"),
        ({"when_open": "unavailable", "instead": "x"}, "unavailable"),
    ],
)
def test_what_an_open_breaker_answers(data, answer):
    assert facts(**data).open_answer == answer


@pytest.mark.parametrize(
    "data",
    [
        {"when_open": "instead"},
        {"instead": 3},
        {"instead": {"arguments": {}}},
        {"polling": "yes"},
        {"polling": {"repeats": 0}},
        {"side_effect": "yes"},
        {"idempotency_key": ""},
        {"idempotency_key": {"argument": "k", "form": "thread"}},
        {"permanent": [True]},
        {"permanent": "NO_STOCK"},
        {"errors": [{}]},
        {"errors": [{"pointer": "/e", "pattern": "e"}]},
        {"errors": [{"pointer": "e"}]},
        {"errors": [{"pattern": "e", "type": "oops"}]},
        {"returns": "row"},
        {"bytes": 0},
        {"parameters": {"p": {"min": 3, "max": 2}}},
    ],
)
def test_what_cannot_be_true_is_refused(data):
    with pytest.raises(ValidationError):
        facts(**data)


def test_an_error_form_may_point_to_the_whole_result():
    assert ErrorForm(pointer="").pointer == ""
