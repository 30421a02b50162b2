import asyncio
import os
import shutil
import ssl
import subprocess
import sys

import pytest
from yarl import URL

from proxy.attempts import Outgoing
from proxy.faults import Limits, UpstreamError
from proxy.upstream import Upstream, _bypassed, _proxy_from_environment
from tests.wire import Provider, hello


@pytest.mark.parametrize(
    ("url", "no_proxy", "bypassed"),
    [
        ("https://api.test/v1", "", False),
        ("https://api.test/v1", "*", True),
        ("https://api.test/v1", "other, api.test", True),
        ("https://api.test/v1", ".test", True),
        ("https://api.test/v1", "est", False),
        ("https://api.test:8443/v1", "api.test:8443", True),
        ("https://api.test:8443/v1", "api.test:443", False),
        ("http://127.0.0.1:1/", "", True),
        ("http://localhost:1/", "", True),
    ],
)
def test_who_is_reached_without_a_proxy(url, no_proxy, bypassed):
    assert _bypassed(URL(url), no_proxy) is bypassed


def test_proxy_of_the_environment(monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "all_proxy", "no_proxy", "NO_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://user:p%40ss@proxy.test:3128")
    proxy, login = _proxy_from_environment(URL("https://api.test/v1"))
    assert str(proxy) == "http://proxy.test:3128"
    assert login == "Basic dXNlcjpwQHNz"
    assert _proxy_from_environment(URL("http://api.test/v1")) == (None, "")
    monkeypatch.setenv("NO_PROXY", "api.test")
    assert _proxy_from_environment(URL("https://api.test/v1")) == (None, "")


async def test_request_goes_through_the_proxy(monkeypatch):
    async with Provider(hello) as provider:
        monkeypatch.setenv("http_proxy", f"http://u:p@127.0.0.1:{provider.port}")
        monkeypatch.setenv("no_proxy", "")
        upstream = Upstream()
        answer = await upstream.send(Outgoing("GET", "http://api.test/v1/models?x=1", [("X-A", "1")]), Limits())
        assert await answer.read() == b"hello"
        await upstream.close()
    assert provider.seen[0].line == "GET http://api.test/v1/models?x=1 HTTP/1.1"
    assert provider.seen[0].headers == [("Host", "api.test"), ("X-A", "1"), ("Proxy-Authorization", "Basic dTpw")]


async def test_tunnel_is_asked_for_with_the_login_and_the_request_does_not_hold_it(monkeypatch):
    async def refuse(seen, peer):
        await peer.reply(403, b"")

    async with Provider(refuse) as provider:
        monkeypatch.setenv("https_proxy", f"http://u:p@127.0.0.1:{provider.port}")
        monkeypatch.setenv("no_proxy", "")
        upstream = Upstream()
        with pytest.raises(UpstreamError) as caught:
            await upstream.send(
                Outgoing("GET", "https://api.test/v1/models", [("Authorization", "Bearer k")]), Limits()
            )
        await upstream.close()
    assert caught.value.kind == "connect"
    assert provider.seen[0].line == "CONNECT api.test:443 HTTP/1.1"
    assert provider.seen[0].header("proxy-authorization") == ["Basic dTpw"]
    assert provider.seen[0].header("authorization") == []


@pytest.fixture
def certificate(tmp_path):
    """A certificate for localhost that nobody has signed."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command")
    key, made = tmp_path / "key.pem", tmp_path / "cert.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", made, *names]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return made, context


class Secure(Provider):
    """A provider behind TLS."""

    def __init__(self, context):
        super().__init__(hello)
        self.context = context

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self.context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self


async def test_certificate_must_be_trusted(certificate):
    async with Secure(certificate[1]) as provider:
        upstream = Upstream()
        with pytest.raises(UpstreamError, match="self-signed certificate") as caught:
            await upstream.send(Outgoing("GET", f"https://localhost:{provider.port}/"), Limits())
        await upstream.close()
    assert caught.value.kind == "connect"
    assert provider.seen == []


async def test_certificates_of_the_operator_are_trusted(certificate):
    script = (
        "import asyncio, sys\n"
        "from proxy.attempts import Outgoing\n"
        "from proxy.faults import Limits\n"
        "from proxy.upstream import Upstream\n"
        "async def main():\n"
        "    upstream = Upstream()\n"
        "    answer = await upstream.send(Outgoing('GET', sys.argv[1]), Limits())\n"
        "    print((await answer.read()).decode())\n"
        "    await upstream.close()\n"
        "asyncio.run(main())\n"
    )
    async with Secure(certificate[1]) as provider:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, f"https://localhost:{provider.port}/v1/x",
            stdout=subprocess.PIPE, env={**os.environ, "SSL_CERT_FILE": str(certificate[0])},
        )  # fmt: skip
        out, _ = await process.communicate()
    assert out == b"hello\n"
    assert provider.seen[0].header("host") == [f"localhost:{provider.port}"]


async def test_connections_are_kept():
    async with Provider(hello) as provider:
        upstream = Upstream()
        for _ in range(3):
            answer = await upstream.send(Outgoing("GET", f"http://127.0.0.1:{provider.port}/"), Limits())
            while await answer.read():
                pass
            assert answer.ended
        await upstream.close()
    assert provider.connections == 1


async def test_limit_on_the_whole_call():
    async def script(seen, peer):
        await peer.closed()

    async with Provider(script) as provider:
        upstream = Upstream()
        with pytest.raises(UpstreamError, match="took longer"):
            await upstream.send(Outgoing("GET", f"http://127.0.0.1:{provider.port}/"), Limits(), 0.05)
        await upstream.close()
