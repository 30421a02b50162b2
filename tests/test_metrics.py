from proxy.metrics import Metrics


def lines(metrics):
    return metrics.text().decode().splitlines()


def test_what_happened_is_counted():
    metrics = Metrics(lambda: 3)
    metrics.began()
    metrics.began()
    metrics.ended("messages", 503, 0.02, 0.5)
    metrics.round(hidden=True)
    metrics.verdict({"policy": "gates", "did": "halted", "mode": "enforce"})
    metrics.verdict({"policy": "gates", "did": "observed", "mode": "observe", "would": "halted"})
    metrics.upstream_failed("timeout")
    metrics.crashed()
    metrics.alerted()
    found = lines(metrics)
    for line in (
        "handrail_active_requests 1.0",
        'handrail_requests_total{kind="messages",status="5xx"} 1.0',
        'handrail_request_seconds_sum{kind="messages"} 0.5',
        'handrail_first_byte_seconds_count{kind="messages"} 1.0',
        'handrail_rounds_total{hidden="yes"} 1.0',
        'handrail_decisions_total{did="halted",mode="enforce",policy="gates"} 1.0',
        'handrail_decisions_total{did="halted",mode="observe",policy="gates"} 1.0',
        'handrail_upstream_failures_total{kind="timeout"} 1.0',
        "handrail_crashes_total 1.0",
        "handrail_alerts_total 1.0",
        "handrail_log_dropped_records_total 3.0",
    ):
        assert line in found


def test_no_label_is_anybodys_choice():
    metrics = Metrics()
    for number in range(50):
        metrics.upstream_failed(f"kind {number}")
        metrics.verdict({"policy": "p", "did": "d", "mode": f"mode {number}"})
    assert [line for line in lines(metrics) if line.startswith("handrail_upstream_failures_total")] == [
        'handrail_upstream_failures_total{kind="other"} 50.0'
    ]
    assert not [line for line in lines(metrics) if "mode 1" in line]


def test_no_answer_and_two_registries():
    metrics, other = Metrics(), Metrics()
    metrics.began()
    metrics.ended("other", 0, None, 1.0)
    assert 'handrail_requests_total{kind="other",status="none"} 1.0' in lines(metrics)
    assert not [line for line in lines(other) if line.startswith("handrail_requests_total")]
