"""Finds out what form a text has: JSON, JSONL, CSV, a table, a log, or just text.

The answer depends on the text alone, never on limits or on earlier pages: every page asks again and must get the same.
Only samples are looked at, except that JSON must be JSON to its end. A form is taken only where its signs are plain;
plain text is never wrong.
"""

import csv
import re
from collections.abc import Sequence

from proxy.paging.body import Form
from proxy.paging.json_form import json_form
from proxy.paging.json_parts import Source
from proxy.paging.prose import Log, Prose
from proxy.paging.records import Records, quoted_starts
from proxy.paging.words import Words

_SAMPLE_CHARS = 1 << 15
_PREAMBLE = 6
"""Lines that may stand before a header."""

_RULE = re.compile(r"[ \t]*[|+:=-][-+|:= \t]*\r?")
_HEADER_FIELD = re.compile(r"\w[\w .()/%$#:@&+-]{0,63}")
_NUMBER = re.compile(r"[-+]?[\d.,:/ -]+")
_STAMPED = re.compile(
    r"""\W{0,3}(?:
          \d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d | \d\d:\d\d:\d\d\b | \d{2}/\d{2}/\d{2,4}[ ]\d\d:\d\d
        | [A-Z][a-z]{2}[ ]+\d{1,2}[ ]\d\d:\d\d:\d\d | [IWEFD]\d{4}[ ]\d\d:\d\d | \d{10}(?:\d{3})?(?:\.\d+)?[ ]
        | (?i:trace|debug|info|notice|warn|warning|error|err!|critical|fatal)\b[\]:|!\s] )""",
    re.VERBOSE,
)
_ACCESS = re.compile(r"\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:")
_LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b")
_CAPITALS = re.compile(r"[TDINWECF][A-Z]{3}")
"""How each level begins: what is found at once where the level itself takes five times as long to miss."""
_LEVEL_WITHIN = 50
"""Characters before the level of a line."""
_ACCESS_WITHIN = 60
_COMMAND = re.compile(r"\W{0,4}(?:exit[ _-]?(?:code|status)|return[ _-]?code|wall[ _-]?time)\b", re.IGNORECASE)
"""How agents begin what a command printed."""


def recognise(source: Source, words: Words, *, command: bool = False) -> Form:
    """The form of a text. `command`: it is known to be the output of a command, whose end matters most."""
    text = source.text
    form = json_form(source, words) or _records(text, words)
    if form is not None:
        return form
    head, tail = _ends(text)
    lines = [line for line in (*head, *tail) if line.strip()]
    if len(lines) >= 12 and (command or _COMMAND.match(text) or _is_log(lines)):
        return Log(text)
    return Prose(text)


def _records(text: str, words: Words) -> Records | None:
    return _jsonl(text, words) or _table(text, words) or _csv(text, words)


