"""Merging, agents, and what only the whole pack can tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.settings.build import Compiled, compile_pack, merge, parse_pack
from proxy.settings.document import plain, read_document
from proxy.settings.pack import Pack
from proxy.settings.problems import PackError


def compiled(text, base=None):
    return compile_pack(read_document(text, "over.yaml"), None if base is None else read_document(base, "base.yaml"))


def lines(result):
    return [str(problem) for problem in result.problems]


BASE = """
policies:
  gates: {steps: 8, seconds: {limit: 90, mode: observe}}
  pin_task: {mode: observe, constraints: [a, b]}
tools: {t: {strict: true, bytes: 5}}
escalate: {webhook: "http://h.test"}
"""


def test_sections_are_merged_lists_and_values_replaced():
    pack = compiled(
        "extends: base\npolicies:\n  gates: {seconds: 60}\n  pin_task: {constraints: [c]}\ntools: {t: {bytes: 6}}", BASE
    ).pack
    assert pack is not None
    gates, pin = pack.policies.gates, pack.policies.pin_task
    assert gates.steps is not None
    assert gates.seconds is not None
    assert (gates.steps.limit, gates.seconds.limit, gates.seconds.mode) == (8, 60, None)
    assert (pin.mode, pin.constraints) == ("observe", ("c",))
    assert (pack.tool("t").strict, pack.tool("t").bytes) == (True, 6)


def test_a_key_left_blank_changes_nothing_and_null_takes_away():
    kept = compiled("extends: base\npolicies:\n  gates:\nescalate:\n", BASE).pack
    assert kept is not None
    assert kept.policies.gates.steps is not None
    assert kept.escalate is not None
    gone = compiled("extends: base\npolicies: {gates: {steps: null}}\nescalate: null\n", BASE).pack
    assert gone is not None
    assert gone.policies.gates.steps is None
    assert gone.escalate is None


def test_a_problem_names_the_file_that_it_stands_in():
    assert lines(compiled("extends: base\nlog: {day: 1}", "policies: {gate: {}}")) == [
        "base.yaml:1:12: policies.gate: unknown key, did you mean gates?",
        "over.yaml:2:7: log.day: unknown key, did you mean days?",
    ]


def test_extends_goes_one_level():
    assert lines(compiled("extends: base", "extends: other")) == [
        "base.yaml:1:1: extends: over.yaml extends this pack, and that goes one level only"
    ]
    assert lines(compiled("extends: base")) == ["over.yaml:1:1: extends: no pack 'base' to extend"]


@pytest.mark.parametrize("text", ["[]", "just words", "3"])
def test_a_pack_is_a_section_of_keys(text):
    assert lines(compiled(text)) == ["over.yaml:1:1: a pack is a section of keys"]
    assert "base.yaml:1:1: a pack is a section of keys" in lines(compiled("extends: base", text))


def test_of_half_a_pack_nothing_is_said():
    told = lines(compiled("extends: base\ntools: {t: {catalog: shop}}", "a: [\n"))
    assert len(told) == 1
    assert told[0].startswith("base.yaml:2:1: not valid YAML")


AGENTS = """
policies: {gates: {steps: 8}}
tools: {t: {catalog: shop}}
catalogs: {shop: [a]}
agents:
  smol:
    policies: {gates: {repeats: 3}, run_once: }
    end_with: {tool: final_answer, argument: answer}
    tool_result_patterns: ["^Observation:"]
  plain:
"""


def test_an_agents_part_is_merged_over_the_pack():
    pack = parse_pack(AGENTS)
    smol = pack.agents["smol"]
    assert smol.effective_mode("run_once") == "enforce"
    assert smol.policies.gates.steps == pack.policies.gates.steps
    assert smol.end_with is not None
    assert (smol.end_with.tool, smol.end_with.argument) == ("final_answer", "answer")
    assert smol.tool_result_patterns == ("^Observation:",)
    assert smol.agents == {}
    assert pack.for_agent("plain") == pack.model_copy(update={"agents": {}})


def test_an_agents_part_is_checked_when_the_pack_is_loaded():
    assert lines(compiled("mode: of\nagents: {a: {log: {}, polices: {}}, b: 3, c: {tools: {t: {catalog: x}}}}")) == [
        "over.yaml:1:7: mode: should be off or observe or enforce, not the text 'of', did you mean off?",
        "over.yaml:2:14: agents.a.log: belongs to the pack, not to one agent",
        "over.yaml:2:23: agents.a.polices: unknown key, did you mean policies?",
        "over.yaml:2:40: agents.b: should be a section of keys",
        "over.yaml:2:68: agents.c.tools.t.catalog: no catalogue 'x'",
    ]
    assert lines(compiled("agents: [a]")) == ["over.yaml:1:9: agents: should be a section of keys"]
    assert compiled("agents:\n").pack == Pack()


def test_what_contradicts_itself_across_sections_is_told_beside_the_rest():
    assert lines(compiled("policies: {gates: {money: 1, money_per_day: 2}}\ntools: {t: {catalog: shp}}\nzodes: 1")) == [
        "over.yaml:1:20: policies.gates.money: needs prices: at the top of the pack",
        "over.yaml:1:30: policies.gates.money_per_day: needs prices: at the top of the pack",
        "over.yaml:2:22: tools.t.catalog: no catalogue 'shp'",
        "over.yaml:3:1: zodes: unknown key, did you mean mode?",
    ]
    assert lines(compiled("catalogs: {shop: [a]}\ntools: {t: {catalog: shp}}"))[0].endswith("did you mean shop?")


def test_warnings_do_not_keep_a_pack_from_loading():
    result = compiled("policies: {gates: {}}")
    assert result.pack is not None
    assert [problem.warning for problem in result.problems] == [True]
    assert parse_pack("policies: {gates: {}}") == result.pack


KEYS = st.sampled_from(["mode", "policies", "gates", "steps", "limit", "tools", "t", "agents", "extends", "upstreams"])
VALUES = st.recursive(
    st.sampled_from(["~", "null", "off", "3", "x", "1.5", "true", "'http://h.test'"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
        st.dictionaries(KEYS, inner, max_size=4).map(
            lambda entries: "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"
        ),
    ),
    max_leaves=12,
)


@given(VALUES)
def test_any_yaml_is_a_pack_or_a_list_of_problems(text):
    result = compiled(text)
    assert isinstance(result, Compiled)
    assert (result.pack is None) == any(not problem.warning for problem in result.problems)
    assert all(problem.place.line for problem in result.problems)


@given(VALUES)
def test_merging_a_tree_over_itself_changes_nothing(text):
    root = read_document(text, "f").root
    assert root is not None
    assert plain(merge(root, root)) == plain(root)


def test_the_error_carries_problems_but_no_warnings():
    with pytest.raises(PackError) as caught:
        parse_pack("policies: {gates: {}}\nmode: x")
    assert [problem.path for problem in caught.value.problems] == [("mode",)]
