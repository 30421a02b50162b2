import pytest

from proxy.repair import syntax
from proxy.repair.syntax import Fix, shortened
from proxy.repair.tokens import joined, tokens


def changed(cure, text):
    result = cure(tokens(text))
    return None if result is None else (joined(result[0]), result[1])


@pytest.mark.parametrize(
    ("text", "left", "dropped"),
    [
        ('{"city":"Oulu"}<|call|>commentary', '{"city":"Oulu"}', "<|call|>commentary"),
        ('{"a":1}}', '{"a":1}', "}"),
        ('{"a":"}"} \n Done, I think.', '{"a":"}"}', " \n Done, I think."),
    ],
)
def test_text_after_the_object_is_dropped_and_kept_in_the_record(text, left, dropped):
    assert changed(syntax.trailing_text, text) == (left, Fix("trailing text", dropped, ""))


def test_the_same_object_again_is_dropped():
    assert changed(syntax.trailing_text, '{"a":1} {"a":1}\n{"a":1}')[0] == '{"a":1}'


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1}{"b":2}',
        '{"a":1}{"a": 1}',
        '{"a":1}, "b": 2}',
        '{"a":1} see "b": 2}',
        '{"a":1}[2]',
        '{"a":1} and {"b"',
        '{"a":"b"}"}',
        '{"a":1} 2',
        '{"a":1} null',
        '{"a":1}',
        '{"a":1} ',
        '{"a":',
    ],
)
def test_what_may_be_meant_as_json_is_not_dropped(text):
    assert changed(syntax.trailing_text, text) is None


@pytest.mark.parametrize(
    ("text", "closed", "added"),
    [
        ('{"items":[{"sku":"A}1","qty":2}', '{"items":[{"sku":"A}1","qty":2}]}', "]}"),
        ('{"a":"b"', '{"a":"b"}', "}"),
        ('{"a":[true', '{"a":[true]}', "]}"),
        ("{'a':None", "{'a':None}", "}"),
        ('{"a":1 ', '{"a":1 }', "}"),
        ('{"a":[1,2}', '{"a":[1,2]}', "]"),
        ('{"a":[{"b":1],"c":2}', '{"a":[{"b":1}],"c":2}', "}"),
    ],
)
def test_brackets_close_in_the_order_of_nesting(text, closed, added):
    assert changed(syntax.closed_brackets, text) == (closed, Fix("closed brackets", "", added))


@pytest.mark.parametrize(
    "text", ['{"a":"b', '{"a":12', '{"a":tru', '{"a":', '{"a":1,', '{"a":[1]]', '{"a":1}', "{", ""]
)
def test_what_was_cut_is_never_completed(text):
    assert changed(syntax.closed_brackets, text) is None


@pytest.mark.parametrize(
    ("cure", "text", "result"),
    [
        (syntax.python_literals, "{'a': True, 'b': None}", '{"a": true, "b": null}'),
        (
            syntax.python_literals,
            r"""{'a': 'it\'s "x"\n\x41\u00e9\U0001f378'}""",
            '{"a": "it\'s \\"x\\"\\nAé🍸"}',
        ),
        (syntax.python_literals, '{"q": "what\'s True"}', None),
        (syntax.python_literals, r"{'a': '\d'}", "{\"a\": '\\d'}"),
        (syntax.unquoted_keys, "{a:1, b_c :2, $x: yes}", '{"a":1, "b_c" :2, "$x": yes}'),
        (syntax.unquoted_keys, '{"a": b}', None),
        (syntax.trailing_commas, '{"a":[1, 2, ],}', '{"a":[1, 2 ]}'),
        (syntax.trailing_commas, '{"a":1,', None),
        (syntax.control_characters, '{"a":"x\ny\tz\x01"}', '{"a":"x\\ny\\tz\\u0001"}'),
        (syntax.control_characters, '{\n"a":1}', None),
        (syntax.escaped_apostrophes, r"""{"a":"it\'s \\'"}""", r"""{"a":"it's \\'"}"""),
        (syntax.escaped_apostrophes, '{"a":"it\'s"}', None),
    ],
)
def test_a_spelling_of_the_same_thing_is_rewritten(cure, text, result):
    found = changed(cure, text)
    assert (None if found is None else found[0]) == result


def test_a_record_shows_the_first_piece_and_is_bounded():
    fix = changed(syntax.python_literals, "{'" + "a" * 500 + "': 'b'}")[1]
    assert fix.before.startswith("'aaa")
    assert fix.before.endswith("… (502 characters)")
    assert len(fix.after) < 250
    assert shortened("abc", 3) == "abc"
