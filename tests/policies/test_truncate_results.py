import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy import late
from tests.apis import APIS, CHAINED, Api, Call, Results, Said, User
from tests.apis import Tool as ApiTool
from tests.conversation import Conversation, calls, contents, messages, reading_on, said, text
from tests.playbook import Answer, World, chunk, tool

FIND = tool("find", {"q": {"type": "string"}})
LOOK = tool("look", {})
PACK = "policies:\n  truncate_results: {bytes: 1000, text_bytes: 2000}\n"
ROWS = json.dumps([{"id": n, "name": f"item {n}"} for n in range(200)])
LINES = "\n".join(f"This is line {n} of the text." for n in range(400))


def talk(result: Any, pack: str = PACK, *tools: Any, **more: Any) -> Conversation:
    conversation = Conversation(pack, *(tools or (FIND, LOOK)), **more)
    conversation.turn([("find", {"q": "x"})], result)
    return conversation


def shown(conversation: Conversation) -> str:
    return contents(messages(conversation.begin("ok").run()))[-1]


def reading(sent: Any) -> list[tuple[str, Any]]:
    calls = reading_on(sent)
    assert isinstance(calls, list)
    return calls


def parts(conversation: Conversation) -> list[str]:
    """The cut result and all its pages, as a model reads on through them."""
    found: list[str] = []
    while True:
        played = conversation.begin(*itertools.repeat(reading_on, 12)).run()
        found += contents(messages(played))[len(found) :]
        if "read it all" in text(played):
            return found
        assert "may be incomplete" in text(played)
        conversation.take(played)
        conversation.user("continue")


# ---------------------------------------------------------------- what is cut


@pytest.mark.parametrize("result", ["found", ROWS[:1000], LINES[:2000], "界" * 600, "[]", ""])
def test_what_is_under_its_limit_is_untouched(result: str) -> None:
    conversation = talk(result)
    assert conversation.begin("ok").run().sent == [json.dumps(conversation.body).encode()]


def test_rows_and_text_have_limits_of_their_own() -> None:
    cut = json.loads(shown(talk(ROWS)))
    assert cut["truncated"] is True
    assert cut["total_rows"] == 200
    assert cut["rows"] == json.loads(ROWS)[: len(cut["rows"])]
    assert cut["cursor"]
    assert len(shown(talk(ROWS))) < 1700
    assert 1500 < len(shown(talk(LINES))) < 2400


def test_tools_may_have_limits_of_their_own_or_be_exempt() -> None:
    assert shown(talk(ROWS, PACK + "tools: {find: {exempt: true}}\n")) == ROWS
    assert shown(talk(ROWS, PACK + "tools: {find: {bytes: 100000}}\n")) == ROWS
    assert len(shown(talk(LINES, PACK + "tools: {find: {text_bytes: 500}}\n"))) < 900


def test_without_a_limit_for_text_that_for_rows_counts() -> None:
    assert len(shown(talk(LINES, "policies:\n  truncate_results: {bytes: 1000}\n"))) < 1400


def test_what_the_agent_cut_itself_is_left_alone() -> None:
    result = LINES + "\n[output truncated: 5000 more lines, full output saved to /tmp/out.txt]"
    assert shown(talk(result)) == result


def test_pictures_beside_the_text_stay() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5000}}
    conversation = talk([{"type": "text", "text": LINES}, picture, {"type": "text", "text": "short"}])
    content = messages(conversation.begin("ok").run())[-1]["content"]
    assert content[1:] == [picture, {"type": "text", "text": "short"}]
    assert len(content[0]["text"]) < 2400


def test_two_texts_of_one_result_are_two_results() -> None:
    conversation = talk([{"type": "text", "text": LINES}, {"type": "text", "text": LINES.replace("text", "book")}])
    cut = [part["text"] for part in messages(conversation.begin("ok").run())[-1]["content"]]
    cursors = [re.findall(r'cursor="([\w-]+)"', one)[0] for one in cut]
    played = conversation.begin([("read_more", {"cursor": one}) for one in cursors], "Both read.").run()
    pages = contents(messages(played))[-2:]
    assert ["of the book" in page for page in pages] == [False, True]


# ---------------------------------------------------------------- the first form stays


def test_the_first_form_is_sent_in_every_later_ask() -> None:
    conversation = talk(ROWS)
    first = shown(conversation)
    conversation.answer("I have seen some.")
    conversation.user("现在请再查一次,谢谢。")
    conversation.turn([("find", {"q": "y"})], LINES)
    conversation.world.now += 100_000
    conversation.world._pack = PACK.replace("1000", "800")
    conversation.world.restart()
    sent = contents(messages(conversation.begin("ok").run()))
    assert sent[0] == first
    assert "cursor=" in sent[1]


def test_a_form_that_is_gone_is_made_again() -> None:
    conversation = talk(ROWS)
    first = shown(conversation)
    conversation.world.store = {key: value for key, value in conversation.world.store.items() if key[:2] != "f:"}
    assert shown(conversation) == first


