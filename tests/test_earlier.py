import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.earlier import earlier
from proxy.failures.reading import Earlier
from proxy.model import ToolCall, ToolResult, Turn


def seen(*results: Any, args: str = "{}", begin: int = 0) -> Earlier:
    """What results, given as data or as text, tell."""
    turns = [Turn("user", ("Go.",))]
    for n, value in enumerate(results):
        text = value if isinstance(value, str) else json.dumps(value)
        call = ToolCall(f"c{n}", "look", args, "look", args)
        turns += [Turn("assistant", calls=(call,)), Turn("tool", results=(ToolResult(f"c{n}", (text,), "look"),))]
    return earlier(turns, begin)


COLUMNS = [{"column_name": "id", "data_type": "int"}, {"column_name": "city", "data_type": "text"}]


@pytest.mark.parametrize("value", [
    COLUMNS, {"columns": COLUMNS}, {"columns": ["id", "city"]}, {"fields": ["id", "city"]},
    {"schema": {"id": "int", "city": "text"}}, [{"name": "id", "type": "int"}, {"name": "city", "type": "text"}],
])  # fmt: skip
def test_a_description_of_a_table_tells_its_columns(value: Any) -> None:
    assert seen(value, args='{"table": "orders"}').columns == {"orders": ("id", "city")}


def test_the_table_is_named_by_the_call_or_by_the_result() -> None:
    assert seen({"table": "orders", "columns": ["id"]}).columns == {"orders": ("id",)}
    assert seen({"columns": ["id"]}, args='{"relation": "bills"}').columns == {"bills": ("id",)}
    assert seen({"columns": ["id"]}, args="not JSON").columns == {"": ("id",)}
    assert seen({"columns": ["id"]}, args="[1]").columns == {"": ("id",)}


def test_rows_tell_their_keys_and_values() -> None:
    rows = [{"id": 1, "state": "paid"}, {"id": 2, "state": "open", "city": "Oslo"}]
    for value in (rows, {"rows": rows, "total": 2}, {"a": [], "items": rows}):
        told = seen(value)
        assert told.keys == ("id", "state", "city")
        assert told.values == {"state": ("paid", "open"), "city": ("Oslo",)}


def test_several_results_are_put_together() -> None:
    told = seen([{"state": "paid"}], [{"state": "open", "city": "Rome"}], COLUMNS)
    assert told.values == {
        "state": ("paid", "open"),
        "city": ("Rome",),
        "column_name": ("id", "city"),
        "data_type": ("int", "text"),
    }
    assert seen([{"state": "paid"}], [{"state": "open"}], begin=3).values == {"state": ("open",)}


@pytest.mark.parametrize("value", [
    "found 3", "", "[1, 2", [1, 2], {"a": 1}, {"status": "error", "columns": ["id"]}, [], {"columns": []},
    {"columns": [1]}, '[{"id": "' + "x" * 70_000 + '"}]',
])  # fmt: skip
def test_what_tells_nothing(value: Any) -> None:
    told = seen(value)
    assert told.columns == {}
    assert told.values == {}


def test_it_is_bounded() -> None:
    told = seen(
        [{f"k{n}": "x" for n in range(200)}],
        [{"v": str(n)} for n in range(200)],
        {"columns": [f"c{n}" for n in range(200)]},
    )
    assert len(told.keys) == 60
    assert len(told.values["v"]) == 20
    assert len(told.columns[""]) == 60


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["columns", "name", "type", "table", "x"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(JSON | st.text(), max_size=4), st.text(max_size=20))
def test_any_result_is_looked_at_without_harm(values: list[Any], args: str) -> None:
    told = seen(*values, args=args)
    assert all(isinstance(name, str) for names in told.columns.values() for name in names)
    assert told == seen(*values, args=args)
