from pathlib import Path

import pytest

from proxy import __version__
from proxy.cli import default_data, main, parser


def parsed(*argv, **environ):
    return parser({f"HANDRAIL_{name}": value for name, value in environ.items()}).parse_args(argv)


def test_defaults_of_serve():
    serve = parsed("serve")
    assert (serve.upstream, serve.pack, serve.host, serve.port) == ("", "default", "127.0.0.1", 8080)
    assert (serve.admin_host, serve.admin_port, serve.drain) == ("", 8081, 30.0)
    assert serve.run == "proxy.__main__:serve"


def test_environment_counts_and_flags_win():
    environ = {
        "UPSTREAM": "http://env/v1", "PACK": "strict", "HOST": "0.0.0.0", "PORT": "1", "ADMIN_PORT": "2",  # noqa: S104
        "DATA": "/env", "DRAIN": "3.5", "STORE": "redis://h", "ADMIN_HOST": "::1",
    }  # fmt: skip
    serve = parsed("serve", "--port", "9", "--pack", "mine.yaml", **environ)
    assert (serve.port, serve.pack) == (9, "mine.yaml")
    assert (serve.upstream, serve.host, serve.admin_port) == ("http://env/v1", "0.0.0.0", 2)  # noqa: S104
    assert (serve.data, serve.drain, serve.store, serve.admin_host) == (Path("/env"), 3.5, "redis://h", "::1")


@pytest.mark.parametrize(
    "argv",
    [["serve", "--port", "70000"], ["serve", "--port", "x"], ["serve", "--drain", "-1"], ["nothing"], [], ["check"]],
)
def test_bad_usage_is_exit_code_2(argv, capsys):
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    assert capsys.readouterr().out == ""


def test_a_bad_environment_is_bad_usage_too():
    with pytest.raises(SystemExit) as caught:
        parsed("serve", PORT="many")
    assert caught.value.code == 2


def test_answers_go_to_stdout(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"handrail {__version__}\n"
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    assert "HANDRAIL_UPSTREAM" in capsys.readouterr().out


def test_check_is_dispatched(capsys):
    assert main(["check", "default"]) == 0
    assert "loads" in capsys.readouterr().out
    assert main(["check", "/nowhere.yaml"]) == 2


def test_data_folder_of_the_user():
    assert default_data({"XDG_STATE_HOME": "/x"}) == Path("/x/handrail")
    assert default_data({"XDG_STATE_HOME": "relative"}) == Path.home() / ".local/state/handrail"
    assert default_data({}) == Path.home() / ".local/state/handrail"
