"""What must hold for an agent on any official SDK, whichever way it asks: played through a real process.

Each scenario is a conversation of an agent with a scripted model; `SCENARIOS` lists them for the tests of both SDKs.
"""

import json
from collections.abc import Awaitable, Callable

from tests.apis import Asked, Call, Said, Tool
from tests.scripted import Model
from tests.sdk_agents import Agent

PACK = """\
extends: default
policies:
  truncate_results: {bytes: 2000, text_bytes: 2000}
tools:
  send_email: {side_effect: true}
"""
BOOK = Tool("book_room", {"room": {"type": "integer"}, "day": {"type": "string", "format": "date"}}, ["room"])
MAIL = Tool("send_email", {"to": {"type": "string"}, "body": {"type": "string"}}, ["to", "body"])
ORDERS = Tool("list_orders", {"status": {"type": "string", "enum": ["open", "closed"]}})
TOOLS = (BOOK, MAIL, ORDERS)

Scenario = Callable[[Agent, Model], Awaitable[None]]

_HELLO = {"to": "ann@example.com", "body": "Hello Ann"}
_HELLO_AGAIN = {"body": "Hello Ann", "to": "ann@example.com"}


def _calls(*calls: tuple[str, str, object], text: str = "", finish: str = "") -> Said:
    return Said(text, tuple(Call(f"call_{key}", tool, args) for key, tool, args in calls), finish)


async def invalid_arguments_are_repaired(agent: Agent, model: Model) -> None:
    said = _calls(("Ra1b2c3", "book_room", {"room": "42", "day": "5 March 2024"}), text="I book it.", finish="stop")
    model.says(said, Said("Booked."))
    agent.say("Book room 42 for the fifth of March 2024.")
    seen = await agent.ask()
    assert seen.calls == [("book_room", {"room": 42, "day": "2024-03-05"})]
    assert seen.said.finish == "tool_calls"
    assert seen.said.text == "I book it."
    agent.give({seen.ids[0]: "booked"})
    assert (await agent.ask()).said.text == "Booked."
    assert model.asked[1].results == {"call_Ra1b2c3": "booked"}


async def what_cannot_be_repaired_is_asked_again(agent: Agent, model: Model) -> None:
    model.says(
        _calls(("Aa1b2c3", "book_room", {"room": "the blue one"}), text="Let me see."),
        _calls(("Ba1b2c3", "book_room", {"room": 7}), text="Let me see."),
        Said("Booked."),
    )
    agent.say("Book the blue room.")
    seen = await agent.ask()
    assert seen.calls == [("book_room", {"room": 7})]
    assert seen.said.text == "Let me see."
    told = json.loads(model.asked[1].results["call_Aa1b2c3"])
    assert told["problems"][0]["path"] == "/room"
    agent.give({seen.ids[0]: "booked"})
    await agent.ask()
    assert list(model.asked[2].results) == ["call_Ba1b2c3"], "a correction leaves no trace"


async def a_misspelt_tool_is_the_one_that_is_meant(agent: Agent, model: Model) -> None:
    model.says(_calls(("Ma1b2c3", "bookroom", {"room": 1})))
    agent.say("Book room 1.")
    assert (await agent.ask()).calls == [("book_room", {"room": 1})]


async def an_unknown_tool_is_asked_again(agent: Agent, model: Model) -> None:
    model.says(_calls(("Ua1b2c3", "teleport", {"where": "home"})), Said("I cannot do that."))
    agent.say("Take me home.")
    seen = await agent.ask()
    assert (seen.calls, seen.said.text) == ([], "I cannot do that.")
    assert "book_room" in model.asked[1].results["call_Ua1b2c3"]


async def a_long_result_is_read_on(agent: Agent, model: Model) -> None:
    rows = [{"id": number, "status": "open", "customer": f"Customer {number}"} for number in range(200)]

    def read_on(asked: Asked) -> Said:
        cut = json.loads(asked.results["call_La1b2c3"])
        assert (cut["truncated"], cut["total_rows"]) == (True, 200)
        assert "read_more" in asked.tools
        return _calls(("Pa1b2c3", "read_more", {"cursor": cut["cursor"]}), text="One moment. ")

    model.says(_calls(("La1b2c3", "list_orders", {})), read_on, Said("There are 200 orders."), Said("Gladly."))
    agent.say("How many orders are there?")
    seen = await agent.ask()
    agent.give({seen.ids[0]: json.dumps(rows)})
    seen = await agent.ask()
    assert seen.calls == []
    assert seen.said.text.endswith("There are 200 orders.")
    page = model.asked[2].results["call_Pa1b2c3"]
    assert '"Customer 0"' not in page, "it goes on where the first part ended"
    assert len(page) <= 4000
    agent.say("Thank you.")
    assert (await agent.ask()).said.text == "Gladly."
    if not agent.chained:
        assert model.asked[3].results["call_Pa1b2c3"] == page, "the hidden page stands where it stood"


