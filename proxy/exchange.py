"""The life of one exchange: from the agent's bytes to the upstream's and back. Read this first.

    agent's bytes -> read -> which run? -> policies -> upstream -> whole reply -> policies -> agent
                                               ^                                  |
                                               +------- asked again, unseen ------+

A plain generator: it yields commands and is sent events (`verdicts`), so the same code runs behind a socket, in a test
and in a replay. It owns what no policy may own: attempts, the common bound of rounds and seconds, what the agent has
seen so far, and the order in which things become durable. It does no I/O and reads no clock.

Its parts: `recall` (the run and its memory), `hooks` (how policies are asked), `rounds` (one upstream call), `ending`
(answers of Handrail's own), `journal` (what is told about it).
"""

from collections.abc import Generator, Sequence
from typing import Any

from proxy import ending, hidden
from proxy.act import Act, Playing
from proxy.dialects.dialect import UnreadableError
from proxy.hooks import Bound, Broken, Hooks, StoreDownError
from proxy.journal import Journal, usage_fields
from proxy.model import Ask, Note, Put, Reply, Spend, Taking, ToolCall, replace
from proxy.plan import Plan
from proxy.recall import Recall
from proxy.rounds import Failed, Outcome, Passed, Refused, Whole
from proxy.verdicts import Add, Claim, ClientGone, Command, Event, Halt, Read, Reask, Settle, Start

_REFUSALS = (400, 422)
_ERRORS = range(300, 600)

_VERDICTS = 64
"""Verdicts on one exchange; rounds are bounded by the pack, and a lost claim is asked about again once."""


def exchange(start: Start, plan: Plan) -> Generator[Command, Event, None]:
    """Plays one exchange. Whatever happens, the agent gets an answer or a broken connection, never an empty 200."""
    yield from _Exchange(Act(start, plan)).play()


