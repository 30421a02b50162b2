"""What an operator sees in Prometheus: counts and durations under names that stay, with labels that are few.

A registry of its own, so that nothing else shows up in it. No label holds anything that a caller can choose freely: no
path, no model, no tool, no run.
"""

from collections.abc import Callable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
_MODES = frozenset({"observe", "enforce"})
_KINDS = frozenset({"connect", "timeout", "reset", "protocol", "decode", "open"})


class Metrics:
    """Takes what happens, cheaply. `dropped`: reads the number of log records that were lost."""

    def __init__(self, dropped: Callable[[], int] = lambda: 0) -> None:
        registry = self._registry = CollectorRegistry()
        self._requests = Counter("handrail_requests", "Requests answered.", ("kind", "status"), registry=registry)
        self._seconds = Histogram(
            "handrail_request_seconds",
            "Time from a request to the end of its answer.",
            ("kind",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._first = Histogram(
            "handrail_first_byte_seconds",
            "Time from a request to the start of its answer.",
            ("kind",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._rounds = Counter("handrail_rounds", "Upstream calls of exchanges.", ("hidden",), registry=registry)
        self._decisions = Counter(
            "handrail_decisions", "What policies did.", ("policy", "did", "mode"), registry=registry
        )
        self._failures = Counter("handrail_upstream_failures", "Failed upstream calls.", ("kind",), registry=registry)
        self._crashes = Counter("handrail_crashes", "Faults of Handrail's own.", registry=registry)
        self._alerts = Counter("handrail_alerts", "Times that a human was told.", registry=registry)
        self._active = Gauge("handrail_active_requests", "Requests being answered.", registry=registry)
        Gauge("handrail_log_dropped_records", "Records that the run log lost.", registry=registry).set_function(dropped)
        self._children: dict[tuple[str, ...], Counter] = {}

    def began(self) -> None:
        self._active.inc()

    def ended(self, kind: str, status: int, first: float | None, seconds: float) -> None:
        """`kind`: a dialect, or what else it was (`other`, `websocket`); `status` 0: no answer."""
        self._active.dec()
        self._child(self._requests, "requests", kind, f"{status // 100}xx" if status else "none").inc()
        self._seconds.labels(kind).observe(seconds)
        if first is not None:
            self._first.labels(kind).observe(first)

    def round(self, *, hidden: bool) -> None:
        self._child(self._rounds, "rounds", "yes" if hidden else "no").inc()

    def verdict(self, fields: Mapping[str, Any]) -> None:
        """A line of the run log that says what a policy did."""
        mode = str(fields.get("mode"))
        if mode in _MODES:
            self._child(self._decisions, "decisions", str(fields.get("policy")), str(fields.get("did")), mode).inc()

    def upstream_failed(self, kind: str) -> None:
        self._child(self._failures, "failures", kind if kind in _KINDS else "other").inc()

    def crashed(self) -> None:
        self._crashes.inc()

    def alerted(self) -> None:
        self._alerts.inc()

    def text(self) -> bytes:
        """All of it, in the text format."""
        return generate_latest(self._registry)

    def _child(self, counter: Counter, *labels: str) -> Counter:
        child = self._children.get(labels)
        if child is None:
            child = self._children[labels] = counter.labels(*labels[1:])
        return child
