"""Scenarios of policies that judge the model's calls: repair_arguments, rescue_text_calls, run_once, tool_health."""

import json

from tests.apis import APIS, CHAINED, CHAT, MESSAGES, RESPONSES, Asked, Results, Seen, Tool, User
from tests.scenario import Exchange, Reads, Scenario, Sees, call, name, says

BOOK = Tool("book_room", {"room": {"type": "integer"}, "day": {"type": "string", "format": "date"}}, ["room"])
MAIL = Tool("mail", {"to": {"type": "string"}, "body": {"type": "string"}}, ["to"])
FIND = Tool("find", {"text": {"type": "string"}})
TASK = User("Book a room, please.")

REPAIR = "policies:\n  repair_arguments: {max_reasks: 2}\n"
_WRONG, _RIGHT = call("W", "book_room", {"room": "blue"}), call("R", "book_room", {"room": 4})
_HELLO = {"to": "ann@example.com", "body": "Hello"}
_HELLO_AGAIN = {"body": "Hello", "to": "ann@example.com"}


def _repair(title: str, *exchanges: Exchange, pack: str = REPAIR, **more: object) -> Scenario:
    return Scenario("repair_arguments", title, pack, (BOOK, MAIL), exchanges, **more)  # type: ignore[arg-type]


_CUT = call("C", "mail", '{"to": "ann@example.com", "body": "All go')

REPAIRS = (
    _repair(
        "right arguments are untouched",
        Exchange(
            (TASK,),
            (says(_RIGHT, text="Sure."),),
            Sees((("book_room", {"room": 4}),), "Sure."),
            {1: Reads(untouched=True)},
        ),
        quiet=True,
    ),
    _repair(
        "types and dates are repaired",
        Exchange(
            (TASK,),
            (says(call("A", "book_room", {"room": "4", "day": "5 March 2024"}), finish="stop"),),
            Sees((("book_room", {"room": 4, "day": "2024-03-05"}),)),
        ),
    ),
    _repair(
        "broken JSON is repaired",
        Exchange((TASK,), (says(call("A", "book_room", "{'room': 4,}")),), Sees((("book_room", {"room": 4}),))),
        apis=(CHAT, RESPONSES, CHAINED),
    ),
    _repair(
        "broken JSON is repaired, where it can be broken",  # unstreamed, this API has no form for it
        Exchange((TASK,), (says(call("A", "book_room", "{'room': 4,}")),), Sees((("book_room", {"room": 4}),))),
        apis=(MESSAGES,),
        streamed=(True,),
    ),
    _repair(
        "a misspelt tool is the one that is meant",
        Exchange((TASK,), (says(call("A", "bookroom", {"room": 4})),), Sees((("book_room", {"room": 4}),))),
    ),
    _repair(
        "what is not certain is asked again, unseen",
        Exchange(
            (TASK,),
            (says(_WRONG, text="Let me see."), says(_RIGHT, text="Let me see.")),
            Sees((("book_room", {"room": 4}),), "Let me see."),
            {2: Reads({name("W"): ("/room", "integer")}, calls=(name("W"),))},
        ),
        Exchange(
            (TASK, says(_RIGHT, text="Let me see."), Results({name("R"): "booked"})),
            (says(text="Done."),),
            Sees(text="Done."),
            {1: Reads(untouched=True)},
        ),
    ),
    _repair(
        "an unknown tool is asked again",
        Exchange(
            (TASK,),
            (says(call("A", "teleport", {})), says(text="I cannot.")),
            Sees(text="I cannot."),
            {2: Reads({name("A"): ("book_room", "mail")})},
        ),
    ),
    _repair(
        "a right sibling that is repeated leaves once",
        Exchange(
            (TASK,),
            (says(call("A", "mail", {"to": "a@b.c"}), _WRONG), says(call("B", "mail", {"to": "a@b.c"}), _RIGHT)),
            Sees((("mail", {"to": "a@b.c"}), ("book_room", {"room": 4}))),
        ),
    ),
    _repair(
        "a right sibling that is not repeated is not lost",
        Exchange(
            (TASK,),
            (says(call("A", "mail", {"to": "a@b.c"}), _WRONG), says(_RIGHT)),
            Sees((("mail", {"to": "a@b.c"}), ("book_room", {"room": 4}))),
        ),
        apis=(CHAT, MESSAGES),
    ),
    _repair(
        "attempts end: the call passes as it was",
        Exchange((TASK,), (says(_WRONG), says(_WRONG), says(_WRONG)), Sees((("book_room", {"room": "blue"}),))),
    ),
    _repair(
        "attempts end: the truth in its place",
        Exchange((TASK,), (says(_WRONG), says(_WRONG), says(_WRONG)), Sees(says=("book_room",))),
        pack=REPAIR.replace("2}", "2, exhausted: answer}"),
    ),
    _repair(
        "a cut call is asked again",
        Exchange(
            (TASK,),
            (says(_CUT, finish="length"), says(_RIGHT)),
            Sees((("book_room", {"room": 4}),)),
            {2: Reads({name("C"): ("OUTPUT_CUT",)})},
        ),
    ),
    _repair(
        "a call that stays cut never leaves",
        Exchange((TASK,), (says(_CUT, finish="length"),) * 3, Sees(says=("mail",), finish="length")),
    ),
    _repair(
        "a history that providers refuse is mended",
        Exchange(
            (TASK, says(call("A", "book_room", "{not json")), Results({name("A"): "invalid"})),
            (says(text="Sorry."),),
            Sees(text="Sorry."),
            {1: Reads({name("A"): ("invalid",)}, args={name("A"): {}})},
        ),
        apis=(CHAT, RESPONSES),
    ),
)

