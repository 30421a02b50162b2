"""Credentials and operators' addresses go; what the model itself sent stays, except passwords."""

import pytest

from proxy.failures.secrets import masked


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("connect postgresql://app:hunter2@db/shop failed", "hunter2"),
        ("GET https://api.acme.example/x?api_key=abc123def refused", "abc123def"),
        ("Authorization: Bearer abcDEF1234567", "abcDEF1234567"),
        ("password=s3cr3t-pw", "s3cr3t-pw"),
        ("Invalid API key: sk-proj-abcdefGHIJ1234567890", "abcdefGHIJ1234567890"),
        ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc123 expired", "eyJzdWIiOiIxMjM0In0"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "MIIE"),
        ("Failing row contains (7, ana, ana@b.example, 12.50).", "12.50"),
        ("ask oncall@acme.example", "oncall@acme.example"),
        ("口令=a1b2c3d4", "a1b2c3d4"),
    ],
)
def test_a_secret_is_masked(text: str, secret: str):
    assert secret not in masked(text)
    assert "***" in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "Token validation failed",
        "password is required",
        "Invalid API key",
        "the api_key client option must be set",
        "column user_token does not exist",
        "Could not deliver to ana.b@shop.example",
    ],
)
def test_words_about_secrets_stay(text: str):
    assert masked(text) == text


def test_the_address_that_the_model_sent_stays():
    assert masked("unknown recipient support@b.example", frozenset({"support@b.example"})) == (
        "unknown recipient support@b.example"
    )
