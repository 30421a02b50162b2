"""A run is found by its id, whatever that is, and read as far as it is whole."""

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.entries import Entry, body_key, encode_entry
from proxy.runfile import Absent, Bodies, body_names, file_stem, find_run, read_lines, run_files


def key(body):
    return body_key(hashlib.sha256(body).hexdigest())


def line(**fields):
    return json.dumps({"v": 1, "run": "r", **fields}).encode() + b"\n"


@pytest.mark.parametrize("run", ["a", "run-1", "A.b_c-9", "0" * 100])
def test_a_plain_id_is_the_name(run):
    assert file_stem(run) == run


@pytest.mark.parametrize(
    "run",
    ["", ".", "..", "../../etc/passwd", "/etc", "a/b", "a\\b", "-rf", "~x", "a\0b", "名", "0" * 101, "x.bodies", "a\n"],
)
def test_an_odd_id_is_hashed(run):
    stem = file_stem(run)
    assert stem[0] == "~"
    assert stem[1:].isalnum()
    assert len(stem) == 41


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=8), min_size=2, max_size=10, unique=True))
def test_different_runs_have_different_files(runs):
    assert len({file_stem(run) for run in runs}) == len(runs)


def test_only_whole_lines_of_this_version_are_read(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(
        line(kind="start")
        + encode_entry("sha256:aa", Entry(b"x"))
        + b"{torn\n\xff\xfe\n[]\n\n"
        + b'{"v": 2, "run": "r"}\n{"v": 1}\n'
        + line(kind="end", big=2**70)
        + line(kind="lost")[:-9]
    )
    assert [found["kind"] for found in read_lines(path)] == ["start", "end"]
    assert list(read_lines(path))[1]["big"] == 2**70


def test_which_fields_are_bodies():
    named = {"body": "sha256:aa", "text": "sha256:bb", "bytes": {"body": 3, "gone": 9}}
    assert body_names(named) == ["body"]
    assert body_names({"body": "sha256:aa"}) == []


def test_runs_are_found_by_day(tmp_path):
    for day, name in (("2026-01-02", "a"), ("2026-01-03", "b"), ("2026-01-03", "a"), ("notes", "c")):
        (tmp_path / day).mkdir(exist_ok=True)
        (tmp_path / day / f"{name}.jsonl").touch()
        (tmp_path / day / f"{name}.bodies.jsonl").touch()
    (tmp_path / "2026-01-09").touch()
    assert [f"{path.parent.name}/{path.name}" for path in run_files(tmp_path)] == [
        "2026-01-03/a.jsonl",
        "2026-01-03/b.jsonl",
        "2026-01-02/a.jsonl",
    ]
    assert [path.parent.name for path in find_run(tmp_path, "a")] == ["2026-01-02", "2026-01-03"]
    assert find_run(tmp_path, "c") == []
    assert list(run_files(tmp_path / "nothing")) == []


def test_bodies_are_restored_over_both_files(tmp_path):
    first, second, third = b"a" * 50 + b"end", b"a" * 50 + b"b end", b"\xff\x00" * 9
    (tmp_path / "r.bodies.jsonl").write_bytes(encode_entry(key(first), Entry(first)))
    (tmp_path / "r.jsonl").write_bytes(
        line(kind="start")
        + encode_entry(key(second), Entry(b"b ", key(first), 50, 3))
        + encode_entry(key(third), Entry(third))
        + b'{"stored":"sha256:torn","te'
    )
    bodies = Bodies(tmp_path / "r.jsonl")
    assert [bodies.get(key(body)) for body in (second, first, third)] == [second, first, third]
    assert bodies.chain(key(second)) == 1
    assert bodies.latest() == [key(third), key(second), key(first)]


def test_what_can_not_be_restored_says_why(tmp_path):
    (tmp_path / "r.jsonl").write_bytes(
        encode_entry("sha256:wrong", Entry(b"x"))
        + encode_entry("sha256:orphan", Entry(b"x", "sha256:none"))
        + encode_entry("sha256:snake", Entry(b"x", "sha256:snake"))
    )
    bodies = Bodies(tmp_path / "r.jsonl")
    why = {name: bodies.get(f"sha256:{name}") for name in ("wrong", "orphan", "snake", "never")}
    assert all(isinstance(found, Absent) for found in why.values())
    assert len({found.why for found in why.values() if isinstance(found, Absent)}) == 4
