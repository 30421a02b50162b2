"""Every mistake in a pack comes back with its line and what was probably meant."""

import pytest

from proxy.settings.build import parse_pack
from proxy.settings.problems import PackError


def problems(text):
    with pytest.raises(PackError) as caught:
        parse_pack(text, "policies/x.yaml")
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # unknown keys
        (
            "policies:\n  repair_argument: {}",
            "policies/x.yaml:2:3: policies.repair_argument: unknown key, did you mean repair_arguments?",
        ),
        ("mod: observe", "policies/x.yaml:1:1: mod: unknown key, did you mean mode?"),
        ("repair_arguments: {}", "policies/x.yaml:1:1: repair_arguments: unknown key, did you mean "),
        ("tokens: 5", "policies/x.yaml:1:1: tokens: unknown key, did you mean policies.gates.tokens?"),
        (
            "policies: {gates: {step: 8}}",
            "policies/x.yaml:1:20: policies.gates.step: unknown key, did you mean steps?",
        ),
        (
            "tools:\n  a.b: {parameters: {p: {unt: ms}}}",
            'policies/x.yaml:2:26: tools."a.b".parameters.p.unt: unknown key, did you mean unit?',
        ),
        ("log: {zzz: 1}", "policies/x.yaml:1:7: log.zzz: unknown key, known here: bodies, days, max_bytes, mask"),
        (
            "upstreams:\n- {url: 'http://h.test', match: {modl: x}}",
            "policies/x.yaml:2:34: upstreams[0].match.modl: unknown key, did you mean model?",
        ),
        ("log: {max_byte_count: 1}", "policies/x.yaml:1:7: log.max_byte_count: unknown key, did you mean max_bytes?"),
        # wrong values
        ("mode: enforced", "policies/x.yaml:1:7: mode: should be off or observe or enforce, not the text 'enforced', "),
        ("mode: on", "policies/x.yaml:1:7: mode: should be off or observe or enforce, not the text 'on'"),
        (
            "policies: {gates: off}",
            "policies/x.yaml:1:19: policies.gates: should be a section of keys, not the text 'o",
        ),
        (
            "policies: {gates: {steps: '8'}}",
            "policies/x.yaml:1:27: policies.gates.steps: should be a whole number, not the text '8'",
        ),
        (
            "policies: {gates: {steps: 0}}",
            "policies/x.yaml:1:27: policies.gates.steps: should be greater than or equal",
        ),
        (
            "policies: {gates: {steps: [8]}}",
            "policies/x.yaml:1:27: policies.gates.steps: should be a whole number, not",
        ),
        (
            "policies: {gates: {steps: {mode: observe}}}",
            "policies/x.yaml:1:27: policies.gates.steps.limit: is missing",
        ),
        (
            "tools: {t: {side_effect: yes}}",
            "policies/x.yaml:1:26: tools.t.side_effect: should be true or false, not the",
        ),
        ("tools: {t: {polling: no}}", "policies/x.yaml:1:22: tools.t.polling: should be a section of keys, not the te"),
        ("tools: [t]", "policies/x.yaml:1:8: tools: should be a section of keys, not a list"),
        ("upstreams: {url: x}", "policies/x.yaml:1:12: upstreams: should be a list, not a section of keys"),
        ("upstreams: [{}]", "policies/x.yaml:1:13: upstreams[0].url: is missing"),
        (
            "upstreams: [{url: ftp://h}]",
            "policies/x.yaml:1:19: upstreams[0].url: should be an http:// or https:// addr",
        ),
        ("log: {mask: ['(']}", "policies/x.yaml:1:14: log.mask[0]: is no pattern of the linear-time kind (RE2): "),
        ("tools: {t: {when_open: instead}}", "policies/x.yaml:1:12: tools.t: says when_open: instead, but names no"),
        ("log: {days: true}", "policies/x.yaml:1:13: log.days: should be a number, not true"),
        ("log: {max_bytes: 1.5}", "policies/x.yaml:1:18: log.max_bytes: should be a whole number, not 1.5"),
        ("log: {max_bytes: 1e400}", "policies/x.yaml:1:18: log.max_bytes: should be a"),
    ],
)
def test_one_mistake_one_line(text, line):
    (told,) = problems(text)
    assert told.startswith(line)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file():
    told = problems("mod: x\npolicies:\n  gates: {step: 8, repeats: '3'}\nlog: {days: -1}\ntools: {a: 3, a: {}}\n")
    assert [line.split(": ")[1] for line in told] == [
        "mod",
        "policies.gates.step",
        "policies.gates.repeats",
        "log.days",
        "tools.a",
        "tools.a",
    ]


def test_what_may_be_a_secret_is_not_quoted():
    told = problems("log: {days: 'https://hunter2'}\nmode: " + "hunter2" * 10)
    assert len(told) == 2
    assert "hunter2" not in "".join(told)