class _Exchange:
    def __init__(self, act: Act) -> None:
        self.act, self.agent, self.dialect = act, act.agent, act.dialect
        self.recall = Recall(act)
        self.attempts: dict[str, int] = {}
        self.spends: tuple[Spend, ...] = ()
        self.tried: list[Taking] = []
        """Claims that were asked for; which of them were won is `taken`, by key."""
        self.taken: set[str] = set()
        self.handed_out = False

    def play(self) -> Playing:
        act = self.act
        ask, unread = self._read()
        if ask is not None:
            act.agent.asked = (ask.model, ask.stream)
        run = yield from self.recall.identify(ask)
        act.journal = Journal(run.id)
        act.hooks = Hooks(act.plan.bounds, run, act.journal)
        yield self._begin_record(ask, unread)
        try:
            if ask is None or not act.plan.bounds:
                yield from self._pass(ask, act.start.body, look=False)
            else:
                yield from self._policed((yield from self.recall.restored(ask)))
        except ClientGone:
            if not self.handed_out:
                act.how = "client gone"
                yield from self._let_go()
            yield from self._end()
            raise
        yield from self._end()

    def _read(self) -> tuple[Ask | None, str]:
        """The ask, or why it can't be read."""
        try:
            return self.dialect.read_ask(self.act.start.body), ""
        except UnreadableError as error:
            return None, str(error)

    def _begin_record(self, ask: Ask | None, unread: str) -> Command:
        start = self.act.start
        fields: dict[str, Any] = {
            "method": start.method,
            "path": start.path,
            "headers": dict(start.headers),
            "dialect": self.dialect.name,
            "pack": self.act.plan.digest,
            "identity": self.recall.found.how,
        }
        if start.agent:
            fields["agent"] = start.agent
        if ask is not None:
            fields |= {"model": ask.model, "stream": ask.stream}
        if unread:
            fields["unread"] = unread
        return self.act.journal.line("start", 0, fields, {"body": start.body})

    # ------------------------------------------------------------ the ask

    def _policed(self, ask: Ask) -> Playing:
        act = self.act
        if ask.concerns_tools and (text := self.recall.echo()):
            note = Note("gates", "halted", {"by": "halts"})
            yield from act.hooks.tell((note,), "enforce")
            yield from ending.halt(act, Halt("halts", text, "gates"), ask, None)
            return
        verdict = yield from act.hooks.ask(replace(ask, source=ask), self._bounds(ask))
        if isinstance(verdict, Broken):
            yield from ending.refuse(act, verdict)
        elif isinstance(verdict, Halt):
            seen = yield from act.hooks.ask(ask, act.plan.views)
            yield from self._halt(verdict, seen if isinstance(seen, Ask) else ask, None)
        else:
            self.spends = verdict.spends
            if act.plan.guards:
                yield from self._guarded(verdict)
            else:
                body = self.dialect.write_ask(verdict.presented()) if act.plan.edits else act.start.body
                yield from self._pass(verdict, body, look=ask.concerns_tools)

    def _bounds(self, ask: Ask) -> Sequence[Bound]:
        """The policies that may have something to do."""
        plan = self.act.plan
        if any(turn.calls or turn.results for turn in ask.turns):
            return plan.bounds
        if not ask.tools:
            return plan.plain
        return plan.bounds if ask.chained else plan.openings

    def _pass(self, ask: Ask | None, body: bytes, *, look: bool) -> Playing:
        """No policy may change the answer: it passes as it came. `look`: policies are shown it all the same."""
        act = self.act
        act.headers()
        outcome: Outcome = yield from act.round().passing(ask, body, gather=look)
        reply = outcome.reply if isinstance(outcome, (Passed, Whole)) else None
        if reply is not None and ask is not None and look:
            yield from act.hooks.reply(reply, ask)
            act.headers()
        if isinstance(outcome, Whole):
            yield from self.agent.begin(outcome.head, len(outcome.raw), decoded=False)
            yield from self.agent.emit(outcome.raw)
        yield from self._passed(outcome, ask, reply)

    # ------------------------------------------------------------ the reply

    def _guarded(self, ask: Ask) -> Playing:
        """Policies may change the reply: it is handed out, asked again, or ends the run."""
        act = self.act
        act.headers()
        ask, outcome = yield from self._first(ask)
        if not isinstance(outcome, Whole):
            yield from self._passed(outcome, ask, None)
            return
        verdict, shown, outcome = yield from self._judged(ask, outcome)
        if not isinstance(verdict, Reply):
            yield from self._let_go()
        if isinstance(verdict, Halt):
            yield from self._halt(verdict, shown, outcome)
        elif isinstance(verdict, Broken):
            yield from ending.refuse(act, verdict)
        else:
            yield from self._hand_out(verdict, shown, outcome)

    def _halt(self, verdict: Halt, ask: Ask, last: Whole | None) -> Playing:
        text, reply = yield from ending.halt(self.act, verdict, ask, last)
        yield from self.recall.halted(text, ask, reply)

    def _first(self, ask: Ask) -> Playing:
        """The ask that was answered, and the outcome of the first round.

        What a provider may refuse is left out the second time. If that is refused too, the agent gets the first
        answer, as if nothing had been tried.
        """
        act, spare = self.act, ask.fallback
        body = self.dialect.write_ask(ask.presented())
        first = yield from act.round().guarded(ask, body, () if spare is None else _REFUSALS)
        if spare is None or not isinstance(first, Refused):
            return ask, first
        plain = replace(ask, view=spare.view, fallback=None)
        outcome = yield from act.round().guarded(plain, self.dialect.write_ask(plain.presented()), _ERRORS)
        if isinstance(outcome, Refused) or (isinstance(outcome, Failed) and not self.agent.begun):
            yield from self.agent.begin(first.head, len(first.raw), decoded=False)
            yield from self.agent.emit(first.raw)
            return ask, Passed(first.head)
        yield from act.hooks.tell(spare.notes, "enforce")
        yield from act.hooks.write(spare.puts)
        return plain, outcome

    def _judged(self, ask: Ask, outcome: Whole) -> Playing:
        """The verdict on the last reply, the ask that it answers, and how it came. Asks again as often as need be."""
        act = self.act
        shown, sent, reply, after = ask, ask, outcome.reply, ""
        for _ in range(_VERDICTS):
            act.hooks.run = replace(act.hooks.run, round=act.count, wall=act.agent.wall, mono=act.agent.mono)
            verdict = yield from act.hooks.reply(reply, shown, after)
            verdict = _wholly_withheld(verdict, outcome.reply, act.hooks.run.language)
            if isinstance(verdict, Reply):
                taken = yield from self._taken(verdict)
                if taken is False:
                    continue
                return (verdict if taken is True else taken), shown, outcome
            if not isinstance(verdict, Reask):
                return verdict, shown, outcome
            following = yield from self._again(verdict, sent, outcome)
            if isinstance(following, str):
                yield from act.hooks.tell((Note(verdict.policy, "found", {"given_up": following}),), "enforce")
                end = reply if verdict.exhausted is None else verdict.exhausted
                if not isinstance(end, Reply):
                    return end, shown, outcome
                reply, after = end, verdict.policy  # the policies behind it have not seen it yet
                continue
            if verdict.keep:
                shown = self.dialect.extend(shown, verdict.said or outcome.reply, verdict.results, fix=True)
                self.recall.kept.append(shown.turns[-2:])
            sent, outcome = following
            carry = () if self.dialect.chains else verdict.carry  # a provider must know what is answered later
            reply, after = _carried(outcome.reply, carry), ""

        raise RuntimeError("the policies never come to a verdict")

    def _taken(self, reply: Reply) -> Playing:
        """Claims what the calls that leave now need. True: done; False: somebody else was first; Broken."""
        hooks = self.act.hooks
        leaving = {call.id for call in reply.calls}
        claims = {
            Claim(one.key, one.value, one.ttl): one
            for one in reply.takings
            if one.call_id in leaving and one.key not in self.taken
        }
        if not claims:
            return True
        self.tried += claims.values()
        lost = yield from hooks.claim(claims)
        if isinstance(lost, Broken):
            return lost
        self.taken.update(claim.key for claim in claims if claim not in lost)
        return not lost

    def _let_go(self) -> Playing:
        """Gives back the claims of calls that did not leave: those that stand as they were made here."""
        if not self.tried:
            return
        hooks = self.act.hooks
        try:
            known = yield from hooks.need([Read(one.key) for one in self.tried])
        except StoreDownError:
            return
        ours = [one.key for one in self.tried if known[Read(one.key)] == one.value]
        yield from hooks.write([Put(key, None, durable=True) for key in ours])
        self.tried.clear()
        self.taken.clear()

    def _again(self, verdict: Reask, sent: Ask, last: Whole) -> Playing:
        """The ask and the outcome of one more round; or why there is none to be had, and the verdict's end applies."""
        act = self.act
        used = self.attempts.get(verdict.policy, 0)
        seconds = act.seconds_left()
        if verdict.counts is not None and used >= verdict.counts:
            return f"{used} attempts"
        if act.rounds_left <= 0 or seconds <= 0:
            return "no round is left" if seconds > 0 else "no time is left"
        self.attempts[verdict.policy] = used + 1
        if not verdict.keep:
            note = Note(verdict.policy, "reasked", {"results": dict(verdict.results)})
            yield from act.hooks.tell((note,), "enforce")
        if verdict.puts:
            yield from act.hooks.write(verdict.puts)
        act.hide(last.reply.usage)
        act.headers()
        ask = self.dialect.extend(sent, verdict.said or last.reply, verdict.results, fix=True)
        after = last.reader if self.agent.sent else None
        reader = self.dialect.stream(ask, act.new_id, after, act.unseen, mute=not verdict.keep)
        body = self.dialect.write_ask(ask.presented())
        outcome = yield from act.round().hidden(
            ask, body, seconds, reader, show=self.agent.begun and bool(self.agent.streams)
        )
        if isinstance(outcome, Failed):
            return f"the hidden round failed: {outcome.failure.message}"
        return ask, outcome

    # ------------------------------------------------------------ the answer

    def _hand_out(self, reply: Reply, ask: Ask, outcome: Whole) -> Playing:
        act = self.act
        changed = reply.turns is not outcome.reply.turns
        why = self.dialect.malformed(outcome.reply)
        if why and not changed:
            yield from act.hooks.tell((Note("repair_arguments", "rewrote", {"why": why}),), "enforce")
        reply = _finished(reply, outcome.reply) if changed else reply
        yield from self.recall.remember(reply, ask, [call.id for call in outcome.reply.calls])
        if not reply.calls:
            yield from self.recall.finished()
        act.headers()
        untouched = not changed and not why and act.unseen is None
        if outcome.reader is None:
            body = outcome.raw if untouched else self.dialect.write_reply(reply, act.unseen)
            yield from self.agent.begin(outcome.head, len(body), decoded=not untouched)
            yield from self.agent.emit(body)
        elif untouched:
            yield from self.agent.emit(outcome.reader.unchanged())
        else:
            comment = f": handrail {act.journal.header()}\n\n".encode()
            yield from self.agent.emit(outcome.reader.write(reply, comment))
        self.handed_out = True
        act.usage = reply.usage
        yield act.journal.line("answer", act.count, {"status": 200, "x_handrail": act.journal.header()})

    def _passed(self, outcome: Outcome, ask: Ask | None, reply: Reply | None) -> Playing:
        """What is left to do when an answer has passed, or when there is none."""
        act = self.act
        if isinstance(outcome, Failed):
            yield from ending.failed(act, outcome.failure)
            return
        self.handed_out = True
        if outcome.head.status >= 400:
            act.how = f"upstream answered {outcome.head.status}"
        line = {"status": outcome.head.status, "x_handrail": act.journal.header()}
        yield act.journal.line("answer", act.count, line)
        if reply is not None:
            act.usage = reply.usage
            yield from self.recall.remember(reply, ask)

    def _end(self) -> Playing:
        """Books what was used, and tells how it ended, even to an agent that leaves as soon as it has what it wants."""
        act = self.act
        left: ClientGone | None = None
        try:
            yield from self._book()
        except ClientGone as gone:
            left = gone
        fields: dict[str, Any] = {
            "how": act.how,
            "seconds": round(self.agent.mono - act.start.mono, 6),
            "rounds": act.count,
            "usage": usage_fields(act.usage),
        }
        if act.unseen is not None:
            fields["hidden"] = usage_fields(act.unseen)
        yield act.journal.line("end", act.count, fields)
        if left is not None:
            raise left

    def _book(self) -> Playing:
        act = self.act
        used = act.used()
        adds = tuple(
            Add(
                spend.key,
                spend.weigh(used.input, used.output, used.cached) - spend.reserved,
                None,
                spend.ttl,
                spend.local,
            )
            for spend in (*self.spends, *act.hooks.spends)
        )
        if adds:
            yield Settle(later=adds)
        if act.how != "done" and not act.how.startswith("halted"):
            yield from self.recall.expect_again()


