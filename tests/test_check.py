"""`handrail check`: what it prints and how it exits."""

import pytest

from proxy.check import check


@pytest.fixture
def pack(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        (tmp_path / name).write_text(text)
        return name

    return write


def test_a_good_pack_is_summed_up(pack, capsys):
    assert check([pack("p.yaml", "policies: {run_once: , gates: {mode: observe, steps: 3}}")]) == 0
    assert capsys.readouterr().out == (
        "p.yaml: loads; enforce: run_once; observe: gates; off: explain_errors, truncate_results, fold_history, "
        "pin_task, tool_health, repair_arguments, rescue_text_calls, constrain_tools\n"
    )


def test_problems_are_findings(pack, capsys):
    assert check([pack("p.yaml", "policies:\n  repair_argument: {}\nmode: of\n")]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "p.yaml:2:3: policies.repair_argument: unknown key, did you mean repair_arguments?",
        "p.yaml:3:7: mode: should be off or observe or enforce, not the text 'of', did you mean off?",
        "p.yaml: does not load (2 problems)",
    ]


def test_a_setting_without_effect_is_a_finding_in_a_pack_that_loads(pack, capsys):
    assert check([pack("p.yaml", "policies: {gates: {}}")]) == 1
    warning, summary = capsys.readouterr().out.splitlines()
    assert warning == "p.yaml:1:12: warning: policies.gates: has no limit, so it never acts"
    assert summary.startswith("p.yaml: loads; ")


def test_nothing_to_read_is_bad_usage(pack, capsys):
    assert check([]) == 2
    assert check(["gone.yaml"]) == 2
    assert capsys.readouterr().out.splitlines()[1] == "gone.yaml: no such file or directory"


def test_the_worst_of_several_decides(pack, capsys):
    good, bad = pack("good.yaml", ""), pack("bad.yaml", "x: 1")
    assert check([good, good]) == 0
    assert check([bad, good]) == 1
    assert check([good, "gone.yaml", bad]) == 2
