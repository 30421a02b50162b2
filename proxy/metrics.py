"""What an operator sees in Prometheus: counts and durations under names that stay, with labels that are few.

Counted in plain numbers, since a request passes here four times, and made into metrics when somebody asks. No label
holds anything that a caller can choose freely: no path, no model, no tool, no run.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

CONTENT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_BOUNDS = (*(str(bound) for bound in _SECONDS), "+Inf")
_MODES = frozenset({"observe", "enforce"})
_KINDS = frozenset({"connect", "timeout", "reset", "protocol", "decode", "open"})


class _Durations:
    """A histogram by one label."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def add(self, label: str, seconds: float) -> None:
        counts = self._counts.get(label)
        if counts is None:
            counts = self._counts[label] = [0] * len(_BOUNDS)
            self._sums[label] = 0.0
        counts[bisect_left(_SECONDS, seconds)] += 1
        self._sums[label] += seconds

    def family(self, name: str, text: str) -> Metric:
        family = HistogramMetricFamily(name, text, labels=["kind"])
        for label, counts in self._counts.items():
            buckets = list(zip(_BOUNDS, accumulate(counts), strict=True))
            family.add_metric([label], buckets, self._sums[label])
        return family


class Metrics(Collector):
    """Takes what happens, cheaply. `dropped`: reads the number of log records that were lost."""

    def __init__(self, dropped: Callable[[], int] = lambda: 0) -> None:
        self._dropped = dropped
        self._active = 0
        self._crashes = 0
        self._alerts = 0
        self._requests: Counter[tuple[str, ...]] = Counter()
        self._rounds: Counter[tuple[str, ...]] = Counter()
        self._decisions: Counter[tuple[str, ...]] = Counter()
        self._failures: Counter[tuple[str, ...]] = Counter()
        self._whole = _Durations()
        self._first = _Durations()
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def began(self) -> None:
        self._active += 1

    def ended(self, kind: str, status: int, first: float | None, seconds: float) -> None:
        """`kind`: a dialect, or what else it was (`other`, `websocket`); `status` 0: no answer."""
        self._active -= 1
        self._requests[kind, f"{status // 100}xx" if status else "none"] += 1
        self._whole.add(kind, seconds)
        if first is not None:
            self._first.add(kind, first)

    def round(self, *, hidden: bool) -> None:
        self._rounds["yes" if hidden else "no",] += 1

    def verdict(self, fields: Mapping[str, Any]) -> None:
        """A line of the run log that says what a policy did; under `observe`, what it would have done."""
        mode = str(fields.get("mode"))
        if mode in _MODES:
            self._decisions[str(fields.get("policy")), str(fields.get("would") or fields.get("did")), mode] += 1

    def upstream_failed(self, kind: str) -> None:
        self._failures[kind if kind in _KINDS else "other",] += 1

    def crashed(self) -> None:
        self._crashes += 1

    def alerted(self) -> None:
        self._alerts += 1

    def text(self) -> bytes:
        """All of it, in the text format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        yield _counts("handrail_requests", "Requests answered.", ("kind", "status"), self._requests)
        yield self._whole.family("handrail_request_seconds", "From a request to the end of its answer.")
        yield self._first.family("handrail_first_byte_seconds", "From a request to the first byte of its answer.")
        yield _counts("handrail_rounds", "Upstream calls of exchanges.", ("hidden",), self._rounds)
        yield _counts(
            "handrail_decisions",
            "What policies did; with mode observe: would have done.",
            ("policy", "did", "mode"),
            self._decisions,
        )
        yield _counts("handrail_upstream_failures", "Failed upstream calls.", ("kind",), self._failures)
        yield CounterMetricFamily("handrail_crashes", "Faults of Handrail's own.", self._crashes)
        yield CounterMetricFamily("handrail_alerts", "Times that a human was told.", self._alerts)
        yield GaugeMetricFamily("handrail_active_requests", "Requests being answered.", self._active)
        yield CounterMetricFamily("handrail_log_dropped_records", "Records that the run log lost.", self._dropped())


def _counts(name: str, text: str, labels: tuple[str, ...], counts: Mapping[tuple[str, ...], int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for key, count in counts.items():
        family.add_metric(key, count)
    return family
