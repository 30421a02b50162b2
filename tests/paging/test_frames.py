import json

import pytest

from proxy.paging.body import Body, Rows
from proxy.paging.frames import Frame
from proxy.paging.prose import Prose
from proxy.paging.words import WORDS

TEXT = "".join(f"line {n}\n" for n in range(100))


def frame(body, cursor="tok", text=TEXT, lang="en"):
    return Frame(Prose(text), body, WORDS[lang], "read_more", cursor, 12_345)


def test_an_object_gets_more_members_and_an_array_becomes_one():
    said = frame(Body("", 0, 7, Rows(300, 0, 20)))
    members = json.loads(said.json("{}", "rows", ()))
    assert list(members) == ["truncated", "total_rows", "shown", "note", "cursor"]
    assert json.loads(said.json(' {"a":1} \n', "rows", ())) == {"a": 1, **members}
    assert json.loads(said.json("[1]", "rows", ())) == {"rows": [1], **members}
    assert members["truncated"] is True
    assert (members["total_rows"], members["shown"], members["cursor"]) == (300, "1-20", "tok")
    assert "rows 1-20 of 300" in members["note"]
    assert "12,345 bytes" in members["note"]


def test_names_in_use_are_not_used_again():
    said = frame(Body("", 0, 7))
    members = json.loads(said.json("{}", "rows", {"cursor", "page_cursor", "note"}))
    assert members["page_cursor_"] == "tok"
    assert '"page_cursor_"' in members["page_note"]


@pytest.mark.parametrize("text", ["line 0\n", "line 0"])
def test_text_gets_a_line_of_its_own(text):
    said = frame(Body(text, 0, len(text))).plain()
    body, mark = said.rsplit("\n", 1)
    assert body == text.rstrip("\n")
    assert mark.startswith("[This is a part")
    assert mark.endswith('cursor="tok"]')


@pytest.mark.parametrize(("lang", "said"), [("en", "lines 11-20 of 100"), ("zh", "第 11-20 行，共 100 行")])
def test_lines_are_counted_where_there_are_lines(lang, said):
    start, stop = TEXT.index("line 10\n"), TEXT.index("line 20\n")
    assert said in frame(Body(TEXT[start:stop], start, stop), lang=lang).plain()


def test_characters_are_counted_where_there_are_none():
    assert "characters 11-30 of 90" in frame(Body("x" * 20, 10, 30), text="x" * 90).plain()


def test_the_gap_of_a_log_says_what_is_left_out():
    stop, tail = TEXT.index("line 10\n"), TEXT.index("line 90\n")
    body = Body(TEXT[:stop], 0, stop, after=TEXT[tail:])
    assert "80 lines (640 bytes) are left out" in frame(body).plain()
    assert frame(body, cursor=None).plain().count("80 lines (640 bytes)") == 1
    assert "lines 1-10 and 91-100 of 100" in json.loads(frame(body).json("{}", "", ()))["note"]
    assert frame(body).inner() == TEXT[:stop] + "[… 80 lines left out …]\n" + TEXT[tail:]


def test_without_a_cursor_the_missing_bytes_are_told():
    said = frame(Body("line 0\n", 0, 7), cursor=None).plain()
    assert f"The other {len(TEXT) - 7} bytes are not shown" in said


def test_a_page_that_starts_inside_a_value_says_so():
    body = Body("", 9, 20, Rows(5, 2, 3, ("data", "rows")), began=("data", "rows", "[2]", "notes"))
    assert '"data.rows[2].notes"' in json.loads(frame(body).json("{}", "", ()))["note"]
    body = Body("", 9, 20, Rows(5, 2, 3, ("data", "rows")), began=("data", "rows"))
    assert "middle" not in json.loads(frame(body).json("{}", "", ()))["note"]
