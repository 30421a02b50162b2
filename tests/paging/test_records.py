import json

from proxy.paging.json_parts import Source
from proxy.paging.recognise import recognise
from proxy.paging.records import QUOTED_CHARS, quoted_starts
from proxy.paging.words import WORDS


def form(text):
    return recognise(Source(text), WORDS["en"])


def test_the_header_is_said_again_where_it_is_small():
    text = "Result of the query\nid,name\n" + "".join(f"{n},x\n" for n in range(300))
    first = form(text).show(0, 300)
    assert first.text.startswith("Result of the query\nid,name\n0,x\n")
    assert form(text).show(first.stop, 300).text.startswith("id,name\n")
    assert form(text).show(first.stop, 20).text[0].isdigit()


def test_rows_are_counted_over_blank_lines_and_footers():
    text = "a | b\n--+--\n" + "1 | 2\n" * 50 + "(50 rows)\n\n"
    assert form(text).show(0, 10_000).rows.total == 50
    text = "a,b\n" + "1,2\n" * 50 + "\n\n"
    assert form(text).show(0, 10_000).rows.total == 50


def test_a_record_may_have_several_lines():
    record = '7,"one\ntwo, ""three""",x\n'
    text = "id,text,z\n" + record * 40
    body = form(text).show(0, 210)
    assert body.text == "id,text,z\n" + record * body.rows.last
    assert body.rows.total == 40


def test_a_stray_quote_swallows_nothing_else():
    text = "id,size,z\n" + '1,5" disk,x\n' * 40
    assert form(text).show(0, 10_000).rows.total == 40


def test_a_giant_record_is_cut_inside_and_marked():
    giant = '1,"' + "word " * 500 + '"\n'
    text = "id,text\n0,a\n0,b\n0,c\n" + giant + "2,b\n" * 9
    place: int | None = 0
    read = ""
    while place is not None:
        body = form(text).show(place, 800)
        assert len(body.text) < 900
        assert body.rows.total == 13
        read += body.text.removeprefix("id,text\n" if place else "").split("…[cut: ")[0]
        place = body.stop
    assert read == text


def test_a_giant_line_of_json_is_cut_by_its_fields_and_read_on():
    lines = ['{"id":1}', '{"id":2,"notes":"' + "x" * 2000 + '","status":"open"}', '{"id":3}']
    text = "\n".join(lines)
    body = form(text).show(0, 800)
    row = json.loads(body.text.split("\n")[1])
    assert (row["id"], row["status"]) == (2, "open")
    assert (body.rows.first, body.rows.last) == (0, 2)
    body = form(text).show(body.stop, 800)
    assert json.loads(body.text.split("\n")[0])["notes"].startswith("xxx")
    assert body.rows.first == 1


def test_only_quotes_need_the_records_to_be_looked_up():
    assert quoted_starts("a,b\n1,2\n", 4, ",") == ()
    assert quoted_starts('a,b\n1,"2\n3"\n4,5\n', 4, ",") == [4, 12]
    assert quoted_starts("a,b\n" + '1,"2"\n' * QUOTED_CHARS, 4, ",") == ()
