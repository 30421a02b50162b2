"""What every dialect keeps to, whichever its API."""

import inspect
import json
from itertools import count
from typing import Any

import pytest

from proxy.dialects import sse
from proxy.dialects.dialect import Dialect, StreamReader, UnreadableError
from proxy.model import Ask, Tool, Turn, Usage, replace
from proxy.plan import DIALECTS
from proxy.rawjson import UnreadableError as Unreadable
from tests.apis import CHAT, MESSAGES, RESPONSES, Api, Call, Results, Said, System, User
from tests.apis import Tool as ApiTool

PAIRS: tuple[tuple[Dialect, Api], ...] = tuple(zip(DIALECTS, (CHAT, RESPONSES, MESSAGES), strict=True))
each = pytest.mark.parametrize(("dialect", "api"), PAIRS, ids=[dialect.name for dialect in DIALECTS])
TOOLS = [ApiTool("find", {"q": {"type": "string"}}, ["q"]), ApiTool("look", {})]
TURNS: list[Any] = [
    System("Be brief."),
    User("Find both."),
    Said("I look.", (Call("call_1xyz", "find", {"q": "x"}), Call("call_2xyz", "look", {}))),
    Results({"call_1xyz": "shelf 7", "call_2xyz": "a cat"}),
]


def ids() -> Any:
    numbers = count(1)
    return lambda: f"made{next(numbers):05d}"


def asked(dialect: Dialect, api: Api, **more: Any) -> Ask:
    return dialect.read_ask(json.dumps(api.ask(TURNS, TOOLS, **more)).encode())


def members(protocol: type) -> dict[str, Any]:
    return {name: found for name, found in vars(protocol).items() if inspect.isfunction(found) and name[0] != "_"}


@each
def test_it_has_all_that_is_asked_of_one(dialect: Dialect, api: Api) -> None:
    for name, wanted in members(Dialect).items():
        found = inspect.signature(getattr(dialect, name)).parameters
        assert list(found) == list(inspect.signature(wanted).parameters)[1:], name
    reader = dialect.stream(asked(dialect, api), ids(), None, None, mute=False)
    assert not [name for name in (*members(StreamReader), "done", "spoke", "held") if not hasattr(reader, name)]


def test_what_cannot_be_read_is_one_error_everywhere() -> None:
    assert UnreadableError is Unreadable
    assert len({dialect.name for dialect in DIALECTS}) == 3


@each
@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff"])
def test_what_is_no_request_is_unreadable(dialect: Dialect, api: Api, body: bytes) -> None:
    with pytest.raises(UnreadableError):
        dialect.read_ask(body)
    assert dialect.matches("POST", api.path)


@each
def test_a_request_is_the_same_picture_on_each_api(dialect: Dialect, api: Api) -> None:
    made = asked(dialect, api, choice="=find", limit=70, stream=True)
    assert (made.dialect, made.model, made.stream, made.tool_choice, made.limit) == (
        dialect.name,
        "m",
        True,
        "=find",
        70,
    )
    assert [turn.role for turn in made.turns] == ["system", "user", "assistant", "tool"]
    assert [(one.id, one.tool, json.loads(one.args)) for one in made.turns[2].calls] == [
        ("call_1xyz", "find", {"q": "x"}),
        ("call_2xyz", "look", {}),
    ]
    assert [(one.call_id, one.text, one.tool) for one in made.turns[3].results] == [
        ("call_1xyz", "shelf 7", "find"),
        ("call_2xyz", "a cat", "look"),
    ]
    assert [(tool.name, json.loads(tool.schema)) for tool in made.tools] == [(tool.name, tool.schema) for tool in TOOLS]


@each
def test_nothing_changed_is_the_received_object(dialect: Dialect, api: Api) -> None:
    body = json.dumps(api.ask(TURNS, TOOLS)).encode()
    made = dialect.read_ask(body)
    assert dialect.write_ask(made) is body
    anew = replace(made, turns=tuple(map(replace, made.turns)), tools=tuple(map(replace, made.tools)))
    assert dialect.write_ask(anew) == body
    answer = api.answer(Said("ok", TURNS[2].calls))
    assert dialect.write_reply(dialect.read_reply(answer, made, ids())) is answer