# ---------------------------------------------------------------- read_more in the tools


def test_it_joins_the_tools_when_it_is_needed_and_stays_the_same() -> None:
    conversation = Conversation(PACK, FIND, LOOK)
    assert conversation.begin("ok").run().asks[0]["tools"] == [FIND, LOOK]
    seen = []
    for result in (ROWS, "found", LINES):
        conversation.step([("find", {"q": result[:5]})], result)
        seen.append(conversation.begin("ok").run().asks[0]["tools"])
    assert seen[0][:2] == [FIND, LOOK]
    assert seen[0][2]["function"]["name"] == "read_more"
    assert seen[0] == seen[1] == seen[2]


def test_it_can_be_offered_from_the_first_ask() -> None:
    pack = PACK.replace("2000", "2000, offer: always")
    asked = Conversation(pack, FIND).begin("ok").run().asks[0]
    assert [one["function"]["name"] for one in asked["tools"]] == ["find", "read_more"]
    assert "tools" not in Conversation(pack).begin("ok").run().asks[0]


@pytest.mark.parametrize("more", [{"tool_choice": "none"}, {"n": 2}, {}])
def test_where_it_cannot_be_called_nothing_is_promised(more: dict[str, Any]) -> None:
    conversation = talk(ROWS)
    promised = shown(conversation)
    other = Conversation(conversation.world, *([FIND] if more else []), **more)
    other.messages = conversation.messages
    asked = other.begin("ok").run().asks[0]
    assert [one["function"]["name"] for one in asked.get("tools", [])] == (["find"] if more else [])
    cut = json.loads(contents(asked["messages"])[-1])
    assert cut["truncated"] is True
    assert "cursor" not in cut
    assert "read_more" not in cut["note"]
    assert shown(conversation) == promised, "and that is not the form for asks in which it can be called"


def test_a_tool_of_the_agents_with_this_name_is_the_agents() -> None:
    own = tool("read_more", {"page": {"type": "integer"}})
    conversation = talk(ROWS, PACK, FIND, own)
    played = conversation.begin([("read_more", {"page": 2})]).run()
    assert calls(played) == [("read_more", {"page": 2})]
    assert played.asks[0]["tools"][-1]["function"]["name"] == "handrail_read_more"
    assert json.loads(parts(conversation)[-1])["rows"][-1]["id"] == 199


# ---------------------------------------------------------------- reading on


ROW = st.dictionaries(
    st.sampled_from(["id", "name", "text"]), st.integers() | st.text("abc é界👍", max_size=60), min_size=1
)


@given(st.lists(ROW, min_size=60, max_size=90))
@settings(max_examples=15)
def test_rows_read_on_are_all_the_rows(rows: list[dict[str, Any]]) -> None:
    read = [json.loads(part) for part in parts(talk(json.dumps([{"n": "padding", **row} for row in rows])))]
    assert [{**row, "n": "padding"} for part in read for row in part["rows"]] == [
        {"n": "padding", **row} for row in rows
    ]


def test_text_read_on_is_the_whole_text() -> None:
    read = "\n".join(re.sub(r"\n?\[This is [^\n]*\]", "", part) for part in parts(talk(LINES)))
    assert read == LINES


def test_pages_are_hidden_and_stay_in_the_conversation() -> None:
    conversation = talk(LINES)
    played = conversation.ask(reading_on, reading_on, [("look", {})])
    assert calls(played) == [("look", {})]
    assert played.json["usage"]["handrail"]["hidden_prompt_tokens"] == 100
    before = messages(played)
    conversation.world.restart()
    conversation.results("a cat")
    later = messages(conversation.begin("ok").run())
    assert later[: len(before)] == before
    assert [one["role"] for one in later[len(before) :]] == ["assistant", "tool"]


def test_it_is_served_beside_calls_of_the_agents() -> None:
    conversation = talk(LINES)
    played = conversation.ask(lambda sent: [*reading(sent), ("look", {})])
    assert calls(played) == [("look", {})]
    conversation.results("a cat")
    later = contents(messages(conversation.begin("ok").run()))
    assert "line 7" in later[0]
    assert "This is a part: lines" in later[1]
    assert later[1] != later[0]
    assert later[2] == "a cat"


