import json

import pytest

from proxy.dialects import sse
from proxy.dialects.responses_assembly import StreamItem
from proxy.dialects.responses_events import Held, Trail
from tests.dialects import responses_sample as sample


def held(told, item=None, kind=None):
    event = sse.event(json.dumps(told).encode(), told["type"].encode())
    return Held(event, kind or told["type"], told, item)


@pytest.mark.parametrize("item", [sample.call(), sample.custom(), sample.message(), sample.search()])
def test_an_item_is_told_with_its_full_set(item):
    trail = Trail()
    data = b"".join(trail.item(json.dumps(item).encode(), StreamItem("")))
    expected = [event for event in sample.told([item])[2:-1] if "web_search" not in event["type"]]
    assert [event["type"] for event in sample.events_of(data)] == list(
        dict.fromkeys(event["type"] for event in expected)
    )
    assert sample.events_of(data)[-1]["item"] == item
    begun = sample.events_of(data)[0]["item"]
    if item["type"] != "web_search_call":
        assert begun == expected[0]["item"]


def test_all_parts_of_a_message_are_told():
    item = {**sample.message(), "content": [sample.message(text)["content"][0] for text in ("a", "b")]}
    trail = Trail()
    trail.index = 3
    events = sample.events_of(b"".join(trail.item(json.dumps(item).encode(), StreamItem(""))))
    assert [(e["content_index"], e["delta"], e["output_index"]) for e in events if e["type"].endswith("delta")] == [
        (0, "a", 3),
        (1, "b", 3),
    ]


def test_events_that_leave_as_they_came_are_followed():
    trail, item = Trail(), StreamItem("message")
    item.index = 4
    created, *_ = sample.told([])
    first = held(created)
    assert trail.verbatim(first) is first.event
    assert trail.begun
    assert json.loads(bytes(trail.identity()["id"])) == "resp_1"
    trail.verbatim(held({"type": "response.output_item.added", "sequence_number": 9, "output_index": 4}, item))
    assert (trail.number, trail.index, item.shown, item.told) == (10, 5, 4, False)
    trail.verbatim(held({"type": "response.output_item.done", "output_index": 4}, item))
    assert (trail.number, item.told) == (11, True)
    comment = Held(b": hi\n\n", "", None, None)
    assert trail.verbatim(comment) == trail.relabelled(comment) == b": hi\n\n"


def test_events_of_a_later_round_are_renumbered_and_reindexed():
    trail, item = Trail(), StreamItem("message")
    trail.number, trail.index = 20, 3
    told = {"type": "response.output_item.added", "sequence_number": 2, "output_index": 0, "item": {"x": 1.50}}
    event = trail.relabelled(held(told, item))
    assert json.loads(sse.data(event) or b"") == {**told, "sequence_number": 20, "output_index": 3}
    assert sse.name(event) == b"response.output_item.added"
    right = held({"type": "x", "sequence_number": 21})
    assert trail.relabelled(right) is right.event


def test_a_stream_without_event_lines_stays_without():
    trail = Trail()
    trail.named = False
    assert sse.name(trail.event("response.completed")) is None
    assert sse.name(trail.relabelled(held({"type": "x", "sequence_number": 5}))) is None


def test_the_next_round_goes_on_where_this_one_stands():
    trail = Trail()
    assert trail.identity() == {}
    trail.response, trail.number, trail.index, trail.named, trail.output = b'{"id":"r"}', 5, 2, False, [b"1"]
    later = trail.onward([b"2"])
    assert (later.response, later.number, later.index, later.named, later.output) == (
        b'{"id":"r"}',
        5,
        2,
        False,
        [b"1", b"2"],
    )
    assert trail.output == [b"1"]
