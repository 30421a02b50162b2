"""The life of one exchange: from the agent's bytes to the upstream's and back. Read this first.

    agent's bytes -> read -> which run? -> policies -> upstream -> whole reply -> policies -> agent
                                               ^                                  |
                                               +------- asked again, unseen ------+

A plain generator: it yields commands and is sent events (`verdicts`), so the same code runs behind a socket, in a test
and in a replay. It owns what no policy may own: attempts, the common bound of rounds and seconds, what the agent has
seen so far, and the order in which things become durable. It does no I/O and reads no clock.
"""

from collections.abc import Generator, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from proxy import hidden, identity
from proxy.dialects.dialect import UnreadableError
from proxy.hooks import Broken, Hooks
from proxy.identity import Identity, RunRecord
from proxy.journal import Journal, usage_fields
from proxy.model import Ask, Note, Put, Reply, Run, Spend, Taking, ToolCall, Turn, Usage, replace
from proxy.plan import Plan
from proxy.rounds import Agent, Failed, Outcome, Passed, Round, Whole
from proxy.task import language as told_in
from proxy.verdicts import (
    Abort,
    Add,
    Alert,
    Answers,
    Begin,
    Claim,
    ClientGone,
    Command,
    Emit,
    Event,
    Failure,
    Halt,
    Head,
    Read,
    Reask,
    Settle,
    Start,
)

Playing = Generator[Command, Event, Any]

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def exchange(start: Start, plan: Plan) -> Generator[Command, Event, None]:
    """Plays one exchange. Whatever happens, the agent gets an answer or a broken connection, never an empty 200."""
    yield from _Exchange(start, plan).play()