def _wholly_withheld(verdict: Any, read: Reply, language: str) -> Any:
    """A reply whose every call is answered by Handrail: the model goes on, and the agent gets what comes of it."""
    if not isinstance(verdict, Reply) or not verdict.withheld or verdict.calls or len(verdict.turns) != 1:
        return verdict
    turn = verdict.turns[0]
    whole = hidden.full_turn(turn, verdict.withheld, [call.id for call in read.calls])
    end = replace(turn, appended=(*turn.appended, hidden.unfinished(language)))
    return Reask(
        {one.call.id: one.result for one in verdict.withheld},
        "withheld",
        keep=True,
        said=replace(verdict, turns=(whole,), withheld=()),
        exhausted=replace(verdict, turns=(end,), withheld=()),
    )


def _carried(reply: Reply, calls: Sequence[ToolCall]) -> Reply:
    """The reply with calls of a rejected turn that were right, but for tools that it calls again itself."""
    if len(reply.turns) != 1:
        return reply
    turn = reply.turns[0]
    again = {call.tool for call in turn.calls}
    missing = tuple(call for call in calls if call.tool not in again)
    return replace(reply, turns=(replace(turn, calls=(*missing, *turn.calls)),)) if missing else reply


def _finished(reply: Reply, read: Reply) -> Reply:
    """A changed turn ends for the reason that it now has: its calls, or its text."""
    return replace(
        reply,
        turns=tuple(
            turn if turn is old else replace(turn, finish="tool_calls" if turn.calls else _text_finish(turn.finish))
            for turn, old in zip(reply.turns, read.turns, strict=True)
        ),
    )


def _text_finish(finish: Any) -> Any:
    return "stop" if finish == "tool_calls" else finish
