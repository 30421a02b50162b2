"""What holds for any schema, any arguments and any damage: the laws of repair."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from proxy.repair.arguments import Fine, Rejected, Repaired, repair
from proxy.repair.schema import compile_schema

NAMES = st.sampled_from(["city", "order_id", "recipient", "amount_usd", "timeout_ms", "tags", "since", "x"])
WORDS = st.one_of(
    st.sampled_from(["", "true", "42", "-1,250", "5 min", "3 or 4", "null", "None", "2024/3/5", "it's", "{}", '["a"]']),
    st.text(max_size=6),
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)

LEAVES = st.one_of(
    st.just({}),
    st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda kind: {"type": kind}),
    st.builds(lambda low: {"type": "integer", "minimum": low}, st.integers(-5, 5)),
    st.just({"type": "string", "pattern": "^[a-z]+$"}),
    st.just({"type": "string", "enum": ["Open", "Closed", "in_progress"]}),
    st.just({"enum": [1, "2", True, None]}),
    st.just({"type": ["integer", "null"]}),
    st.just({"const": "fixed"}),
)


UNIONS = st.sampled_from(["anyOf", "oneOf"])


def objects(inner):
    return st.builds(
        lambda properties, required, more: {
            "type": "object",
            "properties": properties,
            "required": sorted(required & properties.keys()),
            **({} if more is None else {"additionalProperties": more}),
        },
        st.dictionaries(NAMES, inner, max_size=4),
        st.sets(NAMES, max_size=3),
        st.sampled_from([None, True, False]),
    )


SCHEMAS = objects(
    st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            st.builds(lambda items: {"type": "array", "items": items}, inner),
            objects(inner),
            st.builds(lambda kind, some: {kind: some}, UNIONS, st.lists(inner, min_size=1, max_size=3)),
        ),
        max_leaves=6,
    )
)  # fmt: skip


@st.composite
def fitting(draw, schema):
    """A value that is likely, not certain, to be valid."""
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return draw(fitting(draw(st.sampled_from(schema[union]))))
    if "enum" in schema or "const" in schema:
        return draw(st.sampled_from(schema.get("enum", [schema.get("const")])))
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        names = set(schema["required"]) | draw(st.sets(st.sampled_from(sorted(schema["properties"]) or ["x"])))
        return {name: draw(fitting(schema["properties"].get(name, {}))) for name in sorted(names)}
    if kind == "array":
        return draw(st.lists(fitting(schema["items"]), max_size=3))
    return draw(
        {"string": WORDS, "integer": st.integers(0, 99), "boolean": st.booleans(), "null": st.none()}.get(kind, SCALARS)
    )


def spelled(value, how):
    """The same value as a model that is careless about types would write it."""
    if isinstance(value, dict):
        return {name: spelled(item, how) for name, item in value.items()}
    if isinstance(value, list):
        return [spelled(item, how) for item in value]
    if how == "as text" and not isinstance(value, str):
        return json.dumps(value)
    if how == "shouted" and isinstance(value, str):
        return f" {value.upper()} "
    return None if how == "nulls" else value


@st.composite
def calls(draw):
    schema = draw(SCHEMAS)
    value = draw(fitting(schema))
    return schema, spelled(value, draw(st.sampled_from(["as it is", "as it is", "as text", "shouted", "nulls"])))


@st.composite
def damaged(draw, text):
    """The text after a few accidents."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(0, len(text))))
        text = draw(
            st.sampled_from(
                (
                    text[:at],
                    text[:at]
                    + draw(st.sampled_from([*"{}[]:,\"'\\ \n0-", "NaN", "None", "\ud83d", "\\ud83d"]))
                    + text[at:],
                    text[:at] + text[at + 1 :],
                    text.replace('"', "'"),
                    text.replace("true", "True").replace("null", "None"),
                    json.dumps(text),
                    f"```json\n{text}\n```",
                    text + draw(st.sampled_from(["<|call|>", "}", " done", text, "{}"])),
                    text.replace("order_id", "orderId").replace("recipient", "recipent"),
                    text.replace(":4", ':"4').replace("Open", " OPEN"),
                )
            )
        )
    return text


def leaves(value):
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from leaves(child)
    else:
        yield json.dumps(value)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_whatever_is_repaired_is_valid_json_and_valid_by_the_schema(data):
    schema, value = data.draw(calls())
    text = data.draw(damaged(json.dumps(value, ensure_ascii=data.draw(st.booleans()))))
    checker = compile_schema(json.dumps(schema).encode())
    verdict = repair(text, checker)
    if isinstance(verdict, Rejected):
        assert verdict.problems
        return
    left = verdict.text if isinstance(verdict, Repaired) else text
    read = json.loads(left.encode(), parse_constant=lambda _: None)
    assert isinstance(read, dict)
    assert list(Draft202012Validator(schema).iter_errors(read)) == []
    assert repair(left, checker) == Fine()


@settings(max_examples=200, deadline=None)
@given(data=st.data(), value=VALUES)
def test_valid_arguments_are_left_alone_and_no_others_are_called_valid(data, value):
    schema, fit = data.draw(calls())
    chosen = data.draw(st.sampled_from([fit, value]))
    checker = compile_schema(json.dumps(schema).encode())
    valid = isinstance(chosen, dict) and not list(Draft202012Validator(schema).iter_errors(chosen))
    assert isinstance(repair(json.dumps(chosen), checker), Fine) == valid


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_prefix_of_a_reply_is_completed_with_a_value_that_was_not_whole(data):
    schema, value = data.draw(calls())
    text = json.dumps(value)
    prefix = text[: data.draw(st.integers(0, len(text)))]
    loose = compile_schema(json.dumps({**schema, "required": []}).encode())
    verdict = repair(prefix, loose)
    if isinstance(verdict, Repaired) and all(one.path == "" for one in verdict.repairs):
        assert set(leaves(json.loads(verdict.text))) <= set(leaves(value))
    assert not isinstance(repair(prefix, loose, cut=True), Repaired)
