import json

import pytest

from proxy.paging.json_parts import Source
from proxy.paging.recognise import recognise
from proxy.paging.words import WORDS


def many(line, count=60):
    return "".join(line.format(n, n % 60) for n in range(count))


def kind(text, **more):
    return recognise(Source(text), WORDS["en"], **more).kind


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"rows":[' + ",".join(["{}"] * 90) + "]}", "json_rows"),
        ('[{"a":1},{"a":2}]', "json_rows"),
        ('{"a":{"b":{"items":[' + "1," * 50 + '1]}},"c":"x"}', "json_rows"),
        ('{"a":"' + "x" * 90 + '","tags":["a","b"]}', "json"),
        (json.dumps({f"k{n}": [n] for n in range(300)}), "json"),
        (json.dumps([{"type": "text", "text": "x" * 90}, {"type": "text", "text": "y" * 90}]), "json"),
        ("[" + "NaN, " * 20 + "1]", "json_rows"),
        (many('{{"id": {0}}}\n'), "jsonl"),
        (many("[{0}, {1}]\r\n"), "jsonl"),
        ("id,name\n" + many("{0},name {0}\n"), "csv"),
        ("id;amount (EUR)\r\n" + many("{0};1,5\r\n"), "csv"),
        ("id\tname\n" + many("{0}\tname, {0}\n"), "csv"),
        ("Result:\n\nid,name,day\n" + many("{0},n,2026-01-01\n"), "csv"),
        ("id,text\n" + many('{0},"two\nlines, ""quoted"""\n'), "csv"),
        (many("{1}k\tpath/{0}\n"), "csv"),
        (many("{0},2.5,name {1},x\n"), "csv"),
        ("| a | b |\n|---|:-:|\n" + many("| {0} | x |\n"), "table"),
        ("Here it is:\n\n| a | b |\n|---|---|\n" + many("| {0} | x |\n"), "table"),
        (" a | b\n---+---\n" + many(" {0} | x\n") + "(60 rows)\n", "table"),
        ("+--+--+\n| a | b |\n+--+--+\n" + many("| {0} | x |\n") + "+--+--+\n", "table"),
        (many("2026-01-01T10:00:{1:02}Z step {0}\n"), "log"),
        (many("2026-01-01 10:00:{1:02},123 - app - INFO - step {0}, with a comma\n"), "log"),
        (many("2026-01-01 10:00:{1:02} | INFO | app | step {0}\n"), "log"),
        (many("Jan  1 10:00:{1:02} host app[12]: step {0}\n"), "log"),
        (many("I0101 10:00:{1:02}.123 12 main.go:12] step {0}\n"), "log"),
        (many("[WARN] step {0}\n"), "log"),
        (many('10.0.0.1 - - [01/Jan/2026:10:00:{1:02} +0000] "GET / HTTP/1.1" 200\n'), "log"),
        ("exit code: 1\n" + many("compiling {0}\n"), "log"),
    ],
)
def test_forms_are_known_by_plain_signs(text, wanted):
    assert kind(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One, two, three. " * 90,
        many("A sentence with a comma, and another, is line {0}.\nOne without\n"),
        many("    value_{0} = call(a, b)\n    if value_{0} is None:\n        return\n"),
        many("{0}\tdef function(a, b):\n"),
        many("Dear reader {0},\nthis is no table | really.\n"),
        "2026-01-01 10:00:00 INFO one line\n" + "prose follows here\n" * 60,
        '{"a":1} and then text ' * 30,
        "- item one\n- item two | with a bar\n" * 30,
        "# Title\n\ntext\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" + "long prose follows.\n" * 60,
    ],
)
def test_plain_text_is_text(text):
    assert kind(text) == "text"


def test_the_output_of_a_command_is_read_like_a_log_if_it_has_lines():
    assert kind(many("compiling {0}\n"), command=True) == "log"
    assert kind("compiling " * 300, command=True) == "text"
