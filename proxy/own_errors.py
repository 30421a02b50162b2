"""Errors that Handrail must answer itself where no exchange is played: in the shape of the API that was called.

Whatever an SDK expects to find in an error is there, nothing invites it to try again, and no text says more than what
went wrong. Pure.
"""

import json

STATUS = {"timeout": 504}
"""Status by kind of upstream failure; 502 for all others."""

_MESSAGES_TYPES = {
    400: "invalid_request_error",
    404: "not_found_error",
    413: "request_too_large",
    503: "overloaded_error",
}


def error_body(dialect: str, status: int, message: str, code: str) -> bytes:
    """`dialect`: a name as in the pack; any other gets the shape that most clients know."""
    if dialect == "messages":
        error = {"type": _MESSAGES_TYPES.get(status, "api_error"), "message": message}
        return json.dumps({"type": "error", "error": error}).encode()
    kind = "invalid_request_error" if status < 500 else "handrail_error"
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()


def own_fields(run: str) -> list[tuple[str, str]]:
    """What every answer carries."""
    return [("x-run-id", run), ("x-handrail", "none")]


def error_fields(run: str) -> list[tuple[str, str]]:
    """The header fields of an error."""
    return [("Content-Type", "application/json"), ("x-should-retry", "false"), *own_fields(run)]
