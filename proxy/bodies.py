"""What a run log stores of a body: nothing if it is there already, else what differs from one that is.

An agent sends its whole history with each step, so a body mostly is an earlier one with something put in. The common
beginning and end are found by halving, at the speed of memcmp; only what lies between is searched for credentials and
stored; the hash goes on from a mark before the first difference. So a known history of 220 KB costs some
microseconds, where hashing it alone takes 150.

Two texts are kept of a body: as it came, to compare the next one with, and as it is stored, with its credentials
blacked out. Both have the same length, so what is found in one holds in the other. Whoever owns the runs bounds them.

Pure: returns lines, writes none.
"""

import hashlib
from collections.abc import Collection, Sequence
from typing import Protocol

import msgspec

from proxy.entries import Entry, body_key, encode_entry
from proxy.masking import Masker, Span, black, is_stream, merged

_WINDOW = 4096
"""Bytes around a difference that are searched too: a credential, or the name before it, may stand across its edge."""
_SMALL = 512
"""Bytes below which a difference is not worth a chain."""
_KEPT_BODIES = 8
"""Bodies of a run that the next is compared with: sub-agents of one run take turns."""
_LONGEST_CHAIN = 64
_MARK = 16 * 1024
_OWN_BYTES = 2048
"""What a run takes in memory beside its bodies."""


class Known(Protocol):
    """Bodies that are stored already."""

    def keys(self) -> Collection[str]: ...

    def latest(self) -> Sequence[str]:
        """Those that were stored last."""

    def get(self, key: str) -> object:
        """The bytes, or something else if they can't be had."""

    def chain(self, key: str) -> int:
        """How many bodies must be restored before this one."""


class Stored(msgspec.Struct, frozen=True):
    """A body's name, its line (empty if it is stored already), and how many credentials in it were blacked out."""

    key: str
    line: bytes
    masked: int


class _Kept(msgspec.Struct, frozen=True):
    """A body that later ones may be stored as a difference to."""

    raw: bytes
    stored: bytes
    key: str
    role: str
    chain: int
    spans: tuple[Span, ...]
    marks: "tuple[hashlib._Hash, ...]"
    """The state of the hash after each 16 KiB."""

    @property
    def size(self) -> int:
        return len(self.raw) if self.raw is self.stored else 2 * len(self.raw)


