"""Finds and reads packs: a shipped one by its name, any other by its path, and the one that it extends.

SHELL: the only place that opens a pack. What the text means is for `proxy/settings`. Shipped packs travel inside the
installed package (`packs_data`), so that `--pack default` works in any folder; in a checkout they are in `policies/`.
"""

import re
from pathlib import Path

from proxy.settings.build import Compiled, compile_pack, usable
from proxy.settings.document import MAX_LENGTH, Document, read_document
from proxy.settings.explain import nearest
from proxy.settings.pack import Pack
from proxy.settings.problems import Place, Problem

_PACKAGE = Path(__file__).parent
_SHIPPED = (_PACKAGE / "packs_data", _PACKAGE.parent / "policies")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_HERE = Path()


def load_pack(reference: str) -> Pack:
    """The pack with this name or path. Raises PackError, with every reason, if it can't be used."""
    return usable(inspect_pack(reference))


def inspect_pack(reference: str) -> Compiled:
    """As `load_pack`, but never raises, and tells warnings too."""
    document = read_pack(reference)
    if document.extends is None:
        return compile_pack(document)
    return compile_pack(document, read_pack(document.extends, Path(document.name).parent))


def read_pack(reference: str, folder: Path = _HERE) -> Document:
    """The file behind a name or path, unchecked; paths start at `folder`. A file that can't be read is a problem."""
    path = folder / reference
    if _NAME.fullmatch(reference) and reference in shipped_packs():
        path = _shipped_folder() / f"{reference}.yaml"
    try:
        with path.open("rb") as file:
            data = file.read(4 * MAX_LENGTH + 1)
        return read_document(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        return _unreadable(str(path), f"not UTF-8 at byte {error.start}")
    except OSError as error:
        reason = (error.strerror or "can't be read").lower()
        return _unreadable(str(path), reason + (_hint(reference) if _NAME.fullmatch(reference) else ""))


def shipped_packs() -> tuple[str, ...]:
    """Names of the packs that Handrail brings along."""
    return tuple(sorted(path.stem for path in _shipped_folder().glob("*.yaml")))


def _shipped_folder() -> Path:
    return next((folder for folder in _SHIPPED if (folder / "default.yaml").is_file()), _SHIPPED[0])


def _hint(name: str) -> str:
    """For a word that may have been meant as the name of a shipped pack."""
    names = shipped_packs()
    return nearest(name, names) or f"; the shipped packs are {', '.join(names)}"


def _unreadable(name: str, reason: str) -> Document:
    return Document(name, None, (Problem(Place(name), (), reason),))
