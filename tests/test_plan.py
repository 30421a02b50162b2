import pytest

from proxy.plan import DIALECTS, Plan, Plans, build
from proxy.settings import parse_pack

PACK = """
policies:
  gates: {tokens: 1000, steps: {limit: 5, mode: observe}}
  explain_errors: {mode: observe}
  fold_history: {mode: "off"}
  repair_arguments: {fail: closed}
  constrain_tools: {names: portable}
language: zh
upstream: {rounds: 3, step: 7}
agents:
  quiet: {mode: observe}
  none: {mode: "off"}
"""
CHAT = "/v1/chat/completions"


def plan(pack: str = PACK, path: str = CHAT, agent: str = "") -> Plan:
    found = build(parse_pack(pack)).find("POST", path, agent)
    assert found is not None
    return found


def test_policies_stand_in_the_order_of_the_code() -> None:
    found = plan()
    assert [(bound.policy.name, bound.mode, bound.closed) for bound in found.bounds] == [
        ("gates", "enforce", False),
        ("explain_errors", "observe", False),
        ("repair_arguments", "enforce", True),
        ("constrain_tools", "enforce", False),
    ]
    assert [bound.policy.name for bound in found.plain] == ["gates"], "budgets mind every ask"
    assert [bound.policy.name for bound in found.views] == ["constrain_tools"]
    assert (found.language, found.rounds, found.step) == ("zh", 3, 7)
    assert found.digest == parse_pack(PACK).digest


@pytest.mark.parametrize(("path", "dialect"), [
    (CHAT, "chat_completions"), ("/chat/completions", "chat_completions"), (CHAT + "/", "chat_completions"),
    ("/v1/responses", "responses"), ("/v1/messages", "messages"),
])  # fmt: skip
def test_a_generation_call_has_a_plan(path: str, dialect: str) -> None:
    assert plan(path=path).dialect.name == dialect


@pytest.mark.parametrize(("method", "path"), [
    ("GET", CHAT), ("POST", "/v1/models"), ("POST", "/v1/embeddings"), ("POST", "/v1/messages/count_tokens"),
    ("GET", "/v1/responses/resp_1"), ("POST", "/v1/completions"), ("POST", "/v1/messages/batches"),
])  # fmt: skip
def test_anything_else_passes_through(method: str, path: str) -> None:
    assert Plans(parse_pack(PACK)).find(method, path, "") is None


@pytest.mark.parametrize(
    ("agent", "guards", "edits"), [("", True, True), ("quiet", False, False), ("none", False, False)]
)
def test_each_agent_has_its_own_plan(agent: str, guards: bool, edits: bool) -> None:  # noqa: FBT001
    found = plan(agent=agent)
    assert (found.guards, found.edits) == (guards, edits)
    assert bool(found.bounds) is (agent != "none")


def test_an_unknown_agent_has_that_of_all() -> None:
    plans = Plans(parse_pack(PACK))
    assert plans.find("POST", CHAT, "unknown") is plans.find("POST", CHAT, "")


def test_calls_are_only_held_where_a_policy_could_change_them() -> None:
    found = plan("policies:\n  explain_errors: {}\n  truncate_results: {mode: observe}\n")
    assert not found.guards
    assert found.edits
    assert plan("policies:\n  run_once: {}\n").guards is False, "no tool has a side effect"
    assert plan("policies:\n  run_once: {}\ntools: {pay: {side_effect: true}}\n").guards is True


def test_nothing_is_made_while_a_request_waits() -> None:
    plans = Plans(parse_pack(PACK))
    assert all(plans.find("POST", CHAT, name) is plans.find("POST", CHAT, name) for name in ("", "quiet"))
    assert len({dialect.name for dialect in DIALECTS}) == 3
