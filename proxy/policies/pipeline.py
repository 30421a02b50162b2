"""All policies, in the order in which an ask meets them; a reply meets them the other way round."""

from typing import Any, ClassVar, Protocol

from proxy.policies.policy import Policy
from proxy.policies.repair_arguments import RepairArguments


class Make(Protocol):
    """A policy's class: made of its settings and the pack it stands in."""

    name: ClassVar[str]

    def __call__(self, settings: Any, pack: Any) -> Policy: ...


PIPELINE: tuple[Any, ...] = (RepairArguments,)
