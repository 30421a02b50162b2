"""Is the whole result a failure? High precision first: what could be data is data.

Weighs what the layers claimed, the form of the text and what the call asked for. Gives back the story of the
failure, or None.
"""

import re

import re2

from proxy.failures import bare, javascript, jvm, native, programs, python, scripting, sentences
from proxy.failures.call import Call
from proxy.failures.classify import of_link
from proxy.failures.codes import BY_NAME
from proxy.failures.good_news import good
from proxy.failures.peel import Peeled
from proxy.failures.reading import Wrapper
from proxy.failures.story import Link, Story
from proxy.failures.validators import pydantic
from proxy.failures.vocabulary import tells
from proxy.failures.wordsets import wordset

_trace_options = re2.Options()
_trace_options.never_capture = True
_TRACES = re2.compile(
    r"Traceback|panic|goroutine|ssert|terminate called|Sanitizer|atal error|FATAL ERROR|\n\s+at "
    r"|Caused by|Exception|line \d|:\d+"
    r"|[Ss]tack ?trace|Unhandled|CallStack|while executing|CategoryInfo|FullyQualified|Execution"
    r"|SyntaxError|IndentationError"
    r"|TabError|Parse error|Syntax error|Error in |\*\* \(|Error|stack traceback",
    _trace_options,
)
"""Something of every trace; a text without is not given to the readers of traces."""
_TRACERS = (python.read, native.read, jvm.read, javascript.read, scripting.read)
_SILENT = wordset(
    """
    grep egrep fgrep zgrep rg ag ack diff cmp test [ pgrep pidof which whereis command type comm git
    find ls
    """
)
"""Programs whose exit code 1 without a word means no."""
_STATE_QUERY = re.compile(r"systemctl (?:is-|status\b)|service \S+ status\b")
"""Commands whose exit code is the state that was asked for."""
_HARNESS = re.compile(
    r"(?:run|call|execute|exec|invoke|dispatch|handle|apply|use)_?_?(?:the_)?tool|tool_?(?:call"
    r"|message|run|exec|invoke|handler|wrapper|node)|on_tool|as_tool",
    re.IGNORECASE,
)
"""Functions of an agent's own loop: a traceback that goes through them is the tool's."""
_NOTHING = re.compile(
    r"nothing to commit|nothing to do|no changes (?:added|detected|found|to)|(?:is )?already"
    r" up.to.date|working tree clean|everything up-to-date|nothing added to commit|no stash entries",
    re.IGNORECASE,
)
_DIFFERENCES = re.compile(r"^(?:diff --git |@@ -|[<>] |Files .* differ$)", re.MULTILINE)
_DIFFERS = wordset("diff git cmp colordiff icdiff sdiff hg svn")
_OF_PROGRAMS = wordset(
    """
    SYNTAX_ERROR NAME_ERROR COMPILE_ERROR MISSING_DEPENDENCY IMPORT_NOT_ALLOWED COMMAND_TIMEOUT TIMEOUT OUT_OF_MEMORY
    UNKNOWN_TOOL INVALID_JSON INVALID_YAML INVALID_TOML INVALID_XML PERMISSION_DENIED FILE_NOT_FOUND COMMAND_NOT_FOUND
    """
)
"""What a program that fails says in one line, and hardly ever prints."""
_FORMS = wordset(
    """
    INVALID_REGEX INVALID_TEMPLATE INVALID_ENCODING INVALID_FILE UNSUPPORTED_FORMAT INVALID_URL
    UNKNOWN_TOOL
    """
)
"""What is said about the form of an argument; hardly ever the content of a page or file."""
_NOBODY = Call("", frozenset(), frozenset(), {}, (), "action")
_DOCUMENTED = wordset("docs doc documentation wiki faq help knowledge manual guide glossary")
"""Words of tools whose texts explain what a status means."""
_DENIAL = 60
_CONTENT_SENTENCE = 400
_EXTERNAL = frozenset(("communication", "timeout", "rate_limit", "unavailable", "auth"))


def failing(peeled: Peeled, call: Call) -> Story | None:
    """The story of the failure that the result is, or None where it is data."""
    text = peeled.text.strip()
    if peeled.claim == "failed" and not peeled.soft:
        return _claimed(text, peeled, call)
    if not text and peeled.claim == "failed":
        return Story((Link("", ""),), runtime="bare")
    if peeled.data or not text:
        return None
    story = _traced(text, call)
    if peeled.claim == "worked" and not peeled.soft:
        return story if story and _alone(story, text) and peeled.exit_code == 0 and not call.shows else None
    if story and call.kind in ("shell", "code") and peeled.claim != "failed" and _went_on(story):
        return None
    if story:
        return story if _its_own(story, call, peeled) else None
    if call.kind in ("shell", "code") and call.commands:
        return _program(text, peeled, call)
    if call.kind == "code":
        return _code(text, peeled, call)
    return _message(text, peeled, call)


def _claimed(text: str, peeled: Peeled, call: Call) -> Story | None:
    """A failure by its envelope; an exit code without any word may just mean no."""
    if peeled.exit_code and any(_STATE_QUERY.match(command) for command in call.commands):
        return None
    if peeled.exit_code and peeled.exit_code == 1 and not (peeled.names or peeled.facts):
        if not text and not peeled.output.strip() and (call.programs & _SILENT):
            return None
        if call.programs & _DIFFERS and _DIFFERENCES.search(text):
            return None
        if _NOTHING.search(text) or (
            call.shows and text and call.programs & _SILENT and not programs.error_lines(text.split("\n"), call)
        ):
            return None
    if not text:
        bare_head = peeled.wrapper != Wrapper() and not peeled.exit_code and peeled.value is None
        return None if bare_head else Story((Link("", ""),), runtime="bare")
    if peeled.exit_code is not None:
        return _traced(text, call) or programs.read(text, call, failed=True) or Story((Link("", text),))
    if peeled.checked:
        return Story((Link("", text),), runtime="validator")
    if story := _traced(text, call):
        return story
    found = bare.read(pydantic(text), call)
    return found[0] if found else Story((Link("", text),), runtime="bare")


