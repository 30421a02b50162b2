"""Decides what a failure means: from its chain of exceptions, its machine codes and its words to one code.

The outermost exception that says something precise decides; a vague one ("request failed") yields to its causes.
Then the call is looked at: a name that the model sent is its mistake, a name that it never sent is the tool's
fault; in code that the model wrote, every fault is its own to mend.
"""

import re
from dataclasses import dataclass

from proxy.failures import blame
from proxy.failures.call import Call
from proxy.failures.codes import BY_NAME
from proxy.failures.echo import masked
from proxy.failures.machine import Machine
from proxy.failures.numbers import machine
from proxy.failures.peel import Peeled
from proxy.failures.programs import compiler_code
from proxy.failures.python_builtins import of_python
from proxy.failures.statuses import http
from proxy.failures.story import Link, Story
from proxy.failures.validators import pydantic
from proxy.failures.vocabulary import business, general, specific, spoken
from proxy.failures.wordsets import wordset

VAGUE = wordset(
    """
    UNKNOWN_ERROR RETRIES_EXHAUSTED UPSTREAM_ERROR COMMAND_FAILED INVALID_VALUE CONFLICT
    USAGE_ERROR VALIDATION_FAILED CONNECTION_FAILED INVALID_REQUEST TOOL_BUG ASSERTION_FAILED
    BUILD_FAILED CANCELLED BUSINESS_RULE CODE_ERROR INVALID_TYPE SYNTAX_ERROR
    """
)
"""Codes that a cause may make more precise."""
_EXITS = {
    124: "COMMAND_TIMEOUT",
    126: "PERMISSION_DENIED",
    127: "COMMAND_NOT_FOUND",
    134: "CRASHED",
    137: "OUT_OF_MEMORY",
    139: "CRASHED",
    -9: "OUT_OF_MEMORY",
    -11: "CRASHED",
}
"""Exit codes with a meaning of their own."""
_LONG = 800
_STARTS = re.compile(r"execute_child|spawn|execv|Popen|subprocess")
_FAULTY = re.compile(
    r"^(?:[\w ]{0,40}: )?(?:invalid|malformed|illegal|incorrect|bad|wrong|unsupported) [\w' -]{1,60}(?::|\.|$| -)",
    re.IGNORECASE,
)
_WEAK = VAGUE - wordset("CONNECTION_FAILED CANCELLED INVALID_TYPE SYNTAX_ERROR ASSERTION_FAILED")
"""Of these the ones that another word of the same sentence outranks."""
_OUTWEIGHED = wordset(
    """
    FORBIDDEN CONFLICT GONE PRECONDITION_FAILED CARD_DECLINED LOCKED ALREADY_EXISTS
    PERMISSION_DENIED NOT_FOUND INVALID_VALUE
    """
)
"""Machine codes that words of a business rule outweigh."""
_GENERIC_CLASSES = wordset(
    """
    Exception Error RuntimeError RuntimeException ValueError TypeError ArgumentError
    ArgumentException IllegalArgumentException IllegalStateException InvalidOperationException
    StateError ApplicationException BaseException SystemError ServiceException ToolError
    ToolException AssertionError AttributeError LookupError OSError IOError IOException PDOException
    SQLException SQLError DatabaseError OperationalError ProgrammingError InterfaceError
    InternalError DataError IntegrityError NotSupportedError ClientError ApiError APIError
    ApiException HTTPError HttpError HttpException RequestException ResponseError RequestError
    StandardError DomainException LogicException UnexpectedValueException ProcessingException
    ExecutionException CompletionException UndeclaredThrowableException InvocationTargetException
    AggregateException AggregateError ExceptionGroup BaseExceptionGroup panic
    """
)
"""Classes whose name says nothing about the kind; as words they would mislead."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A code, and whether anything said it (else it is a default)."""

    code: str
    sure: bool


