"""A circuit breaker per tool, fed by the outcomes that are read from its results.

Only faults of the tool count (timeout, connection, unavailable, out of resources, a crash); what the caller did wrong
and what the business refused do not. While a breaker is open its tool is not called: the model gets the last answer of
the same call with its age, or the alternate tool is called in its place, or it is told until when the tool is out. The
tools array stays as it is, for the provider's cache. The breakers themselves live in the shell.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

import msgspec
import orjson

from proxy import task
from proxy.identity import DAY, digest
from proxy.model import Ask, Note, Put, Reply, Run, ToolCall, ToolResult, Withheld, replace
from proxy.outcomes import failure
from proxy.policies.declared import form, results_of
from proxy.rawjson import dump
from proxy.repair.schema import compile_schema
from proxy.settings import Pack
from proxy.settings.policies import ToolHealthSettings
from proxy.verdicts import Health, Need, Read, Report, Rules

FAULTS = frozenset({"timeout", "communication", "unavailable", "resource", "bug"})
_REMEMBERED = 10_000


class Answered(msgspec.Struct, frozen=True):
    """The last good result of a call, and when it came."""

    at: float
    text: str


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Answered).decode


class ToolHealth:
    """`tool_health` of a pack."""

    name: ClassVar[str] = "tool_health"
    minds_plain_asks = minds_openings = minds_words = False
    guards_replies = True

    def __init__(self, settings: ToolHealthSettings, pack: Pack) -> None:
        self._pack = pack
        self._tasks = task.reader(pack.task_patterns, pack.tool_result_patterns)
        self._rules = Rules(
            settings.failures,
            settings.success_rate,
            settings.min_calls,
            settings.window_seconds,
            settings.reset_seconds,
        )
        self._told: set[tuple[str, str]] = set()

    # ------------------------------------------------------------ asks: outcomes

    def on_ask(self, ask: Ask, run: Run) -> Ask | Need:
        new = self._new(ask, run)
        if not new:
            return ask
        left = tuple(_left(run, call) for call, _ in new)
        if any(read not in run.known for read in left):
            return Need(left)
        reports = tuple(self._reports(new, run))
        if any(report not in run.known for report in reports):
            return Need(reports)
        if len(self._told) > _REMEMBERED:
            self._told.clear()
        self._told.update((run.thread, call.id) for call, _ in new)
        puts = tuple(self._answers(new, ask, run))
        slow = tuple(self._slow(new, reports, run))
        changed = replace(ask, puts=ask.puts + puts) if puts else ask
        return changed.noting(*slow) if slow else changed

    def _new(self, ask: Ask, run: Run) -> list[tuple[ToolCall, ToolResult]]:
        """The results that the breakers were not told of, oldest first: those of the steps behind the last told one."""
        told, thread = self._told, run.thread
        new: list[tuple[ToolCall, ToolResult]] = []
        for step in reversed(task.own_steps(ask.history, self._tasks.last_task(ask.history), ask.memory)):
            pairs = [
                (call, result) for call, result in zip(step.calls, step.results, strict=True) if result is not None
            ]
            untold = [(call, result) for call, result in pairs if (thread, call.id) not in told]
            if pairs and not untold:
                break
            new[:0] = untold
        return new

    def _slow(self, new: list[tuple[ToolCall, ToolResult]], reports: tuple[Report, ...], run: Run) -> Iterator[Note]:
        """Results that took more than twice the P99 of their tool."""
        tools = {digest(run.thread, call.id): call.tool for call, _ in new}
        for report in reports:
            p99 = run.known[report]
            if report.seconds is not None and isinstance(p99, float) and report.seconds > 2 * p99:
                told = {"tool": tools[report.call], "seconds": round(report.seconds, 3), "p99": round(p99, 3)}
                yield Note(self.name, "found", {"slow": told})

    def _reports(self, new: list[tuple[ToolCall, ToolResult]], run: Run) -> Iterator[Report]:
        for call, result in new:
            failed = failure(call, result, results_of(self._pack, call.tool))
            if failed is None or failed.type in FAULTS:
                left = run.known.get(_left(run, call))
                seconds = max(run.arrived - float(left), 0.0) if left else None
                yield Report(_key(run, call.tool), digest(run.thread, call.id), failed is None, self._rules, seconds)

    def _answers(self, new: list[tuple[ToolCall, ToolResult]], ask: Ask, run: Run) -> Iterator[Put]:
        """Good results that may be said again while the tool is out."""
        for call, result in new:
            if self._pack.tool(call.tool).open_answer != "cached":
                continue
            if failure(call, result, results_of(self._pack, call.tool)) is None:
                yield Put(_answer_key(call, ask, run), _encode(Answered(run.wall, result.text)), DAY)

    # ------------------------------------------------------------ replies

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply | Need:
        if len(reply.turns) != 1 or not reply.calls:
            return reply
        states = {
            call.tool: Health(_key(run, call.tool), self._rules) for call in reply.calls if call.kind != "builtin"
        }
        if any(one not in run.known for one in states.values()):
            return Need(tuple(states.values()))
        out = {tool: run.known[one] for tool, one in states.items() if _is_open(run.known[one])}
        if not out:
            now = repr(run.wall).encode()
            puts = (Put(_left(run, call).key, now, DAY, local=True) for call in reply.calls if call.kind != "builtin")
            return replace(reply, puts=(*reply.puts, *puts))
        reads = [Read(_answer_key(call, ask, run)) for call in reply.calls if call.tool in out]
        looks = [Health(_key(run, other), self._rules, take=False) for tool in out if (other := self._other(tool))]
        if any(one not in run.known for one in (*reads, *looks)):
            return Need((*reads, *looks))
        return self._without(reply, out, ask, run)

    def _other(self, tool: str) -> str:
        """The alternate tool; empty: there is none."""
        facts = self._pack.tool(tool)
        return facts.instead.tool if facts.open_answer == "instead" and facts.instead is not None else ""

    def _without(self, reply: Reply, out: Mapping[str, tuple[str, float]], ask: Ask, run: Run) -> Reply:
        kept: list[ToolCall] = []
        withheld: list[Withheld] = []
        notes: list[Note] = []
        for call in reply.turns[0].calls:
            if call.tool not in out:
                kept.append(call)
                continue
            other = self._instead(call, ask, run)
            if other is not None:
                kept.append(other)
                notes.append(Note(self.name, "repaired", {"call": call.id, "tool": call.tool, "instead": other.tool}))
                continue
            text = self._told_instead(call, out[call.tool][1], ask, run)
            withheld.append(Withheld(call, text))
            notes.append(Note(self.name, "replayed", {"call": call.id, "tool": call.tool, "result": text}))
        turn = replace(reply.turns[0], calls=tuple(kept))
        return replace(reply, turns=(turn,), withheld=reply.withheld + tuple(withheld)).noting(*notes)

    def _instead(self, call: ToolCall, ask: Ask, run: Run) -> ToolCall | None:
        """The call of the alternate tool, where it is offered, not out itself, and takes these arguments."""
        instead = self._pack.tool(call.tool).instead
        other = ask.tool(self._other(call.tool))
        if instead is None or other is None:
            return None
        if _is_open(run.known.get(Health(_key(run, other.name), self._rules, take=False))):
            return None
        try:
            args = orjson.loads(call.args)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(args, dict):
            return None
        mapped = {instead.arguments.get(key, key): value for key, value in args.items()}
        if other.schema and compile_schema(other.schema).problems(mapped):
            return None
        return replace(call, tool=other.name, args=dump(mapped).decode())

    def _told_instead(self, call: ToolCall, until: float, ask: Ask, run: Run) -> str:
        stored = run.known.get(Read(_answer_key(call, ask, run)))
        if self._pack.tool(call.tool).open_answer == "cached" and stored:
            old = _decode(stored)
            return _cached(old.text, run.wall - old.at, run.language)
        return _unavailable(call.tool, max(until - run.wall, 0.0), run.language)


def _is_open(answer: object) -> bool:
    return isinstance(answer, (tuple, list)) and answer[0] == "open"


def _left(run: Run, call: ToolCall) -> Read:
    """When a call was handed out, in wall time."""
    return Read("w:" + digest(run.thread, call.id), local=True)


def _key(run: Run, tool: str) -> str:
    return "health:" + digest(run.credential, tool)


def _answer_key(call: ToolCall, ask: Ask, run: Run) -> str:
    return "ok:" + digest(run.credential, call.tool, form(call, ask).hex())


def _cached(text: str, age: float, language: str) -> str:
    note = (
        "该工具暂时不可用;以下是同一调用上一次的结果,可能已过时。"
        if language == "zh"
        else "The tool is out at the moment. This is the last result of this very call; it may be out of date."
    )
    return dump({"status": "ok", "cached": True, "age_s": round(age), "note": note, "result": text}).decode()


def _unavailable(tool: str, seconds: float, language: str) -> str:
    wait = max(round(seconds), 1)
    if language == "zh":
        message = f"{tool} 连续失败,已暂停调用;约 {wait} 秒后再试。这次调用没有执行。"
        action = "换用其他工具或先完成其他部分;如果必须用它,请说明缺少什么并结束。"
    else:
        message = (
            f"{tool} is unavailable: it kept failing and is not called for about {wait} s. This call was not made."
        )
        action = "Use another tool or go on with another part. If nothing else is left, answer and say what is missing."
    error = {"status": "error", "code": "TOOL_UNAVAILABLE", "type": "unavailable", "message": message}
    advice = {"retryable": True, "retry": "as_is", "suggested_action": action, "retry_after_s": wait}
    return dump({**error, **advice}).decode()
