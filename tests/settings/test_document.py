"""YAML in, a tree with places out: types, bounds, and text that is no YAML at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.settings.document import MAX_DEPTH, MAX_LENGTH, Document, Keys, deepest, key_place, plain, read_document
from proxy.settings.problems import Place


def data(text):
    document = read_document(text, "f.yaml")
    assert document.problems == ()
    assert document.root is not None
    return plain(document.root)


def problems(text):
    return [str(problem) for problem in read_document(text, "f.yaml").problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("off", "off"),
        ("no", "no"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("10", 10),
        ("-3", -3),
        ("010", 10),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-05-01", "2026-05-01"),
        ("0x1F", "0x1F"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("null", None),
        ("~", None),
        ("", None),
        ("'10'", "10"),
        ("=", "="),
    ],
)
def test_words_stay_words_and_only_plain_numbers_are_numbers(text, value):
    read = data(f"k: {text}")["k"]
    assert read == value
    assert type(read) is type(value)


def test_keys_are_text_whatever_they_look_like():
    assert data("404: a\nnull: b\ntrue: c\n") == {"404": "a", "null": "b", "true": "c"}


def test_an_empty_file_is_an_empty_pack():
    assert data("# nothing\n") == {}


def test_aliases_are_read():
    assert data("a: &x {k: 1}\nb: *x") == {"a": {"k": 1}, "b": {"k": 1}}


def test_a_key_given_twice_is_a_problem_that_names_both_lines():
    assert problems("a: 1\nb:\n  c: 1\n  c: 2\n") == ["f.yaml:4:3: b.c: given twice, first in line 3"]


def test_every_fault_of_form_is_told_at_once():
    assert problems("a: {<<: {x: 1}}\nb: !!python/name:os.system\n[1]: 2\nc: !secret x\nd: 12345678901234567890\n") == [
        "f.yaml:1:5: a.<<: merge keys are not read; use `extends`, an alias or a glob",
        "f.yaml:2:4: b: tag !!python/name:os.system is not read",
        "f.yaml:3:1: a key has to be a word",
        "f.yaml:4:4: c: tag !secret is not read",
        "f.yaml:5:4: d: a number of over 18 digits",
    ]
    assert problems("a: !!int x\nb: !!float x\nc: !!timestamp 2026-05-01") == [
        "f.yaml:1:4: a: tag !!int is not read",
        "f.yaml:2:4: b: tag !!float is not read",
        "f.yaml:3:4: c: tag !!timestamp is not read",
    ]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a: [1, 2\n", "f.yaml:2:1: not valid YAML: "),
        ("a: b: c", "f.yaml:1:5: not valid YAML: "),
        ("a: 1\n\tb: 2", "f.yaml:2:1: not valid YAML: "),
        ("a: 1\n---\nb: 2\n", "f.yaml:2:1: not valid YAML: "),
        ("a: *x", "f.yaml:1:4: not valid YAML: "),
        ("a: 1\nb: \x07", "f.yaml:2:4: has a character that YAML does not allow"),
    ],
)
def test_what_is_no_yaml_says_where(text, start):
    (problem,) = problems(text)
    assert problem.startswith(start)


def test_length_depth_and_number_of_values_are_bounded():
    assert problems("#" * (MAX_LENGTH + 1))[0].startswith("f.yaml: longer than a pack may be")
    assert f"nested over {MAX_DEPTH} levels" in problems("[" * 5000)[0]
    assert problems("a: &a [*a]")[-1].startswith("f.yaml:1:4: a[0]")
    laughs = "\n".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdef", "bcdefg", strict=True))
    assert len(problems("a: &a 1\n" + laughs)) == 1


def test_extends_is_read_only_where_it_is_a_word():
    assert read_document("extends: default", "f").extends == "default"
    assert read_document("extends: [default]", "f").extends is None
    assert read_document("[]", "f").extends is None


def test_places_are_found_by_path():
    document = read_document("a:\n  b: [x, {c: 1}]\n", "f.yaml")
    assert isinstance(document.root, Keys)
    assert key_place(document.root, ("a", "b", 1, "c")) == Place("f.yaml", 2, 11)
    assert key_place(document.root, ("a", "nothing")) == Place("f.yaml", 2, 3)
    assert key_place(document.root, ("a", "b", 7, "c")) == Place("f.yaml", 2, 6)
    node, taken = deepest(document.root, ("a", "b", 1, "c", "d"))
    assert (plain(node), taken) == (1, 4)


@given(st.text(alphabet=st.sampled_from("ab:-{}[],&*!<>|'\"# \n\t1.~?%@é\x00"), max_size=60))
def test_any_text_is_a_document_and_never_an_exception(text):
    document = read_document(text, "f.yaml")
    assert isinstance(document, Document)
    assert document.root is not None or document.problems
