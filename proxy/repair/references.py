"""What a `$ref` of a schema document means, found inside that document only: no network, no files.

The rule of the standard comes first. Where it finds nothing, a reference may still be certain: frameworks nest a
schema with its own `$defs` into another one and leave its references pointing at the root ("#/$defs/X" that stands
beside the reference, not at the top). Such a target is taken when it is the nearest enclosing one or the only one of
that name, and `Target.exact` is false so that the caller can report it. Everything else resolves to nothing, and
accepts anything.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urljoin

DEFINITIONS = ("$defs", "definitions")


@dataclass(frozen=True, slots=True)
class Target:
    """A schema that a reference points at; `exact` where the standard itself says so."""

    schema: Any
    exact: bool


class References:
    """The references of one schema document, indexed when the first one is asked for."""

    def __init__(self, document: Any) -> None:
        self._document = document

    def resolve(self, ref: str, source: dict[str, Any]) -> Target | None:
        """The target of `ref` as it stands in `source`, a subschema of the document."""
        base, _, fragment = ref.partition("#")
        fragment = unquote(fragment)
        resource = self._resource(base, source)
        if resource is not None:
            found = self._within(resource, fragment)
            if found is not None:
                return Target(found, exact=True)
        return self._likely(fragment, source) if not base else None

    def _resource(self, base: str, source: dict[str, Any]) -> Any:
        if not base:
            return next((s for s in self._ancestors(source) if _identifier(s)), self._document)
        here = next((_identifier(s) for s in self._ancestors(source) if _identifier(s)), "")
        by_id = self._index.by_id
        return by_id.get(base) or by_id.get(urljoin(here, base))

    def _within(self, resource: Any, fragment: str) -> Any:
        if not fragment:
            return resource
        if fragment.startswith("/"):
            return _pointed(resource, fragment)
        return self._index.by_anchor.get(fragment)

    def _likely(self, fragment: str, source: dict[str, Any]) -> Target | None:
        if not fragment.startswith("/"):
            return None
        for ancestor in self._ancestors(source):
            found = _pointed(ancestor, fragment)
            if found is not None:
                return Target(found, exact=False)
        name = fragment.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        named = self._index.by_name.get(name, [])
        return Target(named[0], exact=False) if len(named) == 1 else None

    def _ancestors(self, source: dict[str, Any]) -> list[dict[str, Any]]:
        """The objects around `source`, itself first."""
        chain = [source]
        while (parent := self._index.parents.get(id(chain[-1]))) is not None:
            chain.append(parent)
        return chain

    @cached_property
    def _index(self) -> "_Index":
        return _Index(self._document)


class _Index:
    """Where each object of the document stands, and every name that a reference can use."""

    def __init__(self, document: Any) -> None:
        self.parents: dict[int, dict[str, Any]] = {}
        self.by_id: dict[str, Any] = {}
        self.by_anchor: dict[str, Any] = {}
        self.by_name: dict[str, list[Any]] = {}
        pending = [document]
        while pending:
            found = pending.pop()
            if isinstance(found, dict):
                self._note(found)
                pending += self._children(found)

    def _note(self, found: dict[str, Any]) -> None:
        identifier = _identifier(found)
        if identifier:
            self.by_id.setdefault(identifier, found)
        for keyword in ("$anchor", "$dynamicAnchor"):
            anchor = found.get(keyword)
            if isinstance(anchor, str):
                self.by_anchor.setdefault(anchor, found)
        for keyword in DEFINITIONS:
            named = found.get(keyword)
            if isinstance(named, dict):
                for name, schema in named.items():
                    self.by_name.setdefault(name, []).append(schema)

    def _children(self, found: dict[str, Any]) -> list[Any]:
        children: list[Any] = []
        for value in found.values():
            children += value if isinstance(value, list) else [value]
        for child in children:
            if isinstance(child, dict):
                self.parents[id(child)] = found
        return children


def _identifier(schema: Any) -> str:
    for keyword in ("$id", "id"):
        identifier = schema.get(keyword) if isinstance(schema, dict) else None
        if isinstance(identifier, str) and identifier and not identifier.startswith("#"):
            return identifier.removesuffix("#")
    return ""


def _pointed(value: Any, pointer: str) -> Any:
    """What a JSON pointer means inside `value`, if that can be a schema."""
    for raw in pointer.split("/")[1:]:
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value if isinstance(value, dict | bool) else None
