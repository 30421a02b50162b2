"""Reads Python's ways to print an exception: plain, chained, groups, remote, rich, IPython, loguru, syntax errors.

The ways that are not plain are first brought to the plain form; then one parser splits the text into blocks of
header, frames and exception. Frames are dropped, except lines of code that the model itself wrote.
"""

import re
from dataclasses import dataclass

from proxy.failures.call import Call
from proxy.failures.story import Link, Story

_HEADER = re.compile(r"^\s*(?:[|+] ?\s*)*(?:Exception Group )?Traceback \(most recent call last\):?\s*$")
_CAUSE = "The above exception was the direct cause of the following exception"
_CONTEXT = "During handling of the above exception, another exception occurred"
_EXCEPTION = re.compile(r"^([A-Za-z_]\w*(?:\.[A-Za-z_<][\w<>]*){0,12})(?:: ?(.*)|\s*)$")
_FRAME = re.compile(r"File \"([^\"]{1,400})\", line (\d+)(?:, in (.*))?")
_CELL = re.compile(r"(?:Cell |Input )?In ?\[\d{0,6}\](?:, line (\d+))?|<ipython-input-[^>]{1,60}>")
_SYNTAX = re.compile(r"^(?:[\w.]{1,80}\.)?(SyntaxError|IndentationError|TabError)(?:: (.*))?$", re.MULTILINE)
_GUTTER = re.compile(r"^\s*(?:\| ?|\+-\+?-* ?\d* ?-*|\+ )\s?")
_BOX = "╭│╰┌└├─┃┏┗╮╯┤"
_NOTE = re.compile(r"^\s*(?:\.\.\. )?\[?(?:Previous line repeated|\d+ more times)")


@dataclass(frozen=True, slots=True)
class _Block:
    link: Link
    frames: tuple[tuple[str, int, str, str], ...]
    """File, line number, function, code."""
    joint: str
    """The connecting sentence after this block, if any."""


def read(text: str, call: Call) -> Story | None:
    """The story of the Python exceptions in `text`, or None where there is none."""
    if "Traceback (most recent call last)" in text:
        return _tracebacks(_plain_form(text), call)
    return _syntax_error(text, call)


def _plain_form(text: str) -> str:
    if "╭" in text or "┌" in text:
        text = _unboxed(text)
    if "Exception Group Traceback" in text:
        text = "\n".join(_GUTTER.sub("", line) for line in text.split("\n"))
    if re.search(r"^\S.{0,90}\S {2,}Traceback \(most recent call last\)", text, re.MULTILINE) or _CELL.search(text):
        text = _uncelled(text)
    return text


def _unboxed(text: str) -> str:
    """rich: each box becomes a header without frames."""
    lines = []
    for line in text.split("\n"):
        bare = line.strip()
        if bare[:1] in _BOX and bare:
            if "Traceback (most recent call last)" in bare:
                lines.append("Traceback (most recent call last):")
        else:
            lines.append(line)
    return "\n".join(lines)


def _uncelled(text: str) -> str:
    """IPython: its header gets the plain form, its frames an indent."""
    lines = []
    inside = False
    for line in text.split("\n"):
        if "Traceback (most recent call last)" in line:
            inside = True
            lines.append("Traceback (most recent call last):")
        elif re.match(r"^-{20,}$", line):
            continue
        elif inside and re.match(r"^(?:-+> ?\d+|\s+\d+ |Cell In|Input In|File |~?/|<ipython|\(\.\.\.\)|\s*\d+ )", line):
            lines.append(f"    {line}")
        else:
            inside = inside and (not line.strip() or not _EXCEPTION.match(line))
            lines.append(line)
    return "\n".join(lines)


def _tracebacks(text: str, call: Call) -> Story | None:
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    if not starts:
        return None
    blocks = [_block(lines, start, end) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]
    blocks = [block for block in blocks if block.link.name or block.link.message]
    if not blocks:
        return None
    links, context = _chained(blocks)
    before = "\n".join(line for line in lines[: starts[0]] if not _preamble_noise(line)).strip()
    frames = [frame for block in blocks for frame in block.frames]
    return Story(
        links=links,
        context=context,
        output=before,
        lines=_own_lines(frames, call),
        runtime="python",
        traced=True,
        at_start=not before,
        frames=tuple(function for _, _, function, _ in frames),
    )


