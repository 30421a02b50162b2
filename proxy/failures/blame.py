"""Whose fault a failure is: the model's (its arguments, its code) or the tool's; and what is said in its place where
nothing was said. The same TypeError is a mistake of the model in code that it wrote, and a bug in a tool that books
rooms.

Each step looks at one question and answers with a code or passes.
"""

import re
from dataclasses import dataclass

from proxy.failures.call import Call
from proxy.failures.story import Link, Story
from proxy.failures.wordsets import wordset

_OPERANDS = re.compile(
    r"unsupported operand|not supported between instances|can only concatenate|must be str, not"
    r"|can't multiply sequence|not str\b|not int\b"
)
_INNER_CLASSES = wordset(
    """
    TypeError AttributeError NameError IndexError UnboundLocalError AssertionError
    NotImplementedError RuntimeError SystemError StopIteration ImportError RecursionError
    MemoryError Exception
    """
)
_TEXT_ARGUMENTS = re.compile(
    r"json|text|data|payload|body|content|input|document|string|config|spec|path|file", re.IGNORECASE
)
_INTERNAL = wordset("NULL_REFERENCE RECURSION_LIMIT ASSERTION_FAILED NAME_ERROR")
"""What only code can do wrong."""
_BY_TYPE_ERROR = wordset(
    """
    INVALID_TYPE INVALID_VALUE INVALID_NUMBER VALIDATION_FAILED UNKNOWN_COMMAND UNKNOWN_FIELD NOT_FOUND UNKNOWN_ERROR
    """
)
_YIELDING = wordset(
    """
    UNKNOWN_ERROR INVALID_VALUE VALUE_OUT_OF_RANGE VALIDATION_FAILED CONFLICT COMMAND_FAILED LOCKED UNKNOWN_COMMAND
    """
)
"""Codes that a tool of business means as a refusal, where the words are plain."""
_VALUE_CLASSES = wordset(
    """
    ValueError ArgumentError ArgumentException IllegalArgumentException InvalidArgument ValidationError RangeError
    BadRequest UserError ParamError
    """
)
_BUG_CLASSES = _INNER_CLASSES | wordset("ZeroDivisionError") - wordset("Exception")
_TECHNICAL = re.compile(
    r"\b(?:arguments?|parameters?|params?|fields?|types?|format|json|xml|string|strings|integer"
    r"|int|float|numeric|boolean|null|none|undefined|nan|schema|payload|request|body|header|url"
    r"|http\w*|api|server|database|sql|column|table|index|key|file|path|module"
    r"|function|method|class|object|attribute|property|instance|exception|traceback|internal"
    r"|unexpected|unknown error|syntax|parse|parsing|decode|encode|thread|process|memory|socket"
    r"|timeout|valid|validation|regex|pattern|iso|utc|utf|uuid|positive|negative|digits?"
    r"|characters?|dates?|empty|blank|something|error|occurred|failed|failure|tool|operation"
    r"|call)\b|_|[{}\[\]<>=]|操作|参数|字段|格式|类型|系统|服务|接口|数据库|整数|正数|数字|异常|未知|有误|合法"
    r"|无效",
    re.IGNORECASE,
)
_INSTALLS = re.compile(r"\S+ (?:-m pip )?(?:install|add|get|require|i|-S)\b")
_INVALID = re.compile(r"\b(?:invalid|unknown|bad|illegal|unsupported) (\w+)", re.IGNORECASE)
_POSITIONS = re.compile(r"ind|pos|page|row|col|num|slide|sheet|line|offset|axis|dim|^[nik]$")
_COLUMNS = re.compile(
    r"(?:.*_)?(?:by|on|columns?|cols?|fields?|sort|order_by|group_by|keys?|select|metrics?|dimensions?|features?)",
    re.IGNORECASE,
)
_QUERIES = re.compile(r"sql|query|cypher|cql|expr|formula|code|script|statement|filter", re.IGNORECASE)
_RESOURCE = re.compile(r"NotFound(?:Exception|Error)?\b|\barn:")
_SPLIT_TEXTS = re.compile(r"line|text|csv|row|data|record|input|string")
_ABOUT_ARGUMENTS = re.compile(r"argument|tool call|\binput\b|param", re.IGNORECASE)
_PARSED_ARGUMENTS = re.compile(r"(?:decod|pars|json).*argument|argument.*(?:decod|pars|json)", re.IGNORECASE)
_NO_REASON = re.compile(
    r"\b(?:unexpected|unknown|internal|unhandled|something|occurred|system|failed|failure|crash\w*"
    r"|raised|threw|exception|executing|execution|running)\b|操作|执行|系统|未知|失败",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"['\"`]([^'\"`\n]{1,80})['\"`]")


