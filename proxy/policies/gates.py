"""Ends runs that get nowhere or cost too much, with an honest partial answer.

A gate acts in place of a further tool step, never on a finished answer: steps, time and loops are judged when the
reply wants another call; budgets are reserved before the ask leaves, and settled by what was really used. Steps and
repetition are read from the request as the agent sent it (what others made of it carries counters, or is folded); only
spending, and since when something is polled, is stored; what is only watched is counted in the process. At the second
equal call the model gets a nudge, which stays in every later ask, for it follows from the request alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial as bind
from itertools import pairwise
from typing import ClassVar

from proxy import task
from proxy.identity import digest
from proxy.memo import along
from proxy.model import Ask, Note, Put, Reply, Run, Spend, ToolCall, Turn, replace
from proxy.policies import loops, partial
from proxy.policies.declared import form, results_of
from proxy.settings import Pack
from proxy.settings.fields import Limit
from proxy.settings.policies import GatesSettings
from proxy.settings.tools import Polling
from proxy.task import Step
from proxy.verdicts import Add, Halt, Need, Read

_MICRO = 1_000_000
_DAY = 86400.0
_RUN = 7 * _DAY
_OUTPUT = 1000
"""Tokens that an answer is reckoned with where the agent names no limit."""


class Gates:
    """`gates` of a pack."""

    name: ClassVar[str] = "gates"
    guards_replies = True
    minds_words = False

    def __init__(self, settings: GatesSettings, pack: Pack) -> None:
        self._settings = settings
        self._pack = pack
        self._limits = dict(settings.limits())
        self._observed = {by for by in self._limits if pack.effective_mode(self.name, by) == "observe"}
        self._enforced = pack.effective_mode(self.name) == "enforce"
        self._tasks = task.reader(pack.task_patterns, pack.tool_result_patterns)
        self.minds_plain_asks = any(by.partition("_per_")[0] in ("tokens", "money") for by in self._limits)
        self.minds_openings = self.minds_plain_asks

    # ------------------------------------------------------------ asks: nudge and budgets

    def on_ask(self, ask: Ask, run: Run) -> Ask | Halt | Need:
        budgets = list(self._budgets(ask, run))
        # what is only watched need not be asked for while the run is new: nothing is spent yet
        wanted = tuple(add for by, _, add, _ in budgets if not (add.local and run.new and "_per_" not in by))
        if any(add not in run.known for add in wanted):
            return Need(wanted)
        nudged = self._nudged(ask, run)
        refused = [(by, limit) for by, limit, add, _ in budgets if by not in self._observed and run.known[add] is None]
        if refused:
            granted = (add for add in wanted if add.amount and run.known[add] is not None)
            back = tuple(replace(add, amount=-add.amount, limit=None) for add in granted)
            return Need(back) if any(add not in run.known for add in back) else self._halt(*refused[0], ask, run)
        notes: list[Note] = []
        for by, limit, add, spend in budgets:
            total = run.known.get(add) or 0
            if by in self._observed and total + spend.weigh(*_reckoned(ask)) > self._amount(by, limit):
                notes.append(Note(self.name, "observed", {"by": by, "would": "halted", "total": total}))
        spends = tuple(spend for _, _, _, spend in budgets)
        if not spends and not notes:
            return nudged
        return replace(nudged, spends=nudged.spends + spends).noting(*notes)

    def _nudged(self, ask: Ask, run: Run) -> Ask:
        limit = self._limits.get("repeats")
        watched = "repeats" in self._observed and self._enforced  # where all is watched, the engine does the watching
        if limit is None or watched or not self._settings.nudge or ask.chained:
            return ask
        if not any(turn.results for turn in ask.turns):
            return ask
        steps = task.own_steps(ask.turns, memory=ask.memory)
        keys = self._keys(steps, ask)
        equal = [at for at, (before, one) in enumerate(pairwise(keys), 1) if one == before and one]
        if not equal:
            return ask
        turns = list(ask.turns)
        told: list[str] = []
        new = 0
        for before, one in ((loops.Past(keys[at], steps[at - 1]), loops.Past(keys[at], steps[at])) for at in equal):
            answers = one.step.at + 1
            if one.outcome != before.outcome or answers >= len(turns) or turns[answers].role != "tool":
                continue
            begin = self._tasks.last_task(ask.turns[: one.step.at])
            if begin > before.step.at:
                continue
            spoken = run.language if self._pack.language != "auto" else task.language(ask.turns, begin)
            turns[answers] = replace(turns[answers], appended=(*turns[answers].appended, partial.nudge(spoken)))
            told += [result.call_id for result in turns[answers].results]
            new = answers
        if not new:
            return ask
        # A nudge that stays is no new act, but what goes up differs all the same, and the log says by whom.
        did = "rewrote" if new == len(turns) - 1 else "found"
        return replace(ask, turns=tuple(turns)).noting(Note(self.name, did, {"by": "nudge", "calls": told}))

    def _budgets(self, ask: Ask, run: Run) -> Iterator[tuple[str, Limit, Add, Spend]]:
        """Each budget: its name, limit, what is reserved, and how the real use is weighed."""
        day = int(run.arrived // _DAY)
        sent, got = _reckoned(ask)
        for by, limit in self._limits.items():
            unit, _, scope = by.partition("_per_")
            if unit not in ("tokens", "money"):
                continue
            weights = (1.0, 1.0, 1.0) if unit == "tokens" else self._prices(ask.model)
            if weights is None:
                continue
            key = {"": f"{run.credential}:{run.id}", "day": day, "key": f"{run.credential}:{day}"}[scope]
            observed = by in self._observed
            spend = Spend(f"{unit}:{scope}:{key}", 0, *weights, ttl=2 * _DAY if scope else _RUN, local=observed)
            amount = 0 if observed else spend.weigh(sent, got)
            # one ask that is reckoned above the whole limit may leave while nothing is spent: reckoning is no knowing
            most = None if observed else max(self._amount(by, limit), amount)
            add = Add(spend.key, amount, most, spend.ttl, observed)
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

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply | Halt | Need:
        if len(reply.turns) != 1 or not reply.turns[0].calls or self._ends(reply.turns[0]):
            return reply
        turn, sent = reply.turns[0], ask.source or ask
        since = {call.id: Read(_since(call, sent, run)) for call in turn.calls if self._timed(call)}
        if any(read not in run.known for read in since.values()):
            return Need(tuple(since.values()))
        begun = {key: run.known[read] for key, read in since.items()}
        notes: list[Note] = []
        for by, limit, reached in self._judged(turn, begun, sent, run):
            if not reached:
                continue
            if by in self._observed:
                notes.append(Note(self.name, "observed", {"by": by, "would": "halted"}))
                continue
            halt = self._halt(by, limit, sent, run, f"{turn.calls[0].tool}({turn.calls[0].args})")
            return replace(halt, notes=(*notes, *halt.notes))
        puts = tuple(Put(read.key, str(run.wall).encode(), _RUN) for read in since.values() if run.known[read] is None)
        return replace(reply, puts=reply.puts + puts).noting(*notes) if notes or puts else reply

    def _judged(
        self, turn: Turn, begun: Mapping[str, bytes | None], ask: Ask, run: Run
    ) -> Iterator[tuple[str, Limit, bool]]:
        limits, steps = self._limits, self._steps(ask)
        if "steps" in limits:
            yield "steps", limits["steps"], len(steps) >= limits["steps"].limit
        if "seconds" in limits:
            yield "seconds", limits["seconds"], run.wall - run.started >= limits["seconds"].limit
        yield from self._polled(turn, steps, ask, begun, run)
        new = loops.key(turn.calls, ask, self._exempt)
        if not new:
            return
        past = list(map(loops.Past, self._keys(steps, ask), steps))
        row, same = loops.equal_in_row(past, new)
        if "repeats" in limits:
            yield "repeats", limits["repeats"], same + 1 >= limits["repeats"].limit and same > 0
        if "varied_repeats" in limits:
            yield "varied_repeats", limits["varied_repeats"], row + 1 >= limits["varied_repeats"].limit and row > 0
        if "cycles" in limits:
            rounds = loops.cycles(past, new)
            yield "cycles", limits["cycles"], rounds > 0 and rounds + 1 >= limits["cycles"].limit
        if "drift" in limits:
            failures = loops.drifting(past, new, bind(results_of, self._pack))
            yield "drift", limits["drift"], failures > 0 and failures + 1 >= limits["drift"].limit

    def _polled(
        self, turn: Turn, steps: Sequence[Step], ask: Ask, begun: Mapping[str, bytes | None], run: Run
    ) -> Iterator[tuple[str, Limit, bool]]:
        """Polling tools have limits of their own, if any."""
        for call in turn.calls:
            polling = self._polling(call)
            if polling is not None and polling.repeats is not None:
                made = loops.times(steps, call, ask)
                yield "polling", Limit(limit=polling.repeats), made >= polling.repeats
            first = begun.get(call.id)
            if polling is not None and polling.seconds is not None and first is not None:
                yield "polling", Limit(limit=polling.seconds), run.wall - float(first) >= polling.seconds

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
            call=(end.tool, {end.argument: None}) if end is not None and ask.tool(end.tool) else None,
            alert={"run": run.id, "by": by, "limit": limit.limit, "model": ask.model, "text": text},
            notes=(Note(self.name, "halted", {"by": by, "limit": limit.limit}),),
        )

    # ------------------------------------------------------------

    def _steps(self, ask: Ask) -> Sequence[Step]:
        """The steps of this run that the agent made: since the last task turn, without hidden rounds."""
        return task.own_steps(ask.history, self._tasks.last_task(ask.history), ask.memory)

    def _keys(self, steps: Sequence[Step], ask: Ask) -> Sequence[loops.Key]:
        """The steps as they are compared."""
        calls = [step.calls for step in steps]
        return along(ask.memory, self, calls, lambda at: loops.key(calls[at], ask, self._exempt), ask.tools)

    def _exempt(self, tool: str) -> bool:
        return self._pack.tool(tool).polling is not None

    def _polling(self, call: ToolCall) -> Polling | None:
        return self._pack.tool(call.tool).polling

    def _timed(self, call: ToolCall) -> bool:
        polling = self._polling(call)
        return polling is not None and polling.seconds is not None

    def _ends(self, turn: Turn) -> bool:
        """Whether the turn is a finished answer, of an agent that ends through a tool."""
        end = self._pack.end_with
        return end is not None and any(call.tool == end.tool for call in turn.calls)


def _since(call: ToolCall, ask: Ask, run: Run) -> str:
    """Where it is kept since when a call is polled."""
    return "poll:" + digest(run.credential, run.id, call.tool, form(call, ask).hex())


def _reckoned(ask: Ask) -> tuple[int, int]:
    """Tokens that this ask may use: input, output."""
    return ask.size // 3, min(ask.limit or _OUTPUT, _OUTPUT)
