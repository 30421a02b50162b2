"""A block put together from its events is the block of the unstreamed answer."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.dialects.messages_block import Block
from tests.dialects.messages_script import raw


def grown(start, *deltas, ended=True):
    block = Block(raw(start), start)
    for delta in deltas:
        block.grow(delta)
    block.ended = ended
    return block


def pieces(kind, key, *values):
    return [{"type": kind, key: value} for value in values]


TOOL = {"type": "tool_use", "id": "t", "name": "n", "input": {}, "caller": {"type": "direct"}}


@pytest.mark.parametrize(
    ("start", "deltas", "whole"),
    [
        (
            {"type": "text", "text": ""},
            [
                *pieces("text_delta", "text", "a", "b"),
                *pieces("citations_delta", "citation", {"n": 1}),
                *pieces("citations_delta", "citation", {"n": 2}),
            ],
            {"type": "text", "text": "ab", "citations": [{"n": 1}, {"n": 2}]},
        ),
        (
            {"type": "text", "text": "x", "citations": [0]},
            pieces("citations_delta", "citation", 1),
            {"type": "text", "text": "x", "citations": [0, 1]},
        ),
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": "h", "estimated_tokens": 9},
                *pieces("thinking_delta", "thinking", "m"),
                *pieces("signature_delta", "signature", "c2ln+/="),
            ],
            {"type": "thinking", "thinking": "hm", "signature": "c2ln+/="},
        ),
        (
            {"type": "compaction", "content": None},
            [{"type": "compaction_delta", "content": "sum", "encrypted_content": "e"}],
            {"type": "compaction", "content": "sum", "encrypted_content": "e"},
        ),
        ({"type": "redacted_thinking", "data": "d=="}, [], {"type": "redacted_thinking", "data": "d=="}),
        (
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            pieces("input_json_delta", "partial_json", "", '{"query"', ':"a"}'),
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "a"}},
        ),
        (TOOL, pieces("input_json_delta", "partial_json", '{"a"', ":1}"), {**TOOL, "input": {"a": 1}}),
        (TOOL, pieces("input_json_delta", "partial_json", '{"a"'), TOOL),
        (
            {"type": "new_kind", "x": 1},
            [{"type": "new_delta", "x": 2, "y": [1]}],
            {"type": "new_kind", "x": 2, "y": [1]},
        ),
    ],
)
def test_a_block_grows_to_what_an_unstreamed_answer_holds(start, deltas, whole):
    assert json.loads(bytes(grown(start, *deltas).whole())) == whole


def test_a_block_that_did_not_grow_is_its_bytes():
    bytes_of = b'{"type":"redacted_thinking", "data":"\\u0064"}'
    assert Block(bytes_of, json.loads(bytes_of)).whole() is bytes_of


@pytest.mark.parametrize(
    ("start", "deltas", "ended", "cut", "args"),
    [
        (TOOL, [], True, False, "{}"),
        (TOOL, [""], True, False, "{}"),
        (TOOL, [], False, False, ""),
        (TOOL, [], True, True, ""),
        (TOOL, ['{"a', '": 1.50}'], True, False, '{"a": 1.50}'),
        (TOOL, ['{"a'], False, True, '{"a'),
        ({**TOOL, "input": {"a": 1}}, [], True, False, '{"a": 1}'),
        ({**TOOL, "input": {"a": 1}}, ['{"b": 2}'], True, False, '{"b": 2}'),
        ({**TOOL, "input": None}, [], True, False, ""),
        ({"type": "tool_use"}, [], True, False, ""),
    ],
)
def test_arguments(start, deltas, ended, cut, args):
    call = grown(start, *pieces("input_json_delta", "partial_json", *deltas), ended=ended).call(cut=cut)
    assert (call.arguments, call.args) == (args, args)


def test_a_call_has_its_block_behind_it():
    call = grown(TOOL, *pieces("input_json_delta", "partial_json", '{"a":1}')).call(cut=False)
    assert (call.id, call.tool, call.kind) == ("t", "n", "function")
    assert json.loads(bytes(call.wire.raw)) == {**TOOL, "input": {"a": 1}}
    assert grown({**TOOL, "toolset_name": "computer"}).call(cut=False).kind == "builtin"
    assert grown({"type": "tool_use", "id": None, "name": 5}).call(cut=False).id == ""


@given(st.dictionaries(st.text(), st.integers() | st.text()), st.lists(st.integers(0, 80), max_size=5))
def test_any_fragments_make_the_same_arguments(arguments, cuts):
    text = json.dumps(arguments)
    at = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    parts = [text[a:b] for a, b in itertools.pairwise(at)]
    assert grown(TOOL, *pieces("input_json_delta", "partial_json", *parts)).call(cut=False).args == text