@dataclass(frozen=True, slots=True)
class _Case:
    code: str | None
    """What was said; None: nothing."""
    link: Link
    story: Story
    call: Call
    said: tuple[str, ...]
    """Words of the wrappers."""

    @property
    def own_code(self) -> bool:
        return self.call.kind in ("code", "shell")

    @property
    def quoted(self) -> list[str]:
        return _QUOTED.findall(self.link.message[:2000])[:6]

    @property
    def quotes_own(self) -> bool:
        """Whether the message quotes a value that the call sent."""
        return any(self.call.argument_of(word) for word in self.quoted)


def placed(code: str | None, story: Story, call: Call, said: tuple[str, ...] = ()) -> str:
    """`code` seen in the light of the call; a default where nothing was said."""
    case = _Case(code, story.links[0] if story.links else Link("", ""), story, call, said)
    for step in (_business, _argument, _input, _unsaid, _own, _text, _missed, _internal, _type_error, _json, _tests):
        if found := step(case):
            return found
    return code or "UNKNOWN_ERROR"


def _business(case: _Case) -> str | None:
    """Plain words of a tool of business: a rule refuses."""
    inner = case.link.short in _INNER_CLASSES - wordset("RuntimeError Exception")
    if (case.code or "UNKNOWN_ERROR") in _YIELDING and case.call.commercial and not inner:
        return "BUSINESS_RULE" if _plain(case.link.message) else None
    return None


