from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.frozen import Frozen
from proxy.model import Run, replace


def run(**more: Any) -> Run:
    return replace(Run("r1", "c1", 0.0, 0.0, 0.0, thread="t1"), **more)


def key(kind: str = "cut", call_id: str = "a", text: str = "long", **more: Any) -> str:
    return Frozen(kind).read(run(**more), call_id, text).key


def test_a_text_is_kept_under_thread_call_and_original() -> None:
    others = [key("error"), key(call_id="b"), key(text="longer"), key(thread="t2"), key(credential="c2")]
    assert len({key(), *others}) == 6
    assert key(id="r2", wall=9.0, started=3.0, language="zh") == key(), "a later task of the thread finds it"


def test_what_is_put_is_what_is_read() -> None:
    read = Frozen("cut").read(run(), "a", "long")
    put = Frozen.put(read, "shórt 界")
    assert (put.key, put.value) == (read.key, "shórt 界".encode())
    assert put.ttl == 7 * 86400
    assert not put.durable


@given(st.lists(st.text(), max_size=30))
def test_a_hash_that_is_remembered_is_the_same_hash(texts: list[str]) -> None:
    frozen = Frozen("cut")
    first = [frozen.read(run(), "a", text) for text in texts]
    assert [frozen.read(run(), "a", text) for text in texts] == first
    assert [Frozen("cut").read(run(), "a", text) for text in texts] == first
    assert len({one.key for one in first}) == len(set(texts))


def test_it_remembers_no_more_than_it_may() -> None:
    frozen = Frozen("cut")
    keys = {frozen.read(run(), "a", str(n)).key for n in range(3000)}
    assert len(keys) == 3000
    assert len(frozen._hashes) <= 1024


@pytest.mark.parametrize("text", ["\ud83d", "", "\x00"])
def test_odd_texts_have_a_key(text: str) -> None:
    assert key(text=text).startswith("f:")
