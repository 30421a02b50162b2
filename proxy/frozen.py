"""Texts that Handrail wrote in place of the agent's: their first form is kept, and used in every later ask.

So the prefix that a provider has cached does not change, whatever the clock, the counters or the pack say later. A text
is kept under the conversation, the call's id and the original's hash. Pure: it makes reads and puts.
"""

from hashlib import blake2b

from proxy.identity import DAY, digest
from proxy.model import Put, Run
from proxy.verdicts import Read

_WEEK = 7 * DAY
_REMEMBERED = 1024


class Frozen:
    """The frozen texts of one policy; `kind` keeps those of two apart."""

    __slots__ = ("_hashes", "_kind")

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._hashes: dict[tuple[int, int], str] = {}

    def read(self, run: Run, call_id: str, original: str) -> Read:
        key = "f:" + digest(self._kind, run.credential, run.thread, call_id, self._hash(original))
        return Read(key, final=True)

    @staticmethod
    def put(read: Read, text: str) -> Put:
        return Put(read.key, text.encode(), _WEEK, final=True)

    def _hash(self, text: str) -> str:
        """The original's hash; one that was hashed before is known by Python's own, which is cheaper."""
        key = (len(text), hash(text))
        found = self._hashes.get(key)
        if found is None:
            if len(self._hashes) >= _REMEMBERED:
                self._hashes.clear()
            found = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            self._hashes[key] = found
        return found
