import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.dialects.responses_names import named
from proxy.dialects.responses_stream import Asked, ResponsesStream
from proxy.dialects.sse import Splitter
from proxy.model import ToolCall, Usage, replace
from tests.dialects import responses_sample as sample
from tests.dialects.responses_sample import call, custom, message, play, reasoning, search, stream, types_of

ITEMS = st.lists(
    st.one_of(
        st.builds(call, st.just("query"), st.text(max_size=20)),
        st.builds(custom, st.text(max_size=20)),
        st.builds(message, st.text(max_size=20)),
        st.builds(reasoning, st.text(max_size=20)),
        st.builds(search),
    ),
    max_size=5,
).map(lambda items: [numbered(item, number) for number, item in enumerate(items)])


def numbered(item, number):
    more = {"call_id": f"call_{number}"} if "call_id" in item else {}
    return {**item, "id": f"{item['id'].partition('_')[0]}_{number}", **more}


def reader(after=None, hidden=None, *, mute=False, asked=Asked()):  # noqa: B008 - frozen
    return ResponsesStream(sample.ids(), asked, after, hidden, mute=mute)


def read(items, *, whole=True, **more):
    one = reader()
    out = play(one, stream(items, **more))
    return one, out, one.reply(whole=whole)


def test_text_leaves_at_once_and_everything_is_verbatim():
    one = reader()
    data = stream([message()])
    left = [one.feed(event) for event in Splitter().feed(data)]
    assert b"".join(left) == data
    assert left[:3] == [b"", b"", b"".join(Splitter().feed(data)[:3])], (
        "the head waits for the first item that says something"
    )
    assert all(left[2:])
    assert (one.held, one.done, one.spoke) == (False, True, True)
    reply = one.reply(whole=True)
    assert (reply.turns[0].texts, reply.turns[0].finish, reply.usage) == (("Let me look.",), "stop", Usage(5, 3, 2))
    assert (reply.id, reply.model) == ("resp_1", "gpt-x")
    assert one.write(reply) == one.unchanged() == b""


def test_a_call_and_all_behind_it_is_held():
    one, out, reply = read([reasoning(), message(), call(), message("more", 2), call(number=2)])
    assert types_of(out)[-1] == "output_item.done"
    assert b"call_1" not in out
    assert b"more" not in out
    assert one.held
    assert out + one.unchanged() == stream([reasoning(), message(), call(), message("more", 2), call(number=2)])
    assert [c.id for c in reply.turns[0].calls] == ["call_1", "call_2"]
    assert reply.turns[0].finish == "tool_calls"


@pytest.mark.parametrize(
    "item",
    [
        custom(),
        {"type": "local_shell_call", "id": "l", "call_id": "c", "action": {}},
        {"type": "computer_call", "id": "c", "call_id": "c", "action": {}},
        {"type": "mcp_approval_request", "id": "m", "name": "x", "arguments": "{}", "server_label": "s"},
    ],
)
def test_whatever_the_agent_acts_on_is_held(item):
    one, out, _ = read([item])
    assert (out, one.held) == (b"", True)
    assert one.unchanged() == stream([item])


def test_a_round_that_says_nothing_leaves_nothing():
    assert read([call()])[1] == b""
    assert read([reasoning(), call()])[1] == b""


def test_visible_reasoning_leaves_at_once_but_its_end_waits_for_what_follows():
    _, out, _ = read([reasoning("hm"), call()])
    assert types_of(out)[-1] == "reasoning_summary_text.delta"
    _, out, _ = read([reasoning("hm"), message()])
    assert types_of(out)[-1] == "completed"


def test_progress_of_the_providers_own_tools_leaves_at_once():
    _, out, _ = read([search(), call()])
    assert types_of(out)[-2:] == ["web_search_call.completed", "output_item.done"]


def test_the_id_of_a_response_in_the_background_leaves_at_once():
    one = reader(asked=Asked(background=True))
    first = Splitter().feed(stream([call()]))[0]
    assert one.feed(first) == first


