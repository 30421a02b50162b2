import pytest

from proxy.policies.pipeline import PIPELINE
from proxy.settings import PIPELINE_NAMES, parse_pack


def test_the_order_of_the_code_is_that_of_the_packs() -> None:
    assert tuple(policy.name for policy in PIPELINE) == PIPELINE_NAMES


@pytest.mark.parametrize("make", PIPELINE, ids=lambda make: make.name)
def test_each_is_made_of_its_settings_and_the_pack(make) -> None:
    pack = parse_pack(f"policies: {{{make.name}: {{}}}}\n")
    policy = make(pack.policy(make.name), pack)
    assert isinstance(policy.guards_replies, bool)
    assert isinstance(policy.minds_plain_asks, bool)
    assert make.__module__ == f"proxy.policies.{make.name}"


def test_a_reply_meets_the_tools_own_form_first_and_the_gates_last() -> None:
    names = [policy.name for policy in PIPELINE]
    assert names[0] == "gates"
    assert names[-1] == "constrain_tools"
    assert names.index("explain_errors") < names.index("truncate_results") < names.index("fold_history")
