"""What an exchange remembers and recalls: its run, the hidden turns of the conversation, the calls that it hands out.

Reads and writes of the store are commands; which keys there are is `identity`'s and `hidden`'s matter.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from proxy import chained, hidden, identity
from proxy.act import Act, Playing
from proxy.identity import Identity, RunRecord
from proxy.model import Ask, Put, Reply, Run, Turn, replace
from proxy.task import language, words
from proxy.verdicts import Answers, Read, Settle

HALTS = 3
"""Halted runs in a row in one conversation, after which the agent gets the last answer again …"""
ECHO = 60.0
"""… for so many seconds."""


class Recall:
    """The memory of one exchange."""

    __slots__ = ("_act", "_known", "_new", "_record", "_retry", "_task", "found", "kept")

    def __init__(self, act: Act) -> None:
        self._act = act
        self._new = False
        self._known: Mapping[Any, Any] = {}
        self._retry = self._task = ""
        self._record = RunRecord(0)
        self.found = Identity("", "")
        self.kept: list[Sequence[Turn]] = []
        """Hidden rounds that stay part of the conversation."""

    def identify(self, ask: Ask | None) -> Playing:
        """Finds the run that the request belongs to, and gives it as policies see it."""
        start, plan = self._act.start, self._act.plan
        turns = ask or Ask(plan.dialect.name, "", stream=False, turns=())
        task = plan.tasks.last_task(turns.turns)
        self._task = words(turns.turns[task]) if task >= 0 else ""
        clues = identity.clues(start, turns, plan.tasks, task)
        self._retry = clues.retry
        chain = chained.reads(start.credential, turns.previous) if turns.previous else ()
        spare = set(clues.calls[1:])
        known = yield from self._read((*(read for read in clues.reads if read.key not in spare), *chain))
        if spare and not clues.given and known.get(Read(clues.calls[0])) is None:
            known = {**known, **(yield from self._read([Read(key) for key in clues.calls[1:]]))}
        self._known = known
        found = identity.settle(clues, known, start)
        record = None
        if found.how != "new":
            record = yield from self._stored(found.run)
        if record is None:
            record = yield from self._begun(found)
        self._record = record
        self.found = replace(found, started=record.started)
        if clues.marks:
            marks = (Put(key, identity.value(self.found), identity.RETRY, local=True) for key in clues.marks)
            yield Settle(puts=tuple(marks))
        spoken = plan.language if plan.language != "auto" else language(turns.turns, task)
        return Run(
            found.run,
            start.credential,
            record.started,
            start.wall,
            start.mono,
            start.secret,
            facts=start.facts,
            language="zh" if spoken == "zh" else "en",
            new=found.how == "new",
            thread=record.root,
            arrived=start.wall,
        )

    def _stored(self, run: str) -> Playing:
        key = Read(identity.run_key(self._act.start.credential, run))
        known = yield from self._read((key,))
        return identity.read_record(known.get(key))

    def _begun(self, found: Identity) -> Playing:
        """The record of a run that begins; it goes on with the conversation of the run before it."""
        self._new = True
        past = (yield from self._stored(found.before)) if found.before and found.before != found.run else None
        root = (past.root if past else "") or found.before or found.run
        started = found.started or self._act.start.wall
        return replace(past, started=started, root=root) if past else RunRecord(started, root=root)

    def _read(self, reads: Sequence[Read]) -> Playing:
        """What stands under these keys, before there is a run to tell about it."""
        if not reads:
            return {}
        answers = yield Settle(requests=tuple(reads))
        if not isinstance(answers, Answers):
            raise TypeError("the shell answered a Settle with something else")
        self._act.agent.see(answers)
        return answers.known

    def restored(self, ask: Ask) -> Playing:
        """The ask with the hidden turns of its conversation put back."""
        if ask.previous and self._act.plan.edits:
            ask = chained.joined(ask, self._known, self._act.start.credential, self._act.dialect)
        if not self._record.anchors or not self._act.plan.edits:
            return ask
        found = hidden.reads(ask, self._record.anchors, self._act.start.credential)
        known = yield from self._read(tuple(found.values()))
        return hidden.restored(ask, found, known, self._act.dialect)

    def remember(self, reply: Reply, ask: Ask | None, order: Sequence[str] = ()) -> Playing:
        """Keeps which run the calls belong to that leave now, and what was hidden around them.

        `order`: ids of the model's calls.
        """
        run = self._act.hooks.run
        ids = [call.id for call in reply.calls if call.id]
        puts = list(identity.handed_out(self.found, run.credential, self._task, ids))
        if reply.id and self._act.dialect.chains:
            puts += identity.chained(self.found, run.credential, reply.id)
            puts += chained.link(run.credential, reply, self._act.dialect)
            if ask is not None and ask.stored:
                puts.append(chained.past(run.credential, ask, reply, self._act.plan.tasks.last_task(ask.history)))
        record = self._record
        kept = hidden.keep(self._act.dialect, reply, self.kept, order) if reply.turns else None
        if kept is not None:
            anchors, value = kept
            puts += [hidden.put(run.credential, run.id, at, value) for at in anchors]
            record = replace(record, anchors={**record.anchors, **dict.fromkeys(anchors, run.id)})
        if record.anchors and not ids:  # nothing but its words leads the next task back here
            said = kept[0] if kept is not None else tuple(map(identity.anchor, reply.turns))
            puts += identity.handed_out(self.found, run.credential, self._task, said)
        if puts and (record is not self._record or self._new):
            puts.append(identity.put_record(run.credential, run.id, record))
        if puts:
            yield from self._act.hooks.write(puts)

    def echo(self) -> str:
        """The last answer, for an agent that goes on after its runs were halted again and again; empty: none is due."""
        record = self._record
        due = self._new and record.halts >= HALTS and self._act.start.wall - record.halted_at < ECHO
        return record.answer if due else ""

    def halted(self, text: str, ask: Ask, reply: Reply) -> Playing:
        """Keeps that a gate ended the run, and with which answer."""
        run, dialect = self._act.hooks.run, self._act.dialect
        record = replace(self._record, halts=self._record.halts + 1, halted_at=run.wall, answer=text)
        puts = [identity.put_record(run.credential, run.id, record)]
        if dialect.chains:
            puts += identity.chained(self.found, run.credential, reply.id)
            puts.append(chained.own_answer(run.credential, ask, reply, text, dialect))
        yield from self._act.hooks.write(puts)

    def finished(self) -> Playing:
        """The run came to an answer of the model's own: what was halted before it counts no more."""
        if self._record.halts:
            run = self._act.hooks.run
            record = replace(self._record, halts=0)
            yield from self._act.hooks.write((identity.put_record(run.credential, run.id, record),))

    def expect_again(self) -> Playing:
        """The answer did not arrive, or was an error: the same body again belongs to this run."""
        if self._retry:
            value = identity.value(self.found)
            yield from self._act.hooks.write((Put(self._retry, value, identity.RETRY, local=True),))
