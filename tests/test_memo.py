from proxy.memo import Memo, mark


def test_work_is_done_once() -> None:
    done = []
    memo: Memo[int] = Memo()

    def work() -> int:
        done.append(1)
        return len(done)

    assert [memo.get("a", work), memo.get("a", work), memo.get("b", work)] == [1, 1, 2]


def test_nothing_is_a_value_too() -> None:
    memo: Memo[str | None] = Memo()
    assert memo.get("a", lambda: None) is None
    assert memo.get("a", lambda: "other") is None


def test_when_it_is_full_it_begins_anew() -> None:
    memo: Memo[int] = Memo(most=3)
    for n in range(10):
        memo.get(n, lambda n=n: n)  # type: ignore[misc]
        assert len(memo._known) <= 3
    assert memo.get(9, lambda: 0) == 9
    assert memo.get(1, lambda: 7) == 7, "forgotten"


def test_what_fails_is_not_remembered() -> None:
    memo: Memo[int] = Memo()
    try:
        memo.get("a", lambda: 1 // 0)
    except ZeroDivisionError:
        assert memo.get("a", lambda: 5) == 5


def test_a_text_is_known_by_length_and_hash() -> None:
    assert mark("abc") == mark("xabc"[1:])
    assert mark("abc") != mark("abd")
    assert mark("界")[0] == 1
