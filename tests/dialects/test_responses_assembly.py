import json

import pytest

from proxy.dialects.responses_assembly import Assembly
from proxy.dialects.responses_names import NO_NAMES
from tests.dialects import responses_sample as sample


def assembled(events):
    assembly = Assembly(NO_NAMES, sample.ids())
    for event in events:
        payload = json.dumps(event).encode()
        assembly.take(event["type"], event, payload)
        if event["type"] == "response.completed":
            assembly.snapshot([json.dumps(item).encode() for item in event["response"]["output"]])
    return assembly


def arguments(assembly):
    return [call.args for call in assembly.turn(whole=True).calls]


def without(events, *gone):
    return [{key: value for key, value in event.items() if key not in gone} for event in events]


def test_a_sound_stream_gives_its_items():
    items = [sample.reasoning("why"), sample.message(), sample.call(), sample.custom(), sample.search()]
    assembly = assembled(sample.told(items))
    turn = assembly.turn(whole=True)
    assert [json.loads(bytes(item.best())) for item in assembly.items] == items
    assert (turn.texts, [call.args for call in turn.calls]) == (("Let me look.",), ['{"n":"42"}', "SELECT 1"])
    assert assembly.malformed == ""


@pytest.mark.parametrize(
    ("gone", "why"),
    [
        (("output_index",), "a call without output_index"),
        (("item_id",), "a call event without item_id"),
        (("output_index", "item_id"), "a call without output_index"),
    ],
)
def test_indexes_and_ids_that_are_left_out_are_read_by_meaning(gone, why):
    items = [sample.message(), sample.call(number=1), sample.call(arguments='{"n":2}', number=2)]
    assembly = assembled(without(sample.told(items), *gone))
    assert arguments(assembly) == ['{"n":"42"}', '{"n":2}']
    assert assembly.malformed == why


def test_an_index_that_all_items_share():
    events = [{**event, "output_index": 0} for event in sample.told([sample.call(), sample.call("other", "{}", 2)])]
    assembly = assembled(events)
    assert arguments(assembly) == ['{"n":"42"}', "{}"]
    assert assembly.malformed == "an output_index used twice"


def test_parallel_calls_whose_events_are_mixed():
    one, two = (sample.item_events(sample.call(arguments=f'{{"n":{n}}}', number=n), n) for n in (0, 1))
    mixed = [event for pair in zip(one, two, strict=True) for event in pair]
    assert arguments(assembled(mixed)) == ['{"n":0}', '{"n":1}']


def test_ids_that_change_with_each_event():
    events = []
    for number, event in enumerate(sample.told([sample.message(), sample.call()])):
        changed = {**event, "item_id": f"odd{number}"} if "item_id" in event else event
        events.append({**changed, "item": {**event["item"], "id": f"odd{number}"}} if "item" in event else changed)
    assembly = assembled(events)
    assert arguments(assembly) == ['{"n":"42"}']
    assert assembly.turn(whole=True).texts == ("Let me look.",)
    assert assembly.malformed == "a call whose item id changes"


def cut(kinds, **changes):
    events = [event for event in sample.told([sample.call()]) if not event["type"].endswith(tuple(kinds))]
    return [{**event, **changes.get(event["type"].rpartition(".")[2], {})} for event in events]


@pytest.mark.parametrize(
    ("events", "why"),
    [
        (cut(["arguments.delta"]), "copies of a call that differ"),
        (cut(["arguments.done"]), "copies of a call that differ"),
        (cut(["item.done"]), "copies of a call that differ"),
        (cut(["item.added"]), "a call without its first event"),
        (cut(["item.added", "arguments.delta", "arguments.done", "item.done"]), "a call that no event told"),
        (cut([], completed={"response": sample.response()}), "copies of a call that differ"),
        (cut(["arguments.delta", "arguments.done"]), "copies of a call that differ"),
    ],
)
def test_a_copy_that_is_missing_is_malformed_and_the_rest_is_read(events, why):
    assembly = assembled(events)
    assert arguments(assembly) == ['{"n":"42"}']
    assert assembly.malformed == why


def test_where_copies_differ_the_item_counts():
    events = sample.told([sample.call()])
    for event in events:
        if event["type"].endswith("arguments.done"):
            event["arguments"] = '{"n":1}'
    assembly = assembled(events)
    assert arguments(assembly) == ['{"n":"42"}']
    assert assembly.malformed == "copies of a call that differ"


def test_arguments_that_are_told_twice_are_malformed():
    events = sample.told([sample.call()])
    next(event for event in events if event["type"].endswith("item.added"))["item"]["arguments"] = '{"n":"42"}'
    assembly = assembled(events)
    assert arguments(assembly) == ['{"n":"42"}']
    assert assembly.malformed == "copies of a call that differ"


def test_a_stream_that_ends_early_leaves_what_it_said():
    events = sample.told([sample.message(), sample.call()])
    at = next(number for number, event in enumerate(events) if event["type"].endswith("arguments.delta"))
    assembly = assembled(events[: at + 1])
    turn = assembly.turn(whole=False)
    assert (turn.texts, turn.calls[0].args, turn.calls[0].tool) == (("Let me look.",), '{"n":', "query")
    early = assembled(events[:5]).turn(whole=False)
    assert early.texts == ("Let m",)


def test_an_id_that_had_to_be_made_stays_the_same():
    events = sample.told([{**sample.call(), "call_id": ""}])
    assembly = assembled(events)
    assert assembly.turn(whole=True).calls[0].id == assembly.turn(whole=True).calls[0].id == "made00001"
    assert assembly.malformed == "a call without id"


def test_events_of_nothing_known_are_nobodys():
    assembly = assembled([])
    for event in ({"type": "keepalive"}, {"type": "response.output_text.delta", "delta": "x", "output_index": 7}):
        assert assembly.take(event["type"], event, b"{}") is None
    assert assembly.turn(whole=True).calls == ()
