import pytest

from proxy.repair.closeness import folded, is_placeholder, nearest, words


@pytest.mark.parametrize(
    ("text", "allowed", "word"),
    [
        (" CONNECTED ", ["Connected", "Failed"], "Connected"),
        ("in progress", ["in_progress", "done"], "in_progress"),
        ("inProgress", ["in-progress", "done"], "in-progress"),
        ("searchDocs", ["search_docs"], "search_docs"),
        ("recipent", ["recipient", "cc", "text"], "recipient"),
        ("complted", ["completed", "cancelled"], "completed"),
        ("cancelled", ["canceled", "open"], "canceled"),
        ("unaproved", ["approved", "unapproved"], "unapproved"),
        ("ÄRGER", ["ärger"], "ärger"),
        ("inprogres", ["in_progress", "done"], "in_progress"),
    ],
)
def test_a_slip_of_the_fingers_finds_its_word(text, allowed, word):
    assert nearest(text, allowed) == word


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("not approved", ["approved", "rejected"]),
        ("unpaid", ["paid", "void"]),
        ("deactivate", ["active", "inactive"]),
        ("inactive", ["active"]),
        ("increase", ["decrease"]),
        ("import", ["export"]),
        ("minimum", ["maximum"]),
        ("minor", ["major"]),
        ("payer", ["payee"]),
        ("minimize_cost", ["maximize_cost"]),
        ("set_min_price", ["set_max_price"]),
        ("assigned_employer", ["assigned_employee"]),
        ("no-approval", ["approval"]),
        ("fourteen", ["fourty"]),
        ("desc", ["asc"]),
        ("get_user_record", ["set_user_record"]),
        ("version1", ["version2"]),
        ("sha256", ["sha512"]),
        ("available", ["not available"]),
        ("未付款", ["付款"]),
    ],
)
def test_an_opposite_or_another_number_is_no_slip(text, allowed):
    assert nearest(text, allowed) is None


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("munday", ["monday", "sunday"]),
        ("a-b", ["a_b", "a b"]),
        ("opn", ["open"]),
        ("cty", ["city"]),
        ("something", ["else"]),
        ("x" * 200, ["x" * 199]),
        ("<UNKNOWN>", ["unknown"]),
        ("", ["a"]),
        ("anything", []),
    ],
)
def test_what_could_be_two_or_none_is_none(text, allowed):
    assert nearest(text, allowed) is None


def test_a_word_in_its_own_case_wins_over_the_same_word_in_another():
    assert nearest("ab", ["AB", "a_b"]) == "AB"


def test_words_are_found_in_every_style_of_name():
    assert words("getUserID") == words("get_user_id") == words("get user-ID") == ["get", "user", "id"]
    assert words("HTTPServer2") == ["http", "server", "2"]
    assert words("超时_ms") == ["超时", "ms"]
    assert folded(" In-Progress_x ") == "inprogressx"


@pytest.mark.parametrize("text", ["<UNKNOWN>", " {{order_id}} ", "${ID}", "[DATE]", "<your name here>"])
def test_placeholders_are_known(text):
    assert is_placeholder(text)


def test_ordinary_text_is_no_placeholder():
    assert not is_placeholder("a <b> c")
    assert not is_placeholder("[draft]")
