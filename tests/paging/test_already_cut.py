"""Notices of many kinds of agents, in our own words; and texts that only speak of truncation."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.paging.already_cut import already_cut

TEXT = "".join(f"some line of output {n}\n" for n in range(300))


@pytest.mark.parametrize(
    "text",
    [
        TEXT + "[Output truncated]",
        TEXT + "\n... (truncated)",
        TEXT + "...[truncated]",
        TEXT.rstrip() + "… [truncated, 4000 of 9000 characters shown]",
        TEXT + "… +120 lines (press to expand)",
        TEXT + "[280 more lines not shown]",
        TEXT + "[Showing lines 1-300 of 5000. Use offset=301 to continue.]",
        TEXT + "[Full output: /tmp/run-1.log]",
        TEXT + "The output was truncated. The full output was saved to /tmp/out.txt",
        TEXT + "\n\n_This content has been truncated to stay below 20000 characters_",
        TEXT + "Note: the tool output is too long, only the first part is shown.\n</output>",
        "Output too large (200KB). Full output saved to: /tmp/a/b.txt\n\nPreview:\n" + TEXT,
        "<persisted-output>\nsaved\n" + TEXT + "</persisted-output>",
        "Tool result was too large and has been saved to the file /large/result-7. Read it in pieces.\n" + TEXT,
        "Total output lines: 5000\n\n" + TEXT,
        "Warning: truncated output (original size 50000 bytes)\n" + TEXT,
        TEXT + "\n… 12345 tokens truncated …\n" + TEXT,
        TEXT + "…12345 tokens truncated…" + TEXT,
        TEXT + "\n... [6000 characters truncated] ...\n" + TEXT,
        TEXT + "\n<... 2268 characters omitted ...>\n" + TEXT,
        TEXT + "\n[... 120 lines elided ...]\n" + TEXT,
        TEXT + "<response clipped>",
        json.dumps({"output": TEXT + "[output truncated]", "exit_code": 0}),
        json.dumps({"exit_code": 0, "output": "Output truncated: showing the last 300 lines\n" + TEXT}),
        TEXT + "\n[输出已截断]",
        TEXT + "\n……（省略 120 行）……\n" + TEXT,
        "输出过长，完整内容已保存到 /tmp/out.txt\n" + TEXT,
    ],
)
def test_notices_are_seen(text):
    assert already_cut(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT,
        "".join(f"2026-01-01 10:00:00 WARN field {n} truncated to 64 characters\n" for n in range(300)),
        TEXT + "2026-01-01 10:00:00 INFO Report saved to /tmp/report.html\n",
        TEXT + "2026-01-01 10:00:00 WARN [db] value truncated [column name]\n",
        TEXT + "HTML report written to htmlcov/index.html\n12 passed in 3.4s",
        "def truncate(text):\n    return text[:80] + '...'  # truncated\n" + TEXT,
        json.dumps({"truncated": True, "rows": [{"id": n} for n in range(900)]}),
        json.dumps([{"id": n, "note": "message truncated"} for n in range(300)]),
        "| id | state |\n|---|---|\n" + "| 1 | truncated |\n" * 300,
        TEXT + "Processed 300 lines, 12 skipped.\n",
        TEXT + "See the documentation for the full list of options.\n",
        "TRUNCATE TABLE orders;\n" * 300,
        "文件说明：字段被截断时会报错。\n" + TEXT + "处理完成。\n",
    ],
)
def test_talk_of_truncation_is_no_notice(text):
    assert not already_cut(text)


@given(st.text("[]().… \ntruncated 12lines,省略", max_size=2000))
def test_it_answers_for_any_text(text):
    assert already_cut(text) in {True, False}
