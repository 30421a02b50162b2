"""Recorded exchanges of the real provider: read and written back with nothing lost."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from proxy.dialects import sse
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.messages import Messages
from proxy.model import replace
from tests.dialects.messages_script import ids, raw, read

RECORDINGS = Path(__file__).parents[3] / "shared" / "recordings" / "messages.jsonl.gz"
DIALECT = Messages()
NOBODY = DIALECT.read_ask(b'{"messages":[]}')

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not RECORDINGS.exists(), reason="the folder of recordings is not there"),
]


def recordings():
    with gzip.open(RECORDINGS, "rt") as lines:
        for line in lines:
            yield json.loads(line)


def fresh(turn):
    """The same turn, of which everything counts as changed."""
    return replace(turn, texts=(*turn.texts,), calls=(*turn.calls,), results=(*turn.results,))


def anew(reply):
    """The same reply, whose calls count as changed."""
    calls = tuple(replace(call, args=f"{call.args} ") for call in reply.calls)
    return replace(reply, turns=(replace(reply.turns[0], calls=calls),))


def ask_of(recording):
    body = (recording["request"] or {}).get("body")
    return None if body is None else (body if isinstance(body, str) else raw(body))


def without_pings(stream):
    return [event for event in sse.Splitter().feed(stream) if sse.name(event) != b"ping"]


def test_requests():
    seen: Counter[str] = Counter()
    for recording in recordings():
        body = ask_of(recording)
        if body is None:
            continue
        try:
            ask = DIALECT.read_ask(body)
        except UnreadableError:
            seen["not of this API, refused by the provider too"] += 1
            assert recording["response"]["status"] == 400
            continue
        assert DIALECT.write_ask(ask) is body
        forced = replace(ask, turns=tuple(map(fresh, ask.turns)), tools=(*ask.tools[:0], *ask.tools))
        assert json.loads(DIALECT.write_ask(forced)) == json.loads(body), recording["id"]
        spoken = [turn for turn in ask.turns if turn.role != "system"]
        assert DIALECT.pack_turns(DIALECT.unpack_turns(DIALECT.pack_turns(spoken))) == DIALECT.pack_turns(spoken)
        seen["requests"] += 1
        seen["turns"] += len(ask.turns)
        seen["calls"] += sum(len(turn.calls) for turn in ask.turns)
        seen["results"] += sum(len(turn.results) for turn in ask.turns)
        seen["tools"] += len(ask.tools)
    print(dict(seen))
    assert seen["requests"] > 600


def test_unstreamed_answers():
    seen: Counter[str] = Counter()
    for recording in recordings():
        if recording["response"]["stream"]:
            continue
        body = recording["response"]["body_text"].encode()
        try:
            reply = DIALECT.read_reply(body, NOBODY, ids())
        except UnreadableError:
            seen["errors"] += 1
            assert recording["response"]["status"] >= 400
            continue
        assert DIALECT.malformed(reply) == ""
        assert DIALECT.write_reply(reply) is body
        (turn,) = reply.turns
        finish = "tool_calls" if turn.calls else turn.finish
        forced = json.loads(DIALECT.write_reply(replace(reply, turns=(replace(fresh(turn), finish=finish),))))
        expected = json.loads(body)
        if turn.calls and turn.finish == "stop":
            expected["stop_reason"] = "tool_use"
            seen["calls beside end_turn"] += 1
        assert forced == expected, recording["id"]
        seen["answers"] += 1
        seen["calls"] += len(reply.calls)
        goes_back(reply)
    print(dict(seen))
    assert seen["answers"] > 400


def goes_back(reply):
    """A hidden round with this answer: each of its calls is answered in the one message behind it."""
    if reply.calls:
        hidden = DIALECT.extend(NOBODY, reply, {call.id: "no" for call in reply.calls}, fix=True)
        said, told = json.loads(DIALECT.write_ask(hidden))["messages"]
        uses = [block["id"] for block in said["content"] if block["type"] == "tool_use"]
        assert [block["tool_use_id"] for block in told["content"]] == uses == [call.id for call in reply.calls]


def fed(data):
    """A reader that has read one answer, what left at once, and what came."""
    reader = DIALECT.stream(NOBODY, ids(), None, None, mute=False)
    came = early = b""
    for event in sse.Splitter().feed(data):
        came += event
        early += reader.feed(event)
        if reader.done:
            break
    return reader, early, came


def test_streams():
    seen: Counter[str] = Counter()
    for recording in recordings():
        if not recording["response"]["stream"]:
            continue
        data = recording["response"]["body_text"].encode()
        reader, early, came = fed(data)
        reply = reader.reply(whole=True)
        assert DIALECT.malformed(reply) == ""
        assert not reply.turns[0].cut or reply.turns[0].finish == "length"
        assert reader.held == bool(reply.calls)
        whole = early + reader.unchanged()
        assert without_pings(whole) == without_pings(came)
        assert reader.write(reply) == reader.unchanged()
        message = read(whole)
        (packed,) = json.loads(DIALECT.pack_turns(reply.turns))
        assert packed["content"] == [block for block in message["content"] if block.get("text", "x").strip()]
        again, early, _ = fed(data)
        assert read(early + again.write(anew(again.reply(whole=True)))) == message
        goes_back(reply)
        seen["streams"] += 1
        seen["calls"] += len(reply.calls)
        seen["pings before their place"] += came != whole
    print(dict(seen))
    assert seen["streams"] > 150
