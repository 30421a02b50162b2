"""All policies, in the order in which an ask meets them; a reply meets them the other way round."""

from typing import Any

from proxy.policies.constrain_tools import ConstrainTools
from proxy.policies.explain_errors import ExplainErrors
from proxy.policies.fold_history import FoldHistory
from proxy.policies.gates import Gates
from proxy.policies.pin_task import PinTask
from proxy.policies.repair_arguments import RepairArguments
from proxy.policies.rescue_text_calls import RescueTextCalls
from proxy.policies.run_once import RunOnce
from proxy.policies.tool_health import ToolHealth
from proxy.policies.truncate_results import TruncateResults

PIPELINE: tuple[Any, ...] = (
    Gates,
    ExplainErrors,
    TruncateResults,
    FoldHistory,
    PinTask,
    ToolHealth,
    RunOnce,
    RepairArguments,
    RescueTextCalls,
    ConstrainTools,
)
"""Classes; each is made of its settings and the pack that it stands in."""
