import pytest

from proxy.model import Ask, Reply, Run, Tool, Turn
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
    assert isinstance(policy.minds_openings, bool)
    assert isinstance(policy.minds_words, bool)
    assert make.__module__ == f"proxy.policies.{make.name}"


FIND = Tool("find", schema=b'{"type":"object"}')
EVERYTHING = """
language: en
policies:
  gates: {steps: 1, seconds: 1, repeats: 1, cycles: 2, drift: 1}
  truncate_results: {bytes: 256, text_bytes: 256}
  fold_history: {keep_steps: 1, batch: 1}
  pin_task: {after_step: 0, constraints: ["Never."]}
tools:
  find: {side_effect: true, polling: true}
"""


@pytest.mark.parametrize("make", PIPELINE, ids=lambda make: make.name)
def test_what_a_policy_says_it_does_not_mind_it_leaves_alone(make) -> None:
    """The engine does not even ask it then."""
    pack = parse_pack(EVERYTHING)
    policy = make(pack.policy(make.name), pack)
    run = Run("r", "c", 0.0, 1000.0, 1000.0, b"s" * 32, thread="r", arrived=1000.0)
    opening = Ask("chat_completions", "m", stream=False, turns=(Turn("user", ("Do it. " * 500,)),), tools=(FIND,))
    for words in (Turn("assistant", ("Done. " * 500,)), Turn("assistant", ("Cut",), cut=True, finish="length")):
        reply = Reply((words,), id="x")
        assert policy.minds_openings or policy.on_ask(opening, run) is opening
        assert policy.minds_words or policy.on_reply(reply, opening, run) is reply


def test_a_reply_meets_the_tools_own_form_first_and_the_gates_last() -> None:
    names = [policy.name for policy in PIPELINE]
    assert names[0] == "gates"
    assert names[-1] == "constrain_tools"
    assert names.index("explain_errors") < names.index("truncate_results") < names.index("fold_history")
