from hypothesis import given
from hypothesis import strategies as st

from proxy.repair.tokens import MAX_TOKENS, joined, kind_beside, tokens


def cut(text):
    parts = tokens(text)
    assert parts is not None
    return parts


def kinds(text):
    return [part.kind for part in cut(text)]


@given(st.text(st.sampled_from("{}[]:,\"'\\ \n-0.1eEabé_$"), max_size=40))
def test_joining_the_tokens_gives_the_text_back(text):
    assert joined(cut(text)) == text


def test_brackets_inside_strings_are_text():
    assert kinds("{\"a}\": 'b]'}") == ["{", "string", ":", "blank", "quoted", "}"]


def test_a_string_without_an_end_takes_the_rest():
    assert kinds('{"a": "b, c}') == ["{", "string", ":", "blank", "open"]
    assert kinds("'it\\'s") == ["open"]


def test_numbers_words_and_other_characters():
    assert kinds("-1.5e3 True a-b -Infinity <|") == [
        "number", "blank", "word", "blank", "word", "blank", "other", "word", "blank", "other", "other",
    ]  # fmt: skip


def test_neighbours_are_found_over_blanks():
    parts = cut("{ 1 ,")
    assert kind_beside(parts, 0, 1) == "number"
    assert kind_beside(parts, 0, -1) == ""
    assert kind_beside(parts, 2, 1) == ","


def test_a_text_of_too_many_tokens_is_not_looked_at():
    assert tokens("," * MAX_TOKENS) is not None
    assert tokens("," * (MAX_TOKENS + 1)) is None
