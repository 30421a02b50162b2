"""The JSON editing that all dialects share, under the name that they use."""

from proxy.rawjson import (
    COMPACT,
    SPACED,
    Bytes,
    Raw,
    Style,
    UnreadableError,
    arr,
    dump,
    edit,
    fields,
    items,
    member,
    mended,
    obj,
    style_of,
    value,
)

__all__ = [
    "COMPACT",
    "SPACED",
    "Bytes",
    "Raw",
    "Style",
    "UnreadableError",
    "arr",
    "dump",
    "edit",
    "fields",
    "items",
    "member",
    "mended",
    "obj",
    "style_of",
    "value",
]
