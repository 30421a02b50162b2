"""Whole lines on disk, whatever happens between them."""

import json
import os
import subprocess
import sys

import pytest

from proxy.masking import Masker
from proxy.runfile import Bodies, find_run, read_lines
from proxy.runwriter import Item, RunWriter, append, mask_line

NOW = 1_800_000_000.0  # 2027-01-15


def item(run="r", kind="ask", *, bodies=None, secrets=(), exchange="e", wall=NOW, **fields):
    line = {"v": 1, "run": run, "exchange": exchange, "kind": kind, **fields}
    return Item(run, kind, exchange, json.dumps(line).encode(), bodies or {}, secrets, wall)


@pytest.fixture
def writer(tmp_path):
    return RunWriter(tmp_path, bodies=True, days=7, max_bytes=10**9, masker=Masker(["PAT-[0-9]+"]))


def lines(runs, run="r"):
    return [line for path in find_run(runs, run) for line in read_lines(path)]


def bodies(runs, run="r"):
    return Bodies(*find_run(runs, run))


def test_a_line_names_its_bodies_and_they_come_back(tmp_path, writer):
    large, small = os.urandom(30_000).hex().encode(), b'{"small": true}'
    writer.write([item(bodies={"body": large, "other": small}, n=1), item(kind="end", n=2)], NOW)
    first, second = lines(tmp_path)
    assert second["n"] == 2
    assert first["bytes"] == {"body": len(large), "other": len(small)}
    assert bodies(tmp_path).get(first["body"]) == large
    assert bodies(tmp_path).get(first["other"]) == small
    day = tmp_path / "2027-01-15"
    assert sorted(path.name for path in day.iterdir()) == ["r.bodies.jsonl", "r.jsonl"]
    assert {path.stat().st_mode & 0o777 for path in day.iterdir()} == {0o600}
    assert len((day / "r.jsonl").read_bytes()) < 1000


def test_without_bodies_their_names_and_sizes_stay(tmp_path):
    writer = RunWriter(tmp_path, bodies=False, days=7, max_bytes=10**9, masker=Masker())
    writer.write([item(bodies={"body": b"x" * 20_000})], NOW)
    (line,) = lines(tmp_path)
    assert line["body"].startswith("sha256:")
    assert line["bytes"] == {"body": 20_000}
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1
    assert b"xxx" not in next(tmp_path.rglob("*.jsonl")).read_bytes()


def test_a_run_stays_in_the_folder_of_its_first_day(tmp_path, writer):
    writer.write([item(n=1)], NOW)
    writer.write([item(n=2, wall=NOW + 86_400)], NOW)
    other = RunWriter(tmp_path, bodies=True, days=7, max_bytes=10**9, masker=Masker())
    other.write([item(n=3, wall=NOW + 2 * 86_400)], NOW)
    assert [line["n"] for line in lines(tmp_path)] == [1, 2, 3]
    assert len(find_run(tmp_path, "r")) == 1


def test_a_torn_line_is_cut_off_before_the_next(tmp_path, writer):
    writer.write([item(n=1, bodies={"body": b"b" * 10_000})], NOW)
    for path in tmp_path.rglob("*.jsonl"):
        with path.open("ab") as file:
            file.write(b'{"stored":"half of a li' + b"n" * 200_000)
    writer.write([item(n=2, bodies={"body": b"c" * 10_000})], NOW)
    for path in tmp_path.rglob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            json.loads(line)
    assert [line["n"] for line in lines(tmp_path)] == [1, 2]
    assert bodies(tmp_path).get(lines(tmp_path)[1]["body"]) == b"c" * 10_000


def test_a_file_without_any_line_end_is_begun_anew(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"torn" * 50_000)
    append(str(path), b"whole\n")
    assert path.read_bytes() == b"whole\n"


def test_a_deleted_run_is_begun_anew_with_all_that_it_needs(tmp_path, writer):
    body = os.urandom(9000).hex().encode()
    writer.write([item(bodies={"body": body})], NOW)
    for path in tmp_path.rglob("*.jsonl"):
        path.unlink()
    next(tmp_path.iterdir()).rmdir()
    writer.write([item(bodies={"body": body})], NOW)
    assert bodies(tmp_path).get(lines(tmp_path)[0]["body"]) == body


def test_many_runs_at_once_are_each_continued(tmp_path, writer):
    """More than memory is given for: what was forgotten is read back from disk."""
    history = {run: os.urandom(600_000).hex().encode() for run in map(str, range(20))}
    for step in range(3):
        for run, text in history.items():
            writer.write([item(run, bodies={"body": text + b"." * step})], NOW)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*.jsonl"))
    assert size < 1.1 * sum(map(len, history.values()))
    assert bodies(tmp_path, "7").get(lines(tmp_path, "7")[2]["body"]) == history["7"] + b".."


