import json

import pytest

from proxy.paging.json_form import json_form, text_part
from proxy.paging.json_parts import Part, Source
from proxy.paging.words import WORDS


def form(document):
    return json_form(Source(document if isinstance(document, str) else json.dumps(document)), WORDS["en"])


@pytest.mark.parametrize(
    ("document", "rowwise"),
    [
        ([1, 2], True),
        ({"data": {"items": [1] * 50}, "meta": "x" * 20}, True),
        ({"a": [1] * 50, "b": [2] * 50, "c": "x" * 100}, True),
        ({"log": "x" * 500, "tags": [1] * 50}, False),
        ({"a": {"b": {"c": {"d": {"e": {"f": [1] * 50}}}}}}, False),
        ([{"type": "text", "text": "x"}, {"type": "text", "text": "y"}], False),
        ([], False),
        ({}, False),
    ],
)
def test_rows_are_what_carries_the_weight(document, rowwise):
    assert form(document).rowwise is rowwise
    assert form(document).kind == ("json_rows" if rowwise else "json")


@pytest.mark.parametrize("text", ['"text"', "1", "[1", "text", ""])
def test_other_texts_are_none(text):
    assert form(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"type":"text","text":"abc"}', "abc"),
        ('{"text":"abc","type":"output_text","annotations":[]}', "abc"),
        ('{"type":"image","text":"abc"}', None),
        ('{"type":"text","text":1}', None),
        ('{"type":1,"text":"abc"}', None),
        ('["type","text"]', None),
        ("7", None),
    ],
)
def test_content_parts(text, found):
    part = text_part(Source(text), Part("", 0, 0, len(text)))
    assert (part and json.loads(text[part.start : part.end])) == found


def test_blanks_around_the_document_do_not_matter():
    text = "\n  " + json.dumps([{"id": n} for n in range(90)], indent=1) + " \n"
    body = form(text).show(0, 400)
    assert json.loads(body.text)[0] == {"id": 0}
    assert json.loads(form(text).show(body.stop, 400).text)[0] == {"id": body.rows.last}
