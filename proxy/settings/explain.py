"""pydantic's errors in the operator's words, at the operator's line.

An unknown key is answered with the key that was probably meant: a near name in the same section, or the same name in
the section where it belongs. A wrong value is answered with what is allowed. Long values and addresses are not quoted:
they may hold a secret.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz, process

from proxy.settings.document import Items, Keys, Leaf, Node, deepest, key_place
from proxy.settings.problems import Path, Problem, path_text

_NEAR = 65
_SURE = 85
_LISTED = 12
_QUOTED = 40

_KINDS = {
    "bool_type": "true or false",
    "dict_type": "a section of keys",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "model_attributes_type": "a section of keys",
    "model_type": "a section of keys",
    "string_type": "a text",
    "tuple_type": "a list",
}


def explain(error: ErrorDetails, root: Keys, model: type[BaseModel]) -> Problem:
    """One error of `model` about the data of `root`."""
    path: Path = error["loc"]
    kind = error["type"]
    node, taken = deepest(root, path)
    if kind == "extra_forbidden":
        return Problem(key_place(root, path), path, f"unknown key, {suggestion(path, model)}")
    if kind == "missing":
        return Problem(node.at, path, "is missing")
    return Problem(node.at, path[:taken], _wrong_value(error, node))


def suggestion(path: Path, model: type[BaseModel]) -> str:
    """What the unknown last key of a path was probably meant to be."""
    key = str(path[-1])
    known = tuple(_fields(_at(model, path[:-1])))
    near = process.extractOne(key, known, scorer=fuzz.ratio, score_cutoff=_NEAR)
    if near and near[1] >= _SURE:
        return f"did you mean {near[0]}?"
    if key in _homes(model):
        return f"did you mean {path_text(_homes(model)[key])}?"
    if near:
        return f"did you mean {near[0]}?"
    more = ", …" if len(known) > _LISTED else ""
    return f"known here: {', '.join(known[:_LISTED])}{more}" if known else "no key is known here"


def nearest(word: str, known: tuple[str, ...]) -> str:
    """`, did you mean …?`, or nothing if no known word is near."""
    near = process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=_NEAR)
    return f", did you mean {near[0]}?" if near else ""


def _wrong_value(error: ErrorDetails, node: Node) -> str:
    kind = error["type"]
    if kind == "literal_error":
        allowed = tuple(re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", ""))))
        value = node.value if isinstance(node, Leaf) else None
        hint = nearest(value, allowed) if isinstance(value, str) else ""
        return f"should be {' or '.join(allowed)}, not {_shown(node)}{hint}"
    if kind in _KINDS:
        return f"should be {_KINDS[kind]}, not {_shown(node)}"
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return message[:1].lower() + message[1:]


def _shown(node: Node) -> str:
    if isinstance(node, Keys):
        return "a section of keys"
    if isinstance(node, Items):
        return "a list"
    if node.value is None:
        return "empty"
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    if not isinstance(node.value, str):
        return str(node.value)
    secret = "://" in node.value or len(node.value) > _QUOTED
    return "this text" if secret else f"the text {node.value!r}"


def _bare(annotation: Any) -> Any:
    """A type without Annotated and without None."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, UnionType):
            annotation = next(arg for arg in get_args(annotation) if arg is not type(None))
        else:
            return annotation


def _at(annotation: Any, path: Path) -> Any:
    """The type that stands at a path, or None."""
    for step in path:
        annotation = _bare(annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields.get(str(step))
            annotation = field.annotation if field else None
        else:  # dict[str, X] or tuple[X, ...]
            inner = [arg for arg in get_args(annotation) if arg not in (str, ...)]
            annotation = inner[0] if inner else None
    return _bare(annotation)


def _fields(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from annotation.model_fields


@lru_cache(maxsize=4)
def _homes(model: type[BaseModel]) -> dict[str, Path]:
    """Each key of a section that has a fixed place → its path; the shallowest wins."""
    homes: dict[str, Path] = {}
    todo: list[tuple[type[BaseModel], Path]] = [(model, ())]
    while todo:
        section, path = todo.pop(0)
        for name, field in section.model_fields.items():
            inner = _bare(field.annotation)
            homes.setdefault(name, (*path, name))
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                todo.append((inner, (*path, name)))
    return homes