class _Exchange:
    def __init__(self, start: Start, plan: Plan) -> None:
        self.start, self.plan, self.dialect = start, plan, plan.dialect
        self.agent = Agent(start.wall, start.mono)
        self.rounds = 0
        self.played: list[Round] = []
        self.spends: tuple[Spend, ...] = ()
        self.taken: list[Taking] = []
        self.handed_out = False
        self.is_new = False
        self.unseen: Usage | None = None
        self.kept: list[tuple[Turn, ...]] = []
        self.attempts: dict[str, int] = {}
        self.added_since: float | None = None
        self.made = 0
        self.how = "done"
        self.usage: Usage | None = None
        self.task = ""

    def play(self) -> Playing:
        try:
            ask: Ask | None = self.dialect.read_ask(self.start.body)
            unread = ""
        except UnreadableError as error:
            ask, unread = None, str(error)
        found = yield from self._identify(ask)
        run = self._run(found, ask)
        self.found = found
        self.journal = Journal(found.run)
        self.hooks = Hooks(self.plan.bounds, run, self.journal)
        yield self._begin_record(found, ask, unread)
        try:
            if ask is None or not self.plan.bounds:
                yield from self._pass(ask, self.start.body, gather=False)
            elif ask.concerns_tools:
                yield from self._policed((yield from self._restored(ask)))
            elif self.plan.guards:
                yield from self._guarded(ask)
            else:
                yield from self._pass(ask, self.start.body, gather=False)
        except ClientGone:
            self.how = "client gone"
            if self.taken and not self.handed_out:
                yield from self.hooks.write([Put(one.key, None, durable=True) for one in self.taken])
            yield from self._end(found)
            raise
        yield from self._end(found)

    # ------------------------------------------------------------ before the first round

    def _identify(self, ask: Ask | None) -> Playing:
        task = self.plan.tasks.last_task(ask.turns) if ask else -1
        turns = ask or Ask(self.dialect.name, "", stream=False, turns=())
        self.task = turns.turns[task].text if task >= 0 else ""
        clues = identity.clues(self.start, turns, self.plan.tasks, task)
        self.retry = clues.retry
        known = yield from self._ask_store(clues.reads)
        found = identity.settle(clues, known, self.start)
        fresh = found.how in ("new", "session", "given")
        key = identity.run_key(self.start.credential, found.run)
        record = None
        if found.how != "new":
            known = yield from self._ask_store((Read(key),))
            record = identity.read_record(known.get(Read(key)))
        if record is None:
            record = yield from self._new_record(found)
            self.is_new = fresh
        self.record = record
        return replace(found, started=record.started)

    def _new_record(self, found: Identity) -> Playing:
        """The record of a run that begins; it goes on with the conversation of the run before it."""
        past = None
        if found.before and found.before != found.run:
            key = identity.run_key(self.start.credential, found.before)
            known = yield from self._ask_store((Read(key),))
            past = identity.read_record(known.get(Read(key)))
        started = found.started or self.start.wall
        return RunRecord(
            started, past.anchors if past else {}, (past.root if past else "") or found.before or found.run
        )

    def _ask_store(self, reads: Sequence[Read]) -> Playing:
        """What stands under these keys, before there is a run to tell about it."""
        if not reads:
            return {}
        answers = yield Settle(requests=tuple(reads))
        if not isinstance(answers, Answers):
            raise TypeError("the shell answered a Settle with something else")
        self.agent.see(answers)
        return answers.known

    def _run(self, found: Identity, ask: Ask | None) -> Run:
        start = self.start
        spoken = self.plan.language
        if spoken == "auto":
            spoken = told_in(ask.turns, self.plan.tasks.last_task(ask.turns)) if ask else "en"
        return Run(
            found.run,
            start.credential,
            found.started,
            start.wall,
            start.mono,
            start.secret,
            facts=start.facts,
            language="zh" if spoken == "zh" else "en",
            thread=self.record.root,
        )

    def _begin_record(self, found: Identity, ask: Ask | None, unread: str) -> Command:
        start = self.start
        fields: dict[str, Any] = {
            "method": start.method,
            "path": start.path,
            "headers": dict(start.headers),
            "dialect": self.dialect.name,
            "pack": self.plan.digest,
            "identity": found.how,
        }
        if start.agent:
            fields["agent"] = start.agent
        if ask is not None:
            fields |= {"model": ask.model, "stream": ask.stream}
        if unread:
            fields["unread"] = unread
        return self.journal.line("start", 0, fields, {"body": start.body})

    # ------------------------------------------------------------ with policies

    def _restored(self, ask: Ask) -> Playing:
        """The ask with the hidden turns of its run put back."""
        if not self.record.anchors or not self.plan.edits:
            return ask
        found = hidden.reads(ask, self.record.anchors, self.start.credential)
        known = yield from self._ask_store(tuple(found.values()))
        return hidden.restored(ask, found, known, self.dialect)

    def _policed(self, ask: Ask) -> Playing:
        verdict = yield from self.hooks.ask(replace(ask, source=ask))
        if isinstance(verdict, Ask):
            self.spends = verdict.spends
        if isinstance(verdict, Broken):
            yield from self._refuse(verdict)
        elif isinstance(verdict, Halt):
            yield from self._halt(verdict, ask, None)
        elif not self.plan.guards:
            body = self.dialect.write_ask(verdict) if self.plan.edits else self.start.body
            yield from self._pass(verdict, body, gather=True)
        else:
            yield from self._guarded(verdict)

    def _pass(self, ask: Ask | None, body: bytes, *, gather: bool) -> Playing:
        """No policy may change the answer: it passes as it came, and is only looked at."""
        self._headers()
        outcome = yield from self._round().passing(ask, body, gather=gather)
        reply = outcome.reply if isinstance(outcome, (Passed, Whole)) else None
        if reply is not None and ask is not None and gather:
            yield from self.hooks.reply(reply, ask)
            self._headers()
        if isinstance(outcome, Whole):
            yield from self.agent.begin(outcome.head, len(outcome.raw), decoded=False)
            yield from self.agent.emit(outcome.raw)
        yield from self._ended(outcome, reply)

    def _guarded(self, ask: Ask) -> Playing:
        self._headers()
        outcome = yield from self._round().guarded(ask, self.dialect.write_ask(ask))
        if not isinstance(outcome, Whole):
            yield from self._ended(outcome, None)
            return
        shown, sent, reply = ask, ask, outcome.reply
        while True:
            self.hooks.run = replace(self.hooks.run, round=self.rounds)
            verdict = yield from self.hooks.reply(reply, shown)
            verdict = _wholly_withheld(verdict, outcome.reply, self.hooks.run.language)
            if not isinstance(verdict, Reask):
                if isinstance(verdict, Reply) and (yield from self._lost(verdict)):
                    continue
                break
            following = yield from self._again(verdict, sent, outcome)
            if following is None:
                verdict = reply if verdict.exhausted is None else verdict.exhausted
                break
            if verdict.keep:
                shown = self.dialect.extend(shown, verdict.said or outcome.reply, verdict.results, fix=True)
                self.kept.append(shown.turns[-2:])
            sent, outcome = following
            reply = _carried(outcome.reply, verdict.carry)
        if isinstance(verdict, Halt):
            yield from self._halt(verdict, shown, outcome)
        elif isinstance(verdict, Broken):
            yield from self._refuse(verdict)
        else:
            yield from self._hand_out(verdict, outcome)

    def _lost(self, reply: Reply) -> Playing:
        """Claims what the calls that leave now need; True: somebody else was first, so the policies are asked again."""
        known = self.hooks.run.known
        leaving = {call.id for call in reply.calls}
        claims = {
            Claim(one.key, one.value, one.ttl): one
            for one in reply.takings
            if one.call_id in leaving and Claim(one.key, one.value, one.ttl) not in known
        }
        if not claims:
            return False
        answers = yield from self.hooks.need(tuple(claims))
        self.hooks.run = replace(self.hooks.run, known={**self.hooks.run.known, **answers})
        self.taken += [one for claim, one in claims.items() if answers[claim] is None]
        return any(answer is not None for answer in answers.values())

    def _again(self, verdict: Reask, sent: Ask, last: Whole) -> Playing:
        """The ask and the outcome of one more round; None: there is none to be had, and the verdict's end applies."""
        if not verdict.keep:
            note = Note(verdict.policy, "reasked", {"results": dict(verdict.results)})
            yield from self.hooks.tell((note,), "enforce")
        if verdict.puts:
            yield from self.hooks.write(verdict.puts)
        used = self.attempts.get(verdict.policy, 0)
        seconds = self._seconds_left()
        if (verdict.counts is not None and used >= verdict.counts) or self.rounds >= self.plan.rounds or seconds <= 0:
            return None
        self.attempts[verdict.policy] = used + 1
        self._hide(last.reply.usage)
        ask = self.dialect.extend(sent, verdict.said or last.reply, verdict.results, fix=True)
        after = last.reader if self.agent.sent else None
        reader = self.dialect.stream(ask, self._id, after, self.unseen, mute=not verdict.keep)
        outcome: Outcome = yield from self._round().hidden(
            ask, self.dialect.write_ask(ask), seconds, reader, show=self.agent.begun and ask.stream
        )
        return (ask, outcome) if isinstance(outcome, Whole) else None

    # ------------------------------------------------------------ the answer

    def _hand_out(self, reply: Reply, outcome: Whole) -> Playing:
        changed = reply.turns is not outcome.reply.turns
        why = self.dialect.malformed(outcome.reply)
        if why and not changed:
            yield from self.hooks.tell((Note("repair_arguments", "rewrote", {"why": why}),), "enforce")
        reply = _finished(reply, outcome.reply) if changed else reply
        yield from self._remember(reply, [call.id for call in outcome.reply.calls])
        self._headers()
        if outcome.reader is None:
            body = self.dialect.write_reply(reply, self.unseen)
            same = body is outcome.raw
            yield from self.agent.begin(outcome.head, len(body), decoded=not same)
            yield from self.agent.emit(body)
        elif changed or why or self.unseen is not None:
            comment = f": handrail {self.journal.header()}\n\n".encode()
            yield from self.agent.emit(outcome.reader.write(reply, comment))
        else:
            yield from self.agent.emit(outcome.reader.unchanged())
        self.handed_out = True
        self.usage = reply.usage
        yield self.journal.line("answer", self.rounds, {"status": 200, "x_handrail": self.journal.header()})

    def _remember(self, reply: Reply, order: Sequence[str] = ()) -> Playing:
        """Keeps which run the calls belong to that leave now, and what was hidden around them."""
        run = self.hooks.run
        ids = [call.id for call in reply.calls if call.id]
        puts = list(identity.handed_out(replace(self.found, started=run.started), run.credential, self.task, ids))
        record = self.record
        kept = hidden.keep(self.dialect, reply, self.kept, order) if reply.turns else None
        if kept is not None:
            at, value = kept
            puts.append(hidden.put(run.credential, run.id, at, value))
            record = replace(record, anchors={**record.anchors, at: run.id})
        if puts and (record is not self.record or self.is_new):
            puts.append(identity.put_record(run.credential, run.id, record))
        if puts:
            yield from self.hooks.write(puts)

    def _halt(self, halt: Halt, ask: Ask, last: Whole | None) -> Playing:
        """An honest answer in place of a further step: the model's own summary if it can be had, else the policy's."""
        if halt.puts:
            yield from self.hooks.write(halt.puts)
        if halt.alert is not None:
            yield Alert(halt.alert)
        if last is not None:
            self._hide(last.reply.usage)
        text = halt.text
        if halt.close is not None and self.rounds < self.plan.rounds:
            text = (yield from self._closing(halt, ask)) or text
        call = None
        if halt.call is not None:
            arguments = {key: text if value is None else value for key, value in halt.call[1].items()}
            call = (halt.call[0], msgspec.json.encode(arguments).decode())
        reply = self.dialect.compose(ask, text, self._id, self.agent.wall, call)
        self._headers()
        if ask.stream:
            after = last.reader if last is not None and self.agent.sent else None
            yield from self._compose_begin("text/event-stream", None)
            yield from self.agent.emit(self.dialect.write_stream(reply, after))
        else:
            body = self.dialect.write_reply(reply, self.unseen)
            yield from self._compose_begin("application/json", len(body))
            yield from self.agent.emit(body)
        yield self.journal.line("answer", self.rounds, {"status": 200, "by": halt.by, "text": text})

    def _closing(self, halt: Halt, ask: Ask) -> Playing:
        """What the model says when it may call nothing more; empty if that fails."""
        closing = self.dialect.closing(ask, halt.close or "")
        reader = self.dialect.stream(closing, self._id, None, None, mute=False)
        body = self.dialect.write_ask(closing)
        outcome = yield from self._round().hidden(closing, body, halt.grace, reader, show=False)
        if not isinstance(outcome, Whole):
            return ""
        self._hide(outcome.reply.usage)
        turn = outcome.reply.turns[0] if outcome.reply.turns else None
        return turn.text.strip() if turn is not None and not turn.calls and not turn.cut else ""

    def _compose_begin(self, kind: str, length: int | None) -> Playing:
        head = Head(200, (("content-type", kind),), self.agent.wall, self.agent.mono)
        yield from self.agent.begin(head, length, decoded=True)

    def _ended(self, outcome: Outcome, reply: Reply | None) -> Playing:
        """What is left to do when an answer has passed, or when there is none."""
        if isinstance(outcome, Failed):
            yield from self._failed(outcome.failure)
            return
        if reply is not None:
            self.usage = reply.usage
            yield from self._remember(reply)
        if outcome.head.status >= 400:
            self.how = f"upstream answered {outcome.head.status}"
        line = {"status": outcome.head.status, "x_handrail": self.journal.header()}
        yield self.journal.line("answer", self.rounds, line)

    def _failed(self, failure: Failure) -> Playing:
        """The upstream gave no whole answer: an error in the API's shape, or a broken connection."""
        self.how = f"upstream failed: {failure.kind}"
        if self.agent.begun:
            if self.plan.guards and self.agent.status < 300:
                yield from self.agent.emit(self.dialect.stream_error(failure.message, failure.kind, "upstream_error"))
            yield Abort()
            return
        if failure.kind in ("body", "reset_body"):
            yield Abort()
            return
        yield from self._error(504 if failure.kind == "timeout" else 502, failure.message, failure.kind)

    def _refuse(self, broken: Broken) -> Playing:
        message = f"Handrail's policy {broken.policy} failed, and the pack says fail: closed."
        self.how = "error"
        if self.agent.begun:
            yield from self.agent.emit(self.dialect.stream_error(message, "policy_failed", "handrail_error"))
            yield Abort()
        else:
            yield from self._error(500, message, "policy_failed")

    def _error(self, status: int, message: str, code: str) -> Playing:
        body = self.dialect.error(status, message, code, "handrail_error")
        self._headers()
        headers = (("content-type", "application/json"), ("x-should-retry", "false"), *self.agent.extra)
        self.agent.begun, self.agent.status = True, status
        yield Begin(status, headers, len(body))
        yield Emit(body)
        yield self.journal.line("answer", self.rounds, {"status": status}, {"body": body})

    # ------------------------------------------------------------ bookkeeping

    def _round(self) -> Round:
        self.rounds += 1
        self.played.append(Round(self.rounds, self.dialect, self._id, self.agent, self.journal))
        return self.played[-1]

    def _seconds_left(self) -> float:
        if self.added_since is None:
            self.added_since = self.agent.mono
        return self.added_since + self.plan.step - self.agent.mono

    def _hide(self, usage: Usage | None) -> None:
        if usage is not None:
            self.unseen = usage if self.unseen is None else self.unseen + usage

    def _headers(self) -> None:
        self.agent.extra = (("x-run-id", self.journal.run), ("x-handrail", self.journal.header()))

    def _id(self) -> str:
        """An id for a call that came without one: 9 letters and digits."""
        self.made += 1
        number = int.from_bytes(
            blake2b(self.start.random + self.made.to_bytes(4, "big"), digest_size=8).digest(), "big"
        )
        out = ""
        for _ in range(9):
            number, digit = divmod(number, 62)
            out += _ALPHABET[digit]
        return out

    def _book(self) -> Playing:
        """Adds what was really used to the budgets that this exchange draws on."""
        used = Usage(0, 0)
        for played in self.played:
            used = used + (played.used or Usage(0, 0))
        adds = [
            Add(spend.key, spend.weigh(used.input, used.output, used.cached) - spend.reserved, None, spend.ttl)
            for spend in (*self.spends, *self.hooks.spends)
        ]
        if adds:
            yield Settle(requests=tuple(adds))

    def _end(self, found: Identity) -> Playing:
        yield from self._book()
        if self.how != "done" and self.retry:
            value = f"{found.run}\n{found.started}".encode()
            yield from self.hooks.write((Put(self.retry, value, identity.RETRY),))
        fields: dict[str, Any] = {
            "how": self.how,
            "seconds": round(self.agent.mono - self.start.mono, 6),
            "rounds": self.rounds,
            "usage": usage_fields(self.usage),
        }
        if self.unseen is not None:
            fields["hidden"] = usage_fields(self.unseen)
        yield self.journal.line("end", self.rounds, fields)


def _wholly_withheld(verdict: Any, read: Reply, language: str) -> Any:
    """A reply whose every call is answered by Handrail: the model goes on, and the agent gets what comes of it."""
    if not isinstance(verdict, Reply) or not verdict.withheld or verdict.calls or len(verdict.turns) != 1:
        return verdict
    order = [call.id for call in read.calls]
    whole = hidden.full_turn(verdict.turns[0], verdict.withheld, order)
    turn = verdict.turns[0]
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
    turns = tuple(
        turn
        if turn is old
        else replace(
            turn, finish="tool_calls" if turn.calls else "stop" if turn.finish == "tool_calls" else turn.finish
        )
        for turn, old in zip(reply.turns, read.turns, strict=True)
    )
    return replace(reply, turns=turns)
