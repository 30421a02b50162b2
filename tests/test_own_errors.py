import json

import pytest

from proxy.own_errors import STATUS, error_body, error_fields


@pytest.mark.parametrize("status", [400, 413, 500, 502, 504])
def test_shapes_that_sdks_read(status):
    body = json.loads(error_body("chat_completions", status, "why", "code"))
    assert body["error"]["message"] == "why"
    assert body["error"]["code"] == "code"
    assert body["error"]["type"] == ("invalid_request_error" if status < 500 else "handrail_error")
    other = json.loads(error_body("messages", status, "why", "code"))
    assert other["type"] == "error"
    assert other["error"]["message"] == "why"


def test_nothing_invites_to_try_again():
    assert ("x-should-retry", "false") in error_fields("run")
    assert ("x-run-id", "run") in error_fields("run")
    assert STATUS["timeout"] == 504
