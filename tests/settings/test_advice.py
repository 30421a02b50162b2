"""What is legal and of no effect."""

import pytest

from proxy.settings.advice import READERS
from proxy.settings.build import compile_pack
from proxy.settings.document import read_document
from proxy.settings.policies import PIPELINE_NAMES
from proxy.settings.tools import ToolFacts


def warnings(text):
    result = compile_pack(read_document(text, "f"))
    assert result.pack is not None
    return [str(problem).removeprefix("f:") for problem in result.problems]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("policies: {gates: }", "1:12: warning: policies.gates: has no limit, so it never acts"),
        (
            "policies: {gates: {mode: observe, steps: {limit: 8, mode: enforce}}}",
            "1:53: warning: policies.gates.steps.mode: says enforce, but gates is on observe",
        ),
        ("tools: {t: {side_effect: true}}", "1:13: warning: tools.t.side_effect: has no effect while run_once is off"),
        (
            "tools: {t: {instead: x}}",
            "1:13: warning: tools.t.instead: has no effect while tool_health and explain_errors are off",
        ),
        (
            "policies: {run_once: }\ntools: {t: {idempotency_key: k}}",
            "2:13: warning: tools.t.idempotency_key: has no effect without side_effect: true",
        ),
        (
            "policies: {pin_task: {when: pays}}",
            "1:23: warning: policies.pin_task.when: never pays while truncate_results and fold_history are off",
        ),
        (
            "upstreams: [{url: 'http://a.test'}, {url: 'http://b.test'}]",
            "1:13: warning: upstreams[0]: matches everything, so the entries after it are never used",
        ),
    ],
)
def test_a_setting_without_effect_is_told(text, told):
    assert warnings(text) == [told]


@pytest.mark.parametrize(
    "text",
    [
        "policies: {run_once: }\ntools: {t: {side_effect: true}}",
        "tools: {t: {side_effect: false}}",
        "policies: {pin_task: {when: pays}, fold_history: }",
        "policies: {gates: {mode: 'off', steps: {limit: 3, mode: enforce}}}",
        "policies: {gates: {steps: {limit: 3, mode: observe}}}",
        "upstreams: [{url: 'http://a.test', match: {model: x}}, {url: 'http://b.test'}]",
        "mode: observe\npolicies: {gates: {steps: 3}}\ntools: {t: {polling: true}}",
    ],
)
def test_a_setting_with_an_effect_is_not(text):
    assert warnings(text) == []


def test_the_table_names_real_facts_and_real_policies():
    assert READERS.keys() <= ToolFacts.model_fields.keys()
    assert {name for names in READERS.values() for name in names} <= set(PIPELINE_NAMES)
