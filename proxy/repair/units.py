"""Units of measure: which one a schema declares for a number, and exact conversion between known ones.

A unit counts as declared only where the pack, the schema's own `unit`/`x-unit`, the description ("in ms", "(USD)") or
the last word of the property's name (timeout_ms, priceUsd) names it, and only if they name one alone. Short words that
mean other things as well ("min" in price_min, "m", "second" in second_name) are not taken from a name. Conversion is
exact or not at all; there is none between currencies, between kilobytes of 1000 and of 1024, or for temperatures.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proxy.repair.closeness import words


@dataclass(frozen=True, slots=True)
class Unit:
    """A known unit: units of one dimension convert by the ratio of their sizes; without a size they never do."""

    name: str
    dimension: str
    size: Fraction | None = None


def _table() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for dimension, row in _SIZES.items():
        for size, spellings in row:
            names = spellings.split()
            unit = Unit(names[0], dimension, Fraction(size))
            table.update((name, unit) for name in names)
    for dimension, unsized in _UNSIZED.items():
        for spellings in unsized:
            names = spellings.split()
            table.update((name, Unit(names[0], dimension)) for name in names)
    return table


_SIZES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "time": (
        ("1/1000000000", "ns nanosecond nanoseconds 纳秒"),
        ("1/1000000", "us µs μs microsecond microseconds 微秒"),
        ("1/1000", "ms msec msecs millisecond milliseconds millis 毫秒"),
        ("1", "s sec secs second seconds 秒 秒钟"),
        ("60", "min mins minute minutes 分钟"),
        ("3600", "h hr hrs hour hours 小时"),
        ("86400", "d day days 天"),
        ("604800", "week weeks wk wks 周"),
    ),
    "length": (
        ("1/1000", "mm millimeter millimeters millimetre millimetres 毫米"),
        ("1/100", "cm centimeter centimeters centimetre centimetres 厘米"),
        ("1", "m meter meters metre metres 米"),
        ("1000", "km kilometer kilometers kilometre kilometres 公里 千米"),
        ("0.3048", "ft foot feet"),
        ("0.0254", "inch inches"),
        ("1609.344", "mi mile miles 英里"),
    ),
    "mass": (
        ("1/1000", "mg milligram milligrams 毫克"),
        ("1", "g gram grams 克"),
        ("1000", "kg kgs kilogram kilograms 公斤 千克"),
        ("453.59237", "lb lbs pound pounds 磅"),
    ),
    "binary data": (
        ("1", "byte bytes 字节"),
        ("1024", "kib kibibyte kibibytes"),
        ("1048576", "mib mebibyte mebibytes"),
        ("1073741824", "gib gibibyte gibibytes"),
    ),
}
_UNSIZED: Mapping[str, tuple[str, ...]] = {
    "decimal data": (
        "kb kilobyte kilobytes", "mb megabyte megabytes", "gb gigabyte gigabytes", "tb terabyte terabytes",
    ),
    "share": ("% percent pct percentage percents",),
    "temperature": ("celsius °c ℃ 摄氏度", "fahrenheit °f ℉ 华氏度", "kelvin"),
    "money": (
        "usd $ dollar dollars us$ 美元", "eur € euro euros 欧元", "gbp £ 英镑", "cny rmb 元 人民币", "jpy yen 日元",
        "inr ₹ rupee rupees", "chf", "cad", "aud", "nzd", "sek", "nok", "dkk", "pln zł", "czk", "huf", "ron", "bgn",
        "try", "brl r$", "mxn", "ars", "clp", "cop", "zar", "ils", "aed", "sar", "krw won ₩ 韩元", "hkd hk$ 港币",
        "twd nt$", "sgd s$", "thb ฿ baht", "idr", "myr", "php", "vnd ₫", "rub ₽", "uah ₴", "btc", "eth",
    ),
}  # fmt: skip
UNITS: Mapping[str, Unit] = _table()

# Words that are units in a description or a value, but mean something else at the end of a name.
_UNSURE = "s m h d g min mins second minute hour day week try php won pound pounds foot mi us"
_UNSURE_IN_NAMES = frozenset(_UNSURE.split())
_LASTING = "time timeout duration delay interval ttl age period wait elapsed expiry lifetime"
_DURATIONS = frozenset(_LASTING.split())
_IN_DESCRIPTION = re.compile(
    r"\b(?:in|as|of)\s+(?:the\s+|whole\s+|full\s+)?([A-Za-zµμ%]+)|[(（\[]\s*(?:in\s+)?([^\s()（）\[\]]{1,15})\s*[)）\]]"
    r"|(?:单位[为是:：]?\s*|以)([A-Za-z\u4e00-\u9fff%]{1,4}?)(?=为单位|[,，。;；)）\s]|$)|,\s*([A-Z]{3})\s*$"
)
_WORD = re.compile(r"[A-Za-zµμ°]+|[%$€£₹₩]|[\u4e00-\u9fff]+")
# A number "in thousands of USD" or "in cents" is not the number that stands before "USD".
_SCALES = re.compile(
    r"\b(?:hundreds?|thousands?|millions?|billions?|cents?|pence|lakhs?|crores?)\b|[千万亿]|分为单位", re.IGNORECASE
)


def unit(word: str) -> Unit | None:
    """The unit that a word or symbol names; case is ignored, but "M" is no metre and no minute."""
    bare = word.strip().rstrip(".")
    return None if bare == "M" else UNITS.get(bare.casefold())


def declared(schema: Mapping[str, Any], name: str) -> str | None:
    """The unit that the schema names for a number in property `name`, in its own word."""
    for keyword in ("x-unit", "unit"):
        stated = schema.get(keyword)
        if isinstance(stated, str) and stated.strip():
            return stated.strip()
    text = schema.get("description")
    text = text[:500] if isinstance(text, str) else ""
    named = _in_name(name)
    found = {unit(word): word for word in (named, *_in_description(text)) if word and unit(word)}
    if len(found) == 1 and not _SCALES.search(text):
        return next(iter(found.values())) if not _others(text, *found) else None
    return None if found or not name else _counted(name)


def _in_name(name: str) -> str | None:
    parts = words(name)
    last = parts[-1] if parts else ""
    if last in _UNSURE_IN_NAMES and not (last in ("s", "min", "mins", "h") and _DURATIONS.intersection(parts)):
        return None
    return last if last in UNITS else None


def _in_description(text: str) -> list[str]:
    matches = (next(group for group in match.groups() if group) for match in _IN_DESCRIPTION.finditer(text))
    return [word for word in matches if unit(word) and word not in _UNSURE_IN_NAMES - {"s"}]


def _others(text: str, chosen: Unit | None) -> bool:
    """Whether the description speaks of another unit of the same dimension as well."""
    mentioned = {unit(word) for word in _WORD.findall(text) if word not in _UNSURE_IN_NAMES}
    return any(other and chosen and other.dimension == chosen.dimension for other in mentioned - {chosen})


def _counted(name: str) -> str | None:
    """What a property counts, by its last word: "4 rooms" for `rooms` or `number_of_rooms`."""
    last = (words(name) or [""])[-1]
    return last if len(last) > 3 and last.endswith("s") and last not in UNITS else None


def converted(number: Fraction, written: str, wanted: str) -> Fraction | None:
    """`number` of the unit `written`, in the unit `wanted`; None where that is not certain and exact."""
    one, other = unit(written), unit(wanted)
    if one is None and other is None:
        return number if _singular(written) == _singular(wanted) else None
    if one is None or other is None or one.dimension != other.dimension:
        return None
    if one == other:
        return number
    return None if one.size is None or other.size is None else number * one.size / other.size


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")