def _jsonl(text: str, words: Words) -> Records | None:
    """The first lines and the last are whole JSON objects or arrays."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    place, lines = 0, list[str]()
    while place < len(text) and len(lines) < 3:
        end = text.find("\n", place)
        lines.append(text[place : len(text) if end < 0 else end].strip())
        place += len(lines[-1]) + 1 if end < 0 else end + 1 - place
    ends = text.rstrip()
    lines.append(ends[ends.rfind("\n") + 1 :].strip())
    filled = [line for line in lines if line]
    if "\n" not in ends or len(filled) < 2 or not all(Source(line).parts(0, len(line)) for line in filled):
        return None
    return Records(text, "jsonl", 0, 0, words)


def _table(text: str, words: Words) -> Records | None:
    """A line of dashes under a line with bars, and bars in what follows: Markdown, psql, MySQL."""
    head, tail = _ends(text)
    for index, line in enumerate(head[1 : _PREAMBLE + 3], 1):
        if "|" not in head[index - 1] or not _is_rule(line):
            continue
        rows = [row for row in (*head[index + 1 :], *tail) if row.strip()]
        if len(rows) < 3 or sum("|" in row for row in rows) < 0.8 * len(rows):
            return None
        first = index - 2 if index > 1 and _is_rule(head[index - 2]) else index - 1
        return Records(text, "table", _offset(head, first), _offset(head, index + 1), words)
    return None


def _is_rule(line: str) -> bool:
    return "-" in line and ("|" in line or "+" in line) and _RULE.fullmatch(line) is not None


def _csv(text: str, words: Words) -> Records | None:
    """A header of names, and as many fields in each record."""
    head, tail = _ends(text)
    for mark in ("\t", ",", ";", "|"):
        records = _parsed(head, mark)
        for index, (fields, lines) in enumerate(records[:_PREAMBLE]):
            rest = [row for row, _ in records[index + 1 :] if row]
            if len(rest) < 3 or not _is_header(fields) or any(len(row) != len(fields) for row in rest):
                continue
            body = _offset(head, lines)
            filled = [line for line in tail if line.strip()]
            even = sum(line.count(mark) == len(fields) - 1 for line in filled) >= 0.8 * len(filled)
            if even or text.find('"', body) >= 0:
                header = _offset(head, records[index - 1][1] if index else 0)
                return Records(text, "csv", header, body, words, quoted_starts(text, body, mark))
    return _bare_csv(text, head, tail, words)


def _bare_csv(text: str, head: list[str], tail: list[str], words: Words) -> Records | None:
    """Columns without a header: the same number of fields, three or more (with tabs two), from the first line on."""
    lines = [line for line in (*head, *tail) if line]
    for mark, least in (("\t", 2), (",", 3), (";", 3)):
        records = [fields for fields, _ in _parsed(head, mark) if fields]
        widths = {len(fields) for fields in records}
        if not _numbered(records) and len(widths) == 1 and min(widths) >= least and len(lines) >= 10:
            marks = min(widths) - 1
            even = sum(line.count(mark) == marks for line in tail if line) >= 0.8 * len(tail) - 1
            if (even or text.find('"') >= 0) and not _is_log(lines):
                return Records(text, "csv", 0, 0, words, quoted_starts(text, 0, mark))
    return None


def _numbered(records: list[list[str]]) -> bool:
    """Two columns of which the first counts the lines: a file as reading tools show it."""
    first = [fields[0].strip() for fields in records[:3]]
    counts = [int(name) for name in first if name.isdecimal()]
    return len(counts) == 3 and len(records[0]) == 2 and counts == list(range(counts[0], counts[0] + 3))


def _parsed(lines: Sequence[str], mark: str) -> list[tuple[list[str], int]]:
    """Up to 40 records, each with the number of lines up to its end; empty where the text is no CSV."""
    if not any(mark in line for line in lines[: _PREAMBLE + 1]):
        return []
    reader = csv.reader([line + "\n" for line in lines], delimiter=mark)
    try:
        return [(fields, reader.line_num) for fields, _ in zip(reader, range(40), strict=False)]
    except csv.Error:
        return []


def _is_header(fields: Sequence[str]) -> bool:
    names = [name.strip().lower() for name in fields]
    if len(names) < 2 or len(set(names)) < len(names):
        return False
    return all(_HEADER_FIELD.fullmatch(name) and not _NUMBER.fullmatch(name) for name in names)


def _ends(text: str) -> tuple[list[str], list[str]]:
    """Lines of the beginning and, if the text is longer, of the end; without those that the sample cuts."""
    if len(text) <= _SAMPLE_CHARS:
        return text.split("\n"), []
    return text[:_SAMPLE_CHARS].split("\n")[:-1], text[-_SAMPLE_CHARS // 4 :].split("\n")[1:]


def _offset(lines: Sequence[str], count: int) -> int:
    """Where the line of this index starts."""
    return sum(len(line) + 1 for line in lines[:count])


def _is_log(lines: list[str]) -> bool:
    """Whether at least half of the lines look like lines of a log."""
    sample = lines[:60] + lines[-60:] if len(lines) > 120 else lines
    return bool(sample) and sum(map(_is_log_line, sample)) * 2 >= len(sample)


def _is_log_line(line: str) -> bool:
    """A time or a level at its beginning, or a level or a web server's time somewhat later."""
    if _STAMPED.match(line):
        return True
    within = _LEVEL_WITHIN + 10  # the longest has eight characters, and one behind it tells where it ends
    level = _LEVEL.search(line, 0, within) if _CAPITALS.search(line, 0, within) else None
    if level is not None and level.start() <= _LEVEL_WITHIN:
        return True
    access = _ACCESS.search(line, 0, _ACCESS_WITHIN + 20) if "[" in line else None
    return access is not None and access.start() <= _ACCESS_WITHIN
