"""Answers and errors of Handrail's own."""

import json

import pytest

from proxy.dialects import sse
from proxy.dialects.messages_outlet import Outlet
from proxy.dialects.messages_own import compose, error, error_event, streamed, whole
from proxy.model import Ask, Usage, replace
from tests.dialects.messages_script import ids, read

ASK = Ask("messages", "m", stream=True, turns=())


@pytest.mark.parametrize(
    ("call", "content", "reason"),
    [
        (None, [{"type": "text", "text": "honest"}], "end_turn"),
        (
            ("finish", '{"answer":"x"}'),
            [{"type": "tool_use", "id": "made00001", "name": "finish", "input": {"answer": "x"}}],
            "tool_use",
        ),
    ],
)
def test_an_answer_is_the_same_whole_and_streamed(call, content, reason):
    reply = compose(ASK, "honest", ids(), call)
    body = json.loads(whole(reply, None))
    assert body["content"] == content
    assert (body["type"], body["role"], body["model"], body["stop_reason"]) == ("message", "assistant", "m", reason)
    assert body["usage"] == {"input_tokens": 0, "output_tokens": 0}
    assert read(streamed(reply, Outlet())) == body


def test_a_stream_that_has_begun_is_gone_on_with():
    outlet = Outlet()
    outlet.begun = True
    outlet.start(object())
    out = streamed(compose(ASK, "honest", ids(), None), outlet)
    kinds = [(sse.name(one), json.loads(sse.data(one) or b"").get("index")) for one in sse.Splitter().feed(out)]
    assert kinds == [
        (b"content_block_stop", 0),
        (b"content_block_start", 1),
        (b"content_block_delta", 1),
        (b"content_block_stop", 1),
        (b"message_delta", None),
        (b"message_stop", None),
    ]


def test_hidden_rounds_are_told():
    reply = compose(ASK, "honest", ids(), None)
    assert json.loads(whole(reply, Usage(5, 2)))["usage"]["handrail"]["hidden_input_tokens"] == 5


def test_what_a_policy_adds_to_it_is_said():
    reply = compose(ASK, "honest", ids(), None)
    added = replace(reply, turns=(replace(reply.turns[0], appended=("more",)),))
    assert [one["text"] for one in json.loads(whole(added, None))["content"]] == ["honest", "more"]
    assert [one["text"] for one in read(streamed(added, Outlet()))["content"]] == ["honest", "more"]


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "invalid_request_error"), (429, "rate_limit_error"), (502, "api_error"), (504, "timeout_error")],
)
def test_errors_are_in_the_api_s_words(status, kind):
    assert json.loads(error(status, "no", "c")) == {
        "type": "error",
        "error": {"type": kind, "message": "no", "code": "c"},
    }
    assert "code" not in json.loads(error(status, "no", ""))["error"]


def test_an_error_event():
    out = error_event("no", "reset")
    assert sse.name(out) == b"error"
    assert json.loads(sse.data(out) or b"")["error"]["type"] == "api_error"
    assert json.loads(sse.data(error_event("no", "timeout")) or b"")["error"]["type"] == "timeout_error"
