"""What is wrong with a value, and what would be right, in one sentence of English or Chinese.

Takes plain data and must not know tools, policies or what is done about it. A sentence names what came and what is
allowed; the place is told beside it.
"""

import json
from collections.abc import Mapping
from typing import Any

from proxy.repair.literals import is_not_finite, write

MAX_SHOWN = 120
MAX_ALLOWED = 50

_SENTENCES: Mapping[str, tuple[str, str]] = {
    "type": ("expected {any}, got {got}", "应为 {any}，收到的是 {got}"),
    "enum": ("must be one of {values}, got {got}", "必须是 {values} 之一，收到的是 {got}"),
    "const": ("must be {value}, got {got}", "必须是 {value}，收到的是 {got}"),
    "required": ("this required property is missing", "缺少这个必填属性"),
    "additionalProperties": (
        "unknown property; the properties here are: {names}",
        "未知属性；这里可用的属性是：{names}",
    ),
    "propertyNames": ("this property name is not allowed", "不允许使用这个属性名"),
    "format": ("must be {format}, got {got}", "必须是{format}，收到的是 {got}"),
    "pattern": ("must match the pattern {text}, got {got}", "必须匹配正则 {text}，收到的是 {got}"),
    "minimum": ("must be at least {text}, got {got}", "不能小于 {text}，收到的是 {got}"),
    "maximum": ("must be at most {text}, got {got}", "不能大于 {text}，收到的是 {got}"),
    "exclusiveMinimum": ("must be greater than {text}, got {got}", "必须大于 {text}，收到的是 {got}"),
    "exclusiveMaximum": ("must be less than {text}, got {got}", "必须小于 {text}，收到的是 {got}"),
    "multipleOf": ("must be a multiple of {text}, got {got}", "必须是 {text} 的倍数，收到的是 {got}"),
    "minLength": ("must have at least {text} characters", "至少要有 {text} 个字符"),
    "maxLength": ("must have at most {text} characters", "最多只能有 {text} 个字符"),
    "minItems": ("must have at least {text} items", "至少要有 {text} 项"),
    "maxItems": ("must have at most {text} items", "最多只能有 {text} 项"),
    "minProperties": ("must have at least {text} properties", "至少要有 {text} 个属性"),
    "maxProperties": ("must have at most {text} properties", "最多只能有 {text} 个属性"),
    "uniqueItems": ("the items must all be different", "各项不能重复"),
    "anyOf": ("must be {any}, got {got}", "必须是 {any}，收到的是 {got}"),
    "oneOf": ("must fit exactly one of these: {any}; got {got}", "必须恰好符合其中一种：{any}；收到的是 {got}"),
    "never": ("nothing is allowed here", "这里不允许有值"),
    "number": ("NaN and Infinity are no JSON numbers", "NaN 和 Infinity 不是 JSON 数字"),
    "json": ("the arguments are not one JSON object: {text}", "参数不是一个完整的 JSON 对象：{text}"),
}
_OTHER = ('does not satisfy "{keyword}" of the schema', "不满足参数定义中的 “{keyword}”")
_FORMATS: Mapping[str, tuple[str, str]] = {
    "date": ("a date as YYYY-MM-DD, such as 2024-01-31", " YYYY-MM-DD 格式的日期，例如 2024-01-31"),
    "time": ("a clock time as HH:MM:SS, such as 09:30:00", " HH:MM:SS 格式的时间，例如 09:30:00"),
    "date-time": (
        "a date-time with its UTC offset, such as 2024-01-31T09:30:00Z or 2024-01-31T09:30:00+02:00",
        "带 UTC 时差的日期时间，例如 2024-01-31T09:30:00Z 或 2024-01-31T09:30:00+08:00",
    ),
    "email": ("an e-mail address", "电子邮件地址"),
    "uuid": ("a UUID", " UUID"),
    "uri": ("an absolute URI", "绝对 URI"),
    "ipv4": ("an IPv4 address", " IPv4 地址"),
    "ipv6": ("an IPv6 address", " IPv6 地址"),
}


def sentence(keyword: str, expected: Any, came: str, allowed: Any = None, lang: str = "en") -> str:
    """What the keyword has against what came."""
    index = 1 if lang == "zh" else 0
    template = _SENTENCES.get(keyword, _OTHER)[index]
    several = expected if isinstance(expected, list) else [expected]
    parts = {"keyword": keyword, "got": came, "text": str(expected)[: 2 * MAX_SHOWN]}
    if "{any}" in template:
        parts["any"] = (" 或 " if index else " or ").join(map(str, several))
    elif "{values}" in template or "{value}" in template:
        parts |= {"values": values(several), "value": shown(expected)}
    elif "{format}" in template:
        parts["format"] = _FORMATS.get(str(expected), (str(expected), str(expected)))[index]
    elif "{names}" in template:
        parts["names"] = ", ".join(allowed) if isinstance(allowed, list) else ""
    return template.format(**parts)


def shown(value: Any) -> str:
    """A value as JSON, shortened."""
    if isinstance(value, str) and len(value) > MAX_SHOWN:
        return f"{json.dumps(value[:MAX_SHOWN], ensure_ascii=False)}… ({len(value)})"
    if isinstance(value, dict | list) and len(value) > 10:
        return f"{'{' if isinstance(value, dict) else '['}… ({len(value)})"
    text = str(value) if is_not_finite(value) else write(value)
    return text if len(text) <= 2 * MAX_SHOWN else f"{text[:MAX_SHOWN]}… ({len(text)})"


def got(value: Any) -> str:
    """A value and its JSON type."""
    names = ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"), (dict, "object"), (list, "array"))
    name = next((name for kind, name in names if isinstance(value, kind)), None)
    return "null" if name is None else f"{shown(value)} ({name})"


def values(several: list[Any]) -> str:
    more = f" … ({len(several)})" if len(several) > MAX_ALLOWED else ""
    return ", ".join(map(shown, several[:MAX_ALLOWED])) + more


def form(schema: Mapping[str, Any], depth: int = 4) -> str:
    """A normalised schema in a few words: its values, format, pattern or type, and what an object requires."""
    if "enum" in schema:
        return f"one of {values(schema['enum'])}"
    if "const" in schema:
        return shown(schema["const"])
    if depth and "$ref" in schema:
        return form(schema["$ref"], depth - 1)
    if depth and "unlessNull" in schema:
        return f"{form(schema['unlessNull'], depth - 1)} or null"
    types = schema.get("type", "value")
    name = types if isinstance(types, str) else " or ".join(types)
    if "format" in schema:
        name += f" ({schema['format']})"
    if "pattern" in schema:
        name += f" matching {schema['pattern'].text[:MAX_SHOWN]}"
    if "required" in schema:
        name += f" with {', '.join(schema['required'][:MAX_ALLOWED])}"
    return name
