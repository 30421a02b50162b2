import json

from proxy.dialects import responses_compose
from proxy.dialects.responses_compose import Composed
from proxy.dialects.responses_events import Trail
from proxy.dialects.responses_names import NO_NAMES
from proxy.model import Ask, Reply, ToolCall, Turn, Usage
from tests.dialects import responses_sample as sample

ASK = Ask("responses", "gpt-x", stream=True, turns=(), previous="resp_0", limit=100)
WIRE = Composed(responses_compose.begin(ASK, "resp_own", 1700000000), 1700000000, NO_NAMES)
TEXT = Reply((Turn("assistant", ("Here is what I found.",), finish="stop"),), Usage(0, 0), "resp_own", "gpt-x")
CALL = Reply(
    (Turn("assistant", calls=(ToolCall("c1", "final", "{}", "final", '{"answer":"x"}'),), finish="tool_calls"),),
    Usage(0, 0),
    "resp_own",
    "gpt-x",
)


def test_a_body_of_our_own():
    body = json.loads(responses_compose.whole(TEXT, WIRE, None))
    assert (body["id"], body["object"], body["status"], body["model"]) == ("resp_own", "response", "completed", "gpt-x")
    assert (body["previous_response_id"], body["max_output_tokens"], body["created_at"]) == ("resp_0", 100, 1700000000)
    assert body["output"][0]["content"] == [{"type": "output_text", "text": "Here is what I found.", "annotations": []}]
    assert (body["usage"]["total_tokens"], "handrail" in body["usage"]) == (0, False)
    told = json.loads(responses_compose.whole(TEXT, WIRE, Usage(1, 2)))
    assert told["usage"]["handrail"]["hidden_input_tokens"] == 1


def test_a_call_of_our_own():
    item = json.loads(responses_compose.whole(CALL, WIRE, None))["output"][0]
    assert (item["type"], item["call_id"], item["name"], item["arguments"]) == (
        "function_call",
        "c1",
        "final",
        '{"answer":"x"}',
    )
    assert item["id"].startswith("fc_")


def test_a_stream_of_our_own_has_the_full_set():
    data = responses_compose.stream(TEXT, WIRE, Trail())
    assert sample.types_of(data) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    last = sample.legal(data)
    assert last == json.loads(responses_compose.whole(TEXT, WIRE, None))
    assert sample.legal(responses_compose.stream(CALL, WIRE, Trail()))["output"][0]["arguments"] == '{"answer":"x"}'


def test_an_id_of_our_own():
    assert (
        responses_compose.response_id("abc")
        == responses_compose.response_id("abc")
        != responses_compose.response_id("abd")
    )
    assert responses_compose.response_id("abc").startswith("resp_")
