import json

import pytest

from proxy.dialects.responses_stream import Asked, ResponsesStream
from proxy.model import ToolCall, Usage, replace
from tests.dialects import responses_sample as sample
from tests.dialects.responses_sample import call, custom, message, play, reasoning, stream

SHELL = {
    "type": "local_shell_call",
    "id": "ls_1",
    "call_id": "shell_1",
    "status": "completed",
    "action": {"type": "exec", "command": ["ls"], "env": {}},
}


class Played:
    """A stream that was read, and what becomes of it."""

    def __init__(self, data, hidden=None):
        self.reader = ResponsesStream(sample.ids(), Asked(), None, hidden)
        self.out = play(self.reader, data)
        self.reply = self.reader.reply(whole=True)
        self.turn = self.reply.turns[0]

    def write(self, comment=b"", **changes):
        reply = replace(self.reply, turns=(replace(self.turn, **changes),))
        return self.out + self.reader.write(reply, comment)

    def last(self, **changes):
        return sample.legal(self.write(**changes))


def items(response):
    return [item.get("call_id", item["id"]) for item in response["output"]]


def test_an_unchanged_call_keeps_all_that_its_item_holds():
    played = Played(stream([message(), call(caller={"type": "direct"}, odd=1.5)]))
    assert played.last()["output"][1] == call(caller={"type": "direct"}, odd=1.5)


def test_calls_are_taken_out_and_the_others_move_up():
    played = Played(stream([message(), call(number=1), custom(), call(number=2), message("x", 2)]))
    assert items(played.last(calls=played.turn.calls[1:])) == ["msg_1", "cc_1", "call_2", "msg_2"]
    none = Played(stream([message(), call(number=1), custom(), call(number=2), message("x", 2)]))
    assert items(none.last(calls=())) == ["msg_1", "msg_2"]


def test_calls_are_put_in_and_moved():
    played = Played(stream([reasoning(), call(number=1), call(number=2)]))
    one, two = played.turn.calls
    new = ToolCall("new", "other", "{}", "other", '{"a":1}')
    assert items(played.last(calls=(new, one, two))) == ["rs_1", "new", "call_1", "call_2"]
    again = Played(stream([reasoning(), call(number=1), call(number=2)]))
    one, two = again.turn.calls
    assert items(again.last(calls=(two, one, new))) == ["rs_1", "call_2", "call_1", "new"]


def test_a_call_that_another_round_carries_over_is_told_too():
    rejected = Played(stream([call(number=1), call(arguments="{", number=2)]))
    right = rejected.turn.calls[0]
    played = Played(stream([call(number=3)], 2))
    last = played.last(calls=(right, *played.turn.calls))
    assert items(last) == ["call_1", "call_3"]
    assert last["output"][0] == call(number=1)


def test_a_text_in_place_of_calls_is_a_message_behind_them():
    played = Played(stream([reasoning(), call(), call(number=2)]))
    last = played.last(calls=played.turn.calls[:1], appended=("The second was sent before.",))
    assert [item["type"] for item in last["output"]] == ["reasoning", "function_call", "message"]
    assert last["output"][2]["content"][0]["text"] == "The second was sent before."


def test_an_id_that_was_missing_is_in_every_copy():
    played = Played(stream([{**call(), "call_id": ""}]))
    assert played.reader.malformed == "a call without id"
    assert items(played.last()) == ["made00001"]


def test_a_shell_call_of_the_agent_leaves_as_it_came_or_not_at_all():
    played = Played(stream([message(), SHELL, call()]))
    shell, query = played.turn.calls
    assert played.last(calls=(shell, replace(query, args="{}")))["output"][1] == SHELL
    again = Played(stream([message(), SHELL, call()]))
    assert items(again.last(calls=again.turn.calls[1:])) == ["msg_1", "call_1"]


def test_what_the_agent_must_act_on_but_policies_do_not_see_is_kept():
    click = {"type": "computer_call", "id": "cu_1", "call_id": "click", "status": "completed", "action": {}}
    played = Played(stream([click, call()]))
    assert items(played.last(calls=())) == ["click"]


def test_the_comment_stands_before_the_last_event():
    written = Played(stream([call()])).write(b": handrail x\n\n")
    assert written.split(b"\n\n")[-3] == b": handrail x"
    with_done = Played(stream([call()]) + b"data: [DONE]\n\n").write(b": handrail x\n\n")
    assert with_done.split(b"\n\n")[-4:-1] == [b": handrail x", with_done.split(b"\n\n")[-3], b"data: [DONE]"]


