"""Parts that take long to import, since they compile hundreds of patterns: brought in when the first result needs them.

A process that serves is ready without; `warm` brings them in beside the traffic.
"""

from collections.abc import Callable
from importlib import import_module

from proxy.failures.reading import EmptyRows, Failure, Known, Result
from proxy.paging.body import Lang, Limits, Page


def read(result: Result, known: Known) -> Failure | EmptyRows | None:
    """What a tool result is (`failures.read`)."""
    from proxy.failures.read import read as reading  # noqa: PLC0415 - as above

    return reading(result, known)


def cut(
    text: str, limits: Limits, *, cursor: Callable[[int], str] | None, lang: Lang = "en", tool: str = "read_more"
) -> Page | None:
    """The first part of a text that is too long (`paging.pages`)."""
    from proxy.paging.pages import cut as cutting  # noqa: PLC0415 - as above

    return cutting(text, limits, cursor=cursor, lang=lang, tool=tool)


def page(  # noqa: PLR0913 - as what it stands for
    text: str, offset: int, limits: Limits, *, cursor: Callable[[int], str], lang: Lang = "en", tool: str = "read_more"
) -> Page:
    """A later part (`paging.pages`)."""
    from proxy.paging.pages import page as paging  # noqa: PLC0415 - as above

    return paging(text, offset, limits, cursor=cursor, lang=lang, tool=tool)


def warm() -> None:
    """Brings all of it in, in another thread than that which serves."""
    import_module("proxy.failures.read")
    import_module("proxy.paging.pages")
