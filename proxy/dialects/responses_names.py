"""Names of tools in Responses: a call may carry a namespace beside its name.

A tool within a namespace is meant by its own name, as long as no other tool has that name too; else by both, joined.
Calls find their tool even where a model or a provider left the namespace out or wrote it into the name; such a call is
written anew, since clients look for the namespace (without it: "unsupported call").
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

_JOINTS = ("__", ".", "_", "/", "-")


class Names(msgspec.Struct, frozen=True):
    """The tools of a request by namespace and name, and the other way round."""

    tools: Mapping[tuple[str, str], str] = {}
    wires: Mapping[str, tuple[str, str]] = {}
    loose: Mapping[str, str] = {}
    """Tools of namespaces by the names under which a call may look for them."""

    def meant(self, namespace: str, name: str) -> tuple[str, str]:
        """The tool that is meant, and why a plain client would not find it (empty: it would)."""
        tool = self.tools.get((namespace, name))
        if tool is not None:
            return tool, ""
        if not namespace and name in self.loose:
            return self.loose[name], "a call without its namespace"
        return name, ""

    def wire(self, tool: str) -> tuple[str, str]:
        """Namespace (empty: none) and name of a tool."""
        return self.wires.get(tool, ("", tool))


NO_NAMES = Names()


def named(pairs: Iterable[tuple[str, str]]) -> Names:
    """Names for tools, each given as namespace (empty: none) and name, in the order of the request."""
    listed = list(dict.fromkeys(pairs))
    count = Counter(name for _, name in listed)
    tools: dict[tuple[str, str], str] = {}
    for namespace, name in listed:
        alone = not namespace or count[name] == 1
        tools[namespace, name] = name if alone else f"{namespace}__{name}"
    loose: dict[str, str] = {}
    for (namespace, name), tool in tools.items():
        if namespace:
            for guess in (tool, *(f"{namespace}{joint}{name}" for joint in _JOINTS)):
                loose.setdefault(guess, tool)
    return Names(tools, {tool: pair for pair, tool in tools.items()}, loose)
