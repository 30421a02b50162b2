"""Scenarios of policies that change what the model reads: explain_errors, truncate_results, fold_history, pin_task,
constrain_tools.
"""

import json

from tests.apis import APIS, CHAINED, Asked, Results, Said, System, Tool, Turn, User
from tests.scenario import Exchange, Reads, Refused, Scenario, Sees, call, name, says

QUERY = Tool("query_orders", {"status": {"type": "string", "enum": ["open", "closed"]}, "since": {"type": "string"}})
FILE = Tool("read_file", {"path": {"type": "string"}}, ["path"])
TASK = User("How many orders are open?")
_ASKED = Exchange((TASK,), (says(call("A", "query_orders", {})),), Sees((("query_orders", {}),)))


def _answered(result: str) -> tuple[Turn, ...]:
    return TASK, says(call("A", "query_orders", {})), Results({name("A"): result})


# ---------------------------------------------------------------- explain_errors

EXPLAIN = "policies:\n  explain_errors: {}\n"
_CRASH = """Traceback (most recent call last):
  File "/srv/app/orders.py", line 12, in query
    rows = connection.execute(sql)
TimeoutError: the database did not answer within 30 s"""
_LOG = json.dumps(
    [{"at": "12:01", "line": "Traceback (most recent call last): TimeoutError"}, {"at": "12:02", "line": "ok"}]
)


def _explained(asked: Asked) -> bool:
    """One structured error that says what to do."""
    error = json.loads(asked.results[name("A")])
    told = {"status", "code", "type", "message", "retryable", "retry", "suggested_action"}
    return told <= error.keys() and (error["status"], error["type"]) == ("error", "timeout")


ERRORS = (
    Scenario(
        "explain_errors",
        "a failure becomes a structured error",
        EXPLAIN,
        (QUERY, FILE),
        (
            _ASKED,
            Exchange(
                _answered(_CRASH),
                (says(text="It timed out."),),
                Sees(text="It timed out."),
                {1: Reads({name("A"): ("30 s",)}, unsaid=("/srv/app",), check=_explained)},
            ),
        ),
    ),
    Scenario(
        "explain_errors",
        "data that quotes errors stays as it is",
        EXPLAIN,
        (QUERY, FILE),
        (_ASKED, Exchange(_answered(_LOG), (says(text="One."),), Sees(text="One."), {1: Reads(untouched=True)})),
        quiet=True,
    ),
)

# ---------------------------------------------------------------- truncate_results

CUT = "policies:\n  truncate_results: {bytes: 1000, text_bytes: 2000}\n"
_ROWS = json.dumps([{"id": number, "status": "open", "customer": f"Customer {number}"} for number in range(100)])
_MANY = _answered(_ROWS)


def _is_cut(asked: Asked) -> bool:
    """Still JSON, and it says how to read on."""
    cut = json.loads(asked.results[name("A")])
    return cut["truncated"] is True and cut["total_rows"] == 100 and bool(cut["cursor"])


def _reads_on(asked: Asked) -> Said:
    cursor = json.loads(asked.results[name("A")])["cursor"]
    return says(call("P", "read_more", {"cursor": cursor}))


def _reads_on_beside(asked: Asked) -> Said:
    return says(*_reads_on(asked).calls, call("F", "read_file", {"path": "a.txt"}))


def _cut(title: str, *exchanges: Exchange, **more: object) -> Scenario:
    return Scenario("truncate_results", title, CUT, (QUERY, FILE), exchanges, **more)  # type: ignore[arg-type]


_OFFERED = ("query_orders", "read_file", "read_more")
_PAGE = ('"truncated"', "Customer 2")

CUTS = (
    _cut(
        "a long result is cut and stays JSON",
        _ASKED,
        Exchange(
            _MANY,
            (says(text="100."),),
            Sees(text="100."),
            {1: Reads(tools=_OFFERED, unsaid=("Customer 99",), check=_is_cut)},
        ),
    ),
    _cut(
        "the model reads on, unseen, and the page stays where it stood",
        _ASKED,
        Exchange(
            _MANY,
            (_reads_on, says(text="100.")),
            Sees(text="100."),
            {2: Reads({name("P"): _PAGE}, calls=(name("A"), name("P")), tools=_OFFERED)},
        ),
        Exchange(
            (*_MANY, says(text="100."), User("And closed?")),
            (says(text="None."),),
            Sees(text="None."),
            {1: Reads({name("P"): _PAGE}, calls=(name("A"), name("P")), tools=_OFFERED)},
        ),
        apis=APIS,
    ),
    _cut(
        "the model reads on, unseen, at the provider",
        _ASKED,
        Exchange(
            _MANY, (_reads_on, says(text="100.")), Sees(text="100."), {2: Reads({name("P"): _PAGE}, tools=_OFFERED)}
        ),
        apis=(CHAINED,),
    ),
    _cut(
        "a page beside a real call leaves no call unanswered",
        _ASKED,
        Exchange(_MANY, (_reads_on_beside,), Sees((("read_file", {"path": "a.txt"}),))),
        Exchange(
            (*_MANY, says(call("F", "read_file", {"path": "a.txt"})), Results({name("F"): "text"})),
            (says(text="Done."),),
            Sees(text="Done."),
            {1: Reads({name("P"): _PAGE, name("F"): ("text",)}, tools=_OFFERED)},
        ),
    ),
    _cut(
        "where nothing may be called nothing is promised",
        _ASKED,
        Exchange(
            _MANY,
            (says(text="Many."),),
            Sees(text="Many."),
            {1: Reads(tools=_OFFERED[:2], unsaid=("read_more", "Customer 99"), choice="none")},
            {"choice": "none"},
        ),
    ),
)

# ---------------------------------------------------------------- fold_history, pin_task


