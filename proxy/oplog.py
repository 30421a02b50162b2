"""The operator's log: lines on stderr, JSON where a machine reads them and plain where a person does.

What libraries log comes here too, without their tracebacks and arguments: these quote requests, and a request holds
credentials.
"""

import logging
import sys
from typing import Any

import structlog


def configure(*, quiet: bool = False) -> None:
    """Sets up structlog and takes over the standard library's logging. `quiet`: only what is wrong."""
    shape: Any = structlog.processors.JSONRenderer(ensure_ascii=False)
    if sys.stderr.isatty():
        shape = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            shape,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING if quiet else logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers = [_Library()]
    root.setLevel(logging.WARNING)


class _Library(logging.Handler):
    """A library's record as a line of ours: who, the text without its arguments, and the kind of exception."""

    def emit(self, record: logging.LogRecord) -> None:
        kind = record.exc_info[0] if record.exc_info else None
        structlog.get_logger("handrail").log(
            record.levelno,
            "library",
            library=record.name,
            text=str(record.msg).splitlines()[0][:200] if record.msg else "",
            error=kind.__name__ if kind else None,
        )


def unhandled(context: dict[str, Any]) -> None:
    """What nobody waited for on the event loop (`loop.set_exception_handler`)."""
    error = context.get("exception")
    structlog.get_logger("handrail").error(
        "unhandled", text=str(context.get("message", ""))[:200], error=type(error).__name__ if error else None
    )
