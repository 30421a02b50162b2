"""Each policy on each API, streamed or not: one table of scenarios, each cell asserted.

`python -m tests.test_matrix` prints the matrix, and what does not hold.
"""

import sys
from collections.abc import Callable, Iterator

import pytest

from proxy.policies.pipeline import PIPELINE
from tests.apis import Api
from tests.scenario import ALL, Scenario, observed, problems
from tests.scenarios import SCENARIOS

CELLS = [
    pytest.param(scenario, api, stream, id=f"{scenario.policy}: {scenario.name} [{api.name}{', streamed' * stream}]")
    for scenario in SCENARIOS
    for api in ALL
    for stream in (False, True)
    if scenario.happens(api, stream=stream)
]


def test_every_policy_has_scenarios_on_every_api():
    for policy in PIPELINE:
        own = [scenario for scenario in SCENARIOS if scenario.policy == policy.name and not scenario.quiet]
        for api in ALL[:3]:
            for stream in (False, True):
                assert any(scenario.happens(api, stream=stream) for scenario in own), (policy.name, api.name)
    assert {scenario.policy for scenario in SCENARIOS} == {policy.name for policy in PIPELINE}


@pytest.mark.parametrize(("scenario", "api", "stream"), CELLS)
def test_it_holds(scenario: Scenario, api: Api, stream: bool) -> None:  # noqa: FBT001
    assert problems(scenario, api, stream=stream) == []


@pytest.mark.parametrize(("scenario", "api", "stream"), CELLS)
def test_observing_changes_no_byte_and_foretells_it(scenario: Scenario, api: Api, stream: bool) -> None:  # noqa: FBT001
    assert observed(scenario, api, stream=stream) == []


# ---------------------------------------------------------------- the matrix, for people


def matrix() -> Iterator[str]:
    """Rows of a table, and what does not hold below it."""
    columns = [(api, stream) for api in ALL for stream in (False, True)]
    wrong: list[str] = []
    yield "| policy | scenario | " + " | ".join(f"{api.name}{', streamed' * stream}" for api, stream in columns) + " |"
    yield "|---|---|" + "---|" * len(columns)
    for scenario in SCENARIOS:
        cells = []
        for api, stream in columns:
            found = _cell(scenario, api, stream=stream)
            cells.append("–" if found is None else "✗" if found else "✓")
            wrong += [f"{scenario.policy}: {scenario.name} [{api.name}, {stream=}]: {why}" for why in found or ()]
        yield f"| {scenario.policy} | {scenario.name} | {' | '.join(cells)} |"
    yield ""
    yield f"{len(CELLS)} cells, each enforced and observed; – : cannot happen there."
    yield from wrong


def _cell(scenario: Scenario, api: Api, *, stream: bool) -> list[str] | None:
    """What does not hold, enforced or observed; None: it cannot happen."""
    if not scenario.happens(api, stream=stream):
        return None
    checks: tuple[Callable[..., list[str]], ...] = (problems, observed)
    return [why for check in checks for why in check(scenario, api, stream=stream)]


if __name__ == "__main__":
    for row in matrix():
        sys.stdout.write(row + "\n")