def test_comments_keep_their_place():
    one = reader()
    assert one.feed(b": hi\n\n") == b": hi\n\n"
    events = Splitter().feed(stream([call()]))
    out = b"".join(map(one.feed, [events[0], b": keep\n\n", *events[1:], b"data: [DONE]\n\n"]))
    assert out + one.unchanged() == events[0] + b": keep\n\n" + b"".join(events[1:]) + b"data: [DONE]\n\n"


def test_a_keepalive_event_leaves_unless_something_waits():
    keepalive = sample.encode([{"type": "keepalive", "sequence_number": 3}])
    one = reader()
    assert one.feed(keepalive) == keepalive
    one.feed(Splitter().feed(stream([]))[0])
    assert one.feed(keepalive) == b""


@pytest.mark.parametrize(
    ("end", "more", "finish"),
    [
        ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ("incomplete", {"incomplete_details": {"reason": "content_filter"}}, "filter"),
        ("failed", {"error": {"code": "server_error", "message": "x"}}, "other"),
    ],
)
def test_a_reply_that_is_cut(end, more, finish):
    one, out, reply = read([call(arguments='{"n')], end=end, **more)
    assert (reply.turns[0].finish, reply.turns[0].cut, one.done) == (finish, True, True)
    assert out + one.unchanged() == stream([call(arguments='{"n')], end=end, **more)
    if end == "incomplete":
        assert reply.usage == Usage(5, 3, 2)


@pytest.mark.parametrize("whole", [True, False])
def test_a_stream_that_dies_is_cut(whole):
    one = reader()
    data = b"".join(Splitter().feed(stream([call()]))[:4])
    play(one, data)
    reply = one.reply(whole=whole)
    assert (reply.turns[0].cut, reply.turns[0].finish, one.done) == (True, "", False)
    assert reply.turns[0].calls[0].args == '{"n":'


def test_an_error_event_ends_the_stream():
    one = reader()
    play(one, sample.encode([*sample.told([call()])[:4], {"type": "error", "message": "x", "sequence_number": 4}]))
    assert one.done
    assert (one.reply(whole=True).turns[0].cut, one.reply(whole=True).turns[0].finish) == (True, "other")


def test_a_stream_without_event_lines_ends_with_done():
    one = reader()
    play(one, stream([call()], named=False))
    assert not one.done
    one.feed(b"data: [DONE]\n\n")
    assert one.done
    assert not one.reply(whole=True).turns[0].cut


def test_half_of_a_surrogate_pair_is_read_and_leaves_as_it_came():
    data = stream([call(arguments="{'n':'X'}")]).replace(b"X", b"\\ud83d")
    one = reader()
    assert play(one, data) + one.unchanged() == data
    assert "\ufffd" in one.reply(whole=True).turns[0].calls[0].args


def test_a_namespaced_call_is_meant_by_its_tool():
    one = reader(asked=Asked(named([("mcp__bench", "query")])))
    play(one, stream([call(namespace="mcp__bench")]))
    assert one.reply(whole=True).turns[0].calls[0].tool == "query"
    assert one.malformed == ""
    loose = reader(asked=Asked(named([("mcp__bench", "query")])))
    out = play(loose, stream([call()]))
    reply = loose.reply(whole=True)
    assert loose.malformed == "a call without its namespace"
    assert sample.legal(out + loose.write(reply))["output"][0]["namespace"] == "mcp__bench"


@given(ITEMS, st.lists(st.integers(0, 4000)), st.booleans())
def test_any_cutting_of_the_bytes_gives_the_same(items, cuts, named_events):
    data = stream(items, named=named_events)
    marks = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    one, splitter = reader(), Splitter()
    out = b""
    for start, end in pairwise(marks):
        out += b"".join(map(one.feed, splitter.feed(data[start:end])))
    whole = reader()
    assert play(whole, data) == out
    assert replace(one.reply(whole=True), wire=None) == replace(whole.reply(whole=True), wire=None)
    assert out + one.unchanged() == data


