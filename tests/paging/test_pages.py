"""Cutting and reading on, as the model meets it: JSON is compared leaf by leaf with a reader of its own."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from proxy.paging.body import Limits
from proxy.paging.envelope import unwrap
from proxy.paging.json_parts import Source
from proxy.paging.pages import cut, page

FOUR_KB = Limits(4096, 4096)
SLACK = 700
"""What a page may have over its limit: sentences, cursor, keys around the rows."""
FRAME = ("truncated", "total_rows", "shown", "note", "cursor")
READER = json.JSONDecoder()
CASES = Path(__file__).parents[3] / "shared" / "bug-cases" / "cases"


def token(offset):
    return f"t0k-{offset}"


def pages(text, limits, cursor=token, lang="en"):
    """The first part and all that follow, each with the position where it starts."""
    part, start = first_part(text, limits, cursor=cursor, lang=lang), 0
    found = [(0, part)]
    while part.next is not None:
        assert part.next > start, "no progress"
        start = part.next
        part = page(text, start, limits, cursor=cursor, lang=lang)
        found.append((start, part))
    return found


def first_part(text, limits=FOUR_KB, **words):
    part = cut(text, limits, **{"cursor": token, **words})
    assert part is not None
    return part


# ------------------------------------------------------------------ a reader of JSON that keeps positions


def leaves(text, place=0, path=()):
    """(path, start, end) of each scalar and empty container, and where the value ends."""
    place = blanks(text, place)
    if text[place] not in "[{":
        _, end = READER.raw_decode(text, place)
        return [(path, place, end)], end
    found, closing, index, start = [], {"[": "]", "{": "}"}[text[place]], 0, place
    place = blanks(text, place + 1)
    while text[place] != closing:
        key = index
        if closing == "}":
            key, place = READER.raw_decode(text, place)
            place = blanks(text, blanks(text, place) + 1)
        inner, place = leaves(text, place, (*path, key))
        found += inner
        index += 1
        place = blanks(text, place)
        if text[place] == ",":
            place = blanks(text, place + 1)
    return found or [(path, start, place + 1)], place + 1


def blanks(text, place):
    while text[place] in " \t\r\n":
        place += 1
    return place


def expected(text, found, start, stop):
    """What a page from `start` to `stop` must hold: path as it stands on the page, and the value or a piece of it.

    `found` are the leaves. Elements that ended on earlier pages are not there, so those behind them move up.
    """
    shown = [leaf for leaf in found if leaf[2] > start and leaf[1] < stop]
    first = shown[0][0]
    for path, begin, end in shown:
        moved = tuple(
            key - first[depth] if isinstance(key, int) and path[:depth] == first[:depth] else key
            for depth, key in enumerate(path)
        )
        if text[begin] == '"':
            piece = text[max(begin + 1, start) : min(end - 1, stop)]
            yield moved, json.loads(f'"{piece}"'), end > stop
        else:
            yield moved, Number.of(text[begin:end]), False


class Number(str):
    """A scalar as it is written; equal texts only."""

    __slots__ = ()

    @staticmethod
    def of(source):
        return json.loads(source, parse_int=Number, parse_float=Number, parse_constant=Number)


def at(document, path):
    for key in path:
        document = document[key]
    return document


def check_json(text, limits, lang="en"):
    found, there = pages(text, limits, lang=lang), leaves(text)[0]
    for start, part in found:
        document = json.loads(part.text, parse_int=Number, parse_float=Number, parse_constant=Number)
        assert len(part.text.encode()) <= limits.bytes + SLACK
        assert document["truncated"] is (part.next is not None)
        assert ("cursor" in document) is (part.next is not None)
        if text.lstrip()[0] == "[":
            document = document["rows"]
        stop = len(text) if part.next is None else part.next
        for path, value, more in expected(text, there, start, stop):
            shown = at(document, path)
            assert shown[: len(value)] == value if more else shown == value
            assert not re.search(r"[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)), "half a character"
    return found


# ------------------------------------------------------------------ JSON

words = st.text(st.sampled_from('abc "\\\n\té👍🏽\u0301\u200d🇩🇪界。/'), max_size=60)
big = st.builds(lambda text, n: text * n, words, st.integers(1, 40))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words
keys = st.text('abcdé"\\ _', min_size=1, max_size=6).map("k".__add__)
values = st.recursive(
    scalars | big,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=6,
)
row = st.dictionaries(keys, values, min_size=1, max_size=5)
rows = st.builds(lambda some, times: some * times, st.lists(row, min_size=1, max_size=6), st.integers(1, 12))
documents = st.one_of(
    rows,
    st.builds(lambda rows, rest: {"rows": rows, **rest}, rows, st.dictionaries(keys, values, max_size=4)),
    st.builds(lambda rest, rows: {**rest, "items": rows}, st.dictionaries(keys, values, max_size=4), rows),
    st.builds(lambda rows, more: {"data": {"a": rows, "b": more}}, rows, rows),
    st.dictionaries(keys, values, min_size=3, max_size=12),
)
written = st.builds(
    lambda document, plain, blank, indent: json.dumps(
        document, ensure_ascii=plain, separators=None if blank else (",", ":"), indent=indent
    ),
    documents,
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, None, 1]),
)


@settings(max_examples=50, deadline=None)
@given(text=written, limit=st.integers(300, 2500), lang=st.sampled_from(["en", "zh"]))
@example(text='{"k":"' + r"\ud83d\ude00" * 200 + '"}', limit=300, lang="en")
@example(text='[{"k":"' + "\\\\" * 500 + '"}]', limit=301, lang="en")
@example(
    text='[[[["' + "e\u0301" * 300 + '"]]],' + "1.50," * 300 + "123456789012345678901234567890]", limit=333, lang="en"
)
def test_json_pages_are_json_and_together_the_whole(text, limit, lang):
    limit = max(limit, len(text) // 20)
    limits = Limits(limit, limit)
    if len(text.encode()) <= limit:
        assert cut(text, limits, cursor=token, lang=lang) is None
        return
    first = first_part(text, limits, lang=lang)
    if first.next is None:
        assert json.loads(first.text) == json.loads(text), "only blanks were too much"
    elif unwrap(Source(text)) is None:
        check_json(text, limits, lang)


def test_rows_keep_their_bytes():
    row = '{"id":123456789012345678901234567890,"amount":1.50,"u":"\\u00e9","e":1E5,  "x" : [ ]}'
    text = '{"rows":[' + ",".join([row] * 200) + "]}"
    for _, part in pages(text, FOUR_KB):
        assert part.text.startswith('{"rows":[' + row)
        assert part.text.count(row) == part.shown_to - part.shown_from


def test_one_giant_row_keeps_its_small_fields_and_can_be_read_to_its_end():
    text = json.dumps({"rows": [{"id": 1, "notes": "lorem " * 4000, "status": "open"}]}, separators=(",", ":"))
    found = check_json(text, FOUR_KB)
    row = json.loads(found[0][1].text)["rows"][0]
    assert (row["id"], row["status"]) == (1, "open")
    assert "24,000" in row["notes"][-60:]
    read = ""
    for _, part in found:
        notes = json.loads(part.text)["rows"][0].get("notes", "")
        read += re.sub("…\\[cut: .*", "", notes)
    assert read == "lorem " * 4000


def test_rows_and_counts():
    text = json.dumps({"rows": [{"id": n, "name": f"Müller-{n}"} for n in range(1, 301)], "next_page": "tok-2"})
    found = pages(text, FOUR_KB)
    seen = []
    for _, part in found:
        document = json.loads(part.text)
        seen += [row["id"] for row in document["rows"]]
        assert part.total_rows == document["total_rows"] == 300
        assert document["shown"] == f"{part.shown_from + 1}-{part.shown_to}"
        assert document["rows"][0]["id"] == part.shown_from + 1
        assert document["rows"][-1]["id"] == part.shown_to
        assert part.original_bytes == len(text.encode())
    assert seen == list(range(1, 301))
    assert json.loads(found[0][1].text)["next_page"] == "tok-2"
    assert json.loads(found[-1][1].text)["next_page"] == "tok-2"


def test_the_tools_own_cursor_is_not_ours():
    text = json.dumps({"rows": [{"id": n} for n in range(900)], "cursor": "api-7", "note": None, "page_note": 1})
    document = json.loads(first_part(text).text)
    assert document["cursor"] == "api-7"
    assert document["note"] is None
    assert document["page_cursor"].startswith("t0k-")
    assert '"page_cursor"' in document["page_note_"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"id": n, "name": "x" * 20} for n in range(400)]),
        "id,name\n" + "".join(f"{n},name {n}\n" for n in range(900)),
        "".join(f"2026-01-01 10:00:{n % 60:02} INFO step {n}\n" for n in range(400)),
        "word " * 3000,
        json.dumps({"stdout": "line\n" * 3000, "exit_code": 0}),
        "\n".join(json.dumps({"id": n}) for n in range(900)),
    ],
)
def test_nothing_is_promised_that_cannot_be_called(text, lang):
    for offset in (0, first_part(text, cursor=None).next or 0):
        part = page(text, offset, FOUR_KB, cursor=None, lang=lang)
        assert part.next is not None
        assert not re.search(r"cursor|read_more|read more", part.text, re.IGNORECASE)
        assert re.search(r"bytes|字节", part.text)
        offered = page(text, offset, FOUR_KB, cursor=token, lang=lang, tool="other_name")
        assert token(part.next) in offered.text
        assert "other_name" in offered.text
        assert "read_more" not in offered.text


@pytest.mark.parametrize(("lang", "end"), [("en", "Nothing is left"), ("zh", "没有更多内容")])
def test_the_last_part_says_that_it_is_the_last(lang, end):
    for text in ("word " * 3000, json.dumps(list(range(9000))), "a,b\n" + "1,2\n" * 3000):
        *others, last = [part.text for _, part in pages(text, FOUR_KB, lang=lang)]
        assert end in last
        assert "t0k-" not in last
        assert not any(end in other for other in others)


# ------------------------------------------------------------------ what is left alone


@given(st.text(max_size=300))
def test_at_the_limit_nothing_is_touched(text):
    size = len(text.encode())
    assert cut(text, Limits(size, size), cursor=token) is None


def test_rows_and_text_have_limits_of_their_own():
    table = json.dumps([{"id": n} for n in range(900)])
    prose = "word " * 2000
    for text, limits in ((table, Limits(100_000, 100)), (prose, Limits(100, 100_000))):
        assert cut(text, limits, cursor=token) is None
    for text, limits in ((table, Limits(100, 100_000)), (prose, Limits(100_000, 100))):
        assert cut(text, limits, cursor=token) is not None


# ------------------------------------------------------------------ text

characters = st.text(st.sampled_from("ab. \n\r，。界é👍🏽\u0301\u200d🇩🇪\ud800"), max_size=200)
texts = st.builds(lambda parts, n: "".join(parts) * n, st.lists(characters, max_size=12), st.integers(1, 12))


@settings(max_examples=100, deadline=None)
@given(text=texts, limit=st.integers(100, 1500))
def test_text_pages_are_together_the_text(text, limit):
    limits = Limits(limit, limit)
    if len(text.encode("utf-8", "surrogatepass")) <= limit:
        assert cut(text, limits, cursor=token) is None
        return
    for start, part in pages(text, limits):
        stop = len(text) if part.next is None else part.next
        shown = text[start:stop]
        assert part.text.startswith(shown)
        assert len(shown.encode("utf-8", "surrogatepass")) <= limit
        assert len(part.text) - len(shown) < 400
        assert (part.shown_from, part.shown_to) == (start, stop)
        if part.next and not re.search(r"[\u0301\u200d🏽🇩🇪]{30}", text):
            assert unicodedata.combining(text[stop]) == 0
            assert text[stop - 1 : stop + 1] != "\r\n"
            assert text[stop] != "🏽"
            assert "\u200d" not in {text[stop - 1], text[stop]}


def test_a_log_is_shown_from_both_ends_and_read_through_its_middle():
    lines = [f"2026-01-01 10:00:{n % 60:02} INFO step {n}\n" for n in range(900)]
    text = "".join(lines)
    (_, first), *rest = pages(text, FOUR_KB)
    head, tail = re.split(r"\[…[^\n]*…\]\n", first.text)
    assert first.kind == "log"
    assert text.startswith(head)
    assert text.endswith(tail)
    assert lines[-1] in tail
    left = len(lines) - head.count("\n") - tail.count("\n")
    assert f"{left} lines" in first.text
    read = head + "".join(re.sub(r"\[This is [^\n]*\]\Z", "", part.text) for _, part in rest)
    assert read == text


# ------------------------------------------------------------------ rows of text


@settings(max_examples=30, deadline=None)
@given(
    cells=st.lists(st.tuples(st.integers(0, 999), st.text('ab ,"\né界', max_size=40)), min_size=60, max_size=120),
    limit=st.integers(500, 2500),
)
def test_csv_pages_repeat_the_header_and_are_together_the_rows(cells, limit):
    quoted = ['"' + name.replace('"', '""') + '"' for _, name in cells]
    records = [f"{number},{name}\n" for (number, _), name in zip(cells, quoted, strict=True)]
    text = "number,name\n" + "".join(records)
    seen = []
    assume(len(text.encode()) > limit)
    for start, part in pages(text, Limits(limit, limit)):
        stop = len(text) if part.next is None else part.next
        shown = ("number,name\n" if start else "") + text[start:stop]
        assert part.kind == "csv"
        assert part.text.startswith(shown)
        assert part.total_rows == len(records)
        assert "".join(records[part.shown_from : part.shown_to]) == text[max(start, 12) : stop]
        assert len(part.text.encode()) <= limit + SLACK
        seen += records[part.shown_from : part.shown_to]
    assert seen == records


def test_jsonl_stays_jsonl_and_a_giant_line_is_cut_by_its_fields():
    lines = [json.dumps({"id": n, "notes": "x" * (9000 if n == 3 else 50)}) for n in range(100)]
    text = "\n".join(lines)
    ids = []
    for _, part in pages(text, FOUR_KB):
        objects = [json.loads(line) for line in part.text.split("\n")]
        assert objects[-1]["truncated"] is (part.next is not None)
        ids += [row["id"] for row in objects[:-1] if "id" in row]
        assert len(part.text) < 4096 + SLACK
        assert part.total_rows == 100
    assert ids == list(range(100))


@pytest.mark.parametrize("row", ["| {0} | name {0} |\n", "  {0} | name {0}\n"])
def test_tables_keep_their_header(row):
    header = "| id | name |\n|---|---|\n" if row.startswith("|") else " id | name\n----+------\n"
    text = header + "".join(row.format(n) for n in range(600)) + "(600 rows)\n"
    found = pages(text, FOUR_KB)
    for start, part in found:
        stop = len(text) if part.next is None else part.next
        assert part.kind == "table"
        assert part.text.startswith((header if start else "") + text[start:stop])
        assert part.total_rows == 600
    assert len(found) > 2
    assert found[-1][1].shown_to == 600


# ------------------------------------------------------------------ wrappers


def test_a_wrapper_is_shown_once_around_the_first_part():
    rows = json.dumps([{"id": n, "name": "Ünal"} for n in range(400)])
    text = json.dumps({"content": [{"type": "text", "text": rows}], "isError": False})
    (_, first), *rest = pages(text, FOUR_KB)
    outer = json.loads(first.text)
    seen = json.loads(outer["content"][0]["text"])
    assert outer["isError"] is False
    assert outer["total_rows"] == 400
    assert outer["cursor"] == token(first.next)
    assert len(first.text) < 4096
    for _, part in rest:
        seen += json.loads(part.text)["rows"]
    assert seen == json.loads(rows)


def test_the_output_of_a_command_is_shown_from_both_ends_inside_its_json():
    output = "".join(f"compiling part {n}\n" for n in range(900)) + "error: it broke\n"
    (_, first), *rest = pages(json.dumps({"stdout": output, "exit_code": 2}), FOUR_KB)
    document = json.loads(first.text)
    assert document["exit_code"] == 2
    assert document["stdout"].startswith("compiling part 0\n")
    assert document["stdout"].endswith("error: it broke\n")
    head = document["stdout"].split("[…")[0]
    assert head + "".join(re.sub(r"\[This is [^\n]*\]\Z", "", part.text) for _, part in rest) == output


def test_json_amid_text():
    rows = [{"id": n} for n in range(900)]
    text = f"Found 900 rows:\n{json.dumps(rows)}\nDone."
    (_, first), *rest = pages(text, FOUR_KB)
    assert first.text.startswith('Found 900 rows:\n{"rows":[{"id": 0}')
    assert first.text.endswith("}\nDone.")
    seen = json.loads(first.text[16:-6])["rows"]
    for _, part in rest:
        seen += json.loads(part.text)["rows"]
    assert seen == rows


# ------------------------------------------------------------------ odd input


@settings(max_examples=50, deadline=None)
@given(text=written, offset=st.integers(-3, 4000), limit=st.integers(0, 700))
def test_any_place_and_any_limit_give_a_page(text, offset, limit):
    part = page(text, offset, Limits(limit, limit), cursor=token)
    assert part.next is None or part.next > offset
    if part.kind in {"json", "json_rows"}:
        json.loads(part.text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 900 + '"' + "x" * 9000 + '"' + "}" * 900,
        '{"' + "k" * 9000 + '":1,"b":[' + "1," * 3000 + "1]}",
        '{"n":' + "7" * 9000 + "}",
        "{" * 9000,
        '[1,2,"' + "x" * 9000,
        "[" + "NaN," * 3000 + "Infinity]",
        '{"a":"' + "x" * 5000 + '","a":"' + "y" * 5000 + '","b":[' + "0," * 3000 + "0]}",
        '["' + r"\ud800" * 2000 + '"]',
        "\n" * 9000,
        " " * 9000,
        "\u200d" * 9000,
        "a" + "\u0301" * 9000,
        'a,b\n"' + "x\n" * 9000,
        "a,b\n1,2\n1,2\n1,2\n" + '"' * 9000,
        "\ud800" * 5000,
        json.dumps("word " * 2000),
        json.dumps(json.dumps([1] * 3000)),
    ],
)
def test_strange_results_are_cut_too(text):
    found = pages(text, FOUR_KB)
    assert 2 <= len(found) < 100
    assert all(len(part.text.encode("utf-8", "surrogatepass")) < 4096 + SLACK for _, part in found)


def test_a_key_that_stands_twice_is_read_twice():
    text = '{"a":"' + "x" * 5000 + '","a":"' + "y" * 5000 + '"}'
    read = "".join(part.text for _, part in pages(text, FOUR_KB))
    assert (read.count("x") >= 5000, read.count("y") >= 5000) == (True, True)


def test_what_is_too_big_to_analyse_is_read_as_text():
    text = "[" + "1234567," * (1 << 20) + "1]"
    part = first_part(text)
    assert part.kind == "text"
    assert part.text.startswith(text[: part.next])


# ------------------------------------------------------------------ our cases


@pytest.mark.shared
@pytest.mark.skipif(not CASES.exists(), reason="the folder of cases is not there")
@pytest.mark.parametrize("case", ["068-small-result-byte-identical", "069-fetch-tool-resolved-in-stream"])
def test_cases(case):
    for step in json.loads((CASES / f"{case}.json").read_text())["steps"]:
        content = step["request"]["body"]["messages"][3]["content"]
        if isinstance(content, str):
            assert cut(content, FOUR_KB, cursor=token) is None
        elif "$repeat" in content:
            assert cut(content["$repeat"][0] * content["$repeat"][1], FOUR_KB, cursor=token) is None
        else:
            rows = [{"id": n, "name": f"Müller-{n} Straße"} for n in range(1, content["$json"]["rows"]["$rows"][0] + 1)]
            check_json(json.dumps({"rows": rows, "next_page": content["$json"]["next_page"]}), FOUR_KB)