def test_usage_of_hidden_rounds_is_told_at_the_end():
    played = Played(stream([message()]), Usage(7, 8, 9))
    assert sample.legal(played.out + played.reader.unchanged())["usage"]["handrail"]["hidden_cached_tokens"] == 9


@pytest.mark.parametrize("reason", ["max_output_tokens", "content_filter"])
def test_a_cut_reply_whose_calls_were_replaced_is_completed(reason):
    data = stream([call(arguments="{")], end="incomplete", incomplete_details={"reason": reason})
    last = Played(data).last(calls=(), appended=("It was too long.",), finish="stop")
    assert (last["status"], last["incomplete_details"]) == ("completed", None)


def test_a_cut_call_is_never_made_whole():
    events = sample.told([message(), call(arguments='{"n":1')], end="incomplete")
    events = [event for event in events if not event["type"].endswith(("arguments.done",))]
    done = next(at for at in reversed(range(len(events))) if events[at]["type"].endswith("item.done"))
    del events[done]
    played = Played(sample.encode(events))
    assert played.turn.cut
    told = [json.loads(line[6:]) for line in played.write().split(b"\n") if line.startswith(b"data:")]
    assert [one["type"] for one in told if "call_1" in json.dumps(one)] == [
        "response.output_item.added",
        "response.incomplete",
    ]
    assert told[-1]["response"]["output"][1]["arguments"] == '{"n":1'


def test_a_stream_that_never_ends_is_not_given_an_end():
    events = sample.told([call()])[:-1]
    written = Played(sample.encode(events)).write(b": handrail x\n\n")
    assert b"response.completed" not in written
    assert written.endswith(b": handrail x\n\n")


# ---------------------------------------------------------------- sloppy providers


def reduced(output):
    """created, output_item.done, completed: enough for some clients, and too little for others."""
    kept = ("created", "item.done", "completed")
    return sample.encode([event for event in sample.told(output) if event["type"].endswith(kept)])


def test_a_reduced_set_of_events_becomes_a_full_one():
    played = Played(reduced([call(), custom()]))
    assert played.last()["output"] == [call(), custom()]


def test_what_only_the_last_event_tells_is_told_in_full():
    events = sample.told([reasoning("why"), message(), call(), custom()])
    played = Played(sample.encode([events[0], events[-1]]))
    last = played.last()
    assert sorted(items(last)) == sorted(["rs_1", "msg_1", "call_1", "cc_1"])
    assert last["output"][:2] == [reasoning("why"), message()]


def test_an_end_that_only_the_last_event_tells_is_told():
    events = sample.told([call(), message()])
    lost = max(at for at, event in enumerate(events) if event["type"].endswith("item.done"))
    renumbered = [{**event, "sequence_number": n} for n, event in enumerate(events[:lost] + events[lost + 1 :])]
    assert items(Played(sample.encode(renumbered)).last()) == ["call_1", "msg_1"]


def test_an_empty_output_in_the_last_event_is_filled():
    events = sample.told([message(), call()])
    events[-1]["response"] = {**events[-1]["response"], "output": []}
    played = Played(sample.encode(events))
    assert played.reader.malformed == "copies of a call that differ"
    assert played.last()["output"] == [message(), call()]


@pytest.mark.parametrize("gone", [{"sequence_number"}, {"output_index"}, {"item_id"}, {"output_index", "item_id"}])
def test_members_that_a_provider_leaves_out_are_written(gone):
    events = [
        {key: value for key, value in event.items() if key not in gone}
        for event in sample.told([call(number=1), call(arguments="{}", number=2)])
    ]
    assert items(Played(sample.encode(events)).last()) == ["call_1", "call_2"]


def test_a_call_item_without_an_id_gets_one():
    bare = {key: value for key, value in call().items() if key != "id"}
    events = [
        {**event, "item": {key: value for key, value in event["item"].items() if key != "id"}}
        if "item" in event
        else event
        for event in sample.told([call()])
    ]
    events[-1]["response"] = {**events[-1]["response"], "output": [bare]}
    written = Played(sample.encode(events)).last()["output"][0]
    assert written["id"].startswith("fc_")
    assert {**written, "id": "fc_1"} == call()


def test_a_style_without_event_lines_is_kept():
    written = Played(stream([call()], named=False)).write()
    assert b"event:" not in written
    assert items(sample.legal(written)) == ["call_1"]
