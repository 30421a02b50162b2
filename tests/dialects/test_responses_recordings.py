"""What real providers sent and were sent, played through the dialect. Prints what was seen."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from proxy.dialects import sse
from proxy.dialects.dialect import UnreadableError
from proxy.dialects.responses import Responses
from proxy.dialects.sse import Splitter
from proxy.model import Ask, replace
from tests.dialects import responses_sample as sample

RECORDED = Path(__file__).parents[3] / "shared" / "recordings" / "responses.jsonl.gz"
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not RECORDED.exists(), reason="no recordings beside the checkout")]
DIALECT = Responses()
NO_ASK = Ask("responses", "", stream=True, turns=())


@pytest.fixture(scope="module")
def recorded():
    with gzip.open(RECORDED, "rt") as lines:
        return [json.loads(line) for line in lines]


def request_of(line) -> bytes | None:
    body = (line["request"] or {}).get("body")
    return json.dumps(body, ensure_ascii=False).encode() if isinstance(body, dict) else None


def ask_of(line):
    body = request_of(line)
    return DIALECT.read_ask(body) if body is not None else NO_ASK


def touched(turn):
    """The same turn, in objects of its own: everything is written anew."""
    return replace(
        turn, texts=(*turn.texts,), calls=tuple(map(replace, turn.calls)), results=tuple(map(replace, turn.results))
    )


def streams(recorded):
    return [line for line in recorded if line["response"]["status"] == 200 and line["response"]["stream"]]


def bodies(recorded):
    return [line for line in recorded if line["response"]["status"] == 200 and not line["response"]["stream"]]


def test_requests_leave_as_they_came_and_say_the_same_when_written_anew(recorded):
    seen = Counter[str]()
    for line in recorded:
        body = request_of(line)
        if body is None:
            continue
        ask = DIALECT.read_ask(body)
        assert DIALECT.write_ask(ask) is body, line["id"]
        anew = replace(ask, turns=tuple(map(touched, ask.turns)), tools=tuple(map(replace, ask.tools)))
        assert json.loads(DIALECT.write_ask(anew)) == json.loads(body), line["id"]
        seen.update(["requests", *(turn.role for turn in ask.turns), *(["chained"] if ask.chained else [])])
        seen.update(f"tool {tool.kind}" for tool in ask.tools)
    print("\n", dict(seen))
    assert seen["requests"] > 600


def test_answers_leave_as_they_came_and_say_the_same_when_written_anew(recorded):
    seen = Counter[str]()
    for line in bodies(recorded):
        body = line["response"]["body_text"].encode()
        reply = DIALECT.read_reply(body, ask_of(line), sample.ids())
        assert DIALECT.malformed(reply) == "", line["id"]
        assert DIALECT.write_reply(reply) is body, line["id"]
        anew = replace(reply, turns=(touched(reply.turns[0]),))
        assert json.loads(DIALECT.write_reply(anew)) == json.loads(body), line["id"]
        seen.update(["answers", f"finish {reply.turns[0].finish}", *(f"call {call.kind}" for call in reply.calls)])
    print("\n", dict(seen))
    assert seen["answers"] > 400


def test_rejected_answers_go_back_word_for_word(recorded):
    said = 0
    for line in bodies(recorded):
        ask, body = ask_of(line), line["response"]["body_text"].encode()
        reply = DIALECT.read_reply(body, ask, sample.ids())
        if ask is NO_ASK or not reply.calls or ask.wire.conversation:
            continue
        further = json.loads(DIALECT.write_ask(DIALECT.extend(ask, reply, {}, fix=True)))["input"]
        output = json.loads(body)["output"]
        kept = [item for item in output if item in further]
        assert [item["type"] for item in output if item not in kept and item["type"] != "reasoning"] == [], line["id"]
        answered = [item for item in further[len(further) - len(reply.calls) :] if item["type"].endswith("_output")]
        assert len(answered) == len(reply.calls), line["id"]
        said += 1
    print("\n", {"rejected": said})
    assert said > 200


def play(line):
    data = line["response"]["body_text"].encode()
    reader = DIALECT.stream(ask_of(line), sample.ids(), None, None, mute=False)
    out = sample.play(reader, data)
    return data, reader, out, reader.reply(whole=True)


def test_streams_leave_as_they_came(recorded):
    seen = Counter[str]()
    for line in streams(recorded):
        data, reader, out, reply = play(line)
        assert out + reader.unchanged() == data, line["id"]
        seen.update(["streams", f"finish {reply.turns[0].finish}", DIALECT.malformed(reply) or "sound"])
    print("\n", dict(seen))
    assert seen["streams"] > 150


def test_streams_written_anew_are_legal_and_say_the_same(recorded):
    seen = Counter[str]()
    for line in streams(recorded):
        data, reader, out, reply = play(line)
        told = [json.loads(sse.data(event) or b"{}") for event in Splitter().feed(data) if b'"type":' in event]
        last = [one for one in told if one["type"] == "response.completed"]
        if not reader.held or len(last) != 1:
            continue
        written = out + reader.write(reply, b": handrail none\n\n")
        numbered = [n for n in (one.get("sequence_number") for one in events(written)) if n is not None]
        assert numbered == sorted(set(numbered)), line["id"]
        final = copies(written)
        seen["written"] += 1
        if last[0]["response"]["output"]:
            assert final == last[0]["response"], line["id"]
        else:
            assert final == {**last[0]["response"], "output": final["output"]}, line["id"]
            seen["filled output"] += 1
        assert [(c["call_id"], c["arguments"]) for c in final["output"] if c["type"] == "function_call"] == [
            (call.id, call.args) for call in reply.calls if call.kind == "function"
        ]
    print("\n", dict(seen))
    assert seen["written"] > 80


def events(data: bytes):
    return [json.loads(sse.data(event) or b"{}") for event in Splitter().feed(data) if b'"type":' in event]


def copies(data: bytes):
    """The last response; each call must stand alike in all its copies."""
    told: dict[int, dict[str, str]] = {}
    final: dict[str, Any] = {}
    for one in events(data):
        kind, at = one["type"], told.setdefault(one.get("output_index", -1), {})
        for family, key in (("function_call_arguments", "arguments"), ("custom_tool_call_input", "input")):
            if kind == f"response.{family}.delta":
                at["delta"] = at.get("delta", "") + one["delta"]
            if kind == f"response.{family}.done":
                at["done"] = one[key]
        if kind == "response.output_item.done" and one["item"]["type"] in sample.KEYS:
            at["item"] = one["item"][sample.KEYS[one["item"]["type"]]]
        if kind == "response.completed":
            final = one["response"]
    for index, item in enumerate(final["output"]):
        if item["type"] in sample.KEYS:
            args = item[sample.KEYS[item["type"]]]
            assert told[index] == {"delta": args, "done": args, "item": args}
    return final


def test_unreadable_answers_are_errors(recorded):
    for line in recorded:
        if line["response"]["status"] != 200:
            with pytest.raises(UnreadableError):
                DIALECT.read_reply(line["response"]["body_text"].encode(), NO_ASK, sample.ids())
