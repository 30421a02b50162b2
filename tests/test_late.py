"""What takes long to import is not imported before it is needed, and then does what it does elsewhere."""

import subprocess
import sys

from proxy import late
from proxy.failures.reading import Failure, Known, Result
from proxy.paging.body import Limits

HEAVY = ("proxy.failures.vocabulary", "proxy.failures.judge", "proxy.paging.pages")


def modules(code: str) -> set[str]:
    """The heavy modules that are there after this code ran in a process of its own."""
    told = f"import sys; {code}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_process_is_ready_without() -> None:
    build = "from proxy.packs import load_pack; from proxy.plan import build; build(load_pack('default'))"
    assert modules(f"import proxy.app; {build}") == set()


def test_it_can_be_brought_in_before_it_is_needed() -> None:
    assert modules("from proxy.late import warm; warm()") == set(HEAVY)


def test_the_first_result_brings_it_in() -> None:
    text = 'psycopg.errors.UndefinedTable: relation "ordrs" does not exist'
    found = late.read(Result("query", "", {}, f"Error: {text}", None), Known())
    assert isinstance(found, Failure)
    assert found.code == "UNKNOWN_TABLE"
    long = "word " * 1000
    first = late.cut(long, Limits(500, 500), cursor=str)
    assert first is not None
    assert first.next is not None
    assert late.page(long, first.next, Limits(500, 500), cursor=str).text
