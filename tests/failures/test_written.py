"""The structured error: its fields and their order, its languages, its advice."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.failures.codes import ALL
from proxy.failures.reading import Action, Failure, Language
from proxy.failures.written import structured
from tests.failures.results import failure

LIMIT = failure("Error: rate limit exceeded, retry after 12 seconds", tool="book")
DECLINED = failure("Your card was declined", tool="charge", arguments={"amount": 5})


def test_the_fields_have_a_fixed_order_and_the_runs_own_numbers_are_last():
    found = json.loads(structured(LIMIT, attempts=2, elapsed_s=1.23456))
    assert list(found) == [
        "status",
        "code",
        "type",
        "message",
        "retryable",
        "retry",
        "suggested_action",
        "attempts",
        "elapsed_s",
    ]
    assert found["elapsed_s"] == 1.235


def test_without_numbers_the_same_failure_has_the_same_bytes():
    assert structured(LIMIT) == structured(LIMIT)
    assert structured(LIMIT, attempts=1).startswith(structured(LIMIT)[:-1])


def test_a_wait_that_the_service_names_is_told():
    assert LIMIT.action == Action("wait", wait_s=12.0)
    assert "12 s" in structured(LIMIT)
    assert "12 秒" in structured(LIMIT, lang="zh")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_second_time_of_a_permanent_failure_ends_in_asking_a_human(lang: Language):
    once, twice = (json.loads(structured(DECLINED, lang=lang, repeated=count)) for count in (1, 2))
    assert once["suggested_action"] != twice["suggested_action"]
    assert ("human" in twice["suggested_action"]) or ("人工" in twice["suggested_action"])
    assert once["retryable"] is False


def test_a_failure_that_may_pass_is_not_ended_by_coming_again():
    assert structured(LIMIT, repeated=5) == structured(LIMIT)


def test_a_message_in_another_language_is_led_by_the_codes_own_sentence():
    found = failure("余额不足，请稍后重试", tool="charge", arguments={"amount": 5})
    english, chinese = (json.loads(structured(found, lang=lang))["message"] for lang in ("en", "zh"))
    assert english == f"There is not enough money or credit: {found.message}"
    assert chinese == f"余额或额度不足：{found.message}"


def test_the_text_is_compact_and_keeps_its_letters():
    found = failure("余额不足", tool="charge", arguments={"amount": 5})
    assert "余额不足" in structured(found)
    assert ": " not in structured(found, lang="zh").replace(found.message, "")


@given(
    code=st.sampled_from([code.name for code in ALL]),
    message=st.text(max_size=200),
    names=st.lists(st.text(max_size=20), max_size=5),
    facts=st.lists(st.text(max_size=50), max_size=3),
    lang=st.sampled_from(["en", "zh"]),
)
def test_every_failure_can_be_written_and_read_again(code, message, names, facts, lang):
    made = Failure(code, "bug", message, "no", Action("stop"), available={"columns": tuple(names)}, facts=tuple(facts))
    found = json.loads(structured(made, attempts=1, elapsed_s=0.0, lang=lang))
    assert found["message"].endswith(message)
    assert found["available_columns"] == names
    assert found.get("details", []) == facts