@given(ITEMS, st.text(max_size=10))
def test_a_changed_reply_says_the_same_in_every_copy(items, args):
    one = reader()
    out = play(one, stream(items))
    reply = one.reply(whole=True)
    turn = reply.turns[0]
    changed = tuple(replace(c, args=args + c.args) for c in turn.calls)
    last = sample.legal(out + one.write(replace(reply, turns=(replace(turn, calls=changed),)), b": handrail x\n\n"))
    keys = sample.KEYS
    expected = [
        {**item, keys[item["type"]]: args + item[keys[item["type"]]]} if item["type"] in keys else item
        for item in items
    ]
    assert last == {**sample.response(items), "output": expected}


# ---------------------------------------------------------------- the round after


def rounds(first, second, *, mute=True, hidden=True):
    one = reader()
    out = play(one, stream(first, 1))
    usage = one.reply(whole=True).usage if hidden else None
    two = reader(one, usage, mute=mute)
    out += play(two, stream(second, 2))
    return out, two, two.reply(whole=True)


def finished(first, second, **more):
    out, two, reply = rounds(first, second, **more)
    return sample.legal(out + two.write(reply, b": handrail x\n\n")), two, reply


def test_after_a_silent_round_the_agent_gets_the_second_response_as_it_is():
    last, two, reply = finished([reasoning(), call()], [reasoning(number=2), call(number=3)])
    assert [item["id"] for item in last["output"]] == ["rs_2", "fc_3"]
    assert (last["id"], reply.id, two.provider_id) == ("resp_2", "resp_2", "resp_2")
    assert last["usage"]["handrail"]["hidden_input_tokens"] == 5


def test_after_a_round_that_spoke_it_stays_one_stream():
    last, two, reply = finished([message(), call()], [call(arguments='{"n":42}', number=3)])
    assert [item["id"] for item in last["output"]] == ["msg_1", "fc_3"]
    assert (last["id"], last["created_at"], reply.id, two.provider_id) == ("resp_1", 1700000001, "resp_1", "resp_2")


def test_the_text_of_a_muted_round_is_left_out_when_it_ends_in_calls():
    last, _, _ = finished([message(), call()], [message("Let me look again.", 3), call(number=4)])
    assert [item["id"] for item in last["output"]] == ["msg_1", "fc_4"]
    last, _, _ = finished([message(), call()], [message("Done.", 3)])
    assert [item["id"] for item in last["output"]] == ["msg_1", "msg_3"]
    last, _, _ = finished([message(), call()], [message("More.", 3), call(number=4)], mute=False)
    assert [item["id"] for item in last["output"]] == ["msg_1", "msg_3", "fc_4"]


def test_a_muted_text_stays_with_the_reasoning_that_leads_to_it():
    last, _, _ = finished([message(), call()], [reasoning(number=2), message("x", 3), call(number=4)])
    assert [item["id"] for item in last["output"]] == ["msg_1", "rs_2", "msg_3", "fc_4"]


def test_reasoning_whose_follower_was_rejected_is_closed_and_not_in_the_output():
    last, _, _ = finished([reasoning("hm"), call()], [reasoning("oh", 2), call(number=3)])
    assert [item["id"] for item in last["output"]] == ["rs_2", "fc_3"]


def test_text_of_an_unmuted_round_flows_into_the_stream():
    out, two, _ = rounds([message(), call()], [message("More.", 3)], mute=False, hidden=False)
    assert types_of(out)[-1] == "output_item.done"
    last = sample.legal(out + two.unchanged())
    assert ([item["id"] for item in last["output"]], last["id"]) == (["msg_1", "msg_3"], "resp_1")


def test_a_third_round_goes_on_too():
    one = reader()
    out = play(one, stream([message(), call()], 1))
    two = reader(one, Usage(5, 3), mute=True)
    out += play(two, stream([message("again", 2), call(number=2)], 2))
    three = reader(two, Usage(10, 6), mute=True)
    out += play(three, stream([call(number=3)], 3))
    last = sample.legal(out + three.write(three.reply(whole=True)))
    assert [item["id"] for item in last["output"]] == ["msg_1", "fc_3"]
    assert (last["id"], three.provider_id) == ("resp_1", "resp_3")


