import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model import Ask, Note, Reply, Spend, Tool, ToolCall, ToolResult, Turn, Usage, View, replace

FIND, LOOK = Tool("find"), Tool("look.at")
CALL = ToolCall("a", "look.at", "{}", "look.at", "{}")
ASK = Ask("chat_completions", "m", stream=False, turns=(Turn("user", ("Go",)),), tools=(FIND, LOOK))


@pytest.mark.parametrize(("texts", "text"), [((), ""), (("a",), "a"), (("a", "b"), "a\nb")])
def test_the_text_of_a_turn_and_of_a_result(texts: tuple[str, ...], text: str) -> None:
    assert Turn("user", texts).text == text
    assert ToolResult("a", texts).text == text


USAGES = st.builds(Usage, st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.booleans())


@given(USAGES, USAGES)
def test_usage_adds_up(one: Usage, other: Usage) -> None:
    both = one + other
    assert both.total == one.total + other.total
    assert both.cached == one.cached + other.cached
    assert both.estimated is (one.estimated or other.estimated)
    assert both == other + one


@pytest.mark.parametrize(("used", "weight"), [((100, 10, 0), 100 * 3 + 10 * 5), ((100, 10, 40), 60 * 3 + 40 + 10 * 5)])
def test_a_spend_weighs_what_was_used(used: tuple[int, int, int], weight: int) -> None:
    assert Spend("k", 0, 3.0, 5.0, 1.0).weigh(*used) == weight


def test_notes_are_added() -> None:
    one, two = Note("a", "rewrote"), Note("b", "found")
    assert ASK.noting(one).noting(two).notes == (one, two)
    assert Reply(()).noting(one, two).notes == (one, two)


def test_tools_are_found_by_name() -> None:
    assert ASK.tool("find") is FIND
    assert ASK.tool("nothing") is None


def test_an_ask_without_a_view_is_presented_as_it_is() -> None:
    assert ASK.presented() is ASK
    assert ASK.meant("find") == ASK.upstream("find") == "find"


def test_a_view_is_what_the_model_sees() -> None:
    view = View((FIND, Tool("look_at")), {"look.at": "look_at"})
    ask = replace(ASK, view=view, tool_choice="=look.at", turns=(*ASK.turns, Turn("assistant", calls=(CALL, CALL))))
    seen = ask.presented()
    assert seen.tools == view.tools
    assert seen.tool_choice == "=look_at"
    assert [call.tool for call in seen.turns[1].calls] == ["look_at", "look_at"]
    assert seen.turns[0] is ask.turns[0]
    assert (ask.meant("look_at"), ask.upstream("look.at"), ask.meant("find")) == ("look.at", "look_at", "find")
    plain = replace(ASK, view=replace(view, names={"other": "another"}), tool_choice="=find").presented()
    assert plain.turns is ASK.turns, "what is not renamed leaves as it came"
    assert plain.tool_choice == "=find"


@pytest.mark.parametrize(("ask", "concerns"), [
    (ASK, True), (replace(ASK, tools=()), False),
    (replace(ASK, tools=(), turns=(Turn("assistant", calls=(CALL,)),)), True),
    (replace(ASK, tools=(), turns=(Turn("tool", results=(ToolResult("a", ("x",)),)),)), True),
])  # fmt: skip
def test_what_concerns_tools(ask: Ask, concerns: bool) -> None:  # noqa: FBT001
    assert ask.concerns_tools is concerns


def test_the_history_begins_with_what_is_not_on_the_wire() -> None:
    assert ASK.history is ASK.turns
    earlier = (Turn("assistant", calls=(CALL,)),)
    assert replace(ASK, earlier=earlier).history == (*earlier, *ASK.turns)


def test_results_are_told_with_their_turns() -> None:
    results = (ToolResult("a", ("x",)), ToolResult("b", ("y",)))
    turn = Turn("tool", results=results)
    assert list(replace(ASK, turns=(*ASK.turns, turn)).results()) == [(turn, results[0]), (turn, results[1])]


def test_the_calls_of_a_reply_are_those_of_all_choices() -> None:
    other = replace(CALL, id="b")
    assert Reply((Turn("assistant", calls=(CALL,)), Turn("assistant", calls=(other,)))).calls == (CALL, other)


@given(st.sampled_from(["name", "description", "kind"]))
def test_values_are_frozen(field: str) -> None:
    with pytest.raises(AttributeError):
        setattr(FIND, field, "other")
