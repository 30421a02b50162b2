"""`handrail lint`: what it takes, what it prints, and how it ends."""

import hashlib
import io
import json
from argparse import Namespace
from typing import Any

import pytest

from proxy.cli import parser
from proxy.entries import body_key
from proxy.lint import UnusableError, lint, tools_of

SCHEMA = {"type": "object", "properties": {"timeout": {"type": "integer", "description": "How long."}}}
CHAT = {"type": "function", "function": {"name": "wait", "description": "Waits.", "parameters": SCHEMA}}
RESPONSES = {"type": "function", "name": "wait", "description": "Waits.", "parameters": SCHEMA}
MESSAGES = {"name": "wait", "description": "Waits.", "input_schema": SCHEMA}
MCP = {"name": "wait", "description": "Waits.", "inputSchema": SCHEMA}
USER = {"role": "user", "content": "x"}


def run(*what: str, **more: Any) -> int:
    return lint(Namespace(what=list(what), **{"pack": "", "json": False, "data": more.pop("data", None), **more}))


@pytest.mark.parametrize(
    "document",
    [
        {"model": "m", "messages": [USER], "tools": [CHAT]},
        {"model": "m", "messages": [USER], "functions": [CHAT["function"]]},
        {"model": "m", "input": "x", "tools": [RESPONSES, {"type": "web_search"}]},
        {"model": "m", "max_tokens": 1, "messages": [USER], "tools": [MESSAGES]},
        [CHAT],
        [RESPONSES],
        [MESSAGES],
        {"tools": [MCP]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
        {"functions": [CHAT["function"]]},
        CHAT["function"],
    ],
)
def test_tools_are_found_in_a_request_of_any_api_and_in_lists(document):
    tools = [tool for tool in tools_of(json.dumps(document).encode(), "f") if tool.kind == "function"]
    assert [(tool.name, tool.description, json.loads(tool.schema)) for tool in tools] == [("wait", "Waits.", SCHEMA)]


@pytest.mark.parametrize("body", [b"", b"{", b"3", b"[]", b"[3]", b"{}", b'{"messages": 3}', b"[" * 9999, b"\xff"])
def test_what_holds_no_tools_is_said_to(body):
    with pytest.raises(UnusableError, match=r"^f: "):
        tools_of(body, "f")


@pytest.fixture
def request_file(tmp_path):
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "m", "messages": [USER], "tools": [CHAT]}))
    return path


def test_findings_are_printed_and_make_the_exit_code(request_file, tmp_path, capsys):
    assert run(str(request_file), data=tmp_path) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(
        "wait /properties/timeout: a number that is a time, without a unit (no_unit); name the unit"
    )
    assert out[1] == "1 finding in 1 tool"


def test_they_are_judged_as_the_model_sees_them_under_a_pack(request_file, tmp_path, capsys):
    pack = tmp_path / "p.yaml"
    pack.write_text("tools: {wait: {parameters: {timeout: {unit: ms}}}}")
    assert run(str(request_file), pack=str(pack), data=tmp_path) == 0
    assert capsys.readouterr().out == "no findings\n"


def test_as_json_each_line_is_a_finding(request_file, tmp_path, capsys):
    assert run(str(request_file), json=True, data=tmp_path) == 1
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert (found["tool"], found["pointer"], found["rule"]) == ("wait", "/properties/timeout", "no_unit")
    assert found["remedy"]


def test_a_request_may_come_from_stdin(request_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(request_file.read_bytes())))
    assert run("-", data=tmp_path) == 1


def test_names_from_outside_cannot_steer_a_terminal(tmp_path, capsys):
    path = tmp_path / "r.json"
    path.write_text(json.dumps([{**MESSAGES, "name": "a\x1b[2Jb"}]))
    run(str(path), data=tmp_path)
    assert "\x1b" not in capsys.readouterr().out


def test_a_pack_is_judged_by_what_it_says_of_parameters(tmp_path, capsys):
    path = tmp_path / "p.yaml"
    path.write_text("tools: {wait: {parameters: {timeout: {max: 3}}}}")
    assert run(str(path), data=tmp_path) == 1
    assert capsys.readouterr().out.startswith("wait /parameters/timeout: ")
    assert run("default", "strict", data=tmp_path) == 0


def test_each_different_tool_of_a_run_is_judged_once(tmp_path, capsys):
    other = {"model": "m", "messages": [USER], "tools": [CHAT, {"type": "function", "function": {"name": "b.c"}}]}
    bodies = [json.dumps({"model": "m", "messages": [USER], "tools": [CHAT]}), json.dumps(other), "no JSON"]
    folder = tmp_path / "runs" / "2026-01-02"
    folder.mkdir(parents=True)
    with (folder / "run7.jsonl").open("w") as file:
        for number, body in enumerate(bodies):
            key = body_key(hashlib.sha256(body.encode()).hexdigest())
            stored = {"stored": key, "text": body}
            line = {"v": 1, "run": "run7", "exchange": f"x{number}", "round": 0, "at": 1.0, "kind": "start"}
            line |= {"dialect": "chat_completions", "body": key, "bytes": {"body": len(body)}}
            file.write(json.dumps(stored) + "\n" + json.dumps(line) + "\n")
            file.write(json.dumps({**line, "kind": "send"}) + "\n")
    assert run("run7", data=tmp_path) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in out] == ["wait /properties/timeout", "b.c", "b.c", "3 findings in 2 tools"]
    assert run("ru", data=tmp_path) == 1


def test_what_cannot_be_found_or_read_is_bad_usage(tmp_path, capsys):
    (tmp_path / "x.json").write_text("{")
    (tmp_path / "p.yaml").write_text("polices: {}")
    for what in ("gone", str(tmp_path / "x.json"), str(tmp_path / "p.yaml"), str(tmp_path / "gone.yaml")):
        assert run(what, data=tmp_path) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err


def test_it_can_be_typed():
    args = parser({"HANDRAIL_DATA": "/d"}).parse_args(["lint", "a.json", "b", "--pack", "strict", "--json"])
    assert (args.what, args.pack, args.json, str(args.data)) == (["a.json", "b"], "strict", True, "/d")
    assert args.run == "proxy.lint:lint"
