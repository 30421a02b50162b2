"""What real providers sent, replayed through a real process: nothing differs in observe, all is explained in enforce.

Prints what it counted (`pytest -s -m shared tests/test_recordings.py`).
"""

import json
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from tests.explained import judge, recorded_ask, recorded_reply
from tests.recordings import FILES, FOLDER, Recorded, chains, recordings
from tests.replaying import KEY, Replayed, fields_of, replayed, verdicts

pytestmark = [
    pytest.mark.shared,
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER.exists(), reason="the folder of recordings is not there"),
]


@pytest.fixture(scope="module")
def everything() -> dict[str, Recorded]:
    return {one.id: one for file in FILES for one in recordings(file)}


@pytest.fixture(scope="module")
def groups(everything) -> list[list[Recorded]]:
    """All recordings, each once; those of one conversation, and its branches, together and in order."""
    group_of: dict[str, list[Recorded]] = {}
    found: list[list[Recorded]] = []
    for chain in (*chains(everything), *([one] for one in everything.values())):
        group = next((group_of[one.id] for one in chain if one.id in group_of), None)
        if group is None:
            group = []
            found.append(group)
        for one in chain:
            if one.id not in group_of:
                group.append(one)
                group_of[one.id] = group
    return found


def table(rows: dict[str, Counter[str]]) -> None:
    for name, counted in rows.items():
        print(f"{name:18}", ", ".join(f"{what}: {count}" for what, count in sorted(counted.items())))


async def test_in_observe_not_a_byte_differs(everything, groups, tmp_path):
    done = await replayed(groups, tmp_path, "observe")
    assert len(done) == len(everything)
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for one in done:
        known_as = one.recorded.id
        assert [seen.body for seen in one.asked] == [one.recorded.body], known_as
        assert one.asked[0].header("authorization")[0].startswith(f"Bearer {KEY}-"), known_as
        assert (one.got.status, one.got.cut) == (one.recorded.status, False), known_as
        assert one.got.body == one.recorded.answer, known_as
        assert fields_of(one.got.headers) == fields_of(one.recorded.headers), known_as
        assert verdicts(one, "enforce") == [], known_as
        assert logged_without_credential(one), known_as
        rows[one.recorded.file]["same bytes both ways"] += 1
        for line in verdicts(one, "observe"):
            rows[one.recorded.file][f"would {line['policy']} {line['would']}"] += 1
    print("\nobserve.yaml")
    table(rows)


async def test_in_enforce_every_difference_is_explained(everything, groups, tmp_path):
    done = await replayed(groups, tmp_path, "default")
    assert len(done) == len(everything)
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    acts: dict[str, Counter[str]] = defaultdict(Counter)
    unexplained = []
    for one in done:
        judged = judge(one)
        unexplained += [f"{one.recorded.id}: {why}" for why in judged.unexplained]
        rows[one.recorded.file][f"answer {judged.answer}"] += 1
        rows[one.recorded.file][f"ask {judged.ask}"] += 1
        assert logged_without_credential(one), one.recorded.id
        for line in verdicts(one, "enforce"):
            acts[one.recorded.file][f"{line['policy']} {line['did']}"] += 1
    print("\ndefault.yaml")
    table(rows)
    table(acts)
    assert unexplained == []
    nothing_cut_was_completed(done)
    conversations_are_runs(everything, done)


def conversations_are_runs(everything: dict[str, Recorded], done: list[Replayed]) -> None:
    """What answers the calls before is the same run; another conversation never is."""
    known = {one.recorded.id: one for one in done}
    seen: Counter[str] = Counter()
    for chain in chains(everything):
        for before, one in pairwise(known[recorded.id] for recorded in chain):
            turn = "answers the calls before" if answers(one, before) else "something else"
            seen[f"{turn}: {'same run' if one.run == before.run else 'another run'}"] += 1
    print("conversations", dict(seen))
    assert seen["answers the calls before: another run"] == 0
    assert seen["answers the calls before: same run"] > 100


def answers(one: Replayed, before: Replayed) -> bool:
    """Whether an ask ends with results of calls that the answer before it made, as the agent got them."""
    ask, reply = recorded_ask(one), recorded_reply(before)
    if ask is None or reply is None or not ask.turns or len(before.asked) > 1:
        return False
    ids = {call.id for call in reply.calls if call.id.encode() in before.got.body}
    return any(result.call_id in ids for result in ask.turns[-1].results)


def logged_without_credential(one: Replayed) -> bool:
    return KEY not in json.dumps(one.lines) and not any(KEY.encode() in body for body in one.logged.values())


def nothing_cut_was_completed(done: list[Replayed]) -> None:
    """Half a call never leaves: where an answer was cut, the agent gets whole calls as they were said, or none."""
    cut = 0
    for one in done:
        reply = recorded_reply(one)
        if reply is None or one.got.status != 200:
            continue
        for turn in reply.turns:
            for call in turn.calls if turn.cut else ():
                try:
                    json.loads(call.arguments)
                except ValueError:
                    cut += 1
                    assert call.id.encode() not in one.got.body, one.recorded.id
    print(f"calls that were cut: {cut}, handed out: 0")
    assert cut > 20
