"""Records are queued without waiting, and reach the disk whole or not at all."""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from proxy.runfile import Bodies, find_run, read_lines, run_files
from proxy.runlog import RunLog, _weight
from proxy.verdicts import Read, Record

NOW = 1_800_000_000.0


@pytest.fixture
def log(tmp_path):
    opened = RunLog(tmp_path, bodies=True, days=7, max_bytes=10**9, mask=())
    yield opened
    assert opened.close(10)


def lines(folder, run="r"):
    return [line for path in find_run(folder / "runs", run) for line in read_lines(path)]


def test_a_record_is_a_line(tmp_path, log):
    record = Record("r", "reply", 2, {"status": 200, "chunks": ((0, 5), (9, 7))}, {"body": b"{}"})
    log.record(record, exchange="x1", wall=NOW)
    assert log.flush(10)
    (line,) = lines(tmp_path)
    key = line.pop("body")
    assert line == {
        "v": 1,
        "run": "r",
        "exchange": "x1",
        "round": 2,
        "at": NOW,
        "kind": "reply",
        "status": 200,
        "chunks": [[0, 5], [9, 7]],
        "bytes": {"body": 2},
    }
    assert Bodies(*find_run(tmp_path / "runs", "r")).get(key) == b"{}"


def test_lines_keep_their_order(tmp_path, log):
    for number in range(1000):
        log.record(Record("ab"[number % 2], "verdict", 0, {"n": number}), exchange="x", wall=NOW)
    log.flush(10)
    assert [line["n"] for line in lines(tmp_path, "a")] == list(range(0, 1000, 2))
    assert [line["n"] for line in lines(tmp_path, "b")] == list(range(1, 1000, 2))


def test_fields_can_not_pass_for_the_logs_own(tmp_path, log):
    fields = {"run": "other", "v": 9, "bytes": {"a": 1}, "masked": 7, "body": "sha256:0", "mine": 1}
    log.record(Record("r", "ask", 0, fields, {"body": b"x"}), exchange="e", wall=NOW)
    log.flush(10)
    (line,) = lines(tmp_path)
    assert line["run"] == "r"
    assert line["bytes"] == {"body": 1}
    assert line["mine"] == 1
    assert "masked" not in line


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (2**90, 2**90),
        ("\ud800", "\ud800"),
        (b"raw \xff", "raw \ufffd"),
        (Read("k"), {"key": "k", "local": False, "final": False}),
        ({1: 2}, {"1": 2}),
        (msgspec.Raw(b"1"), None),
    ],
)
def test_odd_values_are_written_as_well_as_can_be(tmp_path, log, value, stored):
    log.record(Record("r", "verdict", 0, {"value": value}), exchange="e", wall=NOW)
    log.flush(10)
    (line,) = lines(tmp_path)
    assert stored is None or line["value"] == stored


def test_what_can_not_be_written_at_all_is_counted(log):
    ring: list = []
    ring.append(ring)
    log.record(Record("r", "verdict", 0, {"value": ring}), exchange="e", wall=NOW)
    assert log.flush(5)
    assert log.dropped == 1


def test_many_parts_weigh_what_they_hold():
    parts = [{"text": "x" * 1000} for _ in range(40_000)]
    for detail in ({"parts": parts}, {"parts": [*parts, *([{}] * 40_000)]}):
        assert _weight({"detail": detail}) > 40_000_000


def test_a_record_of_very_many_parts_is_written_all_the_same(tmp_path, log):
    repairs = [{"path": f"/ids/{number}"} for number in range(60_000)]
    log.record(Record("r", "verdict", 0, {"detail": {"repairs": repairs}}), exchange="e", wall=NOW)
    log.flush(10)
    (line,) = lines(tmp_path)
    assert line["detail"]["repairs"] == repairs
    assert log.dropped == 0


@pytest.mark.parametrize("run", ["../../etc/cron.d/x", "/abs", "..", "", "a/b", "名前", "x" * 5000, "nul\0", "\udcff"])
def test_odd_run_ids_stay_in_the_folder(tmp_path, log, run):
    log.record(Record(run, "start", 0, {}), exchange="e", wall=NOW)
    assert log.flush(10)
    (line,) = lines(tmp_path, run)
    assert line["run"] == run
    (path,) = run_files(tmp_path / "runs")
    assert path.parent.parent == tmp_path / "runs"
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs"]