def meaning(story: Story, peeled: Peeled, call: Call) -> str:
    """The code of the failure that `story` tells."""
    if story.runtime == "tests":
        return "TESTS_FAILED"
    if not peeled.text.strip() and peeled.said and all(len(said.strip()) <= 12 for said in peeled.said):
        return "NO_MESSAGE"
    if story.links and (code := of_python(story.links[0], call)):
        return "FILE_NOT_FOUND" if code == "COMMAND_NOT_FOUND" and _opened(story) else code
    found = _chain(story, peeled, call)
    if story.runtime == "build" and (found is None or BY_NAME[found].type in ("not_found", "bug") or found in VAGUE):
        return "BUILD_FAILED"
    if story.runtime == "compiler" and (found is None or BY_NAME[found].type in ("validation", "bug", "not_found")):
        return compiler_code(peeled.text, call)
    if peeled.refused and (found is None or found in VAGUE):
        return "BUSINESS_RULE"
    if found is None and peeled.checked:
        found = "VALIDATION_FAILED"
    if found in (None, "UNKNOWN_ERROR", "COMMAND_FAILED") and peeled.exit_code in _EXITS:
        return _EXITS[peeled.exit_code]
    return blame.placed(found, story, call, peeled.said)


def _opened(story: Story) -> bool:
    """A traceback that went through no start of a program."""
    return story.traced and not any(_STARTS.search(frame) for frame in story.frames)


def _chain(story: Story, peeled: Peeled, call: Call) -> str | None:
    """The first precise meaning along the chain, else the first vague one."""
    vague: str | None = None
    links = story.links if story.runtime not in ("shell", "compiler") else ()
    for number, link in enumerate((*links, *story.context, *(story.links if not links else ()))):
        names = " ".join(peeled.names) if number == 0 else ""
        code = of_link(link, names, peeled.status if number == 0 else 0, call)
        if code is None:
            continue
        if code not in VAGUE:
            return code
        vague = vague or code
    if peeled.checked and vague in (None, "INVALID_VALUE", "INVALID_TYPE", "UNKNOWN_ERROR"):
        return "VALIDATION_FAILED"
    if vague is None or vague == "UNKNOWN_ERROR":
        for said in peeled.said:
            code = of_words(spoken(said), None)
            if code and code not in VAGUE:
                return code
    return vague


def of_link(link: Link, names: str, status: int, call: Call) -> str | None:
    """The meaning of one exception by its class, codes and words."""
    if code := of_python(link, call):
        return code
    told = pydantic(link.message)
    if told != link.message:
        findings = told.strip().split("\n")[1:]
        return (
            of_words(spoken(findings[0]), None, commercial=False) if len(findings) == 1 else None
        ) or "VALIDATION_FAILED"
    if len(link.message) > _LONG:
        head = of_link(Link(link.name, link.message[: _LONG // 2]), names, status, call)
        if head and head not in VAGUE:
            return head
    if link.short == "KeyError" and " " in link.message.strip("'\"").strip():
        link = Link("", link.message.strip("'\""))
    name = "" if link.short in _GENERIC_CLASSES else link.short
    message = masked(link.message, call)
    words = spoken(f"{names} {name}: {message}" if names or name else message)
    raw = f"{names} {link.name} {link.message}".strip()
    return of_words(words, http(status) or machine(raw), commercial=call.kind != "shell")


def of_words(words: str, number: Machine | None, *, commercial: bool = True) -> str | None:
    """Words and a machine code weighed against each other.

    `commercial`: rules of a business can be meant; the output of a shell command speaks of them only if nothing
    else fits.
    """
    if rule := specific.first(words):
        return rule.code
    if number and number.strong and number.code not in _OUTWEIGHED:
        return number.code
    if commercial and (rule := business.first(words)):
        return rule.code
    if number and number.strong:
        return number.code
    rules = list(general.found(words))
    rule = next((rule for rule in rules if rule.code not in _WEAK), rules[0] if rules else None)
    if rule and rule.code == "NOT_FOUND" and _FAULTY.match(words):
        return "INVALID_VALUE"
    if rule and rule.code not in _WEAK:
        return rule.code
    rule = rules[0] if rules else None
    if number and number.code:
        return number.code
    if not commercial and (law := business.first(words)):
        return law.code
    return rule.code if rule else None
