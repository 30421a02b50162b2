"""One streamed answer, and several rounds that the agent sees as one."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects import sse
from proxy.dialects.messages_stream import MessagesStream
from proxy.model import ToolCall, Usage, replace
from tests.dialects.messages_script import PING, block, call, end, event, ids, play, read, start, text, thinking

CALLING = (
    start()
    + thinking(0)
    + text(1, "let me ", "see é")
    + call(2, '{"p": 1.50', "}")
    + text(3, "and")
    + call(4, call_id="tu2")
    + end()
)


def reader(**options):
    return MessagesStream(ids(), **options)


def test_text_and_thinking_leave_at_once_and_calls_wait():
    one = reader()
    early = play(one, CALLING)
    assert early == start() + thinking(0) + text(1, "let me ", "see é")
    assert one.held
    assert one.spoke
    assert one.done
    assert early + one.unchanged() == CALLING


def test_an_answer_without_calls_passes_whole():
    data = start() + text(0, "hi") + end("end_turn")
    one = reader()
    assert play(one, data) == data
    assert not one.held
    assert one.unchanged() == b""


def test_pings_and_comments_leave_even_while_a_call_waits():
    one = reader()
    data = start() + call(0, stop=False)
    assert play(one, data + PING + b": alive\n\n") == start() + PING + b": alive\n\n"


def test_what_an_answer_reads_as():
    one = reader()
    play(one, CALLING)
    reply = one.reply(whole=True)
    (turn,) = reply.turns
    assert (reply.id, reply.model, reply.usage) == ("msg_1", "m", Usage(15, 7, 5))
    assert (turn.texts, turn.finish, turn.cut) == (("let me see é", "and"), "tool_calls", False)
    assert [(found.id, found.tool, found.args) for found in turn.calls] == [
        ("tu1", "read", '{"p": 1.50}'),
        ("tu2", "read", "{}"),
    ]


@given(st.lists(st.integers(0, len(CALLING)), max_size=8))
def test_any_cutting_gives_the_same_reply(cuts):
    one, splitter = reader(), sse.Splitter()
    at = sorted({0, len(CALLING), *cuts})
    out = b"".join(one.feed(found) for a, b in itertools.pairwise(at) for found in splitter.feed(CALLING[a:b]))
    whole = reader()
    assert out == play(whole, CALLING)
    assert one.unchanged() == whole.unchanged()
    again, before = one.reply(whole=True), whole.reply(whole=True)
    assert (again.turns[0].texts, again.turns[0].calls, again.usage) == (
        before.turns[0].texts,
        before.turns[0].calls,
        before.usage,
    )


@pytest.mark.parametrize("newline", [b"\r\n", b"\r"])
def test_other_line_ends(newline):
    data = CALLING.replace(b"\n", newline)
    one, splitter = reader(), sse.Splitter()
    out = b"".join(map(one.feed, [*splitter.feed(data), splitter.rest()]))
    assert out + one.unchanged() == data
    assert [found.args for found in one.reply(whole=True).calls] == ['{"p": 1.50}', "{}"]


@pytest.mark.parametrize(
    ("reason", "finish", "cut"),
    [("max_tokens", "length", True), ("refusal", "filter", False), ("pause_turn", "other", False)],
)
def test_how_it_ended(reason, finish, cut):
    one = reader()
    play(one, start() + text(0, "x") + end(reason))
    (turn,) = one.reply(whole=True).turns
    assert (turn.finish, turn.cut) == (finish, cut)


def test_the_last_call_of_a_cut_answer_has_not_said_that_it_needs_nothing():
    one = reader()
    play(one, start() + call(0) + call(1, call_id="tu2") + end("max_tokens"))
    assert [found.args for found in one.reply(whole=True).calls] == ["{}", ""]


@pytest.mark.parametrize("whole", [True, False])
def test_a_stream_that_dies_is_cut(whole):
    one = reader()
    play(one, start() + text(0, "x") + call(1, '{"a":1', stop=False))
    reply = one.reply(whole=whole)
    assert reply.turns[0].cut
    assert not one.done
    assert reply.usage is not None
    assert reply.usage.estimated


def test_a_stream_without_message_stop_is_whole_once_it_said_why_it_ends():
    one = reader()
    play(one, (start() + call(0) + end()).replace(event("message_stop"), b""))
    assert not one.reply(whole=True).turns[0].cut
    assert one.reply(whole=False).turns[0].cut


OVERLOADED = event("error", error={"type": "overloaded_error", "message": "Overloaded"})


def test_an_error_of_the_first_round_passes_and_no_half_call_follows():
    one = reader()
    out = play(one, start() + text(0, "x") + call(1, '{"a":1}') + OVERLOADED)
    assert out == start() + text(0, "x") + OVERLOADED
    assert one.unchanged() == b""
    assert not one.held
    reply = one.reply(whole=True)
    assert reply.turns[0].cut
    assert reply.calls == ()
    assert play(one, call(2) + end()) == call(2) + end()


def test_an_error_of_a_hidden_round_never_leaves():
    first = reader()
    play(first, start() + call(0, "{") + end())
    second = reader(after=first, hidden=Usage(1, 1))
    assert play(second, start() + OVERLOADED) == b""
    assert second.reply(whole=True).turns[0].cut


# ------------------------------------------------------------------ what providers do beside the API


def test_input_that_comes_whole_with_the_block():
    one = reader()
    play(one, start() + block(0, {"type": "tool_use", "id": "t", "name": "n", "input": {"a": 1}}) + end())
    assert [found.args for found in one.reply(whole=True).calls] == ['{"a":1}']
    assert one.malformed == ""


def test_calls_without_an_id_or_with_the_same_are_made_sound_once():
    one = reader()
    early = play(one, start() + call(0, call_id="") + call(1, call_id="x") + call(2, call_id="x") + end())
    made = [found.id for found in one.reply(whole=True).calls]
    assert made == ["made00001", "x", "made00002"]
    assert [found.id for found in one.reply(whole=True).calls] == made
    assert one.malformed == "a call without id"
    assert [found["id"] for found in read(early + one.write(one.reply(whole=True)))["content"]] == made


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (call(0) + call(0, call_id="tu2"), "an index used twice"),
        (
            (call(0) + call(1, call_id="tu2")).replace(b',"index":0', b"").replace(b',"index":1', b""),
            "a block without index",
        ),
    ],
)
def test_indices_that_a_client_would_misread_are_written_anew(data, why):
    one = reader()
    early = play(one, start() + data + end())
    assert one.malformed == why
    assert [found["id"] for found in read(early + one.write(one.reply(whole=True)))["content"]] == ["tu1", "tu2"]


def test_events_that_are_none_of_the_api_s():
    odd = b"data: [DONE]\n\n" + b"data: 5\n\n" + event("new_event", index=[]) + event("content_block_delta", index={})
    one = reader()
    data = start() + odd + text(0, "x") + end("end_turn") + odd
    assert play(one, data) == data
    one = reader()
    assert play(one, start() + call(0) + odd) == start()
    assert one.unchanged() == call(0) + odd


def test_types_that_stand_only_in_the_event_line():
    data = CALLING
    for kind in ("message_start", "content_block_start", "content_block_delta", "content_block_stop"):
        data = data.replace(f'{{"type":"{kind}",'.encode(), b"{")
    one = reader()
    play(one, data)
    assert len(one.reply(whole=True).calls) == 2


def test_half_a_surrogate_pair_is_read_as_something_and_leaves_as_it_came():
    data = start() + text(0, "XX").replace(b"XX", b"\\ud83d") + call(1, "XX").replace(b"XX", b"{}\\udc00") + end()
    one = reader()
    assert play(one, data) + one.unchanged() == data
    assert one.reply(whole=True).turns[0].texts == ("\ufffd",)


def test_a_container_is_remembered():
    one = reader()
    data = start() + end().replace(b'"stop_sequence":null', b'"stop_sequence":null,"container":{"id":"c1"}')
    play(one, data)
    assert one.container == "c1"


# ------------------------------------------------------------------ rounds that the agent sees as one stream


def rounds(first, second, *, mute=False):
    one = reader()
    early = play(one, first)
    two = reader(after=one, hidden=one.reply(whole=True).usage, mute=mute)
    return one, two, early + play(two, second)


def test_a_later_round_goes_on_where_the_first_stopped():
    again = start(100) + text(0, "better") + call(1, '{"b":2}', call_id="tu2") + end()
    _, two, early = rounds(start() + text(0, "hm") + call(1, "{") + end(), again)
    assert two.spoke
    message = read(early + two.unchanged())
    assert message["id"] == "msg_1"
    assert [found.get("id") or found["text"] for found in message["content"]] == ["hm", "better", "tu2"]
    usage = message["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (100, 7)
    assert usage["handrail"]["hidden_input_tokens"] == 10


def test_muted_text_is_said_once_if_calls_come_and_kept_if_none_do():
    first = start() + text(0, "I look.") + call(1, "{") + end()
    _, two, early = rounds(first, start() + text(0, "I look.") + call(1, "{}", call_id="tu2") + end(), mute=True)
    assert [found["type"] for found in read(early + two.unchanged())["content"]] == ["text", "tool_use"]
    _, two, early = rounds(first, start() + text(0, "I can't.") + end("end_turn"), mute=True)
    assert two.held
    message = read(early + two.unchanged())
    assert [found["text"] for found in message["content"]] == ["I look.", "I can't."]
    assert message["stop_reason"] == "end_turn"


def test_muted_text_is_not_said_after_all_when_a_policy_takes_the_calls_away():
    first = start() + text(0, "I look.") + call(1, "{") + end()
    _, two, early = rounds(first, start() + text(0, "I look.") + call(1, "{") + end(), mute=True)
    reply = two.reply(whole=True)
    left = replace(reply.turns[0], calls=(), appended=("Not done.",))
    message = read(early + two.write(replace(reply, turns=(left,))))
    assert [found["text"] for found in message["content"]] == ["I look.", "Not done."]


def test_nothing_is_muted_where_nothing_was_said():
    first = start() + thinking(0) + call(1, "{") + end()
    _, two, early = rounds(first, start() + text(0, "Now.") + call(1, "{}") + end(), mute=True)
    assert [found["type"] for found in read(early + two.unchanged())["content"]] == ["thinking", "text", "tool_use"]


def test_the_last_whole_reply_leaves_after_a_round_that_died():
    first = start() + text(0, "hm") + call(1, '{"a":1}') + end()
    one, _, early = rounds(first, start() + text(0, "bet", stop=False))
    message = read(early + one.unchanged())
    assert [found.get("id") or found["text"] for found in message["content"]] == ["hm", "bet", "tu1"]
    assert message["content"][2]["input"] == {"a": 1}


def test_a_round_that_died_leaves_no_half_thinking():
    first = start() + call(0, '{"a":1}') + end()
    one, two, early = rounds(first, start() + thinking(0, stop=False))
    assert early == start()
    assert two.held
    assert [found["type"] for found in read(early + one.unchanged())["content"]] == ["tool_use"]


def test_a_first_round_that_was_told_of_hidden_ones_tells_them():
    one = reader(hidden=Usage(4, 2))
    early = play(one, start() + text(0, "x") + end("end_turn"))
    assert early == start() + text(0, "x")
    assert read(early + one.unchanged())["usage"]["handrail"]["hidden_output_tokens"] == 2


def test_three_rounds_count_on():
    one, two, early = rounds(
        start() + text(0, "a") + call(1, "{") + end(), start() + text(0, "b") + call(1, "{") + end()
    )
    three = reader(after=two, hidden=Usage(1, 1))
    early += play(three, start() + text(0, "c") + call(1, '{"ok":1}', call_id="tu3") + end())
    fixed = three.reply(whole=True)
    fixed = replace(fixed, turns=(replace(fixed.turns[0], calls=(replace(fixed.calls[0], args='{"ok":2}'),)),))
    message = read(early + three.write(fixed))
    assert [found.get("text") for found in message["content"]] == ["a", "b", "c", None]
    assert message["content"][3]["input"] == {"ok": 2}
    assert one.outlet is three.outlet


def test_an_answer_that_is_read_twice_has_the_same_calls():
    one = reader()
    play(one, CALLING)
    first, second = one.reply(whole=True), one.reply(whole=True)
    assert all(a.wire is b.wire for a, b in zip(first.calls, second.calls, strict=True))


# ---------------------------------------------------------------- text that may become calls


class Doubt:
    """Text waits from `<` on, until `>`."""

    def __init__(self):
        self.text = ""

    def waits(self, text):
        self.text += text
        return self.text.rfind("<") > self.text.rfind(">")


def made(reply, *texts):
    call = ToolCall("tu9", "read", '{"p":1}', "read", '{"p":1}')
    return replace(reply, turns=(replace(reply.turns[0], texts=texts, calls=(call,)),))


def test_doubtful_text_waits_and_leaves_when_it_is_none():
    one = reader(watch=Doubt)
    data = start() + text(0, "a <", "b", "> c") + text(1, "d") + end("end_turn")
    steps = [one.feed(found) for found in sse.Splitter().feed(data)]
    assert b"".join(steps) == data
    assert steps[1:4] == [b"", b"", b""]
    two = reader(watch=Doubt)
    early = play(two, start() + text(0, "a <b") + PING + end("end_turn"))
    assert early == start() + PING
    assert two.held
    assert two.unchanged() == text(0, "a <b") + end("end_turn")


@pytest.mark.parametrize(
    ("now", "expected"),
    [("So a", ["So a"]), ("So ", ["So "]), ("So", ["So "])],
)
def test_a_call_in_words_is_taken_out_of_what_has_not_left(now, expected):
    one = reader(watch=Doubt)
    early = play(one, start() + text(0, "So ", "a <", "call") + end("end_turn"))
    message = read(early + one.write(made(one.reply(whole=True), now), b": c\n\n"))
    assert [found["text"] for found in message["content"][:-1]] == expected
    assert message["content"][-1] == {"type": "tool_use", "id": "tu9", "name": "read", "input": {"p": 1}}
    assert message["stop_reason"] == "tool_use"


def test_a_block_that_was_only_a_call_in_words_leaves_no_empty_text():
    one = reader(watch=Doubt)
    early = play(one, start() + thinking(0) + text(1, "<call") + end("end_turn"))
    assert early == start() + thinking(0)
    message = read(early + one.write(made(one.reply(whole=True), "")))
    assert [found["type"] for found in message["content"]] == ["thinking", "tool_use"]


def test_a_block_that_says_its_text_at_once_is_watched_too():
    one = reader(watch=Doubt)
    data = start() + block(0, {"type": "text", "text": "a <call"}) + end("end_turn")
    early = play(one, data)
    assert early == start()
    message = read(early + one.write(made(one.reply(whole=True), "a")))
    assert [found.get("text") for found in message["content"]] == ["a", None]


def test_an_empty_block_leaves_with_what_follows_it():
    one = reader(watch=Doubt)
    data = start() + text(0) + thinking(1) + text(2, "x") + end("end_turn")
    assert play(one, data) == data


def test_an_error_lets_doubtful_text_go_before_it():
    one = reader(watch=Doubt)
    failed = event("error", error={"type": "overloaded_error", "message": "x"})
    data = start() + text(0, "a <b", stop=False) + failed
    assert play(one, data) == data
    two = reader(watch=Doubt)
    assert play(two, start() + call(0, "{", stop=False) + failed) == start() + failed
