"""What is there instead of what was missed: columns, tables, keys, allowed values, tools, near names.

In this order: the failure's own text, the tool's schema, earlier results of the run, the catalogue. Nothing is
invented: a name is listed only because one of these holds it.
"""

import difflib
import re
from collections.abc import Mapping
from typing import Any

from proxy.failures.call import Call
from proxy.failures.reading import Known

_MOST = 40
_COMPARED = 600
_LIST = re.compile(
    r"(?<![A-Za-z])(?P<kind>valid columns|available columns|candidate bindings|candidate columns|columns(?:"
    r" are)?|available tools|should be one of|try one of|tools you can call are|valid (?:values"
    r"|options|choices|types)(?: are)?|allowed(?: values)?(?: are)?"
    r"|(?:valid|available|known|supported) (?:\w+ )?names(?: are)?|available (?:keys|values"
    r"|options|fields|tables|names)|supported (?:formats|values)(?: are)?|expected one of|(?:must"
    r"|should) be (?:one of|either)|(?:is )?not one of|not (?:a )?(?:in|among)|choose from|one of"
    r"|did you mean(?: one of)?|perhaps you meant(?: to reference the column)?|maybe you meant"
    r"|possible values|有效(?:列|值)|可选(?:值|列)?|可用(?:的)?\w{0,4}|支持的?\w{0,4}|只能(?:是"
    r"|为)|允许的?值)"
    r"(?P<gap>[^\S\n]?(?:are|is|为|是)?[^\S\n]?[:：?]{0,2}[^\S\n]?(?:the column )?)"
    r"(?P<list>[\[({]?[^\n\]});]{1,8000})",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"'`“]([^\"'`”\n]{1,120})[\"'`”]")
_WORD_LIST = re.compile(
    r"[\w.:+/-]{1,60}(?:(?:\s?,\s?(?:and |or )?|\s?\|\s?|\s(?:or|and|或|、)\s|、)[\w.:+/-]{1,60}){1,600}"
)
_SUGGESTED = re.compile(
    r"(?:did you mean|perhaps you meant|maybe you meant|similar (?:column"
    r"|name)s?)[^\n]{0,60}?[\"'`]([^\"'`\n]{1,120})[\"'`]|Did you"
    r" mean\?\s+((?:\"[^\"\n]{1,80}\"\s*){1,5})",
    re.IGNORECASE,
)
_KINDS = (
    ("column", "columns"),
    ("binding", "columns"),
    ("列", "columns"),
    ("tool", "tools"),
    ("table", "tables"),
    ("key", "keys"),
    ("field", "fields"),
    ("option", "options"),
)
_ALTERNATIVES = re.compile(
    r"^(?:alternatives?|available(?:_\w+)?|options|suggestions?|allowed(?:_?\w+)?|valid(?:_?\w+)?"
    r"|choices|candidates|free_slots|other_\w+|可选\w*|替代\w*|可用\w*)$",
    re.IGNORECASE,
)