def test_on_a_stream_nothing_of_it_is_seen() -> None:
    conversation = talk(LINES, stream=True)

    def streamed(sent: Any) -> Answer:
        ((name, arguments),) = reading(sent)
        call = {"id": "call_rd1x", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        head = chunk({"role": "assistant", "content": "Let me read."})
        return Answer.sse(head, chunk({"tool_calls": [{"index": 0, **call}]}), chunk({}, "tool_calls"))

    last = Answer.sse(chunk({"role": "assistant", "content": "It is long."}), chunk({}, "stop"))
    played = conversation.begin(streamed, last).run()
    assert b"read_more" not in played.body
    assert played.body.count(b"[DONE]") == 1
    assert b"It is long." in played.body


@pytest.mark.parametrize("api", [*APIS, CHAINED], ids=lambda api: api.name)
def test_it_is_served_on_each_api_and_after_a_restart(api: Api) -> None:
    world, search = World(PACK), ApiTool("search", {"q": {"type": "string"}})
    called = Said("", (Call("call_1xyz", "search", {"q": "x"}),))
    first = world.play(api.ask([User("Search it.")], [search]), [Answer([api.answer(called)])], path=api.path)
    previous = {"previous": api.read_answer(first.body).id} if api.chained else {}
    body = api.ask([User("Search it."), called, Results({"call_1xyz": LINES})], [search], **previous)

    def script() -> Iterator[Answer]:
        asked = api.read_ask(running.played.sent[-1])
        cursor = re.findall(r'cursor="([\w-]+)"', asked.results["call_1xyz"])[-1]
        world.restart()
        yield Answer([api.answer(Said("", (Call("call_2xyz", "read_more", {"cursor": cursor}),)), 2)])
        yield Answer([api.answer(Said("ok"), 3)])

    running = world.begin(body, script(), path=api.path)
    assert api.read_answer(running.run().body).said.text == "ok"
    assert "This is a part: lines" in api.read_ask(running.played.sent[-1]).results["call_2xyz"]


# ---------------------------------------------------------------- cursors


def test_a_cursor_of_another_run_or_caller_is_refused() -> None:
    world = World(PACK)
    conversation, other = talk(LINES), talk(LINES)
    conversation.world = other.world = world
    (cursor,) = re.findall(r'cursor="([\w-]+)"', shown(conversation))
    shown(other)
    for who, more in ((other, {}), (conversation, {"credential": "c2"})):
        played = who.begin([("read_more", {"cursor": cursor})], "ok", **more).run()
        told = json.loads(contents(messages(played))[-1])
        assert (told["code"], told["retry"]) == ("UNKNOWN_CURSOR", "with_changes")


@pytest.mark.parametrize("args", [{}, {"cursor": 5}, {"cursor": "abc"}, "not JSON", {"cursor": "A" * 500}])
def test_a_made_up_cursor_is_refused(args: Any) -> None:
    played = talk(LINES).begin([("read_more", args)], "ok").run()
    assert json.loads(contents(messages(played))[-1])["code"] == "UNKNOWN_CURSOR"


def test_an_original_that_the_agent_dropped_is_gone() -> None:
    conversation = talk(LINES)
    given_id = {"headers": (("x-run-id", "mine"),)}
    (cursor,) = re.findall(r'cursor="([\w-]+)"', contents(messages(conversation.begin("ok", **given_id).run()))[-1])
    conversation.messages[-1]["content"] = "[old result cleared]"
    conversation.step([("find", {"q": "y"})], ROWS)
    played = conversation.begin([("read_more", {"cursor": cursor})], "ok", **given_id).run()
    assert json.loads(contents(messages(played))[-1])["code"] == "RESULT_GONE"


def test_a_model_that_never_stops_reading_is_stopped() -> None:
    conversation = talk(LINES * 20)
    played = conversation.begin(*itertools.repeat(reading_on, 12)).run()
    assert len(played.sent) == 12
    assert "may be incomplete" in text(played)


def test_observing_tells_what_would_be_cut() -> None:
    conversation = talk(LINES, "mode: observe\n" + PACK)
    played = conversation.begin(said("ok")).run()
    assert played.sent == [json.dumps(conversation.body).encode()]
    assert played.notes("observed")[0]["detail"]["bytes"] == len(LINES)


def test_observing_cuts_each_result_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    cut = late.cut

    def counting(text: str, *args: Any, **more: Any) -> Any:
        if more["cursor"] is not None:
            made.append(text)
        return cut(text, *args, **more)

    monkeypatch.setattr(late, "cut", counting)
    conversation = talk(LINES, "mode: observe\n" + PACK)
    for q in "yz":
        conversation.turn([("find", {"q": q})], LINES + q)
    played = conversation.ask("ok")
    assert made == [LINES, LINES + "y", LINES + "z"]
    (kept,) = (note["detail"]["kept"] for note in played.notes("observed") if "kept" in note["detail"])
    assert kept == [one["tool_call_id"] for one in conversation.messages if one["role"] == "tool"][:2]


@pytest.mark.parametrize("before", ["mode: observe\n", ""])
def test_a_pack_that_enforces_after_a_reload_freezes_what_it_cuts(before: str) -> None:
    conversation = talk(LINES, before + PACK)
    conversation.turn([("find", {"q": "y"})], "short")
    conversation.world.reload(PACK.replace("1000", "1001"))
    sent = [contents(messages(conversation.turn([("find", {"q": q})], "short")))[0] for q in "ab"]
    assert sent[0] == sent[1] != LINES
    assert [key for key in conversation.world.store if key.startswith("f:")]
    conversation.world.restart()
    assert contents(messages(conversation.ask("ok")))[0] == sent[0]
