"""The one table of scenarios: every policy of the pipeline, on each API, streamed or not."""

from tests.scenario import Scenario
from tests.scenarios_asks import ASKS
from tests.scenarios_calls import CALLS
from tests.scenarios_ends import ENDS

SCENARIOS: tuple[Scenario, ...] = (*ENDS, *ASKS, *CALLS)
