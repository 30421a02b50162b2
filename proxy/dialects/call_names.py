"""Which tool a result belongs to, by the id of its call. Ids may come again: the latest call counts."""

from collections.abc import Sequence

from proxy.model import Turn


class CallNames:
    """The calls of turns that are being read, behind turns that were read before."""

    __slots__ = ("_before", "_names")

    def __init__(self, before: Sequence[Turn] = ()) -> None:
        self._before = before
        self._names: dict[str, str] = {}

    def add(self, turn: Turn) -> None:
        for call in turn.calls:
            self._names[call.id] = call.tool

    def get(self, call_id: str) -> str:
        """The tool; empty where no call has this id."""
        found = self._names.get(call_id)
        if found is None:
            turns = reversed(self._before)
            calls = (call for turn in turns for call in reversed(turn.calls))
            found = next((call.tool for call in calls if call.id == call_id), "")
            self._names[call_id] = found
        return found
