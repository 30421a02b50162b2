from argparse import Namespace
from pathlib import Path

import pytest

from proxy.runlog import RunLog
from proxy.suggest import suggest
from tests.playbook import Answer, World, call, chat, tool


def _logged(folder: Path) -> None:
    log = RunLog(folder, bodies=True, days=7, max_bytes=1 << 30, mask=())
    messages = [
        {"role": "user", "content": "Write to Lee"},
        {"role": "assistant", "content": None, "tool_calls": [call("c1", "send_email", {"to": "lee"})]},
        {"role": "tool", "tool_call_id": "c1", "content": "sent"},
    ]
    ask = {"model": "m", "messages": messages, "tools": [tool("send_email", {"to": {"type": "string"}})]}
    for record in World("policies: {}").play(ask, [Answer.json(chat("done"))]).records:
        log.record(record, 1_800_000_000.0, exchange="e1")
    log.close(5)


def test_what_was_seen_is_printed_as_a_block(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _logged(tmp_path)
    assert suggest(Namespace(data=tmp_path, since=None)) == 0
    said = capsys.readouterr().out
    assert "tools:" in said
    assert "send_email: {}  # 1 calls in 1 runs" in said
    assert "# send_email: {side_effect: true}" in said


def test_an_empty_log_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert suggest(Namespace(data=tmp_path, since=None)) == 1
    assert "no tool was seen" in capsys.readouterr().err
    _logged(tmp_path)
    assert suggest(Namespace(data=tmp_path, since=1_900_000_000.0)) == 1