def _steps(count: int) -> tuple[Turn, ...]:
    """A long history: each step has its own call and result."""
    steps: list[Turn] = []
    for number in range(count):
        made = call(f"S{number}", "read_file", {"path": f"file-{number}.txt"})
        steps += [says(made), Results({made.id: f"The order number is ORD-{number}00."})]
    return tuple(steps)


_LONG = (System("You work for a shop. Never spend over 50 EUR."), TASK, *_steps(8))
FOLDS = (
    Scenario(
        "fold_history",
        "old steps become one line each",
        "policies:\n  fold_history: {keep_steps: 4, batch: 3}\n",
        (QUERY, FILE),
        (
            Exchange(
                _LONG,
                (says(text="Eight."),),
                Sees(text="Eight."),
                {1: Reads(says=("ORD-000", "ORD-200", TASK.text), calls=tuple(name(f"S{at}") for at in range(3, 8)))},
            ),
        ),
        apis=APIS,
    ),
    Scenario(
        "fold_history",
        "a short history stays",
        "policies:\n  fold_history: {keep_steps: 4, batch: 3}\n",
        (QUERY, FILE),
        (Exchange(_LONG[:-4], (says(text="Six."),), Sees(text="Six."), {1: Reads(untouched=True)}),),
        apis=APIS,
        quiet=True,
    ),
    Scenario(
        "pin_task",
        "task and constraints are said again at the end",
        "policies:\n  pin_task: {after_step: 2}\n",
        (QUERY, FILE),
        (
            Exchange(
                _LONG,
                (says(text="Eight."),),
                Sees(text="Eight."),
                {1: Reads(tail=(TASK.text, "Never spend over 50 EUR"))},
            ),
        ),
        apis=APIS,
    ),
    Scenario(
        "pin_task",
        "not before its step",
        "policies:\n  pin_task: {after_step: 2}\n",
        (QUERY, FILE),
        (Exchange(_LONG[:6], (says(text="Two."),), Sees(text="Two."), {1: Reads(untouched=True)}),),
        apis=APIS,
        quiet=True,
    ),
)


def _kept_by_the_provider(count: int) -> tuple[Exchange, ...]:
    """The same history step by step; the provider keeps it, so there is nothing to fold and nowhere to pin."""
    turns = (TASK, *_steps(count))
    steps = []
    for at in range(1, len(turns), 2):
        said = turns[at]
        assert isinstance(said, Said)
        steps.append(
            Exchange(
                turns[:at], (said,), Sees(tuple((one.tool, one.args) for one in said.calls)), {1: Reads(untouched=True)}
            )
        )
    return tuple(steps)


ASIDE = tuple(
    Scenario(
        policy,
        "stands aside where the provider keeps the history",
        pack,
        (QUERY, FILE),
        _kept_by_the_provider(8),
        (CHAINED,),
        quiet=True,
    )
    for policy, pack in (
        ("fold_history", "policies:\n  fold_history: {keep_steps: 4, batch: 3}\n"),
        ("pin_task", "policies:\n  pin_task: {after_step: 2}\n"),
    )
)

# ---------------------------------------------------------------- constrain_tools

_STRICT = "policies:\n  constrain_tools: {}\ntools:\n  query_orders: {strict: true}\n"
_LOOK = User("Look at the open orders.")


def _is_strict(asked: Asked) -> bool:
    tool = asked.tools["query_orders"]
    schema = tool.get("parameters") or tool["input_schema"]
    return tool.get("strict") is True and set(schema["required"]) == {"status", "since"}


def _is_plain(asked: Asked) -> bool:
    return asked.tools["query_orders"].get("strict") is not True


DOTTED = Tool("shop.orders.query", {"status": {"type": "string"}})
CONSTRAINED = (
    Scenario(
        "constrain_tools",
        "strict schemas go up, nulls for what is left out come back as nothing",
        _STRICT,
        (QUERY,),
        (
            Exchange(
                (_LOOK,),
                (says(call("A", "query_orders", {"status": "open", "since": None})),),
                Sees((("query_orders", {"status": "open"}),)),
                {1: Reads(check=_is_strict)},
            ),
        ),
    ),
    Scenario(
        "constrain_tools",
        "a provider that refuses is asked once without, and remembered",
        _STRICT,
        (QUERY,),
        (
            Exchange(
                (_LOOK,),
                (Refused(400), says(text="None.")),
                Sees(text="None."),
                {1: Reads(check=_is_strict), 2: Reads(check=_is_plain)},
            ),
            Exchange((_LOOK,), (says(text="None."),), Sees(text="None."), {1: Reads(check=_is_plain)}),
        ),
    ),
    Scenario(
        "constrain_tools",
        "names that providers refuse are mapped and mapped back",
        "policies:\n  constrain_tools: {names: portable}\n",
        (DOTTED,),
        (
            Exchange(
                (_LOOK,),
                (says(call("A", "shop_orders_query", {"status": "open"})),),
                Sees((("shop.orders.query", {"status": "open"}),)),
                {1: Reads(tools=("shop_orders_query",))},
            ),
        ),
    ),
    Scenario(
        "constrain_tools",
        "what the pack knows of an argument is told to the model",
        "policies:\n  constrain_tools: {}\ntools:\n"
        '  query_orders: {parameters: {since: {format: date, example: "2024-03-05"}}}\n',
        (QUERY,),
        (
            Exchange(
                (_LOOK,),
                (says(text="None."),),
                Sees(text="None."),
                {1: Reads(check=lambda asked: "2024-03-05" in json.dumps(asked.tools["query_orders"]))},
            ),
        ),
    ),
)

ASKS = (*ERRORS, *CUTS, *FOLDS, *ASIDE, *CONSTRAINED)
