"""Each entry is a line that gives back what it was made of."""

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.entries import STORED, Entry, body_key, decode_entry, encode_entry


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_come_back(middle):
    line = encode_entry("sha256:ab", Entry(middle, "sha256:cd", 3, 4))
    assert line.startswith(STORED)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_entry(line) == ("sha256:ab", Entry(middle, "sha256:cd", 3, 4))


def test_text_can_be_searched_with_any_tool():
    assert "查询 cafés".encode() in encode_entry("k", Entry("查询 cafés".encode()))


def test_what_is_torn_is_no_entry():
    line = encode_entry("k", Entry(b"some text"))
    assert decode_entry(line[:-4]) is None
    assert decode_entry(b"[]\n") is None
    assert decode_entry(b'{"stored":"k","base64":"!"}\n') is None
    assert decode_entry(b'{"stored":"k"}\n') is None


def test_a_difference_is_put_between_the_ends_of_its_base():
    assert Entry(b"-", "k", 2, 1).applied(b"abcde") == b"ab-e"
    assert Entry(b"whole").applied(b"") == b"whole"


def test_the_key_says_which_hash_it_is():
    assert body_key("00") == "sha256:00"
