"""Finding packs: by name from anywhere, by path, and the one that a pack extends."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from proxy.packs import inspect_pack, load_pack, read_pack, shipped_packs
from proxy.settings.document import MAX_LENGTH
from proxy.settings.policies import PIPELINE_NAMES
from proxy.settings.problems import PackError

ROOT = Path(__file__).parents[1]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(reference):
    return [str(problem) for problem in inspect_pack(reference).problems]


def modes(pack, mode):
    return [name for name in PIPELINE_NAMES if pack.effective_mode(name) == mode]


def test_a_shipped_pack_is_found_by_name_from_any_folder(here):
    assert {"default", "observe", "strict", "coding-agent"} <= set(shipped_packs())
    assert load_pack("default") == load_pack(str(ROOT / "policies" / "default.yaml"))


@pytest.mark.parametrize("name", ["default", "observe", "strict", "coding-agent"])
def test_the_shipped_packs_load_without_a_warning(name):
    assert lines(name) == []


def test_default_repairs_and_explains_and_only_watches_what_changes_a_run():
    pack = load_pack("default")
    enforced = "gates explain_errors truncate_results run_once repair_arguments constrain_tools"
    assert modes(pack, "enforce") == enforced.split()
    assert modes(pack, "observe") == ["fold_history", "pin_task", "tool_health"]
    gates = {name: (limit.limit, limit.mode) for name, limit in pack.policies.gates.limits()}
    assert gates == {
        "repeats": (3, None),
        "steps": (100, None),
        "seconds": (90, "observe"),
        "tokens": (200000, "observe"),
    }
    truncate = pack.policies.truncate_results
    assert (truncate.bytes, truncate.text_bytes, truncate.offer) == (4096, 32768, "needed")


def test_strict_enforces_everything_and_observe_is_its_watching_twin():
    strict, observe = load_pack("strict"), load_pack("observe")
    gates = {name: limit.limit for name, limit in strict.policies.gates.limits()}
    assert gates.items() >= {"steps": 8, "seconds": 90, "repeats": 3, "tokens": 200000}.items()
    assert (strict.policies.truncate_results.bytes, strict.policies.truncate_results.text_bytes) == (4096, 4096)
    assert strict.policies.fold_history.keep_steps == 4
    assert strict.upstream.breaker is not None
    assert modes(strict, "observe") == []
    assert modes(observe, "observe") == modes(strict, "enforce")
    assert observe.model_copy(update={"mode": "enforce"}).model_dump() == strict.model_dump()


def test_coding_agents_have_room():
    pack = load_pack("coding-agent")
    assert pack.policies.gates.steps is not None
    assert pack.policies.gates.steps.limit == 300
    assert (pack.policies.truncate_results.bytes, pack.policies.truncate_results.text_bytes) == (32768, 131072)


def test_a_pack_extends_a_shipped_name_or_a_path_from_its_own_folder(here):
    (here / "deep").mkdir()
    (here / "deep" / "base.yaml").write_text("policies: {gates: {steps: 5}}")
    (here / "deep" / "over.yaml").write_text("extends: ./base.yaml\npolicies: {gates: {repeats: 3}}")
    (here / "named.yaml").write_text("extends: default\nmode: observe")
    gates = load_pack("deep/over.yaml").policies.gates
    assert gates.steps is not None
    assert gates.repeats is not None
    assert load_pack("named.yaml").effective_mode("run_once") == "observe"


def test_a_file_without_suffix_is_found_unless_a_shipped_pack_has_its_name(here):
    (here / "mine").write_text("mode: observe")
    (here / "strict").write_text("mode: observe")
    assert load_pack("mine").mode == "observe"
    assert load_pack("strict").mode == "enforce"


def test_what_cannot_be_read_is_a_problem_not_an_exception(here):
    (here / "latin.yaml").write_bytes(b"mode: \xff")
    (here / "long.yaml").write_bytes(b"#" * (MAX_LENGTH * 5))
    assert lines("gone.yaml") == ["gone.yaml: no such file or directory"]
    assert lines("strct") == ["strct: no such file or directory, did you mean strict?"]
    assert lines("zzzzzz")[0].startswith("zzzzzz: no such file or directory; the shipped packs are coding-agent, ")
    assert lines(".") == [".: is a directory"]
    assert lines("latin.yaml") == ["latin.yaml: not UTF-8 at byte 6"]
    assert lines("long.yaml")[0].startswith("long.yaml: longer than a pack may be")


def test_a_pack_to_extend_that_is_not_there_is_told_at_the_line_that_asks_for_it(here):
    (here / "p.yaml").write_text("mode: enforce\nextends: defalt\n")
    assert lines("p.yaml") == ["p.yaml:2:1: extends: defalt: no such file or directory, did you mean default?"]
    with pytest.raises(PackError):
        load_pack("p.yaml")


def test_a_byte_order_mark_is_no_part_of_the_pack(here):
    (here / "bom.yaml").write_bytes(b"\xef\xbb\xbfmode: observe\n")
    assert load_pack("bom.yaml").mode == "observe"
    assert read_pack("bom.yaml").problems == ()


def test_an_installed_wheel_carries_the_packs(here):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(here / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = (here / "dist").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(here / "site")
    ask = "import proxy.packs as p; print(p.__file__, p.load_pack('observe').digest)"
    told = subprocess.run(
        [sys.executable, "-c", ask], cwd=here, env={"PYTHONPATH": str(here / "site")}, check=True, capture_output=True
    )
    file, digest = told.stdout.decode().split()
    assert Path(file).is_relative_to(here)
    assert digest == load_pack("observe").digest
