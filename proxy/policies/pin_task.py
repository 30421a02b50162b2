"""Says the task and its hard constraints again at the end of a long history, verbatim.

The pin is the last text of the last turn and the one thing that moves from ask to ask, so it breaks no cached prefix
but its own. It stands only behind tool results, only from a step on, and is short: the whole task where that fits,
else its first and last paragraph and the constraints.
"""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from proxy import task
from proxy.memo import Memo, mark
from proxy.model import Ask, Note, Reply, Run, Turn, replace
from proxy.policies import billing
from proxy.settings import Pack
from proxy.settings.policies import PinTaskSettings

LARGEST = 2048
"""Bytes of UTF-8 that a pin may have."""
_SENTENCE = re.compile(r"(?:[^.!?;。！？；\n]|[.!?;](?=[^\s\"')\]\u3400-\u9fff]))+[.!?;。！？；]*")
"""A dot inside a number, a name or an address ends nothing."""
_HARD = re.compile(
    r"\b(?:must(?:n't)?|never|only|do not|don't|cannot|may not|shall not|at most|at least|no more than|not exceed"
    r"|always|required to|forbidden|under no circumstances|without asking)\b"
    r"|不得|必须|只能|禁止|不能|不可|不要|务必|切勿|最多|至少|不超过|严禁|仅限",
    re.IGNORECASE,
)
_LEAST, _MOST = 10, 400
"""Bytes and characters of a sentence that can be a constraint."""
_WORDS = {
    "en": ("[Reminder of the task]", "Task:", "Constraints:"),
    "zh": ("[任务提醒]", "任务:", "约束:"),
}


class PinTask:
    """`pin_task` of a pack."""

    name: ClassVar[str] = "pin_task"
    minds_plain_asks = minds_openings = minds_words = False
    guards_replies = False

    def __init__(self, settings: PinTaskSettings, pack: Pack) -> None:
        self._after = settings.after_step
        self._pays = settings.when == "pays"
        self._declared = settings.constraints
        self._tasks = task.reader(pack.task_patterns, pack.tool_result_patterns)

    def on_ask(self, ask: Ask, run: Run) -> Ask:
        if ask.chained or not ask.turns or ask.turns[-1].role != "tool":
            return ask
        at = self._tasks.last_task(ask.turns)
        if at < 0 or self._steps(ask.source or ask) <= self._after:
            return ask
        text = self._pin(ask.turns, at, run.language)
        if self._pays and not self._is_paid(text, ask):
            return ask
        last = ask.turns[-1]
        pinned = replace(last, appended=(*last.appended, text))
        note = Note(self.name, "rewrote", {"bytes": len(text.encode())})
        return replace(ask, turns=(*ask.turns[:-1], pinned)).noting(note)

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply:
        del ask, run
        return reply

    def _is_paid(self, text: str, ask: Ask) -> bool:
        """Whether the pin, which is never cached, costs less than its share of what the request became shorter by."""
        before, now = billing.sizes(ask.source or ask, (self, "before")), billing.sizes(ask, (self, "now"))
        return len(text) <= billing.SHARE * (before[-1] - now[-1])

    def _steps(self, ask: Ask) -> int:
        """Steps of the task, those that are folded by now too."""
        return len(task.own_steps(ask.turns, self._tasks.last_task(ask.turns), ask.memory))

    def _pin(self, turns: Sequence[Turn], at: int, language: str) -> str:
        tag, head, hard = _WORDS[language]
        said = task.words(turns[at])
        system = [turn.text for turn in turns[:at] if turn.role == "system"]
        whole = len(said.encode()) <= LARGEST // 2
        shown = said if whole else _ends(said)
        found = [*self._declared, *(one for text in system for one in _constraints(text))]
        if not whole:
            found += [one for one in _constraints(said) if one not in shown]
        lines = [f"{tag}\n{head} {shown}"]
        size = len(lines[0].encode())
        listed = []
        for one in dict.fromkeys(found):
            size += len(one.encode()) + 3
            if size > LARGEST - len(hard.encode()) - 2:
                break
            listed.append(f"- {one}")
        return "\n".join([*lines, *([hard, *listed] if listed else [])])


_found: Memo[tuple[str, ...]] = Memo(512)


def _constraints(text: str) -> tuple[str, ...]:
    return _found.get(mark(text), lambda: tuple(constraints(text)))


def constraints(text: str) -> Iterator[str]:
    """Sentences that say what must or must not be, verbatim, in order."""
    for found in _SENTENCE.finditer(text[:50_000]):
        sentence = found[0].strip(" \t-*•>#")
        if len(sentence.encode("utf-8", "replace")) >= _LEAST and len(sentence) <= _MOST and _HARD.search(sentence):
            yield sentence


def _ends(text: str) -> str:
    """First and last paragraph of a long task, each shortened if need be."""
    paragraphs = [one.strip() for one in re.split(r"\n\s*\n", text) if one.strip()]
    room = LARGEST // 4
    ends = [paragraphs[0]] if len(paragraphs) == 1 else [paragraphs[0], paragraphs[-1]]
    return "\n[…]\n".join(_short(one, room) for one in ends)


def _short(text: str, room: int) -> str:
    raw = text.encode()
    return text if len(raw) <= room else raw[: room - 3].decode(errors="ignore") + "…"
