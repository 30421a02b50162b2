import inspect
import sys

import pytest

from proxy.policies.pipeline import PIPELINE
from proxy.policies.policy import Policy


@pytest.mark.parametrize("make", PIPELINE, ids=lambda make: make.name)
@pytest.mark.parametrize("hook", ["on_ask", "on_reply"])
def test_every_policy_has_both_hooks(make, hook) -> None:
    wanted = list(inspect.signature(getattr(Policy, hook)).parameters)
    assert list(inspect.signature(getattr(make, hook)).parameters) == wanted


@pytest.mark.parametrize("make", PIPELINE, ids=lambda make: make.name)
def test_no_policy_tells_what_another_does(make) -> None:
    others = {other.name for other in PIPELINE} - {make.name}
    source = inspect.getsource(sys.modules[make.__module__])
    assert not [other for other in others if f"proxy.policies.{other}" in source]
