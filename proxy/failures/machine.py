"""A machine code found in a text: the shape that the tables of codes share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine code found in a text. `said` is how it stands there."""

    code: str
    strong: bool
    said: str
