"""Content codings, taken off piece by piece: gzip, deflate, br, zstd, also stacked.

An answer must be read to be judged, so each coded piece is decoded as it comes; what comes out in one go is bounded,
since a kilobyte can hold a gigabyte. A coding that is not known here is no error: the caller passes the bytes through
unread. Knows no socket and no header but the value of `content-encoding`.
"""

import importlib
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

READABLE = ("gzip", "deflate", "br", "zstd")
LIMIT = 256 * 1024 * 1024
"""Most bytes that one body may decode to."""
_PIECE = 1024 * 1024
_ZSTD_SLICE = 1024


class CodingError(ValueError):
    """The body is not what its content coding says."""


class Decoder(Protocol):
    """Takes off one coding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most about 1 MiB (zstd: 32 MiB). Raises CodingError."""

    def finished(self) -> bool:
        """Whether the coded data came to its own end."""


class _Zlib:
    """gzip with any number of members, or deflate with or without its wrapper."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._object: Any = None
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._object is None:
                if self._members and not (self._gzip and data.startswith(b"\x1f")):
                    return  # padding behind the end
                self._object = zlib.decompressobj(31 if self._gzip else self._window(data))
            try:
                piece = self._object.decompress(data, _PIECE)
            except zlib.error as error:
                raise CodingError(f"broken {'gzip' if self._gzip else 'deflate'} data: {error}") from None
            if piece:
                yield piece
            if self._object.eof:
                data = self._object.unused_data if self._gzip else b""
                self._object = None
                self._members += 1
            else:
                data = self._object.unconsumed_tail

    @staticmethod
    def _window(data: bytes) -> int:
        wrapped = data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
        return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS

    def finished(self) -> bool:
        return self._object is None


class _Brotli:
    def __init__(self) -> None:
        brotli = importlib.import_module("brotli")  # has no types; seldom used, and not for nothing at start
        self._object = brotli.Decompressor()
        self._error: type[Exception] = brotli.error

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            piece = self._object.process(data, output_buffer_limit=_PIECE)
            while True:
                if piece:
                    yield piece
                if self._object.can_accept_more_data() or self._object.is_finished():
                    return
                piece = self._object.process(b"", output_buffer_limit=_PIECE)
        except self._error as error:
            raise CodingError(f"broken br data: {error}") from None

    def finished(self) -> bool:
        return bool(self._object.is_finished())


class _Zstd:
    """The library bounds no output, but a slice of the input bounds it: at most 32 MiB for 1 KiB."""

    def __init__(self) -> None:
        import zstandard  # noqa: PLC0415 - seldom used, and not for nothing at start

        self._new = zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj
        self._object = self._new()
        self._error: type[Exception] = zstandard.ZstdError
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        view = data
        while view:
            if self._object.eof:
                self._object, self._started = self._new(), False
            head, view = view[:_ZSTD_SLICE], view[_ZSTD_SLICE:]
            self._started = True
            try:
                piece = self._object.decompress(head)
            except self._error as error:
                raise CodingError(f"broken zstd data: {error}") from None
            if piece:
                yield piece
            if self._object.eof:
                view = self._object.unused_data + view

    def finished(self) -> bool:
        return bool(self._object.eof) or not self._started


class _Stack:
    """Codings applied one after the other; the last one applied comes off first."""

    def __init__(self, layers: list[Decoder]) -> None:
        self._layers = layers

    def feed(self, data: bytes) -> Iterator[bytes]:
        return self._through(data, 0)

    def _through(self, data: bytes, depth: int) -> Iterator[bytes]:
        if depth == len(self._layers):
            yield data
            return
        for piece in self._layers[depth].feed(data):
            yield from self._through(piece, depth + 1)

    def finished(self) -> bool:
        return all(layer.finished() for layer in self._layers)


class _Bounded:
    """Any of these, with an end to what comes out of it."""

    def __init__(self, inner: Decoder) -> None:
        self._inner = inner
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        for piece in self._inner.feed(data):
            self._size += len(piece)
            if self._size > LIMIT:
                raise CodingError("the decoded body is over 256 MiB")
            yield piece

    def finished(self) -> bool:
        return self._inner.finished()


_MAKERS: dict[str, Callable[[], Decoder]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _Brotli,
    "zstd": _Zstd,
}


def names(content_encoding: str) -> list[str]:
    """The codings of a body in the order in which they were applied; identity is none."""
    found = [name.strip().lower() for name in content_encoding.split(",")]
    return [name for name in found if name not in {"", "identity"}]


def decoder(codings: list[str]) -> Decoder | None:
    """None where a coding is not known."""
    if not all(name in _MAKERS for name in codings) or len(codings) > 3:
        return None
    layers = [_MAKERS[name]() for name in reversed(codings)]
    return _Bounded(layers[0] if len(layers) == 1 else _Stack(layers))


def decode(data: bytes, content_encoding: str) -> bytes | None:
    """A whole body, decoded; None where a coding is not known. Raises CodingError."""
    codings = names(content_encoding)
    if not codings:
        return data
    taken = decoder(codings)
    if taken is None:
        return None
    out = b"".join(taken.feed(data))
    if not taken.finished():
        raise CodingError("the coded body is cut off")
    return out


def narrowed(accept_encoding: str) -> str:
    """What a client accepts, without the codings that could not be read here. `*` is spelled out."""
    kept: list[str] = []
    for item in accept_encoding.split(","):
        name, _, weight = item.strip().partition(";")
        name = name.strip().lower()
        if name == "*":
            kept.extend(f"{coding};{weight}" if weight else coding for coding in READABLE)
        elif name in _MAKERS or name == "identity":
            kept.append(item.strip())
    return ", ".join(kept) or "identity"