def _plain(message: str) -> bool:
    """A sentence without a technical word."""
    head = message[:400]
    return bool(re.search(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}|[一-鿿]{4}", head)) and not _TECHNICAL.search(head)


def _argument(case: _Case) -> str | None:
    """`invalid state: 'opened'`, where `state` is an argument: its value, not the state of a thing."""
    found = _INVALID.search(case.link.message[:200]) if case.code == "CONFLICT" else None
    return "INVALID_VALUE" if found and found.group(1).lower() in case.call.arguments and case.quotes_own else None


def _input(case: _Case) -> str | None:
    """A sentence of its own, in words that no list knows, is a complaint about the input; "it failed" is none."""
    if (case.code or "UNKNOWN_ERROR") != "UNKNOWN_ERROR" or case.own_code or not case.call.arguments:
        return None
    if case.story.traced and case.story.runtime != "python":
        return None
    if case.link.short in _INNER_CLASSES or len(case.link.message.split()) < 2:
        return None
    return None if _NO_REASON.search(case.link.message) else "INVALID_VALUE"


def _unsaid(case: _Case) -> str | None:
    """The default of a class whose message says nothing known."""
    if case.code is not None:
        return None
    name = case.link.short
    if name in _VALUE_CLASSES:
        return "INVALID_VALUE"
    if case.own_code:
        return "CODE_ERROR" if case.story.traced or name else "UNKNOWN_ERROR"
    return "TOOL_BUG" if name in _BUG_CLASSES else "UNKNOWN_ERROR"


def _own(case: _Case) -> str | None:
    """In code that the model wrote every fault is its own to mend; a package that it wants to install is none."""
    if not case.own_code or case.code is None:
        return None
    if case.code == "MISSING_DEPENDENCY" and any(_INSTALLS.match(command) for command in case.call.commands):
        return "NOT_FOUND"
    return {"TOOL_BUG": "CODE_ERROR", "DIVISION_BY_ZERO": "CODE_ERROR"}.get(case.code, case.code)


def _text(case: _Case) -> str | None:
    """A text of the model that did not come apart as expected."""
    if case.code == "TOOL_BUG" and "unpack" in case.link.message:
        return "INVALID_FORMAT" if any(_SPLIT_TEXTS.search(name) for name, _ in case.call.values) else None
    return None


def _missed(case: _Case) -> str | None:
    """What was not found: a field, where the argument names fields; no part of a query, where there is no query."""
    if case.code == "NOT_FOUND" and case.quoted:
        return "UNKNOWN_FIELD" if _COLUMNS.fullmatch(case.call.argument_of(case.quoted[0])) else None
    if case.code in ("UNKNOWN_TABLE", "UNKNOWN_FUNCTION") and _RESOURCE.search(f"{case.link.name} {case.link.message}"):
        return None if any(_QUERIES.search(name) for name, _ in case.call.values) else "NOT_FOUND"
    return None


def _internal(case: _Case) -> str | None:
    """A fault inside the tool, unless what it trips over was sent by the model."""
    code, name = case.code, case.link.short
    if code == "DIVISION_BY_ZERO":
        return code if not name or any(value in ("0", "0.0") for _, value in case.call.values) else "TOOL_BUG"
    if code == "INDEX_OUT_OF_RANGE":
        by_number = any(value.lstrip("-").isdigit() and _POSITIONS.search(key) for key, value in case.call.values)
        return "VALUE_OUT_OF_RANGE" if by_number or name not in ("", "IndexError") else "TOOL_BUG"
    if code == "UNKNOWN_FIELD" and name in ("AttributeError", "KeyError"):
        return code if case.quotes_own else "TOOL_BUG"
    if code in _INTERNAL:
        return code if case.quotes_own and code != "NULL_REFERENCE" else "TOOL_BUG"
    return None


def _type_error(case: _Case) -> str | None:
    """A TypeError is the tool's, unless the model sent a number as text, or what the message quotes."""
    if case.link.short not in ("TypeError", "AttributeError") or case.code not in _BY_TYPE_ERROR:
        return None
    if case.code == "INVALID_TYPE" and _sent_wrong_type(case):
        return "INVALID_TYPE"
    return case.code if case.quotes_own and case.code != "UNKNOWN_ERROR" else "TOOL_BUG"


def _sent_wrong_type(case: _Case) -> bool:
    """Operands of wrong type, and the arguments hold a number as text."""
    if not _OPERANDS.search(case.link.message):
        return False
    return any(
        isinstance(item, str) and re.fullmatch(r"\s*-?[\d.,]+\s*", item) for item in _leaves(case.call.arguments)
    )


def _leaves(value: object) -> list[object]:
    stack = [value]
    leaves: list[object] = []
    while stack and len(leaves) < 200:
        item = stack.pop()
        if isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list | tuple):
            stack += item
        else:
            leaves.append(item)
    return leaves


def _json(case: _Case) -> str | None:
    """JSON that cannot be read: the model's if it sent some, else the answer of a service."""
    if case.code in ("SYNTAX_ERROR", "INVALID_FORMAT", "INVALID_REQUEST"):
        return "INVALID_JSON" if any(_PARSED_ARGUMENTS.search(text) for text in case.said) else None
    if case.code != "INVALID_JSON":
        return None
    asked = any(_ABOUT_ARGUMENTS.search(text) for text in (*case.said, case.link.message))
    return "INVALID_JSON" if asked or case.quotes_own or _sent_json(case.call) else "INVALID_RESPONSE"


def _sent_json(call: Call) -> bool:
    """Whether the JSON that cannot be read is the model's: a text argument that looks like data, or a file it named."""
    for name, value in call.values:
        holds = _TEXT_ARGUMENTS.search(name) and not value.startswith(("/v", "http"))
        if value.lstrip().startswith(("{", "[")):
            return True
        if holds and (re.search(r"[{\[\"]|\.json", value) or not value.startswith("/")):
            return True
    return not call.arguments or "" in call.arguments


def _tests(case: _Case) -> str | None:
    """Tests fail where tests are run; elsewhere a check of the data failed."""
    return "INVALID_VALUE" if case.code == "TESTS_FAILED" else None
