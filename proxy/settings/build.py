"""From documents to a pack: merge, check, and say everything that is wrong at once.

Merging happens on the trees, before anything is checked, so that a problem still knows which of the two files it stands
in. The part of each agent is merged and checked in the same way when the pack is loaded: an agent's first request never
meets a broken pack. Takes trees, returns values; `PackError` is for those who want nothing but the pack.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from pydantic import ValidationError

from proxy.settings.advice import advise
from proxy.settings.document import Document, Items, Keys, Leaf, Node, key_place, plain, read_document
from proxy.settings.explain import explain, nearest
from proxy.settings.pack import Pack
from proxy.settings.problems import PackError, Path, Place, Problem, in_order

NOT_IN_AGENTS = ("extends", "agents", "log", "escalate")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A pack, or None if something keeps it from loading, and every problem in the order of the file."""

    pack: Pack | None
    problems: tuple[Problem, ...] = ()


def parse_pack(text: str, name: str = "pack") -> Pack:
    """The pack in one text that extends nothing. Raises PackError."""
    return usable(compile_pack(read_document(text, name)))


def usable(compiled: Compiled) -> Pack:
    """The pack, or PackError with all reasons; warnings are dropped."""
    if compiled.pack is None:
        raise PackError(problem for problem in compiled.problems if not problem.warning)
    return compiled.pack


def compile_pack(document: Document, base: Document | None = None) -> Compiled:
    """Merge a document over the one that it extends, and check the whole."""
    problems = [*document.problems, *_extends_problems(document, base)]
    trees = [one.root for one in (base, document) if one]
    problems += [
        Problem(tree.at, (), "a pack is a section of keys") for tree in trees if isinstance(tree, Items | Leaf)
    ]
    readable = [tree for tree in trees if isinstance(tree, Keys)]
    if len(readable) < len(trees):  # of half a pack nothing can be said
        return Compiled(None, in_order(problems))
    pack, found = _with_agents(reduce(merge_keys, readable))
    problems += found
    failed = any(not problem.warning for problem in problems)
    return Compiled(None if failed else pack, in_order(problems))


def merge(base: Node, over: Node) -> Node:
    """Mappings are merged, all else is replaced. A key left blank says nothing; `null` takes away."""
    if isinstance(base, Keys) and isinstance(over, Keys):
        return merge_keys(base, over)
    if isinstance(base, Keys) and isinstance(over, Leaf) and over.blank:
        return base
    return over


def merge_keys(base: Keys, over: Keys) -> Keys:
    """`merge` for two sections."""
    entries = dict(base.entries)
    for key, (at, node) in over.entries.items():
        below = base.get(key)
        entries[key] = (at, node if below is None else merge(below, node))
    return Keys(over.at, entries)


def _with_agents(root: Keys) -> tuple[Pack | None, list[Problem]]:
    own = root.without("agents")
    pack, problems = _check(own)
    agents: dict[str, Pack] = {}
    for name, node in _agents(root, problems):
        for key in NOT_IN_AGENTS:
            if key in node.entries:
                at = node.entries[key][0]
                problems.append(Problem(at, ("agents", name, key), "belongs to the pack, not to one agent"))
        part, found = _check(merge_keys(own, node.without(*NOT_IN_AGENTS)))
        known = {(problem.place, problem.message) for problem in problems}
        problems += [
            Problem(problem.place, ("agents", name, *problem.path), problem.message, problem.warning)
            for problem in found
            if (problem.place, problem.message) not in known
        ]
        if part:
            agents[name] = part
    return (pack.model_copy(update={"agents": agents}) if pack else None), problems


def _agents(root: Keys, problems: list[Problem]) -> Iterator[tuple[str, Keys]]:
    section = root.get("agents")
    if isinstance(section, Keys):
        for name, (at, node) in section.entries.items():
            if isinstance(node, Keys):
                yield name, node
            elif isinstance(node, Leaf) and node.blank:
                yield name, Keys(at, {})
            else:
                problems.append(Problem(node.at, ("agents", name), "should be a section of keys"))
    elif section is not None and not (isinstance(section, Leaf) and section.value is None):
        problems.append(Problem(section.at, ("agents",), "should be a section of keys"))


def _check(root: Keys) -> tuple[Pack | None, list[Problem]]:
    problems = list(_contradictions(root))
    try:
        pack = Pack.model_validate(plain(root))
    except ValidationError as error:
        problems += [explain(detail, root, Pack) for detail in error.errors(include_url=False)]
        return None, problems
    if problems:
        return None, problems
    return pack, list(advise(pack, root))


def _contradictions(root: Keys) -> Iterator[Problem]:
    """What no single section can see. Reads the tree, so that it is told beside the other problems."""
    catalogs = _names(root, "catalogs")
    tools = root.get("tools")
    for tool in _names(root, "tools"):
        facts = tools.get(tool) if isinstance(tools, Keys) else None
        wanted = facts.get("catalog") if isinstance(facts, Keys) else None
        if isinstance(wanted, Leaf) and isinstance(wanted.value, str) and wanted.value not in catalogs:
            message = f"no catalogue {wanted.value!r}{nearest(wanted.value, catalogs)}"
            yield Problem(wanted.at, ("tools", tool, "catalog"), message)
    if not _names(root, "prices"):
        for name in _names(root, "policies", "gates"):
            if name.startswith("money"):
                path: Path = ("policies", "gates", name)
                yield Problem(key_place(root, path), path, "needs prices: at the top of the pack")


def _names(root: Keys, *path: str) -> tuple[str, ...]:
    node: Node | None = root
    for step in path:
        node = node.get(step) if isinstance(node, Keys) else None
    return tuple(node.entries) if isinstance(node, Keys) else ()


def _extends_problems(document: Document, base: Document | None) -> Iterator[Problem]:
    path: Path = ("extends",)
    at = key_place(document.root, path) if document.root else Place(document.name)
    if base is None:
        if document.extends:
            yield Problem(at, path, f"no pack {document.extends!r} to extend")
        return
    for problem in base.problems:  # a file that isn't there has no line: say where it was asked for
        yield problem if problem.place.line else Problem(at, path, str(problem))
    if base.extends and base.root:
        message = f"{document.name} extends this pack, and that goes one level only"
        yield Problem(key_place(base.root, path), path, message)
