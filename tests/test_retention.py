"""The oldest whole runs go first; what is being written stays."""

import os

import pytest

from proxy.retention import Kept, sweep

NOW = 1_800_000_000.0
HOUR = 3600.0


@pytest.fixture
def put(tmp_path):
    def make(day, run, hours, *, size=100, bodies=0):
        folder = tmp_path / day
        folder.mkdir(exist_ok=True)
        for name, length in ((f"{run}.jsonl", size), (f"{run}.bodies.jsonl", bodies)):
            if length:
                (folder / name).write_bytes(b"x" * length)
                os.utime(folder / name, (NOW - hours * HOUR,) * 2)
        return str(folder / f"{run}.jsonl")

    return make


def left(tmp_path):
    return sorted(path.name for path in tmp_path.rglob("*") if path.is_file())


def test_old_runs_go_with_their_bodies_and_empty_days(tmp_path, put):
    put("2026-01-01", "old", 50, bodies=500)
    put("2026-01-02", "new", 40, bodies=500)
    assert sweep(tmp_path, now=NOW, days=2, max_bytes=10**9) == Kept(600, 1)
    assert left(tmp_path) == ["new.bodies.jsonl", "new.jsonl"]
    assert not (tmp_path / "2026-01-01").exists()


def test_a_run_is_as_old_as_its_last_line(tmp_path, put):
    put("2026-01-01", "began-long-ago", 1)
    put("2026-01-05", "began-later", 60)
    sweep(tmp_path, now=NOW, days=2, max_bytes=10**9)
    assert left(tmp_path) == ["began-long-ago.jsonl"]


def test_the_oldest_go_until_the_rest_fits(tmp_path, put):
    for number in range(5):
        put("2026-01-01", f"r{number}", 10 - number, bodies=900)
    assert sweep(tmp_path, now=NOW, days=7, max_bytes=2500) == Kept(2000, 3)
    assert left(tmp_path) == ["r3.bodies.jsonl", "r3.jsonl", "r4.bodies.jsonl", "r4.jsonl"]


def test_what_is_being_written_stays(tmp_path, put):
    live = put("2026-01-01", "live", 90)
    put("2026-01-01", "just-now", 0.001)
    put("2026-01-01", "old", 80)
    assert sweep(tmp_path, now=NOW, days=1, max_bytes=1, live={live}) == Kept(200, 1)
    assert left(tmp_path) == ["just-now.jsonl", "live.jsonl"]


def test_bodies_that_lost_their_lines_go_too(tmp_path, put):
    put("2026-01-01", "orphan", 90, size=0, bodies=10)
    assert sweep(tmp_path, now=NOW, days=1, max_bytes=100).removed == 1


def test_what_is_not_ours_stays(tmp_path, put):
    put("2026-01-01", "old", 90)
    (tmp_path / "2026-01-01" / "notes.txt").write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "old.jsonl").touch()
    sweep(tmp_path, now=NOW + 10**9, days=1, max_bytes=1)
    assert left(tmp_path) == ["notes.txt", "old.jsonl"]


def test_nothing_there_is_nothing_to_do(tmp_path):
    assert sweep(tmp_path / "none", now=NOW, days=1, max_bytes=1) == Kept(0, 0)