def _traced(text: str, call: Call) -> Story | None:
    if not _TRACES.search(text):
        return None
    for reader in _TRACERS:
        if story := reader(text, call):
            return story
    return None


def _alone(story: Story, text: str) -> bool:
    del text
    return story.at_start and story.traced


def _its_own(story: Story, call: Call, peeled: Peeled) -> bool:
    """Whether the traceback is the tool's own, not one that it shows."""
    if peeled.claim == "failed" and not call.shows:
        return True
    if not call.shows:
        return call.kind in ("code", "shell") or story.at_start or len(story.output) < 400
    if not story.at_start:
        return False
    if call.kind == "shell":
        return False
    tool = call.tool.lower()
    mentioned = any(
        call.argument_of(word)
        for link in story.links
        for word in re.findall(r"['\"]([^'\"\n]{2,200})['\"]", link.message)[:6]
    )
    inside = any(
        frame.lower() in (tool, f"_{tool}") or tool in frame.lower() or _HARNESS.search(frame) for frame in story.frames
    )
    return mentioned or inside


def _went_on(story: Story) -> bool:
    """Output of its own stands behind the traceback: it was caught and printed."""
    _, gap, rest = story.links[0].message.partition("\n\n")
    return (
        story.runtime == "python" and bool(gap and rest.strip()) and not programs.error_lines(rest.split("\n"), _NOBODY)
    )


def _program(text: str, peeled: Peeled, call: Call) -> Story | None:
    if peeled.claim == "failed" and not call.shows:
        return programs.read(text, call, failed=True)
    story = programs.read(text, call, failed=False)
    if story:
        return story
    found = bare.read(text, call)
    if not found or call.shows:
        return None
    if found[1] and (found[0].links[0].name or bare.certain(text)):
        return found[0]
    return found[0] if "\n" not in text and _precise(found[0], call) and sentences.fails(text, call) else None


def _code(text: str, peeled: Peeled, call: Call) -> Story | None:
    """The output of a program or cell: failures have an error's form at an edge, or are one bare message."""
    if peeled.claim == "failed":
        return programs.read(text, call, failed=True) or Story((Link("", text),))
    if call.prints(text):
        return None
    if story := programs.read(text, call, failed=False):
        return story
    found = bare.read(text, call)
    if found and found[1]:
        return found[0]
    return found[0] if found and "\n" not in text and _precise(found[0], call) and sentences.fails(text, call) else None


def _precise(story: Story, call: Call) -> bool:
    code = of_link(story.links[0], "", 0, call)
    return code in _OF_PROGRAMS or (code is not None and BY_NAME[code].type == "communication")


def _message(text: str, peeled: Peeled, call: Call) -> Story | None:
    """A bare message of a tool that is no shell."""
    shown = pydantic(text)
    found = bare.read(shown, call)
    if not found:
        return None
    story, formed = found
    if shown != text:
        return Story(story.links, runtime="validator")
    if peeled.claim == "failed":
        return None if call.shows and good(text, call) else story
    if _echo(text, call):
        return None
    if call.kind == "content":
        return story if _of_content(story, text, call, formed=formed) else None
    if bare.hidden(text, call):
        return Story((Link("", text),), runtime="bare")
    if formed:
        return story if call.kind != "report" or _no_finding(story, text, call) else None
    if call.kind == "report" or call.reports:
        return story if sentences.fails(text, call) and _of_the_asking(story, text, call) else None
    return story if sentences.fails(text, call) or (peeled.advised and not good(text, call)) else None


def _no_finding(story: Story, text: str, call: Call) -> bool:
    """What a tool that checks something found is its answer, however it begins: `Invalid: line 3`."""
    named = re.search(r"(?:Error|Exception)$", story.links[0].name) or bare.certain(text)
    return bool(named or not call.checks) and not good(text, call)


def _echo(text: str, call: Call) -> bool:
    """The text begins with what the call sent, and only that sounds like a failure."""
    starts = (value for _, value in call.values if len(value) > 3 and text.startswith(value))
    return any(call.kind == "content" or tells(value) for value in starts)


def _of_content(story: Story, text: str, call: Call, *, formed: bool) -> bool:
    """For tools that give text: the message is about the call, or about reaching something outside."""
    if call.words & _DOCUMENTED and text.startswith("HTTP"):
        return False
    if bare.certain(text):
        return True
    if good(text, call) or len(text) > _CONTENT_SENTENCE or not (formed or sentences.fails(text, call)):
        return False
    code = of_link(story.links[0], "", 0, call)
    single = "\n" not in text
    if code is None or not single:
        return False
    if (code in _FORMS and len(text) < 200) or sentences.mentions(text, call):
        return True
    if call.makes:
        return False
    kind = BY_NAME[code].type
    denied = kind == "auth" and len(text) < _DENIAL and sentences.plain_start(text)
    return formed or denied or (kind in _EXTERNAL and sentences.outside(text, call))


def _of_the_asking(story: Story, text: str, call: Call) -> bool:
    """For tools that report on a state: what is wrong is wrong with the request, not with what is reported on."""
    code = of_link(story.links[0], "", 0, call)
    if code is None:
        return False
    kind = BY_NAME[code].type
    if kind in ("not_found", "validation"):
        return sentences.mentions(text, call) and not call.checks
    return kind in ("auth", "rate_limit")
