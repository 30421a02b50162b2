"""Which policies there are, and what they do when nobody says more than their name."""

import pytest

from proxy.settings.fields import Limit
from proxy.settings.policies import PIPELINE_NAMES, GatesSettings, Policies, PolicySettings


def test_there_is_one_field_per_policy_in_the_order_of_the_pipeline():
    assert tuple(Policies.model_fields) == PIPELINE_NAMES


def test_calls_written_as_text_are_rescued_after_names_and_schemas_are_mapped_back():
    replies_meet = tuple(reversed(PIPELINE_NAMES))
    assert replies_meet[:3] == ("constrain_tools", "rescue_text_calls", "repair_arguments")


@pytest.mark.parametrize("name", PIPELINE_NAMES)
def test_unnamed_is_off_named_enforces(name):
    assert getattr(Policies(), name).mode == "off"
    assert getattr(Policies.model_validate({name: {}}), name).mode == "enforce"
    assert getattr(Policies.model_validate({name: None}), name).mode == "enforce"
    assert getattr(Policies.model_validate({name: {"mode": "off"}}), name).mode == "off"


@pytest.mark.parametrize("name", PIPELINE_NAMES)
def test_every_policy_says_what_it_is_for_and_breaks_open(name):
    settings = type(getattr(Policies(), name))
    assert issubclass(settings, PolicySettings)
    assert settings.__doc__
    assert settings().fail == "open"


def test_no_gate_has_a_limit_of_its_own():
    assert not list(GatesSettings().limits())


def test_limits_lists_what_is_given_and_not_off():
    gates = GatesSettings.model_validate(
        {"steps": 8, "seconds": {"limit": 90, "mode": "observe"}, "tokens": {"limit": 5, "mode": "off"}}
    )
    assert dict(gates.limits()) == {"steps": gates.steps, "seconds": Limit(limit=90, mode="observe")}


def test_the_documented_defaults():
    policies = Policies.model_validate(dict.fromkeys(PIPELINE_NAMES))
    assert (policies.truncate_results.bytes, policies.truncate_results.text_bytes) == (4096, None)
    assert policies.truncate_results.offer == "needed"
    assert (policies.fold_history.keep_steps, policies.fold_history.batch) == (4, 3)
    assert (policies.repair_arguments.max_reasks, policies.repair_arguments.exhausted) == (2, "pass")
    assert policies.run_once.expires_s == 3600
    assert policies.constrain_tools.names == "as_is"
    assert policies.tool_health.success_rate == 0.5
