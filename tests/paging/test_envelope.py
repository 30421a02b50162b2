import json

import pytest

from proxy.paging.envelope import unwrap
from proxy.paging.json_parts import Source

LONG = 'line "one"\nline zwei ü\n' * 200


def opened(document):
    envelope = unwrap(Source(document if isinstance(document, str) else json.dumps(document)))
    assert envelope is not None
    return envelope


@pytest.mark.parametrize(
    ("document", "root"),
    [
        ({"stdout": LONG, "exit_code": 0}, "object"),
        ({"a": {"b": {"c": LONG}}, "d": [1, 2]}, "object"),
        ({"content": [{"type": "text", "text": LONG}], "isError": False}, "object"),
        ([{"type": "text", "text": LONG}], "array"),
        ([{"type": "image", "data": "x"}, {"type": "input_text", "text": LONG}], "array"),
        (LONG, "string"),
    ],
)
@pytest.mark.parametrize("plain", [True, False])
def test_what_is_held_can_be_put_back(document, root, plain):
    text = json.dumps(document, ensure_ascii=plain)
    envelope = opened(text)
    assert (envelope.held, envelope.root) == (LONG, root)
    assert envelope.around(LONG) == text


@pytest.mark.parametrize(
    "document",
    [
        {"rows": [{"id": 1, "notes": LONG}]},
        {"stdout": LONG, "stderr": LONG},
        {"stdout": LONG, "stderr": "x" * 2000},
        [{"type": "text", "text": LONG}, {"type": "text", "text": LONG}],
        [{"kind": "text", "text": LONG}],
        [LONG],
        {"rows": list(range(3000))},
        {},
        [],
    ],
)
def test_what_is_no_wrapper_stays_whole(document):
    assert unwrap(Source(json.dumps(document))) is None


@pytest.mark.parametrize("key", ["stdout", "Output", "logs"])
def test_the_output_of_a_command_is_known_by_its_key(key):
    assert opened({key: LONG}).command
    assert not opened({"summary": LONG}).command


def test_json_amid_text():
    rows = json.dumps([{"id": n} for n in range(200)])
    envelope = opened(f"Found 200 rows:\n```json\n{rows}\n```")
    assert (envelope.held, envelope.root) == (rows, "text")
    assert envelope.around("[]") == "Found 200 rows:\n```json\n[]\n```"


@pytest.mark.parametrize(
    "text",
    ["x" * 600 + json.dumps([1] * 900), "see [1] " + "x" * 900, "[INFO] {broken " + "x" * 900 + "}", "", "]", '"'],
)
def test_text_that_only_holds_brackets_stays_whole(text):
    assert unwrap(Source(text)) is None