RESCUE = "policies:\n  rescue_text_calls: {}\n"
_WRITTEN = 'I book it.\n<tool_call>\n{"name": "book_room", "arguments": {"room": 4}}\n</tool_call>'

RESCUES = (
    Scenario(
        "rescue_text_calls",
        "a call in words becomes a call",
        RESCUE,
        (BOOK,),
        (
            Exchange(
                (TASK,),
                (says(text=_WRITTEN),),
                Sees((("book_room", {"room": 4}),), says=("I book it.",), unsaid=("tool_call",)),
            ),
        ),
    ),
    Scenario(
        "rescue_text_calls",
        "what only looks like one stays text",
        RESCUE,
        (BOOK,),
        (Exchange((TASK,), (says(text=_WRITTEN + "\nThat is how it is written."),), Sees(says=(_WRITTEN,))),),
        quiet=True,
    ),
)

ONCE = "policies:\n  run_once: {}\ntools:\n  mail: {side_effect: true}\n"
_SENT = (TASK, says(call("A", "mail", _HELLO)), Results({name("A"): '{"id": "m-1"}'}))
_FIRST = Exchange((TASK,), (says(call("A", "mail", _HELLO)),), Sees((("mail", _HELLO),)))


def _once(title: str, *exchanges: Exchange, pack: str = ONCE, **more: object) -> Scenario:
    return Scenario("run_once", title, pack, (MAIL, FIND), exchanges, **more)  # type: ignore[arg-type]


def _no_key(asked: Asked) -> bool:
    return "idem" not in json.dumps(asked.tools["mail"]) and all("idem" not in str(one.args) for one in asked.calls)


def _has_key(seen: Seen) -> bool:
    args = dict(seen.calls[0][1])
    return str(args.pop("idem")).startswith("hr_") and args == _HELLO