async def the_third_equal_call_ends_the_run(agent: Agent, model: Model) -> None:
    def summed_up(asked: Asked) -> Said:
        assert asked.choice == "none"
        assert asked.tools
        return Said("Nothing has changed so far.")

    model.says(*(_calls((f"{key}a1b2c3", "list_orders", {"status": "open"})) for key in "TUV"), summed_up)
    agent.say("Wait until there is an order.")
    for _ in range(2):
        seen = await agent.ask()
        agent.give({seen.ids[0]: "[]"})
    seen = await agent.ask()
    assert (seen.calls, seen.said.text, seen.said.finish) == ([], "Nothing has changed so far.", "stop")
    assert agent.chained or "same call" in model.asked[2].text, "a nudge comes before the stop"


async def an_email_is_sent_once(agent: Agent, model: Model) -> None:
    model.says(
        _calls(("Ea1b2c3", "send_email", _HELLO)), _calls(("Fa1b2c3", "send_email", _HELLO_AGAIN)), Said("Sent it.")
    )
    agent.say("Write to Ann.")
    seen = await agent.ask()
    assert seen.calls == [("send_email", _HELLO)]
    agent.give({seen.ids[0]: '{"status": "sent", "id": "m-1"}'})
    seen = await agent.ask()
    assert (seen.calls, seen.said.text) == ([], "Sent it.")
    replayed = model.asked[2].results["call_Fa1b2c3"]
    assert "m-1" in replayed


async def two_equal_emails_in_one_turn_are_one(agent: Agent, model: Model) -> None:
    model.says(
        _calls(("Ga1b2c3", "send_email", _HELLO), ("Ha1b2c3", "send_email", _HELLO_AGAIN)),
        Said("Sent it."),
    )
    agent.say("Write to Ann.")
    seen = await agent.ask()
    assert seen.calls == [("send_email", _HELLO)]
    agent.give({seen.ids[0]: "sent"})
    assert (await agent.ask()).said.text == "Sent it."
    assert model.asked[1].results["call_Ga1b2c3"] == "sent"
    assert "call_Ga1b2c3" in model.asked[1].results["call_Ha1b2c3"], "the second is told where its result stands"


async def a_cut_call_is_asked_again(agent: Agent, model: Model) -> None:
    model.says(
        _calls(("Ca1b2c3", "send_email", '{"to": "ann@example.com", "body": "All go'), finish="length"),
        _calls(("Da1b2c3", "send_email", _HELLO)),
    )
    agent.say("Write to Ann.")
    seen = await agent.ask()
    assert seen.calls == [("send_email", _HELLO)]
    assert seen.said.finish == "tool_calls"
    assert "cut" in model.asked[1].results["call_Ca1b2c3"]


async def a_call_that_stays_cut_never_leaves(agent: Agent, model: Model) -> None:
    cut = '{"to": "ann@example.com", "body": "All go'
    model.says(*(_calls((f"{key}a1b2c3", "send_email", cut), finish="length") for key in "KLM"))
    agent.say("Write to Ann.")
    try:
        seen = await agent.ask()
    except agent.on_length:
        return
    assert agent.on_length == ()
    assert seen.calls == []
    assert "send_email" in seen.said.text, "the truth in its place"
    assert seen.said.finish == "length"


SCENARIOS: tuple[Scenario, ...] = (
    invalid_arguments_are_repaired,
    what_cannot_be_repaired_is_asked_again,
    a_misspelt_tool_is_the_one_that_is_meant,
    an_unknown_tool_is_asked_again,
    a_long_result_is_read_on,
    the_third_equal_call_ends_the_run,
    an_email_is_sent_once,
    two_equal_emails_in_one_turn_are_one,
    a_cut_call_is_asked_again,
    a_call_that_stays_cut_never_leaves,
)
