"""Ends runs that get nowhere or cost too much, with an honest partial answer.

A gate acts in place of a further tool step, never on a finished answer: steps, time and loops are judged when the
reply wants another call; budgets are reserved before the ask leaves, and settled by what was really used. Steps and
repetition are read from the request; only spending is stored. At the second equal call the model gets a nudge, which
stays in every later ask, for it follows from the request alone.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from proxy import task
from proxy.model import Ask, Note, Reply, Run, Spend, Turn, replace
from proxy.policies import loops, partial
from proxy.settings import Pack
from proxy.settings.fields import Limit
from proxy.settings.policies import GatesSettings
from proxy.task import Step
from proxy.verdicts import Add, Halt, Need

_MICRO = 1_000_000
_DAY = 86400.0
_RUN = 7 * _DAY
_OUTPUT = 1000
"""Tokens that an answer is reckoned with where the agent names no limit."""


class Gates:
    """`gates` of a pack."""

    name: ClassVar[str] = "gates"
    guards_replies = True

    def __init__(self, settings: GatesSettings, pack: Pack) -> None:
        self._settings = settings
        self._pack = pack
        self._limits = dict(settings.limits())
        self._observed = {by for by in self._limits if pack.effective_mode(self.name, by) == "observe"}
        self._tasks = task.reader(pack.task_patterns, pack.tool_result_patterns)
        self.minds_plain_asks = any(by.partition("_per_")[0] in ("tokens", "money") for by in self._limits)

    # ------------------------------------------------------------ asks: nudge and budgets

    def on_ask(self, ask: Ask, run: Run) -> Ask | Halt | Need:
        budgets = list(self._budgets(ask, run))
        wanted = tuple(add for _, _, add, _ in budgets)
        if any(add not in run.known for add in wanted):
            return Need(wanted)
        nudged = self._nudged(ask, run)
        notes: list[Note] = []
        for by, limit, add, spend in budgets:
            total = run.known[add]
            if by in self._observed:
                if (total or 0) + spend.weigh(*_reckoned(ask)) > self._amount(by, limit):
                    notes.append(Note(self.name, "observed", {"by": by, "would": "halted", "total": total}))
            elif total is None:
                return self._halt(by, limit, nudged, run)
        spends = tuple(spend for _, _, _, spend in budgets)
        if not spends and not notes:
            return nudged
        return replace(nudged, spends=nudged.spends + spends).noting(*notes)

    def _nudged(self, ask: Ask, run: Run) -> Ask:
        limit = self._limits.get("repeats")
        if limit is None or "repeats" in self._observed or not self._settings.nudge or ask.chained:
            return ask
        steps = self._steps(ask)
        turns = list(ask.turns)
        before: loops.Past | None = None
        new = 0
        for step, one in zip(steps, loops.past(steps, ask, self._exempt), strict=True):
            answers = step.at + 1
            again = before is not None and one.key and one.key == before.key and one.outcome == before.outcome
            if again and answers < len(turns) and turns[answers].role == "tool":
                text = partial.nudge(run.language)
                turns[answers] = replace(turns[answers], appended=(*turns[answers].appended, text))
                new = answers
            before = one
        if not new:
            return ask
        changed = replace(ask, turns=tuple(turns))
        return changed.noting(Note(self.name, "rewrote", {"by": "nudge"})) if new == len(turns) - 1 else changed

    def _budgets(self, ask: Ask, run: Run) -> Iterator[tuple[str, Limit, Add, Spend]]:
        """Each budget: its name, limit, what is reserved, and how the real use is weighed."""
        day = int(run.wall // _DAY)
        sent, got = _reckoned(ask)
        for by, limit in self._limits.items():
            unit, _, scope = by.partition("_per_")
            if unit not in ("tokens", "money"):
                continue
            weights = (1.0, 1.0, 1.0) if unit == "tokens" else self._prices(ask.model)
            if weights is None:
                continue
            key = {"": f"{run.credential}:{run.id}", "day": day, "key": f"{run.credential}:{day}"}[scope]
            spend = Spend(f"{unit}:{scope}:{key}", 0, *weights, ttl=2 * _DAY if scope else _RUN)
            observed = by in self._observed
            amount = 0 if observed else spend.weigh(sent, got)
            # one ask that is reckoned above the whole limit may leave while nothing is spent: reckoning is no knowing
            most = None if observed else max(self._amount(by, limit), amount)
            add = Add(spend.key, amount, most, spend.ttl)
            yield by, limit, add, replace(spend, reserved=amount)

    def _prices(self, model: str) -> tuple[float, float, float] | None:
        """Price of one token in millionths: input, output, cached. An unknown model costs as much as the dearest."""
        price = self._pack.price(model)
        known = [price] if price else list(self._pack.prices.values())
        if not known:
            return None
        dear = max(known, key=lambda one: one.input + one.output)
        return dear.input, dear.output, dear.input if dear.cached is None else dear.cached

    @staticmethod
    def _amount(by: str, limit: Limit) -> int:
        return round(limit.limit * (_MICRO if by.startswith("money") else 1))

    # ------------------------------------------------------------ replies: steps, time, loops

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply | Halt:
        if len(reply.turns) != 1 or not reply.turns[0].calls:
            return reply
        turn = reply.turns[0]
        steps = self._steps(ask)
        notes: list[Note] = []
        for by, limit, reached in self._judged(turn, steps, ask, run):
            if not reached:
                continue
            if by in self._observed:
                notes.append(Note(self.name, "observed", {"by": by, "would": "halted"}))
                continue
            halt = self._halt(by, limit, ask, run, f"{turn.calls[0].tool}({turn.calls[0].args})")
            return replace(halt, notes=(*notes, *halt.notes))
        return reply.noting(*notes) if notes else reply

    def _judged(self, turn: Turn, steps: Sequence[Step], ask: Ask, run: Run) -> Iterator[tuple[str, Limit, bool]]:
        limits = self._limits
        if "steps" in limits:
            yield "steps", limits["steps"], len(steps) >= limits["steps"].limit
        if "seconds" in limits:
            yield "seconds", limits["seconds"], run.wall - run.started >= limits["seconds"].limit
        new = loops.key(turn.calls, ask, self._exempt)
        if not new:
            yield from self._polled(turn, steps, ask)
            return
        past = loops.past(steps, ask, self._exempt)
        row, equal = loops.equal_in_row(past, new)
        if "repeats" in limits:
            yield "repeats", limits["repeats"], equal and row + 1 >= limits["repeats"].limit and row > 0
        if "varied_repeats" in limits:
            yield "varied_repeats", limits["varied_repeats"], row + 1 >= limits["varied_repeats"].limit and row > 0
        if "cycles" in limits:
            rounds = loops.cycles(past, new)
            yield "cycles", limits["cycles"], rounds > 0 and rounds + 1 >= limits["cycles"].limit
        if "drift" in limits:
            failures = loops.drifting(past, new)
            yield "drift", limits["drift"], failures > 0 and failures + 1 >= limits["drift"].limit

    def _polled(self, turn: Turn, steps: Sequence[Step], ask: Ask) -> Iterator[tuple[str, Limit, bool]]:
        """Polling tools have limits of their own, if any."""
        new = loops.key(turn.calls, ask, lambda _: False)
        row, _ = loops.equal_in_row(loops.past(steps, ask, lambda _: False), new)
        for call in turn.calls:
            polling = self._pack.tool(call.tool).polling
            if polling is not None and polling.repeats is not None:
                yield "polling", Limit(limit=polling.repeats), row >= polling.repeats

    def _halt(self, by: str, limit: Limit, ask: Ask, run: Run, call: str | None = None) -> Halt:
        """`call`: the step that is not made; None: the budget is spent, so nobody can be asked for a summary."""
        reason = partial.why(by, f"{limit.limit:g}", run.language)
        text = partial.answer(ask, self._steps(ask), reason, run.language, call or "")
        end = self._pack.end_with
        return Halt(
            by,
            text,
            self.name,
            close=None if call is None else partial.closing(reason, run.language),
            grace=self._settings.grace_seconds,
            call=(end.tool, {end.argument: None}) if end is not None else None,
            alert={"run": run.id, "by": by, "limit": limit.limit, "model": ask.model, "text": text},
            notes=(Note(self.name, "halted", {"by": by, "limit": limit.limit}),),
        )

    # ------------------------------------------------------------

    def _steps(self, ask: Ask) -> list[Step]:
        """The steps of this run that the agent made: since the last task turn, without hidden rounds."""
        begin = self._tasks.last_task(ask.turns)
        return [step for step in task.steps(ask.turns, begin) if not ask.turns[step.at].kept]

    def _exempt(self, tool: str) -> bool:
        return self._pack.tool(tool).polling is not None


def _reckoned(ask: Ask) -> tuple[int, int]:
    """Tokens that this ask may use: input, output."""
    return ask.size // 3, min(ask.limit or _OUTPUT, _OUTPUT)
