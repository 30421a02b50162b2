import json

import pytest

from proxy.paging.body import Rows
from proxy.paging.json_fit import DEPTH, Fit
from proxy.paging.json_parts import Source
from proxy.paging.words import WORDS


def fit(text, at, budget):
    source = Source(text)
    return Fit(source, WORDS["en"]).value(*source.span(), at, budget)


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def test_what_fits_is_shown_as_it_is_written():
    text = '{"a" : 1.50,  "b":[ 1 ]}'
    assert fit(text, 0, 100).text == text
    assert fit(text, 0, 100).stop is None


def test_rows_are_cut_between_rows():
    text = compact([{"id": n} for n in range(100)])
    shown = fit(text, 0, 200)
    rows = json.loads(shown.text)
    assert rows == [{"id": n} for n in range(len(rows))]
    assert text[shown.stop :].startswith(compact({"id": len(rows)}))
    assert shown.rows == Rows(100, 0, len(rows))
    assert fit(text, shown.stop, 200).rows.first == len(rows)


def test_fields_behind_the_cut_are_shown_early_and_shortened():
    text = compact({"rows": list(range(900)), "next": "tok", "big": "x" * 900, "more": list(range(500))})
    shown = fit(text, 0, 1200)
    document = json.loads(shown.text)
    assert document["next"] == "tok"
    assert document["big"].startswith("xxx")
    assert document["big"].endswith("of 900 characters up to here]")
    assert document["more"][0] == 0
    assert document["more"][-1].endswith("more]")
    assert str(document["rows"][-1]) in text[shown.stop - 5 : shown.stop]
    assert shown.rows.path == ("rows",)


def test_a_row_too_big_for_any_page_is_cut_where_it_stands():
    text = compact([{"id": 0}, {"id": 1, "notes": "x" * 5000, "tags": list(range(900)), "status": "open"}, {"id": 2}])
    row = json.loads(fit(text, 0, 1000).text)[1]
    assert (row["id"], row["status"]) == (1, "open")
    assert row["notes"].endswith("of 5,000 characters up to here]")
    assert row["tags"][-1].endswith("more]")


def test_a_row_that_is_read_on_does_not_count_again_what_was_shown():
    text = compact([{"notes": "x" * 5000, "status": "open"}])
    (row,) = json.loads(fit(text, fit(text, 0, 1000).stop, 1000).text)
    assert list(row) == ["notes"]


def test_a_row_that_fits_on_the_next_page_waits_for_it():
    text = compact([{"a": "x" * 300}, {"a": "y" * 600}])
    shown = fit(text, 0, 800)
    assert json.loads(shown.text) == [{"a": "x" * 300}]
    assert json.loads(fit(text, shown.stop, 800).text) == [{"a": "y" * 600}]


def test_a_page_that_starts_inside_says_where():
    text = compact({"data": {"items": [{"id": 1}, {"notes": "x" * 3000}]}})
    shown = fit(text, text.index("xxx") + 100, 1000)
    assert shown.began == ("data", "items", "[1]", "notes")
    assert shown.rows == Rows(2, 1, 2, ("data", "items"))


def test_an_object_of_many_members_is_read_in_order():
    pairs = {f"key {n}": "x" * 50 for n in range(200)}
    place: int | None = 0
    text, seen = compact(pairs), dict[str, str]()
    while place is not None:
        shown = fit(text, place, 800)
        page = json.loads(shown.text)
        left = page.pop("…", None)
        seen |= page
        assert (left is None) is (shown.stop is None)
        assert left is None or left == f"…[cut: {200 - len(seen)} more]"
        place = shown.stop
    assert seen == pairs


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ('{"a":' * (DEPTH + 3) + '"' + "x" * 3000 + '"' + "}" * (DEPTH + 3), slice(DEPTH * 5, -DEPTH)),
        ('{"rows":[{"' + "k" * 3000 + '":1}]}', slice(9, -2)),
        ('[{"n":' + "7" * 3000 + "}]", slice(6, -2)),
    ],
)
def test_what_cannot_be_taken_apart_is_shown_as_its_source(text, source):
    place: int | None = 0
    seen = ""
    while place is not None:
        shown = fit(text, place, 700)
        leaf = json.loads(shown.text)
        while not isinstance(leaf, str):
            leaf = leaf[0] if isinstance(leaf, list) else next(iter(leaf.values()))
        assert len(shown.text) < 800
        seen += leaf.split("…[cut: ")[0]
        place = shown.stop
    assert seen == text[source]
