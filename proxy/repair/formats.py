"""Whether a string is of a JSON Schema `format`, for the closed list of formats that are checked.

It must not guess or convert (dates.py does), and must not ask the machine for a time zone. A format that is not in
`CHECKS` is an annotation: providers and generators write all kinds of words there ("int32", "markdown"), and a
check that somebody else's tool does not make would only cause needless re-asks.

`time` takes a clock time without an offset as well: that is what tools mean by it, and demanding an offset would make
the model invent a zone. `date-time` demands one, because a moment without a zone is no moment.
"""

import datetime as dt
import ipaddress
import re
from collections.abc import Callable

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_CLOCK = re.compile(r"(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,12})?([Zz]|[+-]\d{2}:\d{2})?")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\s<>\"]+")


def is_date(text: str) -> bool:
    """A full-date of RFC 3339 that exists in the calendar."""
    match = _DATE.fullmatch(text)
    if match is None or not text.isascii():
        return False
    try:
        dt.date(*map(int, match.groups()))
    except ValueError:
        return False
    return True


def _clock(text: str, *, zoned: bool) -> bool:
    match = _CLOCK.fullmatch(text)
    if match is None or not text.isascii():
        return False
    hour, minute, second, offset = match.groups()
    if int(hour) > 23 or int(minute) > 59 or int(second) > 60:
        return False
    if offset is None:
        return not zoned
    return len(offset) == 1 or (int(offset[1:3]) <= 23 and int(offset[4:]) <= 59)


def is_time(text: str) -> bool:
    """A clock time HH:MM:SS, with or without an offset."""
    return _clock(text, zoned=False)


def is_date_time(text: str) -> bool:
    """A date-time of RFC 3339, which always names its offset."""
    return len(text) > 11 and text[10] in "Tt " and is_date(text[:10]) and _clock(text[11:], zoned=True)


def _address(kind: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            kind(text)
        except ValueError:
            return False
        return True

    return check


CHECKS: dict[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_date_time,
    "time": is_time,
    "email": lambda text: _EMAIL.fullmatch(text) is not None,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "uri": lambda text: _URI.fullmatch(text) is not None,
    "ipv4": _address(ipaddress.IPv4Address),
    "ipv6": _address(ipaddress.IPv6Address),
}