class RunBodies:
    """The bodies of one run."""

    def __init__(self, masker: Masker, known: Known | None = None) -> None:
        """`known` are those that are on disk already."""
        self._masker = masker
        self._secrets: frozenset[bytes] = frozenset()
        self._kept: list[_Kept] = []
        self._keys: set[str] = set()
        if known is not None:
            self._recall(known)

    @property
    def size(self) -> int:
        """Bytes of memory that are held, about."""
        return _OWN_BYTES + sum(kept.size for kept in self._kept) + 128 * len(self._keys)

    def add(self, raw: bytes, role: str, secrets: Sequence[bytes] = ()) -> Stored:
        """Names a body, and says what to store of it.

        `role` tells bodies of one kind (ask, reply …), of which a longer one replaces the one that it grew out of.
        `secrets` are credentials to black out beside what looks like one.
        """
        if not self._secrets.issuperset(secrets):
            # What is kept was not searched for this one: a common part can't be taken over.
            self._secrets |= frozenset(secrets)
            self._kept.clear()
        for kept in self._kept:
            if kept.raw == raw:
                return self._used(kept)
        base, prefix, suffix = self._nearest(raw)
        kept, entry = self._changed(base, raw, prefix, suffix) if base else self._whole(raw)
        kept = msgspec.structs.replace(kept, role=role)
        if base and base.role in (role, "") and (prefix + suffix) * 20 > len(base.raw) * 19:
            self._kept = [other for other in self._kept if other is not base]
        if kept.key in self._keys:
            return self._used(kept)
        self._keys.add(kept.key)
        return self._used(kept, encode_entry(kept.key, entry))

    def _used(self, kept: _Kept, line: bytes = b"") -> Stored:
        """Moves it to the front."""
        self._kept = [kept, *(other for other in self._kept if other is not kept)][:_KEPT_BODIES]
        return Stored(kept.key, line, len(kept.spans))

    def _nearest(self, raw: bytes) -> tuple[_Kept | None, int, int]:
        """The kept body that has most in common with this one, and the bytes of common beginning and end."""
        best: tuple[_Kept | None, int, int] = (None, 0, 0)
        most = _SMALL
        for kept in self._kept if len(raw) > _SMALL else ():
            if len(kept.raw) <= _SMALL:
                continue
            prefix, suffix = common_ends(kept.raw, raw)
            if prefix + suffix > most:
                best, most = (kept, prefix, suffix), prefix + suffix
            if most * 10 > len(raw) * 9:
                break
        return best

    def _whole(self, raw: bytes) -> tuple[_Kept, Entry]:
        spans = tuple(self._masker.spans(raw, tuple(self._secrets)))
        stored = black(raw, spans) if spans else raw
        key, marks = _hashed(stored, (), 0)
        return _Kept(raw, stored, key, "", 0, spans, marks), Entry(stored)

    def _changed(self, base: _Kept, raw: bytes, prefix: int, suffix: int) -> tuple[_Kept, Entry]:
        """The body as a difference, searched only where it differs from the base, and a little around that."""
        spans = self._spans(base, raw, prefix, suffix)
        stored = black(raw, spans) if spans else raw
        if stored is not raw or base.stored is not base.raw:
            prefix, suffix = common_ends(base.stored, stored)
        key, marks = _hashed(stored, base.marks, prefix)
        if base.chain >= _LONGEST_CHAIN:
            return _Kept(raw, stored, key, "", 0, spans, marks), Entry(stored)
        prefix, suffix = _whole_characters(stored, prefix, suffix)
        entry = Entry(stored[prefix : len(stored) - suffix], base.key, prefix, suffix)
        return _Kept(raw, stored, key, "", base.chain + 1, spans, marks), entry

    def _spans(self, base: _Kept, raw: bytes, prefix: int, suffix: int) -> tuple[Span, ...]:
        first = 0 if is_stream(raw) else max(prefix - _WINDOW, 0)
        last = len(raw) if is_stream(raw) else len(raw) - max(suffix - _WINDOW, 0)
        found = self._masker.spans(raw[first:last], tuple(self._secrets))
        if not found and not base.spans:
            return ()
        shift, tail = len(raw) - len(base.raw), len(base.raw) - suffix
        before = [(start, min(end, prefix)) for start, end in base.spans if start < prefix]
        after = [(max(start, tail) + shift, end + shift) for start, end in base.spans if end > tail]
        return tuple(merged([*before, *((start + first, end + first) for start, end in found), *after], len(raw)))

    def _recall(self, known: Known) -> None:
        """Takes up where another process, or this one before it forgot the run, left off."""
        self._keys.update(known.keys())
        for key in known.latest():
            body = known.get(key)
            if isinstance(body, bytes):
                self._kept.append(_Kept(body, body, key, "", known.chain(key), (), _hashed(body, (), 0)[1]))


def common_ends(base: bytes, new: bytes) -> tuple[int, int]:
    """Bytes of common beginning, and of common end behind it."""
    most = min(len(base), len(new))
    view = memoryview(base)
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if new.startswith(view[low:middle], low) else (low, middle)
    prefix, shift = low, len(new) - len(base)
    low, high = 0, most - prefix + 1
    while high - low > 1:
        middle = (low + high) // 2
        at, end = len(base) - middle, len(base) - low
        low, high = (middle, high) if new.startswith(view[at:end], at + shift) else (low, middle)
    return prefix, low


def _whole_characters(body: bytes, prefix: int, suffix: int) -> tuple[int, int]:
    """Shorter ends, so that no UTF-8 character is cut and the middle can be written as text."""
    end = len(body) - suffix
    for _ in range(3):
        if prefix > 0 and prefix < len(body) and 0x80 <= body[prefix] < 0xC0:
            prefix -= 1
        if end < len(body) and 0x80 <= body[end] < 0xC0:
            end += 1
    return prefix, len(body) - end


def _hashed(body: bytes, marks: "tuple[hashlib._Hash, ...]", same: int) -> tuple[str, "tuple[hashlib._Hash, ...]"]:
    """The key of a body that has `same` bytes of its beginning in common with the one that the marks belong to."""
    kept = list(marks[: same // _MARK])
    state = kept[-1].copy() if kept else hashlib.sha256()
    view = memoryview(body)
    at = len(kept) * _MARK
    while at + _MARK <= len(body):
        state.update(view[at : at + _MARK])
        kept.append(state.copy())
        at += _MARK
    state.update(view[at:])
    return body_key(state.hexdigest()), tuple(kept)
