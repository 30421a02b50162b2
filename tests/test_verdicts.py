from typing import Any

import msgspec
import pytest

from proxy import verdicts
from proxy.model import Put
from proxy.verdicts import Add, Answers, Claim, ClientGone, Health, Lookup, Read, Report, Rules, Settle, Start

REQUESTS: tuple[Any, ...] = (
    Read("k"),
    Claim("k", b"v", 5.0),
    Add("k", 1, None, 5.0),
    Lookup("shop"),
    Health("k", Rules()),
    Report("k", "call_1", good=True, rules=Rules()),
)
STRUCTS = [one for one in vars(verdicts).values() if isinstance(one, type) and issubclass(one, msgspec.Struct)]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: type(one).__name__)
def test_requests_are_keys(request_: Any) -> None:
    same = msgspec.structs.replace(request_)
    assert {request_: 1}[same] == 1
    assert len({*REQUESTS, same}) == len(REQUESTS), "no two kinds are equal"


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_all_of_them_are_frozen(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen


def test_a_health_that_only_looks_is_another_request() -> None:
    assert Health("k", Rules()) != Health("k", Rules(), take=False)


def test_a_settle_is_plain_data() -> None:
    settle = Settle(REQUESTS, (Put("k", None), Put("k", b"v", durable=True)))
    assert msgspec.structs.asdict(settle)["requests"] == REQUESTS
    answers = Answers({Read("k"): b"v"}, 1.0, 1.0)
    assert not answers.failed


def test_the_agents_leaving_is_no_error_of_ours() -> None:
    assert issubclass(ClientGone, Exception)
    assert not issubclass(ClientGone, (OSError, RuntimeError))


def test_a_start_holds_what_the_core_may_not_find_out() -> None:
    start = Start("POST", "/v1/x", (), b"{}", "c1", b"r" * 32, 1.0, 2.0)
    assert (start.secret, start.agent, start.digest, dict(start.facts)) == (b"", "", "", {})
