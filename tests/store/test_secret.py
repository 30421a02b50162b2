"""One secret for each folder, whoever comes first."""

import subprocess
import sys

import pytest

from proxy.store.secret import load_secret


def test_a_secret_is_made_once(tmp_path):
    path = tmp_path / "data" / "secret"
    made = load_secret(path)
    assert len(made) == 32
    assert load_secret(path) == made == path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert load_secret(tmp_path / "other" / "secret") != made


def test_what_a_dead_process_left_half_is_made_anew(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"half")
    made = load_secret(path)
    assert len(made) == 32
    assert not made.startswith(b"half")
    assert load_secret(path) == made


def test_another_file_is_left_alone(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"x" * 33)
    with pytest.raises(ValueError, match="not a secret"):
        load_secret(path)
    assert path.read_bytes() == b"x" * 33


def test_many_processes_agree(tmp_path):
    code = """
import sys
from pathlib import Path
from proxy.store.secret import load_secret
print(load_secret(Path(sys.argv[1])).hex())
"""
    command = [sys.executable, "-c", code, str(tmp_path / "secret")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    assert len({process.communicate()[0] for process in started}) == 1
