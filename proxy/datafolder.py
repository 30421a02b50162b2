"""The folder that Handrail keeps its data in: nobody else's business, so folders are 0700 and files 0600.

Modes are given when a file is made, not by the process-wide umask, which belongs to the operator and to every thread.
Knows nothing of what the files hold.
"""

import os
from pathlib import Path

_FOLDER = 0o700
_FILE = 0o600


def make_folder(path: Path) -> Path:
    """Makes the folder and its missing parents, and takes it away from others where it stood open. Raises OSError."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=_FOLDER, exist_ok=True)
    if path.stat().st_mode & 0o077 and path.stat().st_uid == os.geteuid():
        path.chmod(_FOLDER)
    return path


def open_file(path: Path | str, flags: int) -> int:
    """A file descriptor; a file that is made here is 0600. Raises OSError."""
    return os.open(path, flags | os.O_CLOEXEC, _FILE)
