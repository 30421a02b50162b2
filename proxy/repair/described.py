"""Writes what a pack knows of parameters into the schema that the model sees: units, reasons, examples, values.

What a decoder or a checker can use becomes a keyword (format, bounds, enum); the rest becomes sentences behind the
parameter's own description, because every provider passes that on. The same schema and facts give the same bytes in
every request, and all else in the schema stays the bytes that it was, so that the provider's prompt cache keeps.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from proxy.rawjson import Raw, UnreadableError, dump, edit, fields, obj, value
from proxy.repair.overlays import Overlay
from proxy.repair.units import declared, unit

Language = Literal["en", "zh"]

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"unit": "Unit: {}.", "reason": "Needed because: {}.", "example": "Example: {}.", "join": " ", "stop": "."},
    "zh": {"unit": "单位：{}。", "reason": "用途：{}。", "example": "示例：{}。", "join": "", "stop": "。"},
}
_ENDS = (".", "!", "?", ":", "。", "！", "？", "：", ")", "）")


_CJK = re.compile(r"[\u3400-\u9fff]")
_DESCRIPTION = re.compile(r'"description":"((?:[^"\\]|\\.)*)"')


class Facts(Overlay, Protocol):
    """What is known of one parameter."""

    @property
    def description(self) -> str | None: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def all_examples(self) -> Sequence[Any]: ...


def spoken(*texts: str | bytes) -> Language:
    """The language in which a tool tells of itself: its description, and its schema's."""
    said = "".join(one if isinstance(one, str) else _descriptions(one) for one in texts)[:4000]
    return "zh" if len(_CJK.findall(said)) * 8 > len(said) else "en"


def _descriptions(schema: bytes) -> str:
    try:
        return "".join(_DESCRIPTION.findall(dump(value(schema)).decode()))
    except UnreadableError:
        return ""


def described(schema: bytes, facts: Mapping[str, Facts], language: Language) -> bytes:
    """The schema (JSON bytes of a tool's parameters) with the facts in it, by name of top-level property.

    The same bytes where nothing is to be added, or the schema can't be read.
    """
    try:
        members = fields(schema)
        properties = fields(members.get("properties", b"{}"))
        changed = {
            name: _property(name, raw, facts[name], language) if name in facts and bytes(raw).startswith(b"{") else raw
            for name, raw in properties.items()
        }
        if all(changed[name] is raw for name, raw in properties.items()):
            return schema
        return edit(schema, {"properties": obj(changed)})
    except UnreadableError:
        return schema


def _property(name: str, raw: Raw, facts: Facts, language: Language) -> Raw | bytes:
    own = value(raw)
    text = _text(name, own, facts, language)
    keywords = {
        "format": facts.format,
        "minimum": _whole(facts.min),
        "maximum": _whole(facts.max),
        "enum": list(facts.enum) or None,
        "description": text or None,
    }
    changes = {key: dump(new) for key, new in keywords.items() if new is not None and own.get(key) != new}
    return edit(raw, changes) if changes else raw


def _whole(number: float | None) -> float | None:
    """100, not 100.0: that is how a person would write the bound."""
    return int(number) if number is not None and number == int(number) else number


def _text(name: str, own: Mapping[str, Any], facts: Facts, language: Language) -> str:
    words = _WORDS[language]
    said = facts.description or (own["description"] if isinstance(own.get("description"), str) else "")
    sentences = []
    if facts.unit and not _says_unit({**own, "description": said}, name, facts.unit):
        sentences.append(words["unit"].format(facts.unit))
    if facts.reason:
        sentences.append(words["reason"].format(facts.reason.rstrip(".。")))
    if facts.all_examples:
        shown = ", ".join(one if isinstance(one, str) else dump(one).decode() for one in facts.all_examples)
        sentences.append(words["example"].format(shown))
    if not sentences:
        return said
    said = said.rstrip()
    lead = [said if said.endswith(_ENDS) else said + words["stop"]] if said else []
    return words["join"].join((*lead, *sentences))


def _says_unit(own: Mapping[str, Any], name: str, stated: str) -> bool:
    """Whether the schema names this very unit already."""
    found = declared(own, name)
    return found is not None and (found == stated or (unit(found) is not None and unit(found) == unit(stated)))
