"""Reads a date, a clock time or a moment written in one of a closed list of ways.

A general date parser finds a date in "3", "May" and "order 5" and decides for itself what 05/01/2026 means. This one
knows the ways listed here, and where a text could mean two days (03/04/2026), leaves out the year or, for a moment, the
offset, it reads nothing. It never asks the machine for its time zone or the clock for today.
"""

import datetime as dt
import re
from collections.abc import Callable

MAX_LENGTH = 60

_NAMES = "january february march april may june july august september october november december"
_MONTHS = _NAMES.split()
_MONTH_NUMBERS = {
    **{name: number for number, name in enumerate(_MONTHS, 1)},
    **{name[:3]: number for number, name in enumerate(_MONTHS, 1)},
    "sept": 9,
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_WEEKDAY = re.compile(r"([A-Za-z]{3,9})\.?,?\s+(?=\S)")
_YEAR_FIRST = re.compile(
    r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{4})(\d{2})(\d{2})|(\d{4})年(\d{1,2})月(\d{1,2})[日号]"
)
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?[\s\-]+([A-Za-z]{3,9})\.?,?[\s\-]+(\d{4})", re.IGNORECASE)
_MONTH_DAY = re.compile(r"([A-Za-z]{3,9})\.?[\s\-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s\-]+(\d{4})", re.IGNORECASE)
_YEAR_MONTH = re.compile(r"(\d{4})[\s\-]+([A-Za-z]{3,9})\.?[\s\-]+(\d{1,2})", re.IGNORECASE)
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2})(?::(\d{2})(\.\d{1,9})?)?)?\s*(?:([AaPp])\.?[Mm]\.?)?")
_CLOCK_HAN = re.compile(r"(\d{1,2})[点时](?:(\d{1,2})分)?(?:(\d{1,2})秒)?")
_ZONE = re.compile(r"\s*(?:(Z|z|UTC|GMT)|(?:UTC|GMT)?([+-]\d{2}):?(\d{2}))")
_CLOCK_LAST = re.compile(
    r"(?:[Tt]|,?\s+(?:at\s+)?|(?<=[日号]))"
    r"(\d{1,2}(?::\d{2}){1,2}(?:\.\d{1,9})?(?:\s*[AaPp]\.?[Mm]\.?)?|\d{1,2}\s*[AaPp]\.?[Mm]\.?|\d{1,2}[点时][\d分秒]*)\s*$"
)
_COMPACT = re.compile(r"(\d{8})T(\d{2})(\d{2})(\d{2})")


def read_date(text: str) -> str | None:
    """The day as YYYY-MM-DD. A time of day is dropped only where it is midnight and says nothing."""
    text = text.strip()
    if len(text) > MAX_LENGTH or not _is_plain(text):
        return None
    found = _day(re.sub(r"[T\s]00:00(?::00(?:\.0+)?)?Z?$", "", text))
    return None if found is None else found.isoformat()


def read_time(text: str) -> str | None:
    """The clock time as HH:MM:SS, with the offset if one is written."""
    text = text.strip()
    zone = _offset(text) if len(text) <= MAX_LENGTH and _is_plain(text) else None
    if zone is None:
        return None
    clock, offset = zone
    found = _clock(clock)
    return None if found is None else found + offset


def read_date_time(text: str) -> str | None:
    """The moment in RFC 3339; None where no offset is written, for an invented one would be another moment."""
    text = text.strip()
    zone = _offset(text) if len(text) <= MAX_LENGTH and _is_plain(text) else None
    if zone is None or not zone[1]:
        return None
    moment, offset = _COMPACT.sub(r"\1T\2:\3:\4", zone[0]), zone[1]
    last = _CLOCK_LAST.search(moment)
    if last is None:
        return None
    day, clock = _day(moment[: last.start()]), _clock(last[1])
    return None if day is None or clock is None else f"{day.isoformat()}T{clock}{offset}"


READERS: dict[str, Callable[[str], str | None]] = {
    "date": read_date,
    "time": read_time,
    "date-time": read_date_time,
}


def _is_plain(text: str) -> bool:
    """Digits of other scripts would pass as digits, but not as the same text elsewhere."""
    return all(character.isascii() or not character.isdigit() for character in text)


def _day(text: str) -> dt.date | None:
    weekday = _WEEKDAY.match(text)
    if weekday is not None:
        name = weekday[1].casefold()
        number = next((n for n, day in enumerate(_WEEKDAYS) if name in (day, day[:3], day[:4])), None)
        if number is not None:
            found = _dated(text[weekday.end() :])
            return found if found is not None and found.weekday() == number else None
    return _dated(text)


def _dated(text: str) -> dt.date | None:
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = [int(g) for g in match.groups() if g and g.isdigit()]
        return _date(year, month, day)
    if match := _DAY_MONTH.fullmatch(text):
        return _date(int(match[3]), _MONTH_NUMBERS.get(match[2].casefold(), 0), int(match[1]))
    if match := _MONTH_DAY.fullmatch(text):
        return _date(int(match[3]), _MONTH_NUMBERS.get(match[1].casefold(), 0), int(match[2]))
    if match := _YEAR_MONTH.fullmatch(text):
        return _date(int(match[1]), _MONTH_NUMBERS.get(match[2].casefold(), 0), int(match[3]))
    if match := _YEAR_LAST.fullmatch(text):
        return _certain(int(match[1]), int(match[3]), int(match[4]))
    return None


def _certain(one: int, other: int, year: int) -> dt.date | None:
    """A day and a month in either order, where only one order is a date or both are the same."""
    readings = {_date(year, other, one), _date(year, one, other)} - {None}
    return readings.pop() if len(readings) == 1 else None


def _date(year: int, month: int, day: int) -> dt.date | None:
    if not 1000 <= year <= 9999:
        return None
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def _offset(text: str) -> tuple[str, str] | None:
    """The text without its offset, and the offset as RFC 3339 writes it ("" if none is written)."""
    for start in range(max(0, len(text) - 12), len(text)):
        match = _ZONE.fullmatch(text, start)
        if match is None or not (start and (text[start - 1].isdigit() or text[start - 1] in "mM. 点时分秒")):
            continue
        if match[1]:
            return text[:start], "Z"
        if _is_clock_end(text[:start]) and int(match[2][1:]) <= 14 and int(match[3]) <= 59:
            return text[:start], f"{match[2]}:{match[3]}"
    return text, ""


def _is_clock_end(text: str) -> bool:
    """Whether a clock time ends here: the "-05" of a bare date is no offset."""
    return re.search(r":\d{2}(?:\.\d+)?\s*(?:[AaPp]\.?[Mm]\.?)?$|\d\s*[AaPp]\.?[Mm]\.?$|[点时分秒]$", text) is not None


def _clock(text: str) -> str | None:
    text = text.strip()
    match = _CLOCK.fullmatch(text)
    if match is None:
        han = _CLOCK_HAN.fullmatch(text)
        return None if han is None else _clock_text(int(han[1]), int(han[2] or 0), int(han[3] or 0), "")
    hour, half = int(match[1]), (match[5] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if not half and match[2] is None:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return _clock_text(hour, int(match[2] or 0), int(match[3] or 0), match[4] or "")


def _clock_text(hour: int, minute: int, second: int, fraction: str) -> str | None:
    if hour > 23 or minute > 59 or second > 59:
        return None
    return f"{hour:02}:{minute:02}:{second:02}{fraction}"
