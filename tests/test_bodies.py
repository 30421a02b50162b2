"""Bodies are stored once, come back exactly, and never with a credential in them."""

import hashlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.bodies import RunBodies, common_ends
from proxy.entries import body_key, decode_entry
from proxy.masking import Masker

MASKER = Masker()


class Memory:
    """Bodies that are stored, as another process would find them."""

    def __init__(self):
        self.entries = {}

    def take(self, line):
        if line:
            key, entry = decode_entry(line) or ("", None)
            assert entry is not None
            assert key not in self.entries, "stored twice"
            self.entries[key] = entry

    def keys(self):
        return self.entries.keys()

    def latest(self):
        return list(self.entries)[-3:]

    def get(self, key):
        entry = self.entries[key]
        return entry.applied(self.get(entry.base) if entry.base else b"")

    def chain(self, key):
        entry = self.entries[key]
        return 1 + self.chain(entry.base) if entry.base else 0


def ask(steps, pin="", text="result of step"):
    messages = [{"role": "user", "content": f"{text} {i} " + "x" * 200} for i in range(steps)]
    tools = [{"name": f"tool{i}", "description": "y" * 100} for i in range(5)]
    return json.dumps({"messages": [*messages, pin], "tools": tools}).encode()


def test_a_run_of_many_steps_stores_its_history_once():
    bodies, memory, size = RunBodies(MASKER), Memory(), 0
    for steps in range(1, 101):
        for role, body in (("ask", ask(steps)), ("send", ask(steps, pin="the task " * 5))):
            stored = bodies.add(body, role)
            memory.take(stored.line)
            size += len(stored.line)
            assert memory.get(stored.key) == body
    assert size < 4 * len(ask(100))
    assert max(map(memory.chain, memory.keys())) <= 64


def test_the_same_body_is_not_stored_again():
    bodies = RunBodies(MASKER)
    first = bodies.add(b"x" * 2000, "ask")
    for role in ("ask", "send", "reply"):
        again = bodies.add(bytes(bytearray(b"x" * 2000)), role)
        assert again.key == first.key
        assert again.line == b""
    for number in range(20):
        bodies.add(b"%d" % number * 3000, "reply")
    assert bodies.add(b"x" * 2000, "ask").line == b"", "long ago, but known"


def test_conversations_that_take_turns_are_each_continued():
    bodies, memory, size = RunBodies(MASKER), Memory(), 0
    for steps in range(1, 30):
        for agent in ("north", "south", "east"):
            stored = bodies.add(ask(steps, text=agent), "ask")
            memory.take(stored.line)
            size += len(stored.line)
    assert size < 3 * 3 * len(ask(30))


def test_a_large_picture_is_stored_once():
    picture = hashlib.sha256(b"seed").hexdigest() * 20_000
    bodies = RunBodies(MASKER)
    sizes = [
        len(bodies.add(json.dumps({"pictures": [picture], "step": step * "a"}).encode(), "ask").line)
        for step in range(1, 6)
    ]
    assert sizes[0] > len(picture)
    assert max(sizes[1:]) < 2000


def secret_at(number):
    return f"postgres://svc:pass{number}word@db"


def test_a_credential_is_nowhere_in_what_is_stored():
    bodies, memory = RunBodies(MASKER), Memory()
    for steps in range(1, 12):
        text = " ".join(f"step {i} " + secret_at(i) + " z" * 3000 for i in range(steps))
        body = json.dumps({"text": text, "end": "w" * 9000}).encode()
        stored = bodies.add(body, "ask")
        assert stored.masked == steps
        memory.take(stored.line)
        back = memory.get(stored.key)
        assert len(back) == len(body)
        assert back == MASKER.mask(body)[0]
        assert stored.key == body_key(hashlib.sha256(back).hexdigest())
        assert len(stored.line) < 17_000 or steps == 1


def test_a_credential_that_begins_in_the_known_part():
    bodies = RunBodies(MASKER)
    text = '{"a": "' + "x" * 9000 + " sk-abcdefgh1%s rest" + "y" * 9000 + '"}'
    first = bodies.add((text % "1111").encode(), "ask")
    second = bodies.add((text % "2222").encode(), "ask")
    assert first.masked == second.masked == 1
    assert b"2222" not in second.line
    assert second.key == first.key, "what differs is black"


