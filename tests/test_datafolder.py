"""Nobody else may read what Handrail keeps."""

import os

import pytest

from proxy.datafolder import make_folder, open_file


@pytest.fixture
def open_umask():
    """The most careless operator."""
    old = os.umask(0)
    yield
    os.umask(old)


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.mark.usefixtures("open_umask")
def test_folders_are_made_for_the_owner_alone(tmp_path):
    made = make_folder(tmp_path / "a" / "b")
    assert mode(made) == 0o700
    assert mode(made.parent) == 0o700


def test_a_folder_that_stood_open_is_closed(tmp_path):
    path = tmp_path / "open"
    path.mkdir(mode=0o755)
    make_folder(path)
    assert mode(path) == 0o700


@pytest.mark.usefixtures("open_umask")
def test_files_are_made_for_the_owner_alone(tmp_path):
    os.close(open_file(tmp_path / "file", os.O_CREAT | os.O_WRONLY))
    assert mode(tmp_path / "file") == 0o600


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        make_folder(tmp_path / "file" / "below")
