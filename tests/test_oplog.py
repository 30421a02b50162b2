import json
import logging

import pytest
import structlog

from proxy import oplog


@pytest.fixture
def lines(capsys, monkeypatch):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", root.handlers)
    level = root.level
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    root.setLevel(level)
    structlog.reset_defaults()


def test_lines_are_json_where_nobody_reads_along(lines):
    oplog.configure()
    structlog.get_logger("x").info("ready", port=1, name="é")
    (line,) = lines()
    assert (line["event"], line["level"], line["port"], line["name"]) == ("ready", "info", 1, "é")


def test_quiet_says_only_what_is_wrong(lines):
    oplog.configure(quiet=True)
    structlog.get_logger("x").info("ready")
    structlog.get_logger("x").warning("careful")
    assert [line["event"] for line in lines()] == ["careful"]


def test_libraries_are_heard_without_what_they_quote(lines):
    oplog.configure()
    library = logging.getLogger("aiohttp.server")
    try:
        int("sk-secret")
    except ValueError:
        library.exception("Error handling %s", "sk-secret")
    library.info("nothing")
    (line,) = lines()
    assert (line["library"], line["text"], line["error"]) == ("aiohttp.server", "Error handling %s", "ValueError")
    assert "sk-secret" not in json.dumps(line)
    assert "Traceback" not in json.dumps(line)


def test_what_nobody_waited_for(lines):
    oplog.configure()
    oplog.unhandled({"message": "Task exception was never retrieved", "exception": KeyError("sk-secret")})
    oplog.unhandled({})
    first, second = lines()
    assert (first["error"], second["error"]) == ("KeyError", None)
    assert "sk-secret" not in json.dumps(first)
