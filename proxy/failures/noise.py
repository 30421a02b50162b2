"""Takes out of a message what tells a model nothing: colours, object addresses, runtime paths, links to manuals,
header dumps. The facts stay: file names, line numbers of the model's own code, hosts, hints.

Line and token rules only, each linear; it does not know which runtime wrote the text.
"""

import re

_ANSI = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)?|[@-Z\\^_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ADDRESS = re.compile(r"(?: object)? at 0x[0-9a-fA-F]{4,16}|\b0x[0-9a-fA-F]{8,16}\b")
_SOURCE_PATH = re.compile(
    r"(?:file://)?(?:[A-Za-z]:)?(?:[\\/][\w.@+\-~]{1,120}){2,40}?[\\/]"
    r"(?=[\w.@+-]{1,120}\.(?:py|pyx|pxi|pyc|js|mjs|cjs|ts|tsx|jsx|java|kt|scala|rb|php|pl|pm|lua"
    r"|go|rs|c|h|cc|cpp|hpp|cs|ex|exs|erl|r|R|jl|swift|dart|groovy|gradle)\b)"
)
_LIBRARY_PATH = re.compile(
    r"(?:file://)?(?:[A-Za-z]:)?[\\/][^\s'\"<>|]{0,300}(?:site-packages|dist-packages|node_modules"
    r"|\.cargo[\\/]registry|[\\/]gems[\\/])[^\s'\"<>|]{0,300}[\\/](?=[\w.@+-])"
)
_NOISE_LINE = re.compile(
    r"^\s*(?:"
    r"(?:for (?:further|more) (?:information|info|details)|more details here|see also|read more"
    r"|documentation:|docs:|see:?|visit|help:) ?[^\n]{0,60}https?://\S+.*"
    r"|https?://(?:errors\.pydantic\.dev|curl\.se/docs|docs?\.)\S*"
    r"|HTTP response headers?:.*"
    r"|(?:npm (?:error|ERR!) )?A complete log of this run can be found in:?.*"
    r"|npm (?:error|ERR!)\s*"
    r"|note: run with `?RUST_BACKTRACE.*|note: Some details are omitted.*"
    r"|Node\.js v\d\S*|Bun v\d.*"
    r"|\(Use `?node --trace-.*|\(node:\d+\) .*Warning:.*"
    r"|Require stack:|- (?:[A-Za-z]:)?[\\/]\S+\.(?:js|cjs|mjs|ts)"
    r"|stack ?trace(?:back)?:?|\[C\]: in .*"
    r"|During handling of the above exception, another exception occurred:"
    r"|The above exception was the direct cause of the following exception:"
    r"|\(Background on this error at: .*\)"
    r"|-+> .{0,200} <-+"
    r"|\[parameters: .*|debug_error_string ?=.*|Job ID: .*|x-request-id: .*"
    r"|[┌└├╭╰─═╔╚╵╷]+[^\w]*"
    r")\s*$",
    re.IGNORECASE,
)
_LINK_TAIL = re.compile(
    r"\s*(?:(?:For (?:further|more) (?:information|info|details)[^.\n]{0,80}|Please (?:refer to"
    r"|see|visit|check)[^.\n]{0,80}|See|Visit|Read more(?: at)?|More info(?:rmation)?:?|Docs?:"
    r"|Refer to)[ :,]{0,3}"
    r"(?:the docs:? ?)?(?:\(|<)?https?://[^\s)>]+(?:\)|>)?(?: (?:to learn more|for (?:more"
    r" )?(?:information|details|help|info)))?\.?)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\s?\(Background on this error at: [^)\n]{1,200}\)|,?\s?[A-Z][\w ]{0,30}:"
    r" <[A-Z]\w{3,60}[^\n]{60,}>(?=$|[\s.,)])",
    re.MULTILINE,
)
_BLANKS = re.compile(r"\n(?:[ \t]*\n){1,}")


def plain(text: str) -> str:
    """Without terminal colours, carriage-return overwriting and control characters."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        text = "\n".join(line.rsplit("\r", 1)[-1] or line.strip("\r") for line in text.split("\n"))
    return _CONTROL.sub("", text)


def quiet(text: str, own: frozenset[str] = frozenset()) -> str:
    """Without addresses, runtime paths, header dumps and links to manuals.

    A path that stands in the call's arguments (`own`) stays: it is the file asked for.
    """
    text = "\n".join(line.rstrip() for line in text.split("\n") if not _NOISE_LINE.match(line))
    text = _LINK_TAIL.sub("", _ASIDE.sub("", text))
    text = _ADDRESS.sub("", text)
    text = _LIBRARY_PATH.sub("", text)
    text = _SOURCE_PATH.sub(lambda found: _asked_for(found, own), text)
    return _BLANKS.sub("\n\n", text).strip()


def _asked_for(found: re.Match[str], own: frozenset[str]) -> str:
    return found.group() if any(found.group() in text for text in own) else ""


def bounded(text: str, limit: int) -> str:
    """At most about `limit` characters: head and tail, with the gap said."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    tail = limit - head
    return f"{text[:head].rstrip()} […{len(text) - limit}…] {text[-tail:].lstrip()}"
