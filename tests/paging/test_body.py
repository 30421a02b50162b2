"""The law of all forms: a part shows what lies between its start and its stop; put end to end they are the whole."""

import json

import pytest

from proxy.paging.json_parts import Source
from proxy.paging.recognise import recognise
from proxy.paging.words import WORDS

TEXTS = {
    "text": "Some words. " * 900,
    "log": "".join(f"2026-01-01 10:00:{n % 60:02} INFO step {n}\n" for n in range(300)),
    "csv": "id,name\n" + "".join(f"{n},name {n}\n" for n in range(500)),
    "table": "| id | name |\n|---|---|\n" + "".join(f"| {n} | name {n} |\n" for n in range(500)),
    "jsonl": "".join(json.dumps({"id": n, "name": "x" * 30}) + "\n" for n in range(200)),
    "json_rows": json.dumps({"rows": [{"id": n} for n in range(900)]}),
    "json": json.dumps({f"key {n}": "x" * 40 for n in range(300)}),
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("budget", [1, 100, 1000, 4000])
def test_parts_follow_each_other_to_the_end(kind, budget):
    form = recognise(Source(TEXTS[kind]), WORDS["en"])
    assert form.kind == kind
    place: int | None = 0
    rows = 0
    while place is not None:
        body = form.show(place, budget)
        assert body.start == place
        assert body.stop is None or body.stop > place
        if body.rows:
            assert body.rows.first in {rows, rows - 1}, "a row that was cut is counted again"
            rows = body.rows.last
        if kind in {"csv", "table", "jsonl", "log", "text"} and budget > 100:
            assert TEXTS[kind][place : body.stop] in body.text
        place = body.stop
    assert rows == (body.rows.total if body.rows else 0)
