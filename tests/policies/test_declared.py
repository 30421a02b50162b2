import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.failures.reading import Declared, ErrorForm
from proxy.model import Ask, Tool, ToolCall
from proxy.policies.declared import form, results_of, schema_of
from proxy.settings import parse_pack

SCHEMA = b'{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","default":1}}}'


def ask(schema: bytes = SCHEMA) -> Ask:
    return Ask("chat_completions", "m", stream=False, turns=(), tools=(Tool("find", schema=schema),))


def call(args: str, tool: str = "find") -> ToolCall:
    return ToolCall("c1", tool, args, tool, args)


def test_the_schema_of_a_tool_is_what_was_offered() -> None:
    schema = schema_of(ask(), "find")
    assert schema is not None
    assert set(schema["properties"]) == {"q", "n"}
    assert schema_of(ask(), "look") is None


@pytest.mark.parametrize("schema", [b"", b"not JSON", b"[]", b"true"])
def test_a_schema_that_cannot_be_used_is_none(schema: bytes) -> None:
    assert schema_of(ask(schema), "find") is None


@pytest.mark.parametrize("args", ['{"n":1,"q":"x"}', '{"q":"x"}', '{ "q": "\\u0078", "n": 1.0 }'])
def test_calls_that_do_the_same_have_one_form(args: str) -> None:
    assert form(call(args), ask()) == form(call('{"q":"x","n":1}'), ask())


def test_without_a_schema_there_are_no_defaults() -> None:
    assert form(call('{"q":"x"}', "other"), ask()) != form(call('{"q":"x","n":1}', "other"), ask())
    assert form(call('{"q":"x"}'), ask(b"")) != form(call('{"q":"x","n":1}'), ask(b""))


@given(st.text(max_size=50))
def test_every_text_has_a_form(args: str) -> None:
    assert form(call(args), ask()) == form(call(args), ask())


def test_what_the_pack_says_about_results() -> None:
    pack = parse_pack(
        "tools:\n  find:\n    returns: rows\n    permanent: [404, NO_MATCH]\n    errors:\n"
        "      - {pointer: /fault, code: FAULT, type: bug}\n      - {pattern: ^NAK}\n"
    )
    forms = (ErrorForm("/fault", "", "FAULT", "bug"), ErrorForm("", "^NAK"))
    assert results_of(pack, "find") == Declared(forms, frozenset({"404", "NO_MATCH"}), "rows")
    assert results_of(pack, "other") == Declared()
