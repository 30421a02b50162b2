"""What holds for the whole repository: a docstring, a test and a side for each module, a README row for each policy."""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from proxy.settings import PIPELINE_NAMES, Policies

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
MODULES = sorted((ROOT / "proxy").rglob("*.py"))

# Modules without a test file of their own, and why. Packages' __init__.py only gather names.
UNMIRRORED: dict[str, str] = {}
# Packages whose modules are parts of one thing and are tested as that, and where.
AS_ONE = {"failures": "test_read.py: whole results in, structured errors out; a case is a line of cases.jsonl"}


def name(path):
    return str(path.relative_to(ROOT / "proxy"))


def test_every_module_says_what_it_is_for():
    assert [name(path) for path in MODULES if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_every_module_has_a_test_file_at_the_same_place():
    own = [path.relative_to(ROOT / "proxy") for path in MODULES if path.name != "__init__.py"]
    for package, where in AS_ONE.items():
        assert (ROOT / "tests" / package / where.partition(":")[0]).exists()
    own = [path for path in own if path.parts[0] not in AS_ONE]
    untested = {str(path) for path in own if not (ROOT / "tests" / path.with_name(f"test_{path.name}")).exists()}
    assert untested - UNMIRRORED.keys() == set()
    assert UNMIRRORED.keys() - untested == set(), "tested after all, or gone"


@pytest.mark.parametrize("policy", PIPELINE_NAMES)
def test_every_policy_has_its_module_its_test_its_key_and_its_row(policy):
    own = ROOT / "proxy" / "policies"
    assert (own / f"{policy}.py").exists() or (own / policy / "__init__.py").exists(), "no module"
    tests = ROOT / "tests" / "policies"
    assert (tests / f"test_{policy}.py").exists() or list((tests / policy).glob("test_*.py")), "no test"
    assert policy in Policies.model_fields, "no key in packs"
    assert policy in json.loads((ROOT / "policies" / "schema.json").read_text())["$defs"]["Policies"]["properties"]
    assert re.search(rf"^\| *`{policy}` *\|", (ROOT / "README.md").read_text(), re.MULTILINE), "no row in the README"


def contract(wanted):
    (found,) = [c for c in PROJECT["tool"]["importlinter"]["contracts"] if c["id"] == wanted]
    return found


def test_every_module_stands_on_one_side_of_the_architecture():
    core = contract("core")
    inside = set(core["source_modules"])
    outside = {module for module in core["forbidden_modules"] if module.startswith("proxy.")}
    modules = {
        f"proxy.{path.stem}"
        for path in (ROOT / "proxy").iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or any(path.glob("*.py"))
    }
    assert inside & outside == set()
    assert modules - inside - outside == set(), "say in pyproject whether it is core or shell"
    assert (inside | outside) - modules == set(), "named in pyproject, but gone"


def test_no_policy_may_know_another():
    alone = set(contract("alone")["modules"])
    own = ROOT / "proxy" / "policies"
    there = {policy for policy in PIPELINE_NAMES if (own / f"{policy}.py").exists() or (own / policy).is_dir()}
    assert {f"proxy.policies.{policy}" for policy in there} == alone


def test_the_shell_alone_may_read_the_clock():
    """Ruff's list of files that may use what is banned in the core holds no core module."""
    core = {module.removeprefix("proxy.") for module in contract("core")["source_modules"]}
    for pattern, rules in PROJECT["tool"]["ruff"]["lint"]["per-file-ignores"].items():
        if "TID251" in rules and pattern.startswith("proxy/"):
            names = re.findall(r"[a-z_]+", pattern.removeprefix("proxy/").removesuffix(".py"))
            assert not core.intersection(names), pattern


def test_every_ignored_rule_says_why():
    text = (ROOT / "pyproject.toml").read_text()
    ignore = text[text.index("\nignore = [") : text.index("\n]", text.index("\nignore = ["))]
    for line in ignore.strip().splitlines()[1:]:
        assert "#" in line, line


def test_locked_versions_name_no_machine():
    text = (ROOT / "constraints.txt").read_text()
    assert not re.search(r"://|^-|@ |/", re.sub(r"^ *#.*$", "", text, flags=re.MULTILINE), re.MULTILINE)
    assert not re.search(r"://|index-url|\(/", text)
    locked = {line.split("==")[0].lower() for line in text.splitlines() if "==" in line and "#" not in line}
    wanted = [
        *PROJECT["project"]["dependencies"],
        *PROJECT["dependency-groups"]["dev"],
        *(need for extra in PROJECT["project"]["optional-dependencies"].values() for need in extra),
    ]
    named = {re.split(r"[^A-Za-z0-9._-]", need)[0].lower().replace("_", "-") for need in wanted}
    assert named - locked == set(), "run `make lock`"


def make_targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_the_image_is_built_by_what_make_runs_too():
    dockerfile = (ROOT / "Dockerfile").read_text()
    runs = re.findall(r"^RUN (.*)$", dockerfile, re.MULTILINE)
    assert runs
    for run in runs:
        assert re.match(r"make ([a-z-]+)\b", run), run
        assert run.split()[1] in make_targets()


def test_the_image_copies_only_what_is_there_and_not_ignored():
    kept = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"}
    for line in re.findall(r"^COPY (?!--from)(.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert source in kept, source


def test_the_image_runs_as_nobody_and_is_asked_how_it_is():
    final = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", final, re.MULTILINE)
    assert "/healthz" in final
    assert re.search(r"^HEALTHCHECK ", final, re.MULTILINE)
    (command,) = re.findall(r'^ENTRYPOINT \["(.*)"\]$', final, re.MULTILINE)
    assert command in PROJECT["project"]["scripts"]


def test_what_is_checked_before_a_commit_is_what_make_checks():
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repo["repo"] == "local", "nothing is fetched"
    tools = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in repo["hooks"]}
    makefile = (ROOT / "Makefile").read_text()
    linted = set(re.findall(r"\$\(BIN\)/(\S+)", makefile[makefile.index("lint:") : makefile.index("fmt:")]))
    assert {tool for tool in linted if tool != "hadolint"} <= tools


def test_ci_runs_what_a_developer_runs():
    script = (ROOT / ".ci" / "run").read_text()
    assert script.rstrip().endswith("make test")
    assert "set -euo pipefail" in script
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
