import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.headers import Credential, end_to_end, first, is_secret, is_shown, pairs, restore, shown, withhold

NAMES = st.sampled_from(["Authorization", "set-cookie", "X-Api-Key", "X-A", "content-type", "x-request-id"])
FIELDS = st.lists(st.tuples(NAMES, st.text(st.characters(blacklist_categories=["Cs"]), max_size=10)), max_size=8)


def test_bytes_survive_as_text():
    raw = [(b"X-A", bytes(range(128, 256)))]
    ((_, value),) = pairs(raw)
    assert value.encode("utf-8", "surrogateescape") == raw[0][1]


def test_hop_by_hop_and_what_connection_names_end_here():
    fields = [
        ("Connection", "close, X-Hop"),
        ("x-hop", "1"),
        ("Upgrade", "h2c"),
        ("TE", "x"),
        ("Host", "h"),
        ("X-A", "1"),
    ]
    assert end_to_end(fields) == [("X-A", "1")]


def test_order_case_and_repetition_stay():
    fields = [("b", "1"), ("A", "2"), ("B", "3"), ("b", "4")]
    assert end_to_end(fields) == fields
    assert first(fields, "b") == "1"
    assert first(fields, "c") == ""


@pytest.mark.parametrize(
    "name",
    [
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "api-key",
        "cookie",
        "set-cookie",
        "x-goog-api-key",
        "x-auth-token",
        "x-amz-security-token",
        "x-client-secret",
        "ocp-apim-subscription-key",
    ],
)
def test_secret_names(name):
    assert is_secret(name)
    assert not is_shown(name)


@pytest.mark.parametrize(
    "name",
    [
        "x-ratelimit-remaining-tokens",
        "idempotency-key",
        "x-request-id",
        "www-authenticate",
        "content-type",
        "keep-alive",
    ],
)
def test_harmless_names(name):
    assert not is_secret(name)


def test_core_sees_only_what_is_known_to_be_harmless():
    fields = [
        ("X-Stainless-Arch", "x"),
        ("X-Handrail-Token", "t"),
        ("X-Unknown", "u"),
        ("X-Run-Id", "r"),
        ("Authorization", "a"),
    ]
    assert shown(fields) == (("x-stainless-arch", "x"), ("x-run-id", "r"))


def test_a_name_is_known_however_it_is_spelt_and_the_first_field_counts():
    fields = [("X-RUN-ID", "a"), ("x-run-id", "b"), ("Idempotency-Key", "k"), ("Session-Id", "s")]
    assert dict(shown(fields)) == {"x-run-id": "a", "idempotency-key": "k", "session-id": "s"}


@given(FIELDS)
def test_withheld_values_come_back(fields):
    held: dict[str, str] = {}
    seen = withhold(fields, held)
    assert restore(seen, held) == fields
    assert not [value for name, value in seen if is_secret(name.lower()) and value in {v for _, v in fields if v}]


def scope(*fields, query=""):
    return Credential(list(fields), query).hash


def test_scope_is_the_key_and_nothing_that_changes_beside_it():
    key = ("Authorization", "Bearer sk-1")
    assert scope(key) == scope(("authorization", "Bearer sk-1"), ("Cookie", "session=new"), ("X-Csrf-Token", "1"))
    assert scope(key) != scope(("Authorization", "Bearer sk-2"))
    assert scope(key) != scope()
    assert scope(query="key=a&x=1") == scope(query="x=2&key=a") != scope(query="key=b")
    assert scope(("Cookie", "a=1")) != scope(("Cookie", "a=2"))
    assert len(scope()) == 32


def test_scope_of_a_signed_request_is_its_key():
    first_one, second = (
        ("Authorization", f"AWS4-HMAC-SHA256 Credential=AKIA1/{day}/eu/x/aws4_request, Signature={day}")
        for day in (1, 2)
    )
    assert scope(first_one) == scope(second)


def test_words_that_no_log_may_hold():
    fields = [
        ("Authorization", "Bearer sk-12345678"),
        ("Cookie", "lang=english; sid=abcd1234"),
        ("X-Api-Key", "ollama"),
    ]
    assert set(Credential(fields, "api_key=AIza%2F9876&q=1").words()) == {
        "sk-12345678",
        "abcd1234",
        "AIza%2F9876",
        "AIza/9876",
    }


def test_placeholders_of_local_servers_are_no_secret():
    assert Credential([("Authorization", "Bearer lm-studio")], "key=EMPTY").words() == ()