def _preamble_noise(line: str) -> bool:
    bare = line.strip()
    return bare in ('"""', "'''") or "_RemoteTraceback" in bare or "An error has been caught in function" in bare


def _block(lines: list[str], start: int, end: int) -> _Block:
    indent = len(lines[start]) - len(lines[start].lstrip())
    frames: list[tuple[str, int, str, str]] = []
    at = start + 1
    while at < end:
        line = lines[at]
        bare = line.strip()
        if (
            bare
            and len(line) - len(line.lstrip()) <= indent
            and not _NOTE.match(line)
            and not bare.startswith("> File")
        ):
            break
        if found := _FRAME.search(line):
            code = lines[at + 1].strip() if at + 1 < end and not _FRAME.search(lines[at + 1]) else ""
            frames.append((found.group(1), int(found.group(2)), (found.group(3) or "").strip(), code))
        elif (cell := _CELL.search(line)) and cell.group(1):
            frames.append(("<cell>", int(cell.group(1)), "", _arrowed(lines[at + 1 : at + 12])))
        at += 1
    joint = ""
    message: list[str] = []
    for line in lines[at:end]:
        if line.strip().startswith((_CAUSE, _CONTEXT)):
            joint = "cause" if line.strip().startswith(_CAUSE) else "context"
            break
        if not _preamble_noise(line):
            message.append(line[indent:] if not line[:indent].strip() else line.strip())
    return _Block(_link(message), tuple(frames), joint)


def _arrowed(lines: list[str]) -> str:
    for line in lines:
        if found := re.match(r"^\s*-+> ?\d+ ?(.*)$", line):
            return found.group(1).strip()
    return ""


def _link(message: list[str]) -> Link:
    while message and not message[0].strip():
        message = message[1:]
    if not message:
        return Link("", "")
    found = _EXCEPTION.match(message[0].strip())
    rest = "\n".join(message[1:]).rstrip()
    if not found:
        return Link("", "\n".join(message).strip())
    head = found.group(2) or ""
    return Link(found.group(1), f"{head}\n{rest}".strip("\n") if rest.strip() else head)


def _chained(blocks: list[_Block]) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """Links of the last exception and its causes, and what came before without being a cause."""
    for number, block in enumerate(blocks):
        if "Group" in block.link.short and number + 1 < len(blocks):
            return tuple(other.link for other in blocks[number:]), tuple(other.link for other in blocks[:number])
    at = len(blocks) - 1
    links = [blocks[at].link]
    while at > 0 and blocks[at - 1].joint == "cause":
        at -= 1
        links.append(blocks[at].link)
    return tuple(links), tuple(block.link for block in reversed(blocks[:at]))


def _own_lines(frames: list[tuple[str, int, str, str]], call: Call) -> tuple[str, ...]:
    """The deepest line of code that the model wrote: in a cell, in `<string>`, or in a file that the call names."""
    for file, number, _, code in reversed(frames):
        name = re.split(r"[\\/]", file)[-1]
        virtual = file.startswith("<") and not file.startswith("<frozen")
        if (virtual and call.kind in ("code", "shell")) or (len(name) > 3 and call.argument_of(name)):
            where = f"line {number}" if virtual else f"{name} line {number}"
            return (f"{where}: {code}" if code and set(code) - set("^~ ") else where,)
    return ()


def _syntax_error(text: str, call: Call) -> Story | None:
    """A syntax error is printed without a header: place, line, caret, name."""
    found = _SYNTAX.search(text)
    if not found:
        return None
    before = text[: found.start()].rstrip("\n").split("\n")
    place = next((at for at in range(len(before) - 1, max(-1, len(before) - 8), -1) if "line " in before[at]), -1)
    number = re.search(r"line (\d+)", before[place]) if place >= 0 else None
    if number is None or not (_FRAME.search(before[place]) or _CELL.search(before[place])):
        return None
    code = before[place + 1].strip() if place + 1 < len(before) else ""
    output = "\n".join(before[:place]).strip()
    return Story(
        links=(Link(found.group(1), text[found.start() :].partition(":")[2].strip()),),
        output=output,
        lines=(f"line {number.group(1)}: {code}".rstrip(": "),),
        runtime="python",
        traced=True,
        at_start=not output,
        frames=("<cell>",) if call.kind in ("code", "shell") else (),
    )
