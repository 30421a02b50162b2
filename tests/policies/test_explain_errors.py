import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apis import APIS, Api, Call, Results, Said, User
from tests.apis import Tool as ApiTool
from tests.conversation import Conversation, contents, messages
from tests.playbook import Answer, World, chat, tool

QUERY = tool("query", {"sql": {"type": "string"}, "limit": {"type": "integer"}}, ["sql"])
BASH = tool("bash", {"command": {"type": "string"}}, ["command"])
TABLE = tool("describe_table", {"table": {"type": "string"}})
PACK = "policies:\n  explain_errors: {}\n"
UNDEFINED = """Traceback (most recent call last):
  File "/srv/app/tools.py", line 41, in query
    cursor.execute(sql)
  File "/usr/lib/python3/dist-packages/psycopg/cursor.py", line 97, in execute
    raise ex.with_traceback(None)
psycopg.errors.UndefinedColumn: column "custmer" does not exist
LINE 1: SELECT custmer FROM orders
               ^"""
SQL = {"sql": "SELECT custmer FROM orders"}


def talk(*tools: Any, pack: str = PACK, **more: Any) -> Conversation:
    return Conversation(pack, *(tools or (QUERY, BASH, TABLE)), **more)


def told(conversation: Conversation) -> dict[str, Any]:
    """The last result as the model reads it."""
    found: dict[str, Any] = json.loads(contents(messages(conversation.begin("ok").run()))[-1])
    return found


def failed(result: Any, *more: Any, calls: Any = None, **kinds: Any) -> dict[str, Any]:
    conversation = talk(**kinds)
    conversation.turn(calls or [("query", SQL)], result, *more)
    return told(conversation)


# ---------------------------------------------------------------- one structured error


def test_a_raw_traceback_becomes_one_structured_error() -> None:
    error = failed(UNDEFINED)
    assert list(error)[:6] == ["status", "code", "type", "message", "retryable", "retry"]
    assert (error["status"], error["code"], error["type"]) == ("error", "UNKNOWN_COLUMN", "validation")
    assert (error["retryable"], error["retry"]) == (True, "with_changes")
    assert "custmer" in error["message"]
    assert error["suggested_action"]
    assert "/srv" not in json.dumps(error)
    assert list(error)[-2:] == ["attempts", "elapsed_s"]


def test_attempts_and_seconds_are_those_of_the_tool_in_this_run() -> None:
    conversation = talk()
    conversation.turn([("query", {"sql": "SELECT 1"})], "1 row")
    conversation.turn([("bash", {"command": "ls"})], "a.txt")
    conversation.world.now += 12.5
    conversation.turn([("query", SQL)], UNDEFINED)
    assert told(conversation)["attempts"] == 2
    assert told(conversation)["elapsed_s"] == 12.5


def test_the_first_form_stays_whatever_the_clock_and_the_pack_say() -> None:
    conversation = talk()
    conversation.turn([("query", SQL)], UNDEFINED)
    first = contents(messages(conversation.begin("ok").run()))[0]
    for n in range(3):
        conversation.world.now += 1000
        conversation.world.restart()
        conversation.turn([("query", {"sql": str(n)})], UNDEFINED)
        assert contents(messages(conversation.begin("ok").run()))[0] == first
    conversation.answer("I can't find it.")
    conversation.user("现在请再查一次,谢谢。")
    assert contents(messages(conversation.begin("ok").run()))[0] == first


def test_a_form_that_is_gone_is_rebuilt_without_counters() -> None:
    conversation = talk()
    conversation.turn([("query", SQL)], UNDEFINED)
    first = told(conversation)
    conversation.turn([("bash", {"command": "ls"})], "a.txt")
    conversation.world.store = {key: value for key, value in conversation.world.store.items() if key[:2] != "f:"}
    played = conversation.begin("ok").run()
    rebuilt = json.loads(contents(messages(played))[0])
    assert rebuilt == {key: value for key, value in first.items() if key not in ("attempts", "elapsed_s")}
    assert played.notes("rewrote")[0]["detail"]["rebuilt"] is True


def test_after_the_same_permanent_failure_twice_the_advice_is_to_stop() -> None:
    conversation = talk()
    refused = "Error: 403 Forbidden: you may not read this table"
    conversation.turn([("query", SQL)], refused)
    once = told(conversation)["suggested_action"]
    conversation.turn([("query", {"sql": "SELECT 2"})], refused)
    twice = told(conversation)["suggested_action"]
    assert twice != once
    assert "ask" in twice.lower() or "stop" in twice.lower()


