"""What an operator types, and what comes back."""

import argparse
import base64
import io
import json
import os
import sys
import time

import pytest

from proxy import runs
from proxy.runfile import read_lines
from proxy.runlog import RunLog
from proxy.runs import FINDING, OK, USAGE
from proxy.verdicts import Record

NOW = 1_700_000_000.0  # 2023-11-14
SENT = {1: '{"n": 1, "text": "ünï"}'.encode() + b" " * 3000, 2: b'{"n": 2, "text": "later"}' + b" " * 3000}
RAW = b"\x00\xffraw"


def write(data, run, *, wall=NOW, how="done", alert=None, exchange="e1", kept=True, secrets=()):
    log = RunLog(data, bodies=kept, days=10**6, max_bytes=10**9, mask=())

    def record(kind, turn, fields, after, **bodies):
        log.record(Record(run, kind, turn, fields, bodies), wall + after, secrets, exchange=exchange)

    record("start", 0, {"method": "POST", "path": "/v1/x", "model": "m"}, 0, body=SENT[1])
    for turn in (1, 2):
        record("send", turn, {}, turn, body=SENT[turn])
        record("reply", turn, {"status": 200, "usage": {"input": 10, "output": 1}}, turn, body=RAW * turn)
    if alert:
        record("verdict", 2, {"policy": "gates", "did": "halted", "detail": {"alert": alert}}, 3)
    record("end", 2, {"how": how, "big": 2**80}, 4)
    assert log.close(10)


@pytest.fixture
def data(tmp_path):
    write(tmp_path, "first-run", wall=NOW)
    write(tmp_path, "second-run", wall=NOW + 90_000, how="client gone", alert={"by": "steps"})
    write(tmp_path, "../odd", wall=NOW + 200_000)
    return tmp_path


@pytest.fixture
def call(data, monkeypatch):
    """Runs a command: exit code, stdout as bytes, stderr."""

    def run(*argv):
        parser = argparse.ArgumentParser()
        runs.add_arguments(parser.add_subparsers(required=True), data)
        args = parser.parse_args(argv)
        out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        module, _, name = args.run.partition(":")
        assert module == runs.__name__
        code = getattr(runs, name)(args)
        out.flush()
        return code, out.buffer.getvalue(), err.getvalue()

    return run


def test_the_list_is_newest_first(call):
    code, out, err = call("list")
    assert code == OK
    assert err == ""
    rows = out.decode().splitlines()[1:]
    assert [row.split()[2] for row in rows] == ["../odd", "second-run", "first-run"]
    assert "client gone" in rows[1]
    assert "escalated; gates halted" in rows[1]


def test_the_list_as_json(call):
    code, out, _ = call("list", "--json", "--escalated")
    (one,) = map(json.loads, out.splitlines())
    assert code == OK
    assert (one["run"], one["rounds"], one["input"], one["escalated"]) == ("second-run", 2, 20, True)


def test_a_short_list_says_that_there_is_more(call):
    _, out, err = call("list", "--limit", "1")
    assert len(out.splitlines()) == 2
    assert "2 older runs" in err
    assert len(call("list", "--limit", "0")[1].splitlines()) == 4


@pytest.mark.parametrize("since", ["2023-11-15", "2023-11-15T00:00:00Z", "2023-11-15 01:00:00+01:00"])
def test_since_a_date(call, since):
    _, out, _ = call("list", "--json", "--since", since)
    assert [json.loads(line)["run"] for line in out.splitlines()] == ["../odd", "second-run"]


@pytest.mark.parametrize("span", ["30s", "30m", "1.5h", "2d", "1w"])
def test_since_a_span(call, data, span):
    write(data, "fresh", wall=time.time())
    _, out, _ = call("list", "--json", "--since", span)
    assert [json.loads(line)["run"] for line in out.splitlines()] == ["fresh"]


def test_since_a_span_that_reaches_back_far_enough(call):
    assert len(call("list", "--json", "--since", "9999w")[1].splitlines()) == 3


def test_files_that_were_not_written_since_are_not_read(call, data):
    for path in data.rglob("*.jsonl"):
        os.utime(path, (1, 1))
    assert call("list", "--json", "--since", "2023-01-01")[1] == b""


@pytest.mark.parametrize("argv", [["--since", "yesterday"], ["--since", "5"], ["--colour"]])
def test_what_is_no_argument(call, argv):
    with pytest.raises(SystemExit) as left:
        call("list", *argv)
    assert left.value.code == USAGE


def test_an_empty_folder(call, tmp_path):
    code, out, err = call("list", "--data", str(tmp_path / "none"))
    assert (code, out) == (OK, b"")
    assert "no runs under" in err