def available(code: str, text: str, call: Call, known: Known, fields: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What is available, by kind; `near` holds the likeliest names, best first."""
    found: dict[str, tuple[str, ...]] = {}
    _from_text(text, found)
    _from_fields(fields, found)
    missed = _missed(text, call)
    if (
        code in ("UNKNOWN_COLUMN", "UNKNOWN_FIELD", "AMBIGUOUS_COLUMN", "KEY_NOT_FOUND")
        and "columns" not in found
        and "keys" not in found
    ):
        _columns(text, call, known, found)
    if code == "UNKNOWN_TABLE" and "tables" not in found and (known.columns or known.earlier.columns):
        found["tables"] = tuple(dict.fromkeys([*known.earlier.columns, *known.columns]))[:_MOST]
    if code == "UNKNOWN_TOOL":
        found.setdefault("tools", found.pop("values", ()) or known.tools)
    _from_schema(text, call, known, found)
    _near(missed, found)
    return {kind: names[:_MOST] for kind, names in found.items() if names}


def _from_text(text: str, found: dict[str, tuple[str, ...]]) -> None:
    for hit in list(_LIST.finditer(text[:8000]))[:8]:
        names = _names(hit.group("list"))
        kind = hit.group("kind").lower()
        if not names or kind.startswith(("did you", "perhaps", "maybe")):
            continue
        where = next((plural for word, plural in _KINDS if word in kind), "values")
        if where not in found and (len(names) > 1 or "[" in hit.group("list")[:2]):
            found[where] = names
    suggested = [
        name
        for hit in _SUGGESTED.finditer(text[:8000])
        for name in ([hit.group(1)] if hit.group(1) else _QUOTED.findall(hit.group(2)))
    ]
    if suggested:
        found["near"] = tuple(dict.fromkeys(suggested))[:5]


def _names(text: str) -> tuple[str, ...]:
    quoted = _QUOTED.findall(text)
    if quoted:
        return tuple(dict.fromkeys(quoted))
    words = _WORD_LIST.match(text.lstrip("[({ "))
    if not words:
        return ()
    return tuple(
        dict.fromkeys(
            part.strip().rstrip(".")
            for part in re.split(r"\s?,\s?(?:and |or )?|\s?\|\s?|\s(?:or|and|或)\s|、", words.group())
            if part.strip()
        )
    )


def _from_fields(fields: Mapping[str, Any], found: dict[str, tuple[str, ...]]) -> None:
    """Lists of an error's own JSON: `alternatives`, `available_rooms`, `valid_columns` …"""
    for key, value in fields.items():
        if (
            isinstance(value, list)
            and value
            and _ALTERNATIVES.match(str(key))
            and all(isinstance(item, str | int | float) for item in value)
        ):
            where = (
                "columns"
                if "column" in str(key).lower()
                else "values"
                if str(key).lower().startswith(("allowed", "valid", "choices"))
                else "alternatives"
            )
            found.setdefault(where, tuple(str(item) for item in value[:_MOST]))


def _missed(text: str, call: Call) -> str:
    """The name that was not found: the first quoted word that the call sent."""
    quoted = _QUOTED.findall(text[:2000])
    return next((word for word in quoted if call.argument_of(word)), quoted[0] if quoted else _after_colon(text))


def _after_colon(text: str) -> str:
    found = re.search(
        r"(?:no such (?:column|table)|unknown (?:column|tool)|column)[: ]+([\w.]{2,80})", text[:2000], re.IGNORECASE
    )
    return found.group(1) if found else ""


def _columns(text: str, call: Call, known: Known, found: dict[str, tuple[str, ...]]) -> None:
    """Columns of the tables that the call names, from earlier results, then from the catalogue."""
    spoken = " ".join([text[:2000], *(value for _, value in call.values)]).lower()
    for source in (known.earlier.columns, known.columns):
        named = [table for table in source if re.search(rf"\b{re.escape(table.split('.')[-1].lower())}\b", spoken)]
        tables = named or (list(source) if len(source) == 1 else [])
        columns = tuple(dict.fromkeys(column for table in tables for column in source[table]))
        if columns:
            found["columns"] = columns[:_MOST]
            return
    if known.earlier.keys:
        found["columns"] = known.earlier.keys[:_MOST]


def _from_schema(text: str, call: Call, known: Known, found: dict[str, tuple[str, ...]]) -> None:
    """Allowed values of the argument that the failure speaks of; names of arguments where one is unknown or missing."""
    properties = (known.schema or {}).get("properties")
    if not isinstance(properties, dict) or "values" in found:
        return
    for name, schema in properties.items():
        values = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(values, list) and re.search(rf"\b{re.escape(name)}\b", text) and name in call.arguments:
            found["values"] = tuple(str(value) for value in values[:_MOST])
            return
        if (
            isinstance(values, list)
            and name in call.arguments
            and str(call.arguments[name]) in text
            and call.arguments[name] not in values
        ):
            found["values"] = tuple(str(value) for value in values[:_MOST])
            return


def _near(missed: str, found: dict[str, tuple[str, ...]]) -> None:
    """The likeliest names among what is available."""
    if not missed or "near" in found:
        return
    bare = missed.rsplit(".", maxsplit=1)[-1].lower()
    for kind in ("columns", "tables", "tools", "keys", "fields", "values", "options"):
        names = {
            name.lower().rpartition(".")[2]: name for name in found.get(kind, ()) if name.lower() != missed.lower()
        }
        close = difflib.get_close_matches(bare, list(names)[:_COMPARED], n=2, cutoff=0.72)
        if close:
            found["near"] = tuple(names[name] for name in close)
            return
