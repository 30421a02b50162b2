"""The questions that others ask a pack."""

import pytest
from pydantic import ValidationError

from proxy.settings.build import parse_pack
from proxy.settings.pack import Catalog, Pack, Price
from proxy.settings.policies import PIPELINE_NAMES
from proxy.settings.tools import ToolFacts


def test_an_empty_pack_does_nothing():
    assert {Pack().effective_mode(name) for name in PIPELINE_NAMES} == {"off"}


@pytest.mark.parametrize(
    ("pack", "policy", "limit"),
    [
        ("enforce", "enforce", "observe"),
        ("observe", "enforce", "enforce"),
        ("enforce", "observe", "enforce"),
    ],
)
def test_pack_policy_and_limit_each_bound_what_is_done(pack, policy, limit):
    text = f"mode: {pack}\npolicies: {{gates: {{mode: {policy}, steps: {{limit: 8, mode: {limit}}}}}}}"
    assert parse_pack(text).effective_mode("gates", "steps") == "observe"


def test_the_limit_does_not_weaken_its_policy():
    pack = parse_pack("policies: {gates: {steps: {limit: 8, mode: observe}, repeats: 3}}")
    assert pack.effective_mode("gates") == "enforce"
    assert pack.effective_mode("gates", "repeats") == "enforce"


TOOLS = """
tools:
  "*": {bytes: 1}
  create_*: {side_effect: true}
  create_order*: {bytes: 2}
  create_order: {strict: true}
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("create_order", {"strict": True}),
        ("create_order_v2", {"bytes": 2}),
        ("create_user", {"side_effect": True}),
        ("Create_user", {"bytes": 1}),
        ("anything.else", {"bytes": 1}),
    ],
)
def test_the_exact_name_wins_else_the_longest_glob_and_nothing_is_merged(name, expected):
    assert parse_pack(TOOLS).tool(name) == ToolFacts(**expected)


def test_an_unknown_tool_has_empty_facts():
    assert Pack().tool("x") == ToolFacts()


def test_prices_are_found_as_tools_are():
    pack = parse_pack("prices: {gpt-*: {input: 1, output: 2}, gpt-9-mini: {input: 0.1, output: 0.2, cached: 0.01}}")
    assert pack.price("gpt-9-mini-2026") == Price(input=1, output=2)
    assert pack.price("gpt-9-mini") == Price(input=0.1, output=0.2, cached=0.01)
    assert pack.price("claude") is None


def test_the_digest_names_the_meaning_not_the_spelling():
    one = parse_pack("policies: {gates: {steps: 8}}\nmode: enforce\n")
    other = parse_pack("# a comment\npolicies:\n  gates:\n    steps: {limit: 8}\n")
    assert one.digest == other.digest
    assert len(one.digest) == 64
    assert one.digest != parse_pack("policies: {gates: {steps: 9}}").digest


def test_a_changed_copy_is_another_pack():
    pack = parse_pack("tools: {t: {bytes: 1}}")
    assert pack.tool("t").bytes == 1
    changed = pack.model_copy(update={"tools": {}})
    assert changed.tool("t") == ToolFacts()
    assert changed.digest not in {pack.digest, pack.model_copy().digest}
    assert pack.model_copy() == pack


def test_the_digest_covers_the_parts_of_agents():
    assert parse_pack("agents: {a: {mode: observe}}").digest != parse_pack("agents: {a: {mode: 'off'}}").digest


def test_an_agent_has_its_own_pack_and_an_unknown_one_has_the_pack_itself():
    pack = parse_pack("policies: {gates: {steps: 8}}\nagents: {smol: {policies: {gates: {repeats: 3}}}}")
    gates = pack.for_agent("smol").policies.gates
    assert gates.steps is not None
    assert gates.repeats is not None
    assert pack.for_agent("other") is pack
    assert pack.policies.gates.repeats is None


def test_addresses_that_may_hold_a_secret_are_not_shown():
    pack = parse_pack(
        "catalogs: {shop: {url: 'postgresql://u:hunter2@h/db'}}\nescalate: {webhook: 'https://hooks.test/hunter2'}"
    )
    assert "hunter2" not in repr(pack)
    assert pack.catalogs["shop"].url == "postgresql://u:hunter2@h/db"


@pytest.mark.parametrize("catalog", [{}, {"url": "sqlite://", "values": ["a"]}, {"tables": {}}, "sqlite://"])
def test_a_catalogue_has_one_source(catalog):
    with pytest.raises(ValidationError):
        Catalog.model_validate(catalog)


def test_a_list_is_a_catalogue():
    assert Catalog.model_validate(["a", "b"]).values == ("a", "b")