@given(ITEMS, ITEMS, st.booleans())
def test_two_rounds_are_one_legal_stream(first, second, mute):
    second = [{**item, "id": f"{item['id']}b"} for item in second]
    one = reader()
    out = play(one, stream(first, 1))
    if not one.held:
        return
    two = reader(one, Usage(5, 3), mute=mute)
    out += play(two, stream(second, 2))
    last = sample.legal(out + two.unchanged())
    ids = [item["id"] for item in last["output"]]
    assert len(set(ids)) == len(ids)
    assert [i for i in ids if i.startswith(("fc", "ctc"))] == [i["id"] for i in second if i["type"] in sample.KEYS]
    assert json.loads(json.dumps(last["usage"]))["handrail"]["hidden_input_tokens"] == 5


# ---------------------------------------------------------------- text that may become calls


class Doubt:
    """Text waits from `<` on, until `>`."""

    def __init__(self):
        self.text = ""

    def waits(self, text):
        self.text += text
        return self.text.rfind("<") > self.text.rfind(">")


def doubting(items):
    one = reader(asked=Asked(watch=Doubt))
    out = play(one, stream(items))
    return one, out, one.reply(whole=True)


def test_doubtful_text_waits_and_leaves_when_it_is_none():
    one, out, _ = doubting([message("a < b")])
    assert (out, one.held) == (b"", True)
    assert out + one.unchanged() == stream([message("a < b")])
    _, out, _ = doubting([message("so a <b> c")])
    assert out == stream([message("so a <b> c")])


@pytest.mark.parametrize(
    ("said", "kept", "texts"),
    [
        ("Well. <call>", "Well. ", ["Well. "]),
        ("<call", "", []),
        ("Well. <call>", "", ["Well."]),
        ("Well. <c", "Other", ["Well."]),
    ],
)
def test_text_that_became_a_call_is_taken_out(said, kept, texts):
    one, out, reply = doubting([message(said + "<")])
    turn = reply.turns[0]
    made = ToolCall("c1", "query", "{}", "query", "{}")
    last = sample.legal(out + one.write(replace(reply, turns=(replace(turn, texts=(kept,), calls=(made,)),))))
    assert [part["text"] for item in last["output"] if item["type"] == "message" for part in item["content"]] == texts
    assert last["output"][-1]["arguments"] == "{}"


def test_text_that_no_message_was_there_for_comes_last():
    one, out, reply = doubting([message("<x")])
    last = sample.legal(out + one.write(replace(reply, turns=(replace(reply.turns[0], texts=("<x", "more")),))))
    assert [item["content"][0]["text"] for item in last["output"]] == ["<x", "more"]


# ---------------------------------------------------------------- whatever comes

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(0, 3)
    | st.sampled_from(["", "a", "fc_1", "call_1", "message", "function_call"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "type", "content", "text"]), inner)
    ),
    max_leaves=4,
)
ITEM = st.fixed_dictionaries(
    {"type": JSON | st.sampled_from(["message", "function_call", "custom_tool_call", "reasoning", "shell_call"])},
    optional=dict.fromkeys(
        ("id", "call_id", "name", "namespace", "arguments", "input", "content", "status", "role"), JSON
    ),
)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                [event["type"] for event in sample.told([reasoning("x"), message(), call(), custom(), search()])]
            )
            | st.sampled_from(["error", "keepalive", "response.failed", "response.incomplete", "", "other"])
        },
        optional={
            "item": ITEM | JSON,
            "response": st.fixed_dictionaries(
                {}, optional={"id": JSON, "status": JSON, "output": st.lists(ITEM | JSON) | JSON, "usage": JSON}
            )
            | JSON,
            **dict.fromkeys(
                ("output_index", "item_id", "content_index", "delta", "arguments", "sequence_number", "text"), JSON
            ),
        },
    ),
    max_size=8,
)


@settings(max_examples=50)
@given(EVENTS, EVENTS, st.booleans())
def test_whatever_comes_is_read_and_leaves_as_it_came(first, second, mute):
    one = reader()
    data = sample.encode(first)
    out = play(one, data)
    one.reply(whole=True)
    assert out + one.unchanged() == data
    one = reader()
    play(one, data)
    two = reader(one, Usage(1, 1), mute=mute)
    play(two, sample.encode(second))
    two.write(two.reply(whole=True), b": x\n\n")
