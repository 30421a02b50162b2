"""The secret of a data folder: 32 random bytes that sign what Handrail hands out and gets back (cursors).

Made once, by whichever process comes first, and the same for all of them and after each restart.
"""

import fcntl
import os
from pathlib import Path

from proxy.datafolder import make_folder, open_file

SIZE = 32


def load_secret(path: Path) -> bytes:
    """The secret, made if there is none. Raises OSError; ValueError if the file holds something else."""
    make_folder(path.parent)
    file = open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = os.read(file, SIZE + 1)
        if len(found) > SIZE:
            raise ValueError(f"{path} is not a secret of {SIZE} bytes")
        if len(found) == SIZE:
            return found
        # Less was left by a process that died before anybody could use it.
        made = os.urandom(SIZE)
        os.ftruncate(file, 0)
        if os.pwrite(file, made, 0) != SIZE:
            raise OSError(f"{path} could not be written")
        os.fsync(file)
        return made
    finally:
        os.close(file)
