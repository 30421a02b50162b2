import json

from proxy.repair.schema import compile_schema


def violations(schema, value):
    return compile_schema(json.dumps(schema).encode()).check(value).violations


def test_a_violation_leads_to_the_place_and_to_the_part_of_the_schema_that_judges_it():
    schema = {"properties": {"rows": {"items": {"properties": {"n": {"type": "integer", "title": "N"}}}}}}
    (found,) = violations(schema, {"rows": [{"n": 1}, {"n": "x"}]})
    assert (found.steps, found.keyword, found.expected, found.value) == (("rows", 1, "n"), "type", "integer", "x")
    assert found.schema["title"] == "N"


def test_what_is_missing_or_unknown_is_told_at_its_own_place():
    schema = {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    missing, unknown = sorted(violations(schema, {"b": 1}), key=lambda found: found.steps)
    assert (missing.steps, missing.expected, missing.value) == (("a",), "a", {"b": 1})
    assert (unknown.steps, unknown.expected, unknown.value) == (("b",), "b", {"b": 1})


def test_a_report_is_clean_only_if_it_is_complete():
    checker = compile_schema(b'{"items": {"minimum": 0}}')
    assert checker.check([1]).clean
    assert not checker.check([-1]).clean
    assert not checker.check_at(checker.root, [1, 2, 3], budget=2).clean
