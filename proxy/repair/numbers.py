"""Reads the one number that a string holds.

"42", "-1,250", "1e3" and full-width digits are numbers; "42 USD" is one where the unit is declared (units.py), and
"5 min" where it converts exactly. Everything that could be more than one number or another one ("10-15",
"1.5 million", "2 of 8", "v2", "about 5", "1,250" where it could be a decimal comma) is none. It must not round.
"""

import re
from fractions import Fraction

from proxy.repair.literals import Num
from proxy.repair.units import converted

MAX_LENGTH = 100
_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?|[+-]?\.\d+"
_SHAPE = re.compile(
    rf"(?P<before>[^\d\s.,+\-]{{1,3}})?\s*(?P<number>{_NUMBER})\s*(?P<after>[^\W\d_][^\d\s]*|[%°℃℉€$£₹₩₫₽₴฿]\w?)?",
)
_WIDE = str.maketrans("０１２３４５６７８９．，－＋％", "0123456789.,-+%")


def read_number(text: str, *, integer: bool, unit: str | None = None) -> int | Num | None:
    """The number in `text`, in the declared `unit` if one is written; None where it is not certain."""
    text = text.strip().translate(_WIDE).replace("\u2212", "-")
    match = _SHAPE.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None or not match["number"].isascii():
        return None
    if not integer and re.fullmatch(r"[+-]?\d{1,3},\d{3}", match["number"]):
        return None
    literal = match["number"].replace(",", "").removeprefix("+")
    written = match["after"] or match["before"]
    if written is None:
        return _valued(literal, integer=integer)
    if unit is None or (match["after"] and match["before"]):
        return None
    amount = converted(Fraction(literal), written, unit)
    if amount is None:
        return None
    return _valued(literal if amount == Fraction(literal) else _decimal(amount), integer=integer)


def _valued(literal: str, *, integer: bool) -> int | Num | None:
    value = Fraction(literal) if literal else None
    if value is None:
        return None
    if value.denominator == 1 and (integer or literal.lstrip("-").isdigit()):
        return int(value)
    if integer:
        return None
    sign, digits = ("-", literal[1:]) if literal.startswith("-") else ("", literal)
    digits = digits.lstrip("0") if digits[:1] == "0" else digits
    return Num(sign + (digits if digits[:1].isdigit() else "0" + digits))


def _decimal(amount: Fraction) -> str:
    """The amount in decimal notation, or "" where it has none that ends."""
    rest, places = amount.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    if rest != 1:
        return ""
    scaled = str(abs(amount) * 10**places).rjust(places + 1, "0")
    sign = "-" if amount < 0 else ""
    return sign + (f"{scaled[:-places]}.{scaled[-places:]}" if places else scaled)
