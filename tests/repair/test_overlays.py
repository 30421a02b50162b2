import json
from dataclasses import dataclass

from proxy.repair.overlays import overlaid
from proxy.repair.schema import compile_schema


@dataclass(frozen=True)
class Facts:
    format: str | None = None
    unit: str | None = None
    min: float | None = None
    max: float | None = None
    enum: tuple = ()


SCHEMA = {
    "type": "object",
    "properties": {"since": {"type": "string"}, "n": {"$ref": "#/$defs/n"}, "free": True},
    "$defs": {"n": {"type": "integer"}},
}


def compiled(schema):
    return compile_schema(json.dumps(schema).encode())


def test_an_overlay_becomes_part_of_the_schema():
    checker = overlaid(compiled(SCHEMA), {"since": Facts(format="date"), "n": Facts(unit="ms", min=100, max=200)})
    assert checker.problems({"since": "2024-03-05", "n": 150}) == ()
    assert [problem.keyword for problem in checker.problems({"since": "x", "n": 300})] == ["format", "maximum"]
    assert checker.root["properties"]["n"]["x-unit"] == "ms"


def test_an_overlay_can_narrow_the_values():
    checker = overlaid(compiled(SCHEMA), {"since": Facts(enum=("a", "b"))})
    assert [problem.expected for problem in checker.problems({"since": "c"})] == [["a", "b"]]


def test_what_is_not_declared_gets_nothing():
    checker = compiled(SCHEMA)
    assert overlaid(checker, {}) is checker
    assert overlaid(checker, {"other": Facts(min=3), "free": Facts(min=3)}).problems({"other": 1, "free": 1}) == ()
    assert overlaid(compiled({}), {"a": Facts(min=3)}).problems({"a": 1}) == ()
    bad = compiled({"type": "str"})
    assert overlaid(bad, {"a": Facts(min=3)}) is bad


def test_the_same_overlays_are_compiled_once():
    one, other = ({"since": Facts(format="date")} for _ in range(2))
    assert overlaid(compiled(SCHEMA), one) is overlaid(compiled(SCHEMA), other)
