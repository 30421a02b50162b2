"""Reads the built-in exceptions of Python whose messages are no sentences: a bare key, a missing argument, an empty
TimeoutError, a file that may be a program. What they mean depends on the call: a key that the model sent is its
mistake, a key that it never sent is the tool's.
"""

import re

from proxy.failures.call import Call
from proxy.failures.story import Link
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
_FIELD_ARGUMENTS = re.compile(
    r"field|column|col|key|attr|property|metric|dimension|measure|sort|order_by|group|select|param"
    r"|option|header|feature|label|axis|expr|sql|query|列|字段",
    re.IGNORECASE,
)
_COLUMN_ARGUMENTS = re.compile(r"column|col\b|cols|列|expr|feature", re.IGNORECASE)
_CALLERS = wordset("forward run _run _arun call __call__ execute handler invoke func fn wrapper <lambda>")
_PLAIN_COMMAND = re.compile(r"^[\w.+-]{1,40}$")
_EMPTY_TIMEOUTS = wordset("TimeoutError Timeout timeout ReadTimeout ConnectTimeout")


def of_python(link: Link, call: Call) -> str | None:
    """The meaning of a built-in exception whose message is no sentence."""
    name, message = link.short, link.message.strip()
    if key := _key_of(name, message, call):
        return _key(key, call, sure=name == "KeyError")
    if found := _MISSING.search(message[:2000]):
        return "MISSING_ARGUMENT" if _ours(found.group("function"), call) else "TOOL_BUG"
    if found := _UNEXPECTED.search(message[:2000]):
        return "UNKNOWN_ARGUMENT" if _ours(found.group("function") or found.group("taker"), call) else "TOOL_BUG"
    if not message and (name in _EMPTY_TIMEOUTS or name == "CancelledError"):
        return "CANCELLED" if name == "CancelledError" else "TIMEOUT"
    if name == "MemoryError":
        return "OUT_OF_MEMORY"
    if name == "EOFError" or message == "EOF when reading a line":
        return "NO_INPUT"
    if name == "FileNotFoundError" or re.match(r"^(?:\[Errno 2\] )?No such file or directory", message):
        return _missing_file(message, call)
    return None


def _key_of(name: str, message: str, call: Call) -> str:
    """The key that a KeyError is about; without the class only a key that the call sent, or a quoted name alone."""
    if name not in ("KeyError", ""):
        return ""
    first, _, more = message.partition("\n")
    first = first.strip()
    found = _KEY.match(first if name == "" or first[:1] in "'\"" else f"'{first}'")
    key = found.group("key") if found else ""
    if not key or " " in key.strip() or (name == "" and (more or not call.argument_of(key))):
        return ""
    return key


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