@given(st.floats(0, 1e6), st.integers(0, 5))
def test_the_same_failure_is_told_in_the_same_bytes(seconds: float, restarts: int) -> None:
    conversation = talk()
    conversation.turn([("query", SQL)], UNDEFINED)
    first = messages(conversation.begin("ok").run())
    conversation.world.now += seconds
    for _ in range(restarts):
        conversation.world.restart()
    assert messages(conversation.begin("ok").run()) == first


# ---------------------------------------------------------------- what is available


def test_the_tools_schema_is_known() -> None:
    kinds = tool("sort", {"by": {"type": "string", "enum": ["price", "name"]}}, ["by"])
    conversation = talk(kinds)
    conversation.turn([("sort", {"by": "price"})], "Error: invalid value 'prize' for by")
    assert "price" in json.dumps(told(conversation), ensure_ascii=False)


def test_earlier_results_of_the_run_are_known() -> None:
    conversation = talk()
    columns = [{"column_name": name, "type": "text"} for name in ("customer", "city")]
    conversation.turn([("describe_table", {"table": "orders"})], json.dumps(columns))
    conversation.turn([("query", SQL)], UNDEFINED)
    error = told(conversation)
    assert error["available_columns"] == ["customer", "city"]
    assert error["did_you_mean"] == ["customer"]


def test_a_catalogue_of_the_pack_is_known_and_costs_nothing_where_it_is_dead() -> None:
    pack = PACK + "tools: {query: {catalog: shop}}\ncatalogs: {shop: {tables: {orders: [customer, city]}}}\n"
    for tables in ({"orders": ("customer", "city")}, {}):
        conversation = talk(pack=pack)
        conversation.world.catalogs = {"shop": tables}
        conversation.turn([("query", SQL)], UNDEFINED)
        error = told(conversation)
        assert error["code"] == "UNKNOWN_COLUMN"
        assert error.get("available_columns") == (["customer", "city"] if tables else None)


def test_the_pack_says_what_a_failure_looks_like_and_what_is_permanent() -> None:
    facts = "{errors: [{pattern: '^NAK (\\d+)', code: FAX_REFUSED, type: conflict}], permanent: [FAX_REFUSED]}"
    error = failed("NAK 7", pack=PACK + f"tools: {{query: {facts}}}\n")
    assert (error["code"], error["type"], error["retryable"], error["retry"]) == (
        "FAX_REFUSED",
        "conflict",
        False,
        "no",
    )
    pointed = PACK + "tools: {query: {errors: [{pointer: /fault, code: FAULT}]}}\n"
    assert failed('{"fault": "down", "rows": []}', pack=pointed)["code"] == "FAULT"


def test_a_call_is_checked_where_the_framework_hides_the_cause() -> None:
    hidden = "An error occurred while running the tool. Please try again."
    error = failed(hidden, calls=[("query", {"sql": 5})])
    assert error["code"] == "INVALID_ARGUMENTS"
    assert "sql" in json.dumps(error)


# ---------------------------------------------------------------- data


@pytest.mark.parametrize("result", [
    "a.txt\nb.txt", '{"rows": []}', '{"errors": 0, "passed": 12}', "3 tests passed", "", "No errors found.",
    "The log says:\n" + UNDEFINED + "\nThat was yesterday.\n" * 5,
])  # fmt: skip
def test_data_is_byte_identical(result: str) -> None:
    conversation = talk()
    conversation.turn([("bash", {"command": "cat crash.log"})], result)
    body = json.dumps(conversation.body).encode()
    assert conversation.begin("ok").run().sent == [body]


def test_what_one_call_shows_as_data_is_a_failure_of_another() -> None:
    conversation = talk()
    for _ in range(2):
        conversation.turn([("bash", {"command": "cat crash.log"})], UNDEFINED)
        conversation.turn([("query", SQL)], UNDEFINED)
    shown = contents(messages(conversation.begin("ok").run()))
    assert [one == UNDEFINED for one in shown] == [True, False, True, False]


def test_an_empty_answer_is_a_success_where_rows_are_declared() -> None:
    pack = PACK + "tools: {query: {returns: rows}}\n"
    for nothing in ("", "[]", "null"):
        assert failed(nothing, pack=pack) == {"status": "ok", "rows": [], "count": 0}
    conversation = talk()
    conversation.turn([("query", SQL)], "[]")
    assert contents(messages(conversation.begin("ok").run())) == ["[]"]