def everything(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_no_credential_reaches_the_disk(tmp_path, writer):
    key = b"sk-test-AAAABBBBCCCC1111"
    writer.write(
        [
            item(kind="start", path="/v1/x?key=AIzaTESTGGGG5555", headers=[["x-thing", "opaque-thing"]], n=1),
            item(bodies={"body": b'{"error": "wrong key ' + key + b'"}'}, secrets=(b"opaque-thing",)),
            item(kind="verdict", detail={"before": {"password": "hunter2"}, "after": "postgres://a:geheim@h/x PAT-77"}),
        ],
        NOW,
    )
    stored = everything(tmp_path)
    for secret in (b"AAAABBBB", b"GGGG5555", b"opaque", b"hunter2", b"geheim", b"PAT-77"):
        assert secret not in stored
    start, ask, verdict = lines(tmp_path)
    assert (start["masked"], ask["masked"], verdict["masked"]) == (2, 1, 3)
    assert verdict["detail"]["after"] == "postgres://a:******@h/x ******"


@pytest.mark.parametrize("coding", ["gzip", "zlib", "zstandard", "brotli"])
def test_no_credential_hides_in_a_coded_body(tmp_path, writer, coding):
    code = __import__(coding).compress
    plain, telling = code(b'{"fine": 1}' * 30), code(b'{"error": "sk-test-AAAABBBBCCCC1111"}' * 3)
    writer.write([item(bodies={"body": plain, "other": telling})], NOW)
    (line,) = lines(tmp_path)
    assert bodies(tmp_path).get(line["body"]) == plain
    assert bodies(tmp_path).get(line["other"]) == b'{"error": "************************"}' * 3
    assert line["decoded"] == ["other"]
    assert line["bytes"] == {"body": len(plain), "other": len(telling)}


def test_a_pattern_of_the_pack_leaves_lines_whole(tmp_path):
    writer = RunWriter(tmp_path, bodies=True, days=7, max_bytes=10**9, masker=Masker([".*"]))
    writer.write([item("sk-run-12345678", n=12, text="plain", deep=[{"x": 'quo"te'}, None, 1.5])], NOW)
    (line,) = lines(tmp_path, "sk-run-12345678")
    assert line["run"] == "sk-run-12345678"
    assert line["n"] == 12
    assert line["text"] == "*****"
    assert "quo" not in json.dumps(line["deep"])


def test_what_json_can_not_say_in_utf_8_survives_masking():
    line = json.dumps({"run": "r", "x": "\ud800", "big": 2**80, "key": "sk-abcdefgh12345"}).encode()
    masked, count = mask_line(Masker(), line, ())
    assert count == 1
    assert json.loads(masked) == {"run": "r", "x": "\ud800", "big": 2**80, "key": "*" * 16}


def test_a_full_log_makes_room_or_goes_without(tmp_path):
    writer = RunWriter(tmp_path, bodies=True, days=7, max_bytes=40_000, masker=Masker())
    for number in range(4):
        writer.write([item(f"r{number}", kind="end", text="x" * 12_000)], NOW + number * 100)
        for path in find_run(tmp_path, f"r{number}"):
            os.utime(path, (NOW + number * 100,) * 2)
    writer.write([item("r9", kind="end")], NOW + 1000)
    assert [run for run in ("r0", "r1", "r2", "r3", "r9") if find_run(tmp_path, run)] == ["r1", "r2", "r3", "r9"]
    assert writer.dropped == 0


def test_runs_with_an_open_exchange_are_not_swept(tmp_path):
    writer = RunWriter(tmp_path, bodies=True, days=1, max_bytes=10**9, masker=Masker())
    for run, kind in (("open", "start"), ("ended", "end")):
        writer.write([item(run, kind="start"), item(run, kind=kind)], NOW)
        os.utime(find_run(tmp_path, run)[0], (NOW - 3 * 86_400,) * 2)
    writer.sweep(NOW)
    assert find_run(tmp_path, "open")
    assert not find_run(tmp_path, "ended")
    writer.sweep(NOW + 3 * 86_400)
    assert not find_run(tmp_path, "open"), "an exchange that never ended"


def test_a_folder_that_can_not_be_written_costs_records_only(tmp_path):
    (tmp_path / "runs").write_text("a file in the way")
    writer = RunWriter(tmp_path / "runs", bodies=True, days=7, max_bytes=10**9, masker=Masker())
    writer.write([item(), item("s")], NOW)
    assert (writer.failed, writer.dropped) == (2, 2)
    assert writer.error
    (tmp_path / "runs").unlink()
    writer.write([item()], NOW)
    assert len(lines(tmp_path / "runs")) == 1
    assert writer.error == ""


FULL_DISK = """
import resource, sys
from pathlib import Path
from tests.test_runwriter import NOW, RunWriter, Masker, item
writer = RunWriter(Path(sys.argv[1]), bodies=True, days=7, max_bytes=10**9, masker=Masker())
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
body = bytes(range(48, 90)) * 700
writer.write([item(n=1, bodies={"body": body})], NOW)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
writer.write([item(n=2, bodies={"body": body[::-1]}), item(n=3)], NOW)
writer.write([item(n=4, text="y" * 39_990)], NOW)
assert (writer.failed, writer.dropped) == (2, 3), (writer.failed, writer.dropped)
assert writer.error == "File too large", writer.error
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
writer.write([item(n=5, bodies={"body": body[::-1] + b"!"})], NOW)
assert writer.error == ""
"""


def test_a_full_disk_leaves_whole_lines_and_logging_goes_on(tmp_path):
    """The limit on a file's size stands for a full disk: a write is cut short, the next one fails."""
    subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], check=True, timeout=60)
    found = lines(tmp_path)
    assert [line["n"] for line in found] == [1, 5]
    body = bytes(range(48, 90)) * 700
    assert bodies(tmp_path).get(found[0]["body"]) == body
    assert bodies(tmp_path).get(found[1]["body"]) == body[::-1] + b"!"
    for path in tmp_path.rglob("*.jsonl"):
        assert path.read_bytes().endswith(b"\n")
