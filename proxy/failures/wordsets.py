"""Sets of words, written as text: a list of eighty words reads best as four lines, not as eighty strings."""


def wordset(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())
