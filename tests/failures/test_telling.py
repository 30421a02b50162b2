"""What is told: the facts stay, frames, paths of the runtime and colours go."""

from tests.failures.results import failure, told

CHAINED = """Traceback (most recent call last):
  File "/srv/app/.venv/lib/python3.12/site-packages/urllib3/connection.py", line 174, in _new_conn
    conn = connection.create_connection(
ConnectionRefusedError: [Errno 111] Connection refused

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/tools/orders.py", line 41, in get_order
    raise RuntimeError("orders service failed") from error
RuntimeError: orders service failed
"""
OWN = """Traceback (most recent call last):
  File "/tmp/run_8f3/main.py", line 2, in <module>
    print(totl)
          ^^^^
NameError: name 'totl' is not defined. Did you mean: 'total'?
"""


def test_a_vague_exception_is_told_with_its_cause_and_without_frames():
    found = failure(CHAINED, tool="get_order", arguments={"id": "D1"})
    text = str(told(found))
    assert found.code == "CONNECTION_REFUSED"
    assert "orders service failed" in text
    assert "Connection refused" in text
    assert "site-packages" not in text
    assert "line 174" not in text


def test_lines_of_the_models_own_code_stay_without_the_runtimes_path():
    found = told(failure(OWN, tool="run_python", arguments={"code": "total = 5\nprint(totl)"}))
    assert "totl" in found["message"]
    assert found["did_you_mean"] == ["total"]
    assert "/tmp/run_8f3" not in str(found)


def test_colours_go():
    found = failure("\x1b[31mError:\x1b[0m \x1b[1mOrder D9 not found\x1b[0m", tool="get_order", arguments={"id": "D9"})
    assert found.message == "Order D9 not found"


def test_hints_and_constraints_of_a_database_stay():
    text = (
        'duplicate key value violates unique constraint "users_email_key"\n'
        "DETAIL:  Key (email)=(ana@b.example) already exists."
    )
    found = str(told(failure(text, tool="add_user", arguments={"email": "ana@b.example"})))
    assert "users_email_key" in found
    assert "ana@b.example" in found


def test_every_finding_of_a_validator_is_told():
    text = (
        "2 validation errors for Order\n"
        "qty\n  Input should be a valid integer, unable to parse string as an integer "
        "[type=int_parsing, input_value='two', input_type=str]\n"
        "    For further information visit https://errors.pydantic.dev/2.7/v/int_parsing\n"
        "sku\n  Field required [type=missing, input_value={'qty': 'two'}, input_type=dict]\n"
    )
    found = failure(text, tool="create_order", arguments={"qty": "two"})
    assert found.type == "validation"
    assert "qty: Input should be a valid integer" in found.message
    assert "sku: Field required" in found.message
    assert "errors.pydantic.dev" not in found.message


def test_the_output_before_a_failure_is_not_lost():
    text = f"loading 2 rows\n{OWN}"
    found = str(told(failure(text, tool="run_python", arguments={"code": "total = 5\nprint(totl)"})))
    assert "loading 2 rows" in found
