"""Credentials are blacked out byte by byte, and nothing moves."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.masking import Masker, black, is_stream, merged

MASKER = Masker()

SECRETS = [
    ("Incorrect API key provided: {}", "sk-test-AAAABBBBCCCC1111"),
    ("use {} please", "sk-ant-api03-abcDEF123456"),
    ("{}", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("line one\n{}", "sk-proj-a1b2c3d4e5"),
    ("\t{}\n", "ghp_0123456789abcdefABCD"),
    ("é{}", "github_pat_11AAAAAAA0abcdefghij"),
    ("({})", "glpat-xxxxXXXX1234yyyyYYYY"),
    ("key={}", "AKIAIOSFODNN7EXAMPLE"),
    ("{}", "AIzaSyA1234567890abcdefg"),
    ("{}", "xoxb-123456789012-abcdefABCDEF"),
    ("{}", "hf_abcdefghijklmnop0123"),
    ("{}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-123456"),
    ("Authorization: Bearer {}", "abcdef0123456789"),
    ('curl -H "authorization: Basic {}"', "dXNlcjpwYXNz"),
    ("connect('postgresql://svc:{}@db.internal/x')", "hunter2"),
    ("postgres://svc:{}@db", "pa/ss:w0rd"),
    ("redis://:{}@cache:6379/0", "geheim"),
    ("https://user:{}@example.org/x", "p@ss"),
    ("GET /v1/models?key={}&page=2", "AIzaTESTGGGG5555"),
    ("https://x.blob.core/y?sv=1&sig={}", "abc%2Fdef%3D"),
    ("password: {}", "hunter22"),
    ('password="{}"', "correcthorse"),
    ("DB_PASSWORD={}", "correcthorse"),
    ("export AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY"),
    ("密码：{}", "hunter22"),
    ("Cookie: {}", "sid=FFFF4444; theme=dark"),
    ("AccountKey={};EndpointSuffix=core", "abcdefghijklmnop0123456789=="),
]

HARMLESS = [
    "sorted(rows, key=lambda row: row.id)",
    "max_tokens=4096, tokens: 512",
    "task-force-2024-report and desk-1234567890",
    "http://localhost:8080/a@b and mail me@example.org",
    "the password must be at least 8 characters",
    "Bearer authentication is used",
    "token = get_token(request)",
    '{"password": {"type": "string", "description": "the password"}}',
    '{"required": ["password", "api_key"]}',
    '{"logprobs": {"content": [{"token": "Hello", "logprob": -0.1}]}}',
    '{"next_token": "abc", "page_token": 3}',
    '{"api_key": null, "secret": true}',
    "SELECT key, secret FROM vault",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA",
    "12:30:45 2024-01-02T03:04:05Z",
]


@pytest.mark.parametrize(("around", "secret"), SECRETS)
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_credential_in_text_and_in_json_at_any_depth(around, secret, depth):
    text = around.format(secret)
    for _ in range(depth):
        text = json.dumps({"x": text}, ensure_ascii=False)
    masked, count = MASKER.mask(text.encode())
    assert count == 1
    assert len(masked) == len(text.encode())
    wanted = around.format("*" * len(secret))
    found = masked.decode()
    for _ in range(depth):
        found = json.loads(found)["x"]
    assert found == wanted


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_stays(text):
    assert MASKER.mask(text.encode()) == (text.encode(), 0)
    nested = json.dumps({"x": text}).encode()
    assert MASKER.mask(nested) == (nested, 0)


@pytest.mark.parametrize("name", ["password", "api_key", "client_secret", "access_token"])
def test_a_field_that_says_what_it_is(name):
    body = json.dumps({"args": json.dumps({name: "opensesame"}), name: "opensesame"}).encode()
    masked, count = MASKER.mask(body)
    assert count == 2
    assert b"opensesame" not in masked
    assert json.loads(json.loads(masked)["args"]) == {name: "*" * 10}


def test_a_private_key_goes_as_a_whole():
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq83vEjRWeJCrze8=\n-----END RSA PRIVATE KEY-----"
    masked = MASKER.mask(json.dumps({"x": key}).encode())[0]
    assert b"MII" not in masked
    assert b"q83" not in masked
    assert json.loads(masked)["x"].startswith("-----BEGIN RSA PRIVATE KEY-----\n****")


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        (b"azk-test-EEEE", b"seen azk-test-EEEE twice azk-test-EEEE"),
        (b"Bearer opaque.value", b"opaque.value opaque.value"),
        (b'quo"te\\d', b'{"x": "quo\\"te\\\\d", "y": "quo\\"te\\\\d"}'),
        (b"a b/c=d&e", b"?x=a%20b%2Fc%3Dd%26e raw a b/c=d&e"),
    ],
)
def test_the_callers_own_credential_in_each_spelling(secret, text):
    masked, count = MASKER.mask(text, (secret,))
    assert count == 2
    assert len(masked) == len(text)
    assert MASKER.mask(masked, (secret,)) == (masked, 0)


def test_a_placeholder_is_no_credential():
    assert MASKER.mask(b"test and test", (b"test", b"", b"Bearer x"))[1] == 0


def events(*pieces, field="content"):
    return b"".join(
        b"data: " + json.dumps({"choices": [{"delta": {field: piece}}]}).encode() + b"\n\n" for piece in pieces
    )


def test_a_credential_spelled_over_many_events():
    body = events("connect('postgresql", "://svc", ":hun", "ter2", "@db/x')", " or sk-", "abcd", "1234efgh", " end")
    masked, count = MASKER.mask(body)
    assert masked == events(
        "connect('postgresql", "://svc", ":***", "****", "@db/x')", " or ***", "****", "********", " end"
    )
    assert count == 5


def test_a_key_of_the_caller_in_pieces_of_arguments():
    body = events('{"k":"mine', "-own-", 'secret"}', field="arguments")
    assert MASKER.mask(body, (b"mine-own-secret",))[0] == events('{"k":"****', "*****", '******"}', field="arguments")


def test_the_pack_names_patterns_of_its_own():
    masker = Masker([r"\bPAT-\d{4}\b", "客户[0-9]+"])
    assert masker.mask("PAT-1234 客户77 PAT-12345".encode())[0].decode() == "******** ******** PAT-12345"


def test_a_pattern_never_breaks_an_escape_or_a_quote():
    masker = Masker(["[a-z0-9]{4,}", "say.*no"])
    for value in ("\nabcdef", 'say "yes" no', "\u00e9abcd", "tab\tcdefg", "\\nabcd", "a\\"):
        text = json.dumps({"Q": value}).encode()
        masked = masker.mask(text)[0]
        assert len(masked) == len(text)
        json.loads(masked)


def test_a_pattern_that_is_none_is_told():
    with pytest.raises(ValueError, match="RE2"):
        Masker(["(?<=x)y"])


def test_a_text_full_of_credentials_ends_in_black():
    masked, _ = MASKER.mask(b" sk-abcdefgh1" * 30_000)
    assert b"1" not in masked


def test_spans_are_merged_and_clipped():
    assert merged([(5, 9), (1, 3), (2, 4), (8, 40), (7, 7)], 20) == [(1, 4), (5, 40)]
    assert black(b"0123456789", [(2, 4), (3, 5), (9, 10)]) == b"01***5678*"


def test_what_a_stream_looks_like():
    assert is_stream(b"data: {}\n\n")
    assert is_stream(b": keep-alive\n\n")
    assert not is_stream(b'{"data": 1}')


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


@settings(deadline=None)
@given(JSON, st.sampled_from([text.format(secret) for text, secret in SECRETS]))
def test_json_stays_json_of_the_same_length(value, secret):
    body = json.dumps({"a": value, "b": secret, "c": [value, {secret: secret}]}, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    masked, count = Masker([".{3}x?"]).mask(body)
    assert len(masked) == len(body)
    masked, count = MASKER.mask(body)
    assert count >= 2
    json.loads(masked.decode("utf-8", "surrogatepass"))
