import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.dates import READERS, read_date, read_date_time, read_time
from proxy.repair.formats import CHECKS


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05",
        "2024/3/5",
        "2024.3.5",
        "20240305",
        "5 March 2024",
        "5th of March 2024",
        "5-Mar-2024",
        "March 5, 2024",
        "mar 5 2024",
        "2024-Mar-05",
        "Tuesday, March 5, 2024",
        "Tue 5 March 2024",
        "2024年3月5日",
        "2024年3月5号",
        " 2024-3-5 ",
        "2024-03-05T00:00:00Z",
        "2024-03-05 00:00",
    ],
)
def test_a_day_is_read_in_each_way_of_the_list(text):
    assert read_date(text) == "2024-03-05"


@pytest.mark.parametrize(
    ("text", "day"), [("13/04/2026", "2026-04-13"), ("04/13/2026", "2026-04-13"), ("03.03.2026", "2026-03-03")]
)
def test_day_and_month_are_told_apart_where_only_one_order_is_a_date(text, day):
    assert read_date(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "03/04/2026", "3.4.2026", "05/01/26", "3", "May", "3 May", "order 5", "2024-03", "2024-02-30", "20241305",
        "10000000", "tomorrow", "Monday, March 5, 2024", "2024-03-05T10:00:00Z", "2024-3/5", "２０２４-03-05", "",
        "5 Foo 2024", "0999-01-01", "x" * 100,
    ],
)  # fmt: skip
def test_what_could_be_another_day_or_none_is_none(text):
    assert read_date(text) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-05 10:00Z", "2026-03-05T10:00:00Z"),
        ("2026-03-05T10:00:00+0200", "2026-03-05T10:00:00+02:00"),
        ("2026-03-05T10:00-05:00", "2026-03-05T10:00:00-05:00"),
        ("2026-03-05 10:00:00 UTC", "2026-03-05T10:00:00Z"),
        ("2026/3/5 9:30 +08:00", "2026-03-05T09:30:00+08:00"),
        ("5 March 2026 at 5pm GMT", "2026-03-05T17:00:00Z"),
        ("March 5, 2026 10:00 AM UTC", "2026-03-05T10:00:00Z"),
        ("2026年3月5日10点30分 UTC+08:00", "2026-03-05T10:30:00+08:00"),
        ("20260305T100000Z", "2026-03-05T10:00:00Z"),
        ("2026-03-05T10:00:00.123Z", "2026-03-05T10:00:00.123Z"),
    ],
)
def test_a_moment_is_read_with_the_offset_that_is_written(text, moment):
    assert read_date_time(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-05 10:00", "2026-03-05T10:00:00", "2026-03-05", "2026-03-05Z", "2026-03-05-05:00", "10:00Z",
        "03/04/2026 10:00Z", "2026-03-05 10:00 EST", "2026-03-05T25:00:00Z", "2026-03-05T10:00+15:00", "now",
    ],
)  # fmt: skip
def test_no_offset_is_invented(text):
    assert read_date_time(text) is None


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("10:00", "10:00:00"),
        ("9:05", "09:05:00"),
        ("5pm", "17:00:00"),
        ("5:30 p.m.", "17:30:00"),
        ("12 am", "00:00:00"),
        ("12:15 PM", "12:15:00"),
        ("10:00Z", "10:00:00Z"),
        ("10:00 +0200", "10:00:00+02:00"),
        ("3点15分", "03:15:00"),
        ("17:30:15.5", "17:30:15.5"),
    ],
)
def test_a_clock_time_is_read(text, clock):
    assert read_time(text) == clock


@pytest.mark.parametrize(
    "text", ["25:00", "10", "13pm", "0 am", "noon", "10:60", "10:00:60", "half past 5", "", "1" * 100]
)
def test_no_clock_time_is_guessed(text):
    assert read_time(text) is None


@given(
    st.sampled_from(sorted(READERS)), st.text(st.sampled_from("0123456789-/.: TZ+年月日MarchamUTC,点分"), max_size=26)
)
def test_whatever_is_read_is_of_the_format_and_reads_as_itself(name, text):
    found = READERS[name](text)
    if found is not None:
        assert CHECKS[name](found)
        assert READERS[name](found) == found


@given(st.dates(min_value=__import__("datetime").date(1000, 1, 1)))
def test_every_day_is_read_in_every_way(day):
    ways = ("%Y/%m/%d", "%Y%m%d", "%d %B %Y", "%B %d, %Y", "%A, %d %b %Y")
    assert {read_date(day.strftime(way)) for way in ways} == {day.isoformat()}