def test_what_becomes_a_credential_by_what_follows():
    bodies, memory = RunBodies(MASKER), Memory()
    start = "x" * 6000 + " postgres://svc:secret99"
    memory.take(bodies.add(start.encode(), "ask").line)
    stored = bodies.add((start + "@db and more").encode(), "ask")
    memory.take(stored.line)
    assert stored.masked == 1
    assert memory.get(stored.key).endswith(b" postgres://svc:********@db and more")


def test_a_long_credential_stays_black_where_it_is_known():
    bodies, memory = RunBodies(MASKER), Memory()
    key = "-----BEGIN PRIVATE KEY-----\n" + "Qk9C" * 4000
    for tail in ("", "Zm9v", "Zm9vYmFy"):
        stored = bodies.add(json.dumps({"x": "v" * 3000 + key + tail}).encode(), "ask")
        memory.take(stored.line)
        assert b"Qk9C" not in memory.get(stored.key)


def test_a_new_credential_of_the_caller_is_searched_everywhere():
    bodies, memory = RunBodies(MASKER), Memory()
    body = b"x" * 9000 + b" opaque-word-of-mine " + b"y" * 9000
    memory.take(bodies.add(body, "ask").line)
    stored = bodies.add(body + b"!", "ask", (b"opaque-word-of-mine",))
    memory.take(stored.line)
    assert b"opaque" not in memory.get(stored.key)
    assert bodies.add(body + b"!!", "ask").masked == 1, "and stays known"


def test_a_process_takes_up_what_another_one_stored():
    memory = Memory()
    before = RunBodies(MASKER)
    for steps in range(1, 20):
        memory.take(before.add(ask(steps, text=secret_at(7)), "ask").line)
    after = RunBodies(MASKER, memory)
    assert after.add(ask(19, text=secret_at(7)), "ask").line == b""
    stored = after.add(ask(20, text=secret_at(7)), "ask")
    memory.take(stored.line)
    assert len(stored.line) < 2000
    assert memory.get(stored.key) == MASKER.mask(ask(20, text=secret_at(7)))[0]


def test_what_is_remembered_is_bounded():
    bodies = RunBodies(MASKER)
    for steps in range(1, 101):
        bodies.add(ask(steps), "ask")
        bodies.add(b'{"reply": %d}' % steps, "reply")
    assert bodies.size < 3 * len(ask(100))
    for number in range(1000):
        bodies.add(bytes([number % 256]) * 10_000, "ask")
    assert bodies.size < 400_000


@settings(deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=300))
def test_common_ends_are_common_and_as_long_as_can_be(start, end, one, other):
    base, new = start + one + end, start + other + end
    prefix, suffix = common_ends(base, new)
    assert prefix + suffix <= min(len(base), len(new))
    assert base[:prefix] == new[:prefix]
    assert base[len(base) - suffix :] == new[len(new) - suffix :]
    assert base == new or prefix == min(len(base), len(new)) or base[prefix] != new[prefix]
    rest = min(len(base), len(new)) - prefix
    assert suffix == rest or base[-suffix - 1] != new[-suffix - 1]


PIECE = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.text(min_size=1, max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [b"x" * 800, "密碼語言".encode() * 200, b" sk-abcdefgh12345 ", b'"password": "hunter2"', b"data: "]
    ),
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 1), PIECE, st.sampled_from(["ask", "send", "reply"])),
        min_size=1,
        max_size=25,
    )
)
def test_any_sequence_of_edits_comes_back_exactly(edits):
    bodies, memory, body = RunBodies(MASKER), Memory(), b"z" * 700
    for at, size, piece, role in edits:
        start = int(at * len(body))
        body = body[:start] + piece + body[start + int(size * 50) :]
        stored = bodies.add(body, role)
        memory.take(stored.line)
        back = memory.get(stored.key)
        assert len(back) == len(body)
        assert stored.key == body_key(hashlib.sha256(back).hexdigest())
        assert all(mine in (theirs, ord("*")) for mine, theirs in zip(back, body, strict=True))
        whole = MASKER.mask(body)[0]
        # What was black stays black, though what stands before it may have changed.
        assert all(mine == theirs for mine, theirs in zip(back, whole, strict=True) if theirs == ord("*"))