def test_what_is_structured_already_is_left_as_it_is() -> None:
    conversation = talk()
    conversation.turn([("query", SQL)], UNDEFINED)
    error = contents(messages(conversation.begin("ok").run()))[-1]
    other = talk()
    other.turn([("query", SQL)], error)
    assert contents(messages(other.begin("ok").run())) == [error]


def test_what_handrail_said_in_place_of_a_call_is_not_explained() -> None:
    pack = PACK + "  run_once: {}\ntools: {pay: {side_effect: true}}\n"
    conversation = talk(tool("pay", {}), BASH, pack=pack)
    conversation.turn([("pay", {})], "Error: the request timed out")
    conversation.turn([("pay", {}), ("bash", {"command": "ls"})], "a.txt")
    first = contents(messages(conversation.begin("ok").run()))[1]
    assert json.loads(first)["code"] == "OUTCOME_UNKNOWN"
    assert "attempts" not in first


# ---------------------------------------------------------------- places


def test_one_part_of_a_result_and_one_of_two_parallel_results() -> None:
    conversation = talk()
    parts = [{"type": "text", "text": UNDEFINED}, {"type": "text", "text": "SELECT custmer"}]
    conversation.turn([("query", SQL), ("bash", {"command": "ls"})], parts, "a.txt")  # type: ignore[arg-type]
    sent = messages(conversation.begin("ok").run())
    assert json.loads(sent[2]["content"][0]["text"])["code"] == "UNKNOWN_COLUMN"
    assert sent[2]["content"][1] == parts[1]
    assert sent[3] == conversation.messages[3]


def test_a_wrapper_of_the_framework_stays() -> None:
    conversation = talk()
    conversation.turn([("query", SQL)], json.dumps({"output": UNDEFINED, "took_ms": 7}))
    shown = json.loads(contents(messages(conversation.begin("ok").run()))[-1])
    assert "custmer" in json.dumps(shown)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_failures_are_read_on_each_api(api: Api) -> None:
    turns: list[Any] = [
        User("How many?"),
        Said("", (Call("call_1xyz", "query", SQL),)),
        Results({"call_1xyz": UNDEFINED}),
    ]
    body = api.ask(turns, [ApiTool("query", {"sql": {"type": "string"}})])
    played = World(PACK).play(body, [Answer([api.answer(Said("ok"))])], path=api.path)
    assert json.loads(api.read_ask(played.sent[0]).results["call_1xyz"])["code"] == "UNKNOWN_COLUMN"


def test_a_chinese_task_is_told_in_chinese() -> None:
    conversation = talk(task="请查询订单总数,谢谢。")
    conversation.turn([("query", SQL)], UNDEFINED)
    assert any("\u4e00" <= char <= "\u9fff" for char in told(conversation)["suggested_action"])


def test_observing_tells_and_changes_nothing() -> None:
    conversation = talk(pack="mode: observe\n" + PACK)
    conversation.turn([("query", SQL)], UNDEFINED)
    played = conversation.begin("ok").run()
    assert played.sent == [json.dumps(conversation.body).encode()]
    assert played.notes("observed")[0]["detail"]["code"] == "UNKNOWN_COLUMN"


def test_without_a_store_results_are_left_as_they_are() -> None:
    conversation = talk()
    conversation.turn([("query", SQL)], UNDEFINED)
    conversation.world.down = True
    assert contents(messages(conversation.begin("ok").run())) == [UNDEFINED]


MAKE = json.dumps({"command": "make"})


def test_what_a_result_means_depends_on_what_the_tool_is_described_as() -> None:
    """One process, two agents whose tools have one name."""
    world = World(PACK)

    def read(description: str) -> str:
        lookup = tool("lookup", {})
        lookup["function"]["description"] = description
        call = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": MAKE}}
        listed = [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "2 failed, 1 passed in 0.3s"},
        ]
        sent = world.play({"model": "m", "messages": listed, "tools": [lookup]}, [Answer.json(chat("ok"))]).asks[0]
        return str(sent["messages"][-1]["content"])

    assert read("Reads a log.") == "2 failed, 1 passed in 0.3s"
    assert "TESTS_FAILED" in read("Runs the tests.")