@each
def test_edits_are_written_where_they_belong(dialect: Dialect, api: Api) -> None:
    made = asked(dialect, api)
    results = (replace(made.turns[3].results[0], texts=("shelf 9",)), made.turns[3].results[1])
    calls = (replace(made.turns[2].calls[0], args='{"q":"y"}'), made.turns[2].calls[1])
    turns = (
        made.turns[0],
        replace(made.turns[1], appended=("Please.",)),
        replace(made.turns[2], calls=calls),
        replace(made.turns[3], results=results, appended=("A note.",)),
    )
    tools = (*made.tools, Tool("read_more", "Reads.", b'{"type":"object","properties":{}}'))
    written = api.read_ask(dialect.write_ask(replace(made, turns=turns, tools=tools)))
    assert written.calls[0].value == {"q": "y"}
    assert written.results["call_1xyz"] == "shelf 9"
    assert "Please." in written.text
    assert "A note." in written.tail
    assert list(written.tools) == ["find", "look", "read_more"]


@each
def test_hidden_rounds_and_closing_rounds(dialect: Dialect, api: Api) -> None:
    made = asked(dialect, api, choice="required")
    reply = dialect.read_reply(api.answer(Said("Hm.", (Call("call_3xyz", "find", {"q": 5}),))), made, ids())
    more = api.read_ask(dialect.write_ask(dialect.extend(made, reply, {"call_3xyz": "wrong"}, fix=True)))
    assert more.results["call_3xyz"] == "wrong"
    closing = api.read_ask(dialect.write_ask(dialect.closing(made, "Sum up.")))
    assert closing.choice == "none"
    assert closing.tail.rstrip().endswith("Sum up.")
    assert list(closing.tools) == ["find", "look"]


@each
def test_turns_are_kept_and_come_back(dialect: Dialect, api: Api) -> None:
    turns = asked(dialect, api).turns[1:]
    back = dialect.unpack_turns(dialect.pack_turns(turns))
    assert [(turn.role, turn.text, [one.id for one in turn.calls]) for turn in back] == [
        (turn.role, turn.text, [one.id for one in turn.calls]) for turn in turns
    ]
    assert [[one.text for one in turn.results] for turn in back] == [
        [one.text for one in turn.results] for turn in turns
    ]
    assert dialect.unpack_turns(dialect.pack_turns([])) == ()
    assert dialect.unpack_turns(dialect.pack_turns([Turn("assistant", ("new",))]))[0].text == "new"


@each
@pytest.mark.parametrize("called", [None, ("find", '{"q":"x"}')])
def test_answers_of_our_own_are_read_by_a_strict_client(dialect: Dialect, api: Api, called: Any) -> None:
    made = asked(dialect, api)
    reply = dialect.compose(made, "It is so.", ids(), 1_700_000_000.0, called)
    seen = [api.read_answer(dialect.write_reply(reply, None)), api.read_stream(dialect.write_stream(reply, None))]
    for one in seen:
        assert one.said.text == ("" if called else "It is so.")
        assert one.calls == ([("find", {"q": "x"})] if called else [])
    hidden = api.read_answer(dialect.write_reply(reply, Usage(5, 1))).usage
    assert hidden["handrail"]


@each
def test_a_stream_that_nobody_changes_leaves_as_it_came(dialect: Dialect, api: Api) -> None:
    events = api.events(Said("I look.", TURNS[2].calls))
    reader = dialect.stream(asked(dialect, api, stream=True), ids(), None, None, mute=False)
    early = b"".join(map(reader.feed, events))
    assert early + reader.unchanged() == b"".join(events)
    assert reader.done
    assert reader.held
    reply = reader.reply(whole=True)
    assert [one.tool for one in reply.calls] == ["find", "look"]
    assert not dialect.malformed(reply)
    changed = replace(reply, turns=(replace(reply.turns[0], calls=(replace(reply.calls[0], args='{"q":"y"}'),)),))
    seen = api.read_stream(early + reader.write(changed, b": handrail x\n\n"))
    assert (seen.said.text, seen.calls) == ("I look.", [("find", {"q": "y"})])


@each
def test_errors_are_of_the_apis_shape(dialect: Dialect, api: Api) -> None:
    error = json.loads(dialect.error(504, "too late", "timeout", "handrail_error"))
    assert error["error"]["message"] == "too late"
    event = dialect.stream_error("too late", "timeout", "handrail_error")
    assert b"too late" in (sse.data(event) or b"")
    assert event.endswith(b"\n\n")
    assert api.path
