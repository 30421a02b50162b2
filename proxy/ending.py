"""Answers of Handrail's own: a run that is halted, an upstream that failed, a policy that must not fail.

A halted run gets an honest answer with status 200; a failure is an error in the API's own shape, or a broken connection
where a part of the answer has left. Never an empty 200, never a clean end of half an answer.
"""

import msgspec

from proxy.act import Act, Playing
from proxy.hooks import Broken
from proxy.model import Ask
from proxy.rounds import Whole
from proxy.verdicts import Abort, Alert, Begin, Emit, Failure, Halt, Head


def halt(act: Act, verdict: Halt, ask: Ask, last: Whole | None) -> Playing:
    """The model's own summary if it can be had, else the policy's text. Gives the text and the reply."""
    if verdict.puts:
        yield from act.hooks.write(verdict.puts)
    if verdict.alert is not None:
        yield Alert(verdict.alert)
    if last is not None:
        act.hide(last.reply.usage)
    text = verdict.text
    if verdict.close is not None and act.rounds_left > 0:
        text = (yield from _closing(act, verdict, ask)) or text
    call = None
    if verdict.call is not None:
        arguments = {key: text if value is None else value for key, value in verdict.call[1].items()}
        call = (verdict.call[0], msgspec.json.encode(arguments).decode())
    reply = act.dialect.compose(ask, text, act.new_id, act.agent.wall, call)
    act.headers()
    if act.agent.streams if act.agent.begun else ask.stream:
        after = last.reader if last is not None and act.agent.sent else None
        yield from _begin(act, "text/event-stream", None)
        yield from act.agent.emit(act.dialect.write_stream(reply, after))
    else:
        body = act.dialect.write_reply(reply, act.unseen)
        yield from _begin(act, "application/json", len(body))
        yield from act.agent.emit(body)
    act.how = f"halted: {verdict.by}"
    yield act.journal.line("answer", act.count, {"status": 200, "by": verdict.by, "text": text})
    return text, reply


def _closing(act: Act, verdict: Halt, ask: Ask) -> Playing:
    """What the model says when it may call nothing more; empty if that fails."""
    closing = act.dialect.closing(ask, verdict.close or "")
    reader = act.dialect.stream(closing, act.new_id, None, None, mute=False)
    body = act.dialect.write_ask(closing.presented())
    outcome = yield from act.round().hidden(closing, body, verdict.grace, reader, show=False)
    if not isinstance(outcome, Whole):
        return ""
    act.hide(outcome.reply.usage)
    turn = outcome.reply.turns[0] if outcome.reply.turns else None
    return turn.text.strip() if turn is not None and not turn.calls and not turn.cut else ""


def _begin(act: Act, kind: str, length: int | None) -> Playing:
    head = Head(200, (("content-type", kind),), act.agent.wall, act.agent.mono)
    yield from act.agent.begin(head, length, decoded=True)


def failed(act: Act, failure: Failure) -> Playing:
    """The upstream gave no whole answer."""
    act.how = f"upstream failed: {failure.kind}"
    if act.agent.begun:
        if act.plan.guards and act.agent.status < 300:
            yield from act.agent.emit(act.dialect.stream_error(failure.message, failure.kind, "upstream_error"))
        yield Abort()
        return
    yield from error(act, {"timeout": 504, "open": 503}.get(failure.kind, 502), failure.message, failure.kind)


def refuse(act: Act, broken: Broken) -> Playing:
    """A policy failed, and the pack wants an error then."""
    message = f"Handrail's policy {broken.policy} failed, and the pack says fail: closed."
    act.how = "error"
    if act.agent.begun:
        yield from act.agent.emit(act.dialect.stream_error(message, "policy_failed", "handrail_error"))
        yield Abort()
    else:
        yield from error(act, 500, message, "policy_failed")


def error(act: Act, status: int, message: str, code: str) -> Playing:
    """An error in the API's shape that no SDK tries again."""
    body = act.dialect.error(status, message, code, "handrail_error")
    act.headers()
    headers = (("content-type", "application/json"), ("x-should-retry", "false"), *act.agent.extra)
    act.agent.begun, act.agent.status = True, status
    yield Begin(status, headers, len(body))
    yield Emit(body)
    yield act.journal.line("answer", act.count, {"status": status}, {"body": body})
