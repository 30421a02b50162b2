"""Scenarios of gates: runs that are ended, warned, or left alone."""

from tests.apis import APIS, Results, Tool, Turn, User
from tests.scenario import Exchange, Reads, Scenario, Sees, call, says

LOOK = Tool("look", {"where": {"type": "string"}})
FINAL = Tool("final_answer", {"answer": {"type": "string"}}, ["answer"])
TASK = User("Wait for the parcel.")
_DOOR = {"where": "door"}
_AGAIN = {"where": "door"}


def _looks(*results: str, other: bool = False) -> tuple[Exchange, ...]:
    """Exchanges in which the model looks again and again, and what it saw."""
    out = []
    turns: tuple[Turn, ...] = (TASK,)
    for number, result in enumerate(results):
        where = {"where": f"window {number}"} if other else _DOOR
        made = call(f"L{number}", "look", where)
        out.append(Exchange(turns, (says(made),), Sees((("look", where),))))
        turns = (*turns, says(made), Results({made.id: result}))
    return tuple(out)


def _after(*results: str, other: bool = False) -> tuple[Turn, ...]:
    turns: tuple[Turn, ...] = (TASK,)
    for number, result in enumerate(results):
        where = {"where": f"window {number}"} if other else _DOOR
        made = call(f"L{number}", "look", where)
        turns = (*turns, says(made), Results({made.id: result}))
    return turns


def _gates(title: str, limits: str, *exchanges: Exchange, more: str = "", **rest: object) -> Scenario:
    pack = f"policies:\n  gates: {{{limits}}}\n{more}"
    return Scenario("gates", title, pack, (LOOK, FINAL), exchanges, **rest)  # type: ignore[arg-type]


_THIRD = says(call("X", "look", _DOOR))
_SUM = says(text="There was no parcel.")
_TWICE = ("nothing", "nothing")

ENDS = (
    _gates(
        "the third equal call is not made: the model sums up",
        "repeats: 3",
        *_looks(*_TWICE),
        Exchange(
            _after(*_TWICE),
            (_THIRD, _SUM),
            Sees(text="There was no parcel."),
            {2: Reads(choice="none", tools=("look", "final_answer"))},
        ),
    ),
    _gates(
        "a conversation goes on behind a run that was ended",
        "repeats: 3",
        *_looks(*_TWICE),
        Exchange(_after(*_TWICE), (_THIRD, _SUM), Sees(text="There was no parcel.")),
        Exchange(
            (*_after(*_TWICE), _SUM, User("Then ask the neighbour.")),
            (says(text="I have asked."),),
            Sees(text="I have asked."),
            {1: Reads(tail=("Then ask the neighbour.",))},
        ),
    ),
    _gates(
        "a summary that calls again is none: the answer is made of results",
        "repeats: 3",
        *_looks(*_TWICE),
        Exchange(_after(*_TWICE), (_THIRD, _THIRD), Sees(says=("stopped", "nothing"))),
    ),
    _gates(
        "the second equal call is warned of",
        "repeats: 3",
        *_looks(*_TWICE),
        Exchange(
            _after(*_TWICE),
            (says(text="No parcel yet."),),
            Sees(text="No parcel yet."),
            {1: Reads(tail=("same call",))},
        ),
        apis=APIS,
    ),
    _gates(
        "equal calls with other outcomes are no loop",
        "repeats: 3",
        *_looks("nothing", "a cat"),
        Exchange(_after("nothing", "a cat"), (_THIRD,), Sees((("look", _AGAIN),)), {1: Reads(untouched=True)}),
        quiet=True,
    ),
    _gates(
        "a tool that is polled is no loop",
        "repeats: 3",
        *_looks(*_TWICE),
        Exchange(_after(*_TWICE), (_THIRD,), Sees((("look", _AGAIN),)), {1: Reads(untouched=True)}),
        more="tools:\n  look: {polling: true}\n",
        quiet=True,
    ),
    _gates(
        "no step more than the limit",
        "steps: 2",
        *_looks("nothing", "a cat", other=True),
        Exchange(
            _after("nothing", "a cat", other=True),
            (_THIRD, _SUM),
            Sees(text="There was no parcel."),
            {2: Reads(choice="none")},
        ),
    ),
    _gates(
        "a finished answer is never replaced",
        "steps: 2",
        *_looks("nothing", "a cat", other=True),
        Exchange(
            _after("nothing", "a cat", other=True),
            (_SUM,),
            Sees(text="There was no parcel."),
            {1: Reads(untouched=True)},
        ),
        quiet=True,
    ),
    _gates(
        "no second more than the limit",
        "seconds: 60",
        *_looks("nothing"),
        Exchange(_after("nothing"), (_THIRD, _SUM), Sees(text="There was no parcel."), waits=61.0),
    ),
    _gates(
        "no token more than the budget: nobody is asked",
        "tokens: 100",
        Exchange(
            (TASK,), (says(call("L0", "look", _DOOR), text="word " * 30),), Sees((("look", _DOOR),), "word " * 30)
        ),
        Exchange(_after("nothing"), (), Sees(says=("stopped",))),
    ),
    _gates(
        "agents that end through a tool get that call",
        "repeats: 3",
        *(Exchange(one.turns, one.says, one.sees, agent="solo") for one in _looks(*_TWICE)),
        Exchange(
            _after(*_TWICE),
            (_THIRD, _SUM),
            Sees((("final_answer", {"answer": "There was no parcel."}),)),
            agent="solo",
        ),
        more="agents:\n  solo: {end_with: {tool: final_answer, argument: answer}}\n",
    ),
)
