import pytest

from proxy.repair.formats import CHECKS


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("date", ["2024-02-29", "1999-12-31"], ["2023-02-29", "2024-2-9", "2024-01-01T00:00:00Z", "２024-01-01", ""]),
        (
            "date-time",
            ["2024-01-31T09:30:00Z", "2024-01-31t09:30:00.123z", "2024-01-31 09:30:00+05:30"],
            ["2024-01-31T09:30:00", "2024-01-31", "2024-01-31T24:00:00Z", "2024-01-31T09:30:00+24:00", "x"],
        ),
        ("time", ["09:30:00", "23:59:60Z", "09:30:00.5+02:00"], ["09:30", "25:00:00", "9:30:00", "09:30:00+2"]),
        ("email", ["a@b", "name+tag@example.test"], ["a", "@b", "a@", "a b@c"]),
        ("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000", "x"]),
        ("uri", ["https://example.test/a?b=c", "urn:x:y"], ["example.test", "http://a b", "/path"]),
        ("ipv4", ["192.0.2.1"], ["192.0.2.256", "1.2.3", "::1"]),
        ("ipv6", ["2001:db8::1"], ["192.0.2.1", "2001:db8::g"]),
    ],
)  # fmt: skip
def test_a_format_takes_what_is_of_it_and_nothing_else(name, right, wrong):
    assert [text for text in right if not CHECKS[name](text)] == []
    assert [text for text in wrong if CHECKS[name](text)] == []


def test_words_that_are_no_checked_format_are_annotations():
    assert "int32" not in CHECKS
    assert "hostname" not in CHECKS