EFFECTS = (
    _once(
        "an equal call is not made twice",
        _FIRST,
        Exchange(
            _SENT,
            (says(call("B", "mail", _HELLO_AGAIN)), says(text="Sent.")),
            Sees(text="Sent."),
            {2: Reads({name("B"): ("m-1", "replayed")})},
        ),
        Exchange(
            (*_SENT, says(text="Sent."), User("Thanks. What was its id?")),
            (says(text="m-1."),),
            Sees(text="m-1."),
            {1: Reads({name("B"): ("m-1", "replayed")}, calls=(name("A"), name("B")))},
        ),
        apis=APIS,
    ),
    _once(
        "an equal call is not made twice, at the provider",
        _FIRST,
        Exchange(
            _SENT,
            (says(call("B", "mail", _HELLO_AGAIN)), says(text="Sent.")),
            Sees(text="Sent."),
            {2: Reads({name("B"): ("m-1", "replayed")})},
        ),
        apis=(CHAINED,),
    ),
    _once(
        "two equal calls in one turn are one",
        Exchange(
            (TASK,), (says(call("A", "mail", _HELLO), call("B", "mail", _HELLO_AGAIN)),), Sees((("mail", _HELLO),))
        ),
        Exchange(
            _SENT,
            (says(text="Sent."),),
            Sees(text="Sent."),
            {1: Reads({name("A"): ("m-1",), name("B"): (name("A"),)})},
        ),
    ),
    _once(
        "a failure may be tried again",
        _FIRST,
        Exchange(
            (*_SENT[:2], Results({name("A"): '{"error": "invalid recipient", "status": 400}'})),
            (says(call("B", "mail", _HELLO)),),
            Sees((("mail", _HELLO),)),
        ),
        quiet=True,
    ),
    _once(
        "an unknown outcome is said to be unknown",
        _FIRST,
        Exchange(
            (*_SENT[:2], Results({name("A"): "Error: request timed out after 30 s"})),
            (says(call("B", "mail", _HELLO)), says(text="I do not know whether it was sent.")),
            Sees(text="I do not know whether it was sent."),
            {2: Reads({name("B"): ("OUTCOME_UNKNOWN",)})},
        ),
    ),
)

_KEYED = Tool("mail", {**MAIL.properties, "idem": {"type": "string"}}, ["to", "idem"])
KEYS = Scenario(
    "run_once",
    "a key for what the tool calls, hidden from the model",
    ONCE.replace("true}", "true, idempotency_key: idem}"),
    (_KEYED,),
    (
        Exchange(
            (TASK,),
            (says(call("A", "mail", _HELLO)),),
            Sees(tools=("mail",), check=_has_key),
            {1: Reads(check=_no_key)},
        ),
        Exchange(
            (TASK, says(call("A", "mail", {**_HELLO, "idem": "hr_1234567890"})), Results({name("A"): "sent"})),
            (says(text="Sent."),),
            Sees(text="Sent."),
            {1: Reads(check=_no_key)},
        ),
    ),
)

HEALTH = "policies:\n  tool_health: {failures: 2, reset_seconds: 30}\n"
_DOWN = "Error: connection refused"
_ASKED = (
    TASK,
    says(call("A", "find", {"text": "a"})),
    Results({name("A"): _DOWN}),
    says(call("B", "find", {"text": "b"})),
    Results({name("B"): _DOWN}),
)


def _health(title: str, last: Exchange, facts: str = "", *tools: Tool) -> Scenario:
    pack = HEALTH + (f"tools:\n  find: {facts}\n" if facts else "")
    first = Exchange(_ASKED[:1], (says(call("A", "find", {"text": "a"})),), Sees((("find", {"text": "a"}),)))
    second = Exchange(_ASKED[:3], (says(call("B", "find", {"text": "b"})),), Sees((("find", {"text": "b"}),)))
    return Scenario("tool_health", title, pack, (FIND, *tools), (first, second, last))


HEALTHS = (
    _health(
        "a tool that is out is not called",
        Exchange(
            _ASKED,
            (says(call("C", "find", {"text": "c"})), says(text="It is out.")),
            Sees(text="It is out."),
            {2: Reads({name("C"): ("TOOL_UNAVAILABLE",)}, tools=("find",))},
        ),
    ),
    _health(
        "the other tool is called in its place",
        Exchange(_ASKED, (says(call("C", "find", {"text": "c"})),), Sees((("search", {"query": "c"}),))),
        "{instead: {tool: search, arguments: {text: query}}}",
        Tool("search", {"query": {"type": "string"}}, ["query"]),
    ),
)

CALLS = (*REPAIRS, *RESCUES, *EFFECTS, KEYS, *HEALTHS)
