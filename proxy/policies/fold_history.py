"""Folds old steps into one line each: what was called with what, what came back, what it changed.

A call and its results fold together, parallel groups whole, oldest first, in batches: the prefix that a provider has
cached is broken once a batch, not at each step. The lines stand behind the user turn that the steps followed, so that
no two user turns come in a row and nothing comes between a call and its result. What is folded follows from the
request alone, so every later ask folds to the same bytes. Unfolded originals are in the run log.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from proxy import task
from proxy.memo import along
from proxy.model import Ask, Note, Reply, Run, Turn, replace
from proxy.policies import billing
from proxy.policies.folded import line
from proxy.settings import Pack
from proxy.settings.policies import FoldHistorySettings
from proxy.task import Step

_HEAD = {
    "en": "[Earlier steps, shortened; each line is one step that was really done]",
    "zh": "[较早的步骤(已缩写;每行是一个真实执行过的步骤)]",
}


class FoldHistory:
    """`fold_history` of a pack."""

    name: ClassVar[str] = "fold_history"
    minds_plain_asks = minds_openings = minds_words = False
    guards_replies = False

    def __init__(self, settings: FoldHistorySettings, pack: Pack) -> None:
        self._keep, self._batch = settings.keep_steps, settings.batch
        self._pays = settings.when == "pays"
        self._auto = pack.language == "auto"

    def on_ask(self, ask: Ask, run: Run) -> Ask:
        if ask.chained:
            return ask
        steps = self._foldable(ask)
        folded = max(len(steps) - self._keep, 0) // self._batch * self._batch
        if not folded:
            return ask
        language = self._language(ask, run)
        told = self._lines(ask, steps[:folded], language)
        if self._pays:
            folded = self._worth(ask, steps, [len(one) for one in told.values()])
            told = {step.at: told[step.at] for step in steps[:folded]}
        if not told:
            return ask
        turns = _folded(ask.turns, told, _HEAD[language])
        note = Note(self.name, "rewrote", {"steps": folded, "of": len(steps)})
        return replace(ask, turns=turns).noting(note)

    def _worth(self, ask: Ask, steps: Sequence[Step], lines: Sequence[int]) -> int:
        source = ask.source or ask
        places = [(step.at, step.at + 2) for step in steps]
        direct, through = billing.sizes(source, (self, "before")), billing.sizes(ask, (self, "now"))
        if len(direct) != len(through):
            return 0
        return billing.Folding(direct, through, places, lines, self._keep, self._batch).worth()

    def _lines(self, ask: Ask, steps: Sequence[Step], language: str) -> dict[int, str]:
        """The line of each step, by the index of its assistant turn.

        By step, not by turn: what came of a call may stand in any turn up to the next step.
        """
        turns = ask.turns

        def told(at: int) -> str:
            step = steps[at]
            return line(turns[step.at], step, turns[step.at + 1], language)

        lines = along(ask.memory, (self, "lines"), steps, told, language)
        return {step.at: one for step, one in zip(steps, lines, strict=True)}

    def _foldable(self, ask: Ask) -> Sequence[Step]:
        """The steps up to the first that can't be folded: one without its results, or with no user turn before it."""
        turns, steps = ask.turns, task.steps(ask.turns, memory=ask.memory)
        sound = along(ask.memory, (self, "foldable"), steps, lambda at: _is_foldable(turns, steps[at]))
        return steps if all(sound) else steps[: sound.index(False)]

    def _language(self, ask: Ask, run: Run) -> str:
        """That of the conversation's beginning: a later task in another language must not change what is folded."""
        first = next((at for at, turn in enumerate(ask.turns) if turn.role == "user"), -1)
        return task.language(ask.turns, first) if self._auto else run.language

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply:
        del ask, run
        return reply


def _is_foldable(turns: Sequence[Turn], step: Step) -> bool:
    before = turns[step.at - 1] if step.at else None
    follows = before is not None and before.role in ("user", "tool")
    answered = all(result is not None for result in step.results)
    return follows and answered and step.at + 1 < len(turns) and turns[step.at + 1].role == "tool"


def _folded(turns: Sequence[Turn], told: Mapping[int, str], head: str) -> tuple[Turn, ...]:
    out: list[Turn] = []
    lines: list[str] = []
    number = 0
    skip = -1
    for at, turn in enumerate(turns):
        if at == skip:
            continue
        if at in told:
            number += 1
            lines.append(f"{number}. {told[at]}")
            skip = at + 1
            continue
        if lines:
            _place(out, turn, "\n".join((head, *lines)))
            lines = []
        out.append(turn)
    if lines and out:
        out[-1] = replace(out[-1], appended=(*out[-1].appended, "\n".join((head, *lines))))
    return tuple(out)


def _place(out: list[Turn], following: Turn, text: str) -> None:
    """Puts the lines where the steps stood: behind the user turn, or as an assistant turn before the next one."""
    if following.role == "user":
        out.append(Turn("assistant", (text,)))
    else:
        out[-1] = replace(out[-1], appended=(*out[-1].appended, text))