def test_a_full_queue_drops_and_counts(tmp_path):
    log = RunLog(tmp_path, bodies=True, days=7, max_bytes=10**9, mask=(), queue_bytes=50_000)
    log.record(Record("r", "ask", 0, {"n": 1}, {"body": b"x" * 60_000}), exchange="e", wall=NOW)
    assert log.dropped == 1
    log.record(Record("r", "verdict", 0, {"n": 2, "detail": {"texts": ["y" * 60_000]}}), exchange="e", wall=NOW)
    assert log.dropped == 2
    log.record(Record("r", "ask", 0, {"n": 3}, {"body": b"x" * 30_000}), exchange="e", wall=NOW)
    assert log.close(10)
    first, third = lines(tmp_path)
    assert (first["n"], third["n"]) == (1, 3)
    assert first["bytes"] == {"body": 60_000}
    assert first["left_out"] == ["body"]
    assert "body" not in first
    assert "body" in third


def test_a_closed_log_drops(tmp_path):
    log = RunLog(tmp_path, bodies=True, days=7, max_bytes=10**9, mask=())
    assert log.close(10)
    log.record(Record("r", "ask", 0, {}), exchange="e", wall=NOW)
    assert log.dropped == 1
    assert log.flush(10)


def test_closing_writes_what_is_queued(tmp_path):
    log = RunLog(tmp_path, bodies=True, days=7, max_bytes=10**9, mask=())
    for number in range(500):
        log.record(Record("r", "verdict", 0, {"n": number}), exchange="e", wall=NOW)
    assert log.close(10)
    assert len(lines(tmp_path)) == 500


def test_records_from_many_threads(tmp_path, log):
    def work(thread):
        for number in range(200):
            body = f"{thread} {number} ".encode() * 50
            log.record(Record("r", "ask", 0, {"t": thread, "n": number}, {"body": body}), exchange="e", wall=NOW)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    log.flush(20)
    found = lines(tmp_path)
    bodies = Bodies(*find_run(tmp_path / "runs", "r"))
    assert len(found) == 800
    for line in found:
        assert bodies.get(line["body"]) == f"{line['t']} {line['n']} ".encode() * 50


def test_the_disks_errors_are_told(tmp_path):
    (tmp_path / "runs").write_text("in the way")
    log = RunLog(tmp_path, bodies=True, days=7, max_bytes=10**9, mask=())
    log.record(Record("r", "ask", 0, {}), exchange="e", wall=NOW)
    log.flush(10)
    assert (log.failed, log.dropped) == (1, 1)
    assert log.error == "Not a directory"
    (tmp_path / "runs").unlink()
    log.record(Record("r", "ask", 0, {}), exchange="e", wall=NOW)
    assert log.close(10)
    assert (log.failed, log.error) == (1, "")
    assert len(lines(tmp_path)) == 1


def test_a_bad_pattern_is_told_at_once(tmp_path):
    with pytest.raises(ValueError, match="RE2"):
        RunLog(tmp_path, bodies=True, days=7, max_bytes=10**9, mask=["(?=x)"])


WRITER = """
import sys
from pathlib import Path
from proxy.runlog import RunLog
from proxy.verdicts import Record
log = RunLog(Path(sys.argv[1]), bodies=True, days=7, max_bytes=10**9, mask=())
for number in range(10**9):
    body = b'{"history": "' + b"step " * (number % 997) + b'"}'
    log.record(Record("shared", "ask", 0, {"who": sys.argv[2], "n": number}, {"body": body}), exchange="e", wall=1.8e9)
    if number % 50 == 0:
        log.flush(10)
        print(number, flush=True)
"""


def test_two_writers_of_one_run_killed_in_the_middle_leave_whole_lines(tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), who], stdout=subprocess.PIPE, text=True)
        for who in ("a", "b")
    ]
    told = dict.fromkeys("ab", -1)
    for who, writer in zip("ab", writers, strict=True):
        assert writer.stdout is not None
        while told[who] < 400:
            told[who] = int(writer.stdout.readline())
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    found = lines(tmp_path, "shared")
    bodies = Bodies(*find_run(tmp_path / "runs", "shared"))
    for who in "ab":
        numbers = [line["n"] for line in found if line["who"] == who]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) > told[who]
    for line in found:
        assert bodies.get(line["body"]) == b'{"history": "' + b"step " * (line["n"] % 997) + b'"}'
    for path in tmp_path.rglob("*.jsonl"):
        for raw in path.read_bytes().splitlines()[:-1]:
            json.loads(raw)
