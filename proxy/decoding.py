"""Takes the content coding off a body that was logged as it came, so that credentials in it can be found.

By the bytes alone: the log sees bodies, not headers. What a few coded bytes can stand for is bounded.
Pure; knows no log.
"""

from proxy import codings

_MOST = 8 * 1024 * 1024
_MOST_BROTLI = 256 * 1024
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x78\x01", "deflate"),
    (b"\x78\x5e", "deflate"),
    (b"\x78\x9c", "deflate"),
    (b"\x78\xda", "deflate"),
)


def decoded(body: bytes) -> bytes | None:
    """The text under gzip, deflate, zstd or br, its first 8 MiB at most; None where the body is in none of these."""
    if body[:1] in (b"{", b"[", b"d", b"e", b":", b'"', b"") or _is_text(body):
        return None
    # br has no magic number: what comes to its end as br is taken for it.
    name = next((name for magic, name in _MAGIC if body.startswith(magic)), "br")
    if name == "br" and len(body) > _MOST_BROTLI:
        return None
    return _taken_off(body, name)


def _taken_off(body: bytes, name: str) -> bytes | None:
    decoder = codings.decoder([name])
    if decoder is None:
        return None
    parts, size = [], 0
    try:
        for piece in decoder.feed(body):
            parts.append(piece)
            size += len(piece)
            if size >= _MOST:
                break
    except codings.CodingError:
        return b"".join(parts) if parts and name != "br" else None
    return b"".join(parts)[:_MOST] if name != "br" or decoder.finished() else None


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
