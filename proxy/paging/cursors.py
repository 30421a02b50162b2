"""Cursors that a model hands back: sealed, so that nobody reads another run's results by guessing.

A cursor is URL-safe base64 of: a MAC of 12 bytes, the position as a varint, the call's reference. The MAC (keyed
BLAKE2b) covers run and credential too, which are not in it. So a cursor that was altered, made up, or carried over
from another run or caller is refused, and all of these look alike on purpose. No clock, no randomness: the same
position has the same cursor on every day, which keeps the prompt cache.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Literal

MAC_BYTES = 12
ID_BYTES = 64
"""Call ids are carried whole up to this size (in UTF-8), longer ones as a digest: see `ref`."""
MAX_LENGTH = 128
"""Characters; nothing longer was made here. 12 + 10 + 64 bytes make 115."""
MAX_OFFSET = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why a cursor is refused. `malformed`: not of this form; `foreign`: altered, or of another run or caller."""

    reason: Literal["malformed", "foreign"]


def ref(call_id: str) -> str:
    """How a cursor names a call: the id itself, or `~` and a digest where the id is over 64 bytes."""
    data = _bytes(call_id)
    if len(data) <= ID_BYTES:
        return call_id
    return "~" + urlsafe_b64encode(blake2b(data, digest_size=18).digest()).decode()


def make(secret: bytes, run: str, call_id: str, offset: int, credential: str) -> str:
    """A cursor for `offset` (0 to 2**63 - 1) in the result of this call: 22 to 115 characters of `A-Za-z0-9_-`."""
    if not 0 <= offset <= MAX_OFFSET:
        raise ValueError("an offset is between 0 and 2**63 - 1")
    payload = _varint(offset) + _bytes(ref(call_id))
    return urlsafe_b64encode(_mac(secret, run, credential, payload) + payload).rstrip(b"=").decode()


def check(secret: bytes, cursor: str, run: str, credential: str) -> tuple[str, int] | Invalid:
    """The call's `ref` and the offset, or why the cursor is refused. Never raises."""
    data = _decode(cursor)
    if data is None or len(data) <= MAC_BYTES:
        return Invalid("malformed")
    mac, payload = data[:MAC_BYTES], data[MAC_BYTES:]
    if not compare_digest(mac, _mac(secret, run, credential, payload)):
        return Invalid("foreign")
    offset, used = _read_varint(payload)
    return payload[used:].decode("utf-8", "surrogatepass"), offset


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(cursor: str) -> bytes | None:
    """Only the spelling that `make` writes: so each cursor has one form, and no padding or stray bit passes."""
    if len(cursor) > MAX_LENGTH or not cursor.isascii():
        return None
    try:
        data = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError:
        return None
    return data if urlsafe_b64encode(data).rstrip(b"=").decode() == cursor else None


def _mac(secret: bytes, run: str, credential: str, payload: bytes) -> bytes:
    key = blake2b(secret, digest_size=32, person=b"handrail-secret").digest()
    mac = blake2b(key=key, digest_size=MAC_BYTES, person=b"handrail-cursor")
    for part in (_bytes(run), _bytes(credential), payload):
        mac.update(len(part).to_bytes(8, "big") + part)
    return mac.digest()


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(data: bytes) -> tuple[int, int]:
    """The number and how many bytes it took."""
    number = 0
    for index, byte in enumerate(data):
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return number, index + 1
    return number, len(data)
