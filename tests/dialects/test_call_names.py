"""Which tool a result belongs to."""

from proxy.dialects.call_names import CallNames
from proxy.model import ToolCall, Turn


def calling(*calls: tuple[str, str]) -> Turn:
    return Turn("assistant", calls=tuple(ToolCall(one, tool, "{}", tool, "{}") for one, tool in calls))


def test_a_call_is_found_among_new_turns_and_among_those_before():
    names = CallNames([calling(("a", "old"), ("b", "older"))])
    names.add(calling(("c", "new")))
    assert [names.get(one) for one in "abcd"] == ["old", "older", "new", ""]


def test_the_latest_call_of_an_id_counts():
    names = CallNames([calling(("a", "first")), calling(("a", "second"), ("a", "third"))])
    assert names.get("a") == "third"
    names.add(calling(("a", "fourth")))
    assert names.get("a") == "fourth"
