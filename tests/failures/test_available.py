"""What is there instead: out of the error's own words first, then the schema, earlier results, the catalogue."""

from proxy.failures.reading import Earlier, Known
from tests.failures.results import failure, told

RAW = """Traceback (most recent call last):
  File "/srv/app/tools/orders.py", line 41, in run
    cursor.execute(sql)
  File "/srv/app/.venv/lib/python3.12/site-packages/psycopg/cursor.py", line 97, in execute
    raise ex.with_traceback(None)
psycopg.errors.UndefinedColumn: column "totl" does not exist
LINE 1: SELECT totl FROM orders
               ^"""
CATALOGUE = {"orders": ("id", "status", "total"), "users": ("id", "email")}
SQL = {"sql": "SELECT totl FROM orders"}
STATE = {"type": "object", "properties": {"state": {"type": "string", "enum": ["open", "closed"]}}}


def test_a_raw_traceback_of_psycopg_lists_the_columns_of_the_table_that_was_asked():
    found = told(failure(RAW, tool="query_orders", arguments=SQL, known=Known(columns=CATALOGUE)))
    assert found["code"] == "UNKNOWN_COLUMN"
    assert found["available_columns"] == ["id", "status", "total"]
    assert found["did_you_mean"] == ["total"]
    assert "/srv/app" not in str(found)


def test_earlier_results_come_before_the_catalogue():
    known = Known(columns=CATALOGUE, earlier=Earlier(columns={"orders": ("id", "total_eur")}))
    found = failure(RAW, tool="query_orders", arguments=SQL, known=known)
    assert found.available["columns"] == ("id", "total_eur")


def test_the_errors_own_list_comes_before_all():
    text = 'unable to find column "price"; valid columns: ["id", "total", "prices"]'
    found = failure(text, tool="select", arguments={"column": "price"}, known=Known(columns=CATALOGUE))
    assert found.available["columns"] == ("id", "total", "prices")
    assert found.available["near"] == ("prices",)


def test_a_list_of_pandas_names_the_columns_that_rows_had_before():
    known = Known(earlier=Earlier(keys=("id", "total")))
    arguments = {"columns": ["price"]}
    for text in (
        "KeyError: \"['price'] not in index\"",
        "\"None of [Index(['price'], dtype='object')] are in the [columns]\"",
    ):
        found = failure(text, tool="pick", arguments=arguments, known=known)
        assert found.code == "UNKNOWN_COLUMN"
        assert found.available["columns"] == ("id", "total")
        assert "price" not in found.available.get("values", ())


def test_nothing_is_invented_where_nothing_is_known():
    found = failure(RAW, tool="query_orders", arguments=SQL)
    assert "columns" not in found.available


def test_two_tables_that_the_call_does_not_name_are_not_guessed_from():
    found = failure(
        RAW, tool="query", arguments={"sql": "SELECT totl FROM x"}, known=Known(columns={"a": ("b",), "c": ()})
    )
    assert "columns" not in found.available


def test_an_enum_of_the_schema_lists_the_allowed_values():
    known = Known(schema=STATE)
    found = failure("invalid state: 'opened'", tool="set_state", arguments={"state": "opened"}, known=known)
    assert found.available["values"] == ("open", "closed")
    assert found.action.argument == "state"
    assert found.action.value == "open"


def test_an_unknown_tool_lists_the_offered_ones():
    known = Known(tools=("get_order", "cancel_order"))
    found = failure("Unknown tool: get_ordr", tool="get_ordr", known=known)
    assert found.available["tools"] == ("get_order", "cancel_order")
    assert found.action.kind == "use_tool"
    assert found.action.tool == "get_order"


def test_an_unknown_table_lists_the_tables():
    found = failure(
        "no such table: ordrs", tool="query", arguments={"sql": "SELECT * FROM ordrs"}, known=Known(columns=CATALOGUE)
    )
    assert found.available["tables"] == ("orders", "users")
    assert found.available["near"] == ("orders",)


def test_alternatives_of_a_refusal_stay_its_alternatives():
    text = '{"error": "Room B is already booked", "available_rooms": ["C", "D"]}'
    found = told(failure(text, tool="book_room", arguments={"room": "B"}))
    assert found["alternatives"] == ["C", "D"]
    assert found["suggested_action"].endswith("alternatives.")
