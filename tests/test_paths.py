import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.paths import Base, Routes, dialect_of, split
from proxy.settings import parse_pack


@pytest.mark.parametrize(
    ("raw", "agent", "path", "query"),
    [
        ("/v1/models", "", "/v1/models", ""),
        ("/v1/models?", "", "/v1/models", "?"),
        ("/as/coder/v1/x?a=1?b", "coder", "/v1/x", "?a=1?b"),
        ("/as/my%20agent/v1", "my agent", "/v1", ""),
        ("/as/coder", "coder", "/", ""),
        ("/as//v1", "", "/as//v1", ""),
        ("/assets/x", "", "/assets/x", ""),
        ("http://h:1/v1/x?y", "", "/v1/x", "?y"),
        ("http://h", "", "/", ""),
    ],
)
def test_split(raw, agent, path, query):
    target = split(raw)
    assert (target.agent, target.path, target.query) == (agent, path, query)
    assert target.own_query == query[1:]


@pytest.mark.parametrize(
    ("base", "raw", "url"),
    [
        ("https://h/api/v1", "/v1/chat?x=%2F", "https://h/api/v1/chat?x=%2F"),
        ("https://h/api/v1/", "/v1", "https://h/api/v1"),
        ("https://h:8443", "/v1/chat", "https://h:8443/chat"),
        ("https://h/api/v1", "/v1beta/x", "https://h/v1beta/x"),
        ("https://h/api/v1", "//evil.test/x", "https://h//evil.test/x"),
        ("https://h/d?api-version=2", "/v1/c", "https://h/d/c?api-version=2"),
        ("https://h/d?api-version=2", "/v1/c?a=1", "https://h/d/c?api-version=2&a=1"),
    ],
)
def test_mapping(base, raw, url):
    assert Base.parse(base).url(split(raw)) == url


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30))
def test_no_path_leaves_the_upstream(text):
    url = Base.parse("https://only.here/v1").url(split("/" + text))
    assert url.startswith("https://only.here/")


@pytest.mark.parametrize("url", ["ftp://h", "h/v1", "", "https://user:pass@h/v1", "https://h:port/v1"])
def test_what_is_no_upstream(url):
    with pytest.raises(ValueError) as caught:
        Base.parse(url)
    assert "pass" not in str(caught.value)


def test_name_of_an_upstream():
    assert Base.parse("https://h:8443/x?y").name == "h:8443"


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/v1/chat/completions", "chat_completions"),
        ("/openai/deployments/gpt/chat/completions", "chat_completions"),
        ("/v1/responses/resp_1/cancel", "responses"),
        ("/v1/messages/count_tokens", "messages"),
        ("/v1/models", ""),
        ("/v1/messagesx", ""),
    ],
)
def test_dialect_by_address(path, dialect):
    assert dialect_of(path) == dialect
    assert dialect_of(path, anthropic=True) == "messages"


def test_routes():
    pack = parse_pack(
        "upstreams:\n"
        "- {match: {path: '/v1/audio/*'}, url: 'http://audio/v1'}\n"
        "- {match: {dialect: responses, model: 'o*'}, url: 'http://o/v1'}\n"
    )
    routes = Routes.build(pack, "http://last/v1")
    assert routes.by_model

    def name(*request):
        base = routes.pick(*request)
        return base and base.name

    assert name("/v1/audio/speech", "", "") == "audio"
    assert name("/v1/responses", "responses", "o3") == "o"
    assert name("/v1/responses", "responses", "gpt") == "last"
    assert Routes.build(pack, "").pick("/v1/x", "", "") is None
    assert not Routes.build(parse_pack("{}"), "http://last").by_model
