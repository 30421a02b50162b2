"""Whose fault it is: the model's (its arguments, its code) or the tool's. The same `KeyError` is a wrong name where
the model sent that name, and a bug of the tool where it did not.

Knows the built-in exceptions of Python, because their texts are no sentences; for the rest it looks at the call.
"""

import re

from proxy.failures.call import Call
from proxy.failures.story import Link, Story
from proxy.failures.wordsets import wordset

_KEY = re.compile(r"^[\"']?(?:Key(?:Error)?:? ?)?(['\"])(?P<key>.{1,200})\1[\"']?$", re.DOTALL)
_KEYLIKE = re.compile(r"^[A-Za-z_][\w.:-]{1,80}$")
_MISSING = re.compile(
    r"(?:^|[\s:(])(?:\w+\.)*(?P<function>\w+)\(\) missing \d+ required (?:positional|keyword-only)" r" arguments?: "
)
_UNEXPECTED = re.compile(
    r"(?:^|[\s:(])(?:\w+\.)*(?P<function>\w+)\(\) got (?:an unexpected|some positional-only"
    r"|multiple values)|(?:^|[\s:(])(?:\w+\.)*(?P<taker>\w+)\(\) takes (?:no|\d+|from \d+)"
)
_OPERANDS = re.compile(
    r"unsupported operand|not supported between instances|can only concatenate|must be str, not"
    r"|can't multiply sequence|not str\b|not int\b"
)
_FIELD_ARGUMENTS = re.compile(
    r"field|column|col|key|attr|property|metric|dimension|measure|sort|order_by|group|select|param"
    r"|option|header|feature|label|axis|expr|sql|query|列|字段",
    re.IGNORECASE,
)
_COLUMN_ARGUMENTS = re.compile(r"column|col\b|cols|列|expr|feature", re.IGNORECASE)
_INTERNAL = wordset(
    """
    NULL_REFERENCE INDEX_OUT_OF_RANGE RECURSION_LIMIT ASSERTION_FAILED NAME_ERROR DIVISION_BY_ZERO
    UNKNOWN_FIELD SYNTAX_ERROR COMPILE_ERROR NOT_IMPLEMENTED
    """
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
_YIELDING = frozenset(
    (
        None,
        "UNKNOWN_ERROR",
        "INVALID_VALUE",
        "VALUE_OUT_OF_RANGE",
        "VALIDATION_FAILED",
        "CONFLICT",
        "COMMAND_FAILED",
        "LOCKED",
        "UNKNOWN_COMMAND",
    )
)
"""Codes that a tool of business means as a refusal, where the words are plain."""
_TECHNICAL = re.compile(
    r"\b(?:arguments?|parameters?|params?|fields?|types?|format|json|xml|string|strings|integer"
    r"|int|float|numeric|boolean|null|none|undefined|nan|schema|payload|request|body|header|url"
    r"|http\w*|api|server|database|sql|column|table|index|key|file|path|module"
    r"|function|method|class|object|attribute|property|instance|exception|traceback|internal"
    r"|unexpected|unknown error|syntax|parse|parsing|decode|encode|thread|process|memory|socket"
    r"|timeout|valid|validation|regex|pattern|iso|utc|utf|uuid|positive|negative|digits?"
    r"|characters?|dates?|empty|blank|something|error|occurred|failed|failure|tool|operation"
    r"|call)\b|_|[{}\[\]<>=]|操作|参数|字段|格式|类型|系统|服务|接口|数据库|异常|未知|有误|合法"
    r"|无效",
    re.IGNORECASE,
)
_CALLERS = wordset("forward run _run _arun call __call__ execute handler invoke func fn wrapper <lambda>")
_PLAIN_COMMAND = re.compile(r"^[\w.+-]{1,40}$")


def of_python(link: Link, call: Call) -> str | None:
    """The meaning of a built-in exception whose message is no sentence."""
    name, message = link.short, link.message.strip()
    first = message.split("\n", 1)[0].strip()
    key = (
        _KEY.match(first if name != "KeyError" or first[:1] in "'\"" else f"'{first}'")
        if name in ("KeyError", "")
        else None
    )
    if (
        key
        and (name == "KeyError" or call.argument_of(key.group("key")))
        and (name or "\n" not in message)
        and " " not in key.group("key").strip()
    ):
        return _key(key.group("key"), call, sure=name == "KeyError")
    if found := _MISSING.search(message[:2000]):
        return "MISSING_ARGUMENT" if _ours(found.group("function"), call) else "TOOL_BUG"
    if found := _UNEXPECTED.search(message[:2000]):
        return "UNKNOWN_ARGUMENT" if _ours(found.group("function") or found.group("taker"), call) else "TOOL_BUG"
    if name in ("TimeoutError", "Timeout", "CancelledError", "timeout") and not message:
        return "CANCELLED" if name == "CancelledError" else "TIMEOUT"
    if name == "MemoryError":
        return "OUT_OF_MEMORY"
    if name == "EOFError" or message == "EOF when reading a line":
        return "NO_INPUT"
    if name == "FileNotFoundError" or re.match(r"^(?:\[Errno 2\] )?No such file or directory", message):
        return _missing_file(message, call)
    return None


def _key(key: str, call: Call, *, sure: bool) -> str | None:
    if key == call.tool:
        return "UNKNOWN_TOOL"
    argument = call.argument_of(key)
    if sure and call.kind in ("code", "shell"):
        return "NOT_FOUND" if re.search(r"\d", key) and not key.islower() else "UNKNOWN_FIELD"
    if not argument:
        return "TOOL_BUG" if sure or _KEYLIKE.match(key) else None
    if re.search(r"zone|^tz", argument, re.IGNORECASE):
        return "UNKNOWN_TIMEZONE"
    if _COLUMN_ARGUMENTS.search(argument):
        return "UNKNOWN_COLUMN"
    return "UNKNOWN_FIELD" if _FIELD_ARGUMENTS.search(argument) else "NOT_FOUND"


def _ours(function: str, call: Call) -> bool:
    """Whether the function that complains is the tool itself, was called by the model's command, or calls tools."""
    low, tool = function.lower(), call.tool.lower()
    return low in tool or tool in low or low in _CALLERS or (call.kind == "shell" and bool(call.argument_of(function)))


def _missing_file(message: str, call: Call) -> str:
    """A bare word that is not found is a program, not a file."""
    found = re.search(r"(?:directory|file)[:,]? ['\"]?([^'\"\n]{1,300}?)['\"]?$", message.partition("\n")[0])
    name = found.group(1) if found else ""
    if name and _PLAIN_COMMAND.match(name) and "." not in name:
        argument = call.argument_of(name)
        if not argument or re.search(r"argv|command|cmd|program|binary|tool|engine", argument, re.IGNORECASE):
            return "COMMAND_NOT_FOUND"
    return "FILE_NOT_FOUND"


def placed(code: str | None, story: Story, call: Call, said: tuple[str, ...] = ()) -> str:
    """`code` seen in the light of the call; a default where nothing was said."""
    own_code = call.kind in ("code", "shell")
    link = story.links[0] if story.links else Link("", "")
    last = link.short
    if (
        code in _YIELDING
        and call.commercial
        and last not in _INNER_CLASSES - {"RuntimeError", "Exception"}
        and _in_plain_words(link.message, call)
    ):
        return "BUSINESS_RULE"
    if (
        code in (None, "UNKNOWN_ERROR")
        and not own_code
        and last not in _INNER_CLASSES
        and call.arguments
        and _complains(link.message)
    ):
        return "INVALID_VALUE"
    if code is None:
        return _by_class(last, own_code=own_code, traced=story.traced)
    if own_code:
        return {"TOOL_BUG": "CODE_ERROR", "DIVISION_BY_ZERO": "CODE_ERROR"}.get(code, code)
    if (
        code == "TOOL_BUG"
        and "unpack" in link.message
        and any(re.search(r"line|text|csv|row|data|record|input|string", name) for name, _ in call.values)
    ):
        return "INVALID_FORMAT"
    if code == "NOT_FOUND" and link.message:
        missed = re.search(r"['\"`]([^'\"`\n]{1,80})['\"`]", link.message)
        argument = call.argument_of(missed.group(1)) if missed else ""
        if re.fullmatch(
            r"(?:.*_)?(?:by|on|columns?|cols?|fields?|sort|order_by|group_by|keys?|select|metrics?"
            r"|dimensions?|features?)",
            argument,
            re.IGNORECASE,
        ):
            return "UNKNOWN_FIELD"
    if code in _INTERNAL:
        return _internal(code, link, call)
    if last in ("TypeError", "AttributeError") and code in (
        "INVALID_TYPE",
        "INVALID_VALUE",
        "INVALID_NUMBER",
        "VALIDATION_FAILED",
        "UNKNOWN_COMMAND",
        "UNKNOWN_FIELD",
        "NOT_FOUND",
        "UNKNOWN_ERROR",
    ):
        return code if code == "INVALID_TYPE" and _sent_wrong_type(link, call) else "TOOL_BUG"
    if code in ("SYNTAX_ERROR", "INVALID_FORMAT", "INVALID_REQUEST") and any(
        re.search(r"(?:decod|pars|json).*argument|argument.*(?:decod|pars|json)", text, re.IGNORECASE) for text in said
    ):
        return "INVALID_JSON"
    if code == "INVALID_JSON":
        asked = any(
            re.search(r"argument|tool call|\binput\b|param", text, re.IGNORECASE) for text in (*said, link.message)
        )
        return code if asked or _sent_json(call) else "INVALID_RESPONSE"
    return code


def _in_plain_words(message: str, call: Call) -> bool:
    """A sentence of the business: no technical word, no argument's name."""
    head = message[:400]
    if not re.search(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}|[一-鿿]{4}", head) or _TECHNICAL.search(head):
        return False
    return not any(
        len(name) > 2 and re.search(rf"(?:^|[\s'\"`]){re.escape(name)}[\s'\"`:]", head) and not name.islower()
        for name, _ in call.values
    )


def _complains(message: str) -> bool:
    """A sentence of its own about the input, in words that no list knows; not just "something failed"."""
    return len(message.split()) >= 3 and not re.search(
        r"\b(?:unexpected|unknown|internal|unhandled|something|occurred|system|failed|failure|crash\w*"
        r"|raised|threw|exception|executing|execution|running)\b|操作|执行|系统|未知|失败",
        message,
        re.IGNORECASE,
    )


def _internal(code: str, link: Link, call: Call) -> str:
    """A fault inside the tool, unless what it trips over was sent by the model."""
    if code == "DIVISION_BY_ZERO":
        return code if any(value in ("0", "0.0") for _, value in call.values) or link.name == "" else "TOOL_BUG"
    if code == "INDEX_OUT_OF_RANGE" and any(
        value.lstrip("-").isdigit() and re.search(r"ind|pos|page|row|col|num|slide|sheet|line|offset|^[nik]$", name)
        for name, value in call.values
    ):
        return "VALUE_OUT_OF_RANGE"
    if code in (
        "UNKNOWN_FIELD",
        "ASSERTION_FAILED",
        "INDEX_OUT_OF_RANGE",
        "SYNTAX_ERROR",
        "COMPILE_ERROR",
        "NAME_ERROR",
        "NOT_IMPLEMENTED",
    ):
        mentioned = any(
            call.argument_of(word) for word in re.findall(r"['\"`]([^'\"`\n]{1,80})['\"`]", link.message)[:6]
        )
        if mentioned or code in ("SYNTAX_ERROR", "COMPILE_ERROR", "NOT_IMPLEMENTED"):
            return code
        return code if code == "UNKNOWN_FIELD" and link.short not in ("AttributeError", "KeyError") else "TOOL_BUG"
    return "TOOL_BUG"


def _sent_wrong_type(link: Link, call: Call) -> bool:
    """Operands of wrong type, and the arguments hold a number as text."""
    if not _OPERANDS.search(link.message):
        return False
    return any(isinstance(item, str) and re.fullmatch(r"\s*-?[\d.,]+\s*", item) for item in _leaves(call.arguments))


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


def _sent_json(call: Call) -> bool:
    """Whether the JSON that cannot be read is the model's: a text argument that looks like data, or a file it named."""
    for name, value in call.values:
        holds = _TEXT_ARGUMENTS.search(name) and not value.startswith(("/v", "http"))
        if holds and (re.search(r"[{\[\"]|\.json", value) or not value.startswith("/")):
            return True
    return not call.arguments or "" in call.arguments


def _by_class(name: str, *, own_code: bool, traced: bool) -> str:
    """The default of a class whose message says nothing known."""
    if name in (
        "ValueError",
        "ArgumentError",
        "ArgumentException",
        "IllegalArgumentException",
        "InvalidArgument",
        "ValidationError",
        "RangeError",
        "BadRequest",
        "UserError",
        "ParamError",
    ):
        return "INVALID_VALUE"
    if own_code:
        return "CODE_ERROR" if traced or name else "UNKNOWN_ERROR"
    if name in (
        "TypeError",
        "AttributeError",
        "NameError",
        "IndexError",
        "AssertionError",
        "UnboundLocalError",
        "NotImplementedError",
        "StopIteration",
        "RuntimeError",
        "ImportError",
        "SystemError",
        "ZeroDivisionError",
    ):
        return "TOOL_BUG"
    return "UNKNOWN_ERROR"