@pytest.mark.parametrize("turn", [1, 2])
def test_the_exact_body_that_the_model_got(call, turn):
    for exchange in ("1", "e1"):
        argv = ("show", "first-run", "--exchange", exchange, "--round", str(turn), "--as-sent")
        assert call(*argv) == (OK, SENT[turn], "")


def test_the_exact_body_that_came_back(call):
    assert call("show", "first-run", "--as-received") == (OK, RAW * 2, "")
    assert call("show", "first-run", "--round", "1", "--as-received") == (OK, RAW, "")


def test_json_has_the_lines_with_bodies_in_place(call, data):
    code, out, _ = call("show", "first-run", "--json")
    assert code == OK
    shown = [json.loads(line) for line in out.splitlines()]
    stored = list(read_lines(next(data.rglob("first-run.jsonl"))))
    assert [line["kind"] for line in shown] == ["start", "send", "reply", "send", "reply", "end"]
    assert shown[1]["body"].encode() == SENT[1]
    assert base64.b64decode(shown[2]["body"]["base64"]) == RAW
    assert shown[5] == stored[5]
    assert shown[5]["big"] == 2**80
    for line, own in zip(shown, stored, strict=True):
        assert {name: line[name] for name in line if name not in ("body", "keys")} == {
            name: own[name] for name in own if name != "body"
        }
        assert line.get("keys", {}).get("body") == own.get("body")


def test_a_story_for_people(call):
    code, out, _ = call("show", "second-run")
    text = out.decode()
    assert code == OK
    assert "agent asks: POST /v1/x" in text
    assert "end: client gone" in text
    assert text.index("round 1 goes up") < text.index("round 2 goes up")


def test_an_exchange_keeps_its_number_when_it_is_shown_alone(call, data):
    log = RunLog(data, bodies=True, days=7, max_bytes=10**9, mask=())
    for number in (1, 2, 3):
        log.record(Record("many", "start", 0, {}, {}), NOW + number, exchange=f"e{number}")
    assert log.close(10)
    text = call("show", "many", "--exchange", "2")[1].decode()
    assert "exchange 2  (e2)" in text
    assert "e1" not in text
    assert text == call("show", "many", "--exchange", "e2")[1].decode()


def test_one_round_of_the_story(call):
    text = call("show", "first-run", "--round", "2")[1].decode()
    assert "round 2 goes up" in text
    assert "round 1" not in text
    assert call("show", "first-run", "--round", "9") == (OK, b"", "")


def test_a_run_is_found_by_the_beginning_of_its_id(call):
    assert b"run first-run" in call("show", "first")[1]
    assert b"run ../odd" in call("show", "../odd")[1]
    assert b"run ../odd" in call("show", "~")[1]


@pytest.mark.parametrize(
    ("run", "hint"),
    [
        ("frist-run", "there is first-run"),
        ("run", "there is first-run, second-run"),
        ("nothing like it", "no run 'nothing like it'\n"),
        ("", "no run ''"),
    ],
)
def test_an_unknown_run_names_the_near_ones(call, run, hint):
    code, out, err = call("show", run)
    assert (code, out) == (USAGE, b"")
    assert hint in err


def test_no_runs_at_all(call, tmp_path):
    code, _, err = call("show", "x", "--data", str(tmp_path / "none"))
    assert code == USAGE
    assert "there are no runs under" in err


@pytest.mark.parametrize("argv", [["--exchange", "2"], ["--exchange", "e9"], ["--round", "3", "--as-sent"]])
def test_what_is_not_in_the_run(call, argv):
    code, out, err = call("show", "first-run", *argv)
    assert (code, out) == (USAGE, b"")
    assert err.startswith("no ")


def test_a_body_that_was_left_out(call, data):
    write(data, "bare", kept=False)
    code, out, err = call("show", "bare", "--as-sent")
    assert (code, out) == (FINDING, b"")
    assert "3,025 bytes" in err
    assert "log: {bodies: false}" in err
    assert b'"absent":' in call("show", "bare", "--json")[1]


def test_what_is_masked_is_said(call, data):
    write(data, "masked", secrets=(b'"text": "later"',))
    code, out, err = call("show", "masked", "--as-sent")
    assert code == OK
    assert len(out) == len(SENT[2])
    assert b"later" not in out
    assert "not to the byte" in err


def test_a_log_of_torn_lines_only(call, data):
    (data / "runs" / "2023-11-14" / "torn.jsonl").write_bytes(b'{"v": 1, "run": "torn", "ki')
    code, _, err = call("show", "torn")
    assert code == USAGE
    assert "nothing whole" in err
    assert b"torn" not in call("list")[1]


def test_control_characters_do_not_reach_the_terminal(call, data):
    write(data, "x\x1b[2Jy", how="\x1b]0;z\x07 \ud800")
    out = call("show", "x\x1b[2Jy")[1] + call("list")[1]
    assert b"\x1b" not in out
    assert b"\x07" not in out
