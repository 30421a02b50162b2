"""Names of tools that every provider takes: letters, digits, underscore and hyphen, at most 64 of them.

What is mapped follows from the set of names alone, in any order and any process, so a conversation keeps its names. A
name that is fine stays; no two names meet. A digest is added only where a name would lose what tells it from others.
"""

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

LONGEST = 64
_TAKEN = re.compile(rf"[a-zA-Z0-9_-]{{1,{LONGEST}}}")
_OTHER = re.compile(r"[^a-zA-Z0-9_-]+")


def is_portable(name: str) -> bool:
    return _TAKEN.fullmatch(name) is not None


def portable(names: Iterable[str], kept: Iterable[str] = ()) -> dict[str, str]:
    """New names for those that not every provider takes. `kept` are names that others have and that stay."""
    listed = sorted({name for name in names if name})
    taken = {*filter(is_portable, listed), *kept}
    plain = {name: _plain(name) for name in listed if not is_portable(name)}
    count = Counter(plain.values())
    made: dict[str, str] = {}
    for name, short in plain.items():
        alone = count[short] == 1 and short not in taken and is_portable(short) and not _loses(name)
        made[name] = short if alone else _digested(name, short, taken)
        taken.add(made[name])
    return made


def _plain(name: str) -> str:
    return _OTHER.sub("_", name).strip("_")


def _loses(name: str) -> bool:
    """Whether the plain form drops letters or digits, not only marks."""
    return not name.isascii() and any(not char.isascii() and char.isalnum() for char in name)


def _digested(name: str, short: str, taken: set[str]) -> str:
    for salt in range(1000):
        digest = blake2b(f"{salt}:{name}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        found = f"{short[: LONGEST - 9].strip('_') or 'tool'}_{digest}"
        if found not in taken:
            return found
    raise AssertionError("a thousand digests of one name are taken")
