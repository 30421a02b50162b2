"""Which declared property a misspelt one was meant to be.

A name is changed only where the schema does not know it and the value would otherwise be refused: the object forbids
unknown properties, or misses one that it requires. The target must be unset, and no other unknown name may claim it. An
unknown property that is near nothing is never dropped.
"""

from collections.abc import Mapping
from typing import Any

from proxy.repair.closeness import nearest
from proxy.repair.nodes import Node, known

MAX_NAMES = 300


def meant_by(name: str, found: Mapping[str, Any], schema: Node, required: str | None = None) -> str | None:
    """The declared property that the unknown `name` of the object `found` stands for, if that is certain.

    `required` is a property that may be declared elsewhere than in this part of the schema.
    """
    declared = {*schema.get("properties", ()), *([] if required is None else [required])}
    if len(declared) > MAX_NAMES or len(found) > MAX_NAMES:
        return None
    target = nearest(name, declared)
    if target is None or target in found:
        return None
    rivals = (other for other in found if other != name and not known(schema, other))
    return None if any(nearest(other, declared) == target for other in rivals) else target


def standing_for(required: str, found: Mapping[str, Any], schema: Node) -> str | None:
    """The unknown property of `found` that was meant as the missing `required` one."""
    if len(found) > MAX_NAMES:
        return None
    unknown = (name for name in found if not known(schema, name))
    claims = [name for name in unknown if meant_by(name, found, schema, required) == required]
    return claims[0] if len(claims) == 1 else None
