"""The most telling machine code in a text, whatever kind it is.

A strong code decides; a weak one only says who is at fault, and words that are more precise outrank it.
"""

from proxy.failures.databases import sqlstate
from proxy.failures.errnos import errno
from proxy.failures.machine import Machine
from proxy.failures.statuses import curl, grpc, http, http_status, mail


def machine(text: str) -> Machine | None:
    """The most telling machine code in `text`, a strong one first."""
    weak: Machine | None = None
    status = http_status(text)
    if letter := mail(text):
        return letter
    for found in (sqlstate(text), curl(text), grpc(text), errno(text), http(status) if status else None):
        if found and found.strong:
            return found
        weak = weak or found
    return weak
