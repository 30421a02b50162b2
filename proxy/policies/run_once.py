"""Side effects happen once: an equal call of a tool that the pack declares is not handed out twice in a run.

Equal means: same run, same tool, same arguments in canonical form. What becomes of the second call follows from what
came of the first: its result is said again to the model; an outcome that is not known (a timeout, an answer that was
lost) is said to be unknown; a failure is no result, so the call may be made again, under a claim of its own. A call is
claimed when it is really handed out, atomically and durably, so two parallel exchanges, or a restart, cannot both hand
it out. No claim is ever taken back but by the exchange that made it and handed nothing out.

Where the pack names an argument for it, a stable idempotency key is written into the call, so that what the tool calls
can tell a repetition too; the model never sees that argument.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from proxy import task
from proxy.identity import digest
from proxy.model import Ask, Note, Put, Reply, Run, Taking, Tool, ToolCall, ToolResult, Turn, Withheld, replace
from proxy.outcomes import Outcome, outcome
from proxy.policies.declared import form, results_of
from proxy.rawjson import UnreadableError, dump, edit, fields, items, obj, value
from proxy.settings import Pack
from proxy.settings.policies import RunOnceSettings
from proxy.settings.tools import IdempotencyKey
from proxy.task import Step
from proxy.verdicts import Claim, Need, Read


class Made(msgspec.Struct, frozen=True):
    """What is stored of one side effect. `state`: out (handed out, no outcome seen), done, unknown."""

    state: str
    call: str
    at: float
    result: str = ""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Made).decode


class RunOnce:
    """`run_once` of a pack."""

    name: ClassVar[str] = "run_once"
    minds_plain_asks = minds_words = False

    def __init__(self, settings: RunOnceSettings, pack: Pack) -> None:
        self._expires = settings.expires_s
        self._pack = pack
        self._tasks = task.reader(pack.task_patterns, pack.tool_result_patterns)
        self._any = any(facts.side_effect for facts in pack.tools.values())
        self._keys = any(facts.idempotency_key for facts in pack.tools.values())
        self.minds_openings = self._keys

    @property
    def guards_replies(self) -> bool:
        return self._any

    # ------------------------------------------------------------ asks: outcomes, and the hidden argument

    def on_ask(self, ask: Ask, run: Run) -> Ask:
        if not self._any:
            return ask
        hidden = self._without_keys(ask) if self._keys else ask
        puts = tuple(self._outcomes(hidden, run))
        if hidden is not ask:
            tools = [tool.name for tool, old in zip(hidden.tools, ask.tools, strict=True) if tool is not old]
            hidden = hidden.noting(Note(self.name, "rewrote", {"hidden_keys_of": tools}))
        return replace(hidden, puts=hidden.puts + puts) if puts else hidden

    def _outcomes(self, ask: Ask, run: Run) -> Iterator[Put]:
        """What came of the side effects of the latest step."""
        steps = self._steps(ask)
        for call, result in zip(steps[-1].calls, steps[-1].results, strict=True) if steps else ():
            if result is None or not self._effect(call):
                continue
            came = self._came(call, result)
            if came != Outcome.FAILED:
                state = "done" if came == Outcome.OK else "unknown"
                made = Made(state, call.id, run.wall, result.text)
                yield Put(self._key(call, steps[:-1], ask, run), _encode(made), self._ttl(call.tool), durable=True)

    def _without_keys(self, ask: Ask) -> Ask:
        """The ask without idempotency keys: neither schemas nor earlier calls show them to the model."""
        tools = tuple(self._hidden(tool) for tool in ask.tools)
        turns = tuple(self._stripped(turn) for turn in ask.turns)
        same_tools = all(new is old for new, old in zip(tools, ask.tools, strict=True))
        same_turns = all(new is old for new, old in zip(turns, ask.turns, strict=True))
        if same_tools and same_turns:
            return ask
        return replace(ask, tools=ask.tools if same_tools else tools, turns=ask.turns if same_turns else turns)

    def _hidden(self, tool: Tool) -> Tool:
        declared = self._pack.tool(tool.name).idempotency_key
        if declared is None or not tool.schema:
            return tool
        try:
            return replace(tool, schema=_schema_without(tool.schema, declared.argument))
        except UnreadableError:
            return tool

    def _stripped(self, turn: Turn) -> Turn:
        if not any(self._pack.tool(call.tool).idempotency_key for call in turn.calls):
            return turn
        calls = tuple(self._plain(call) for call in turn.calls)
        return replace(turn, calls=calls)

    def _plain(self, call: ToolCall) -> ToolCall:
        declared = self._pack.tool(call.tool).idempotency_key
        if declared is None or declared.argument not in call.args:
            return call
        return replace(call, args=_with(call.args, {declared.argument: None}))

    # ------------------------------------------------------------ replies

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply | Need:
        if len(reply.turns) != 1 or not any(map(self._effect, reply.calls)):
            return reply
        steps = self._steps(ask.source or ask)
        keys = {call.id: self._key(call, steps, ask, run) for call in reply.calls if self._effect(call)}
        reads = tuple(Read(key) for key in dict.fromkeys(keys.values()))
        if any(read not in run.known for read in reads):
            return Need(reads)
        kept: list[ToolCall] = []
        withheld: list[Withheld] = []
        takings: list[Taking] = []
        first: dict[str, str] = {}
        for call in reply.turns[0].calls:
            key = keys.get(call.id)
            if key is None:
                kept.append(call)
                continue
            text = _twice(first[key], run.language) if key in first else self._told(call, key, ask, run)
            first.setdefault(key, call.id)
            if text:
                withheld.append(Withheld(call, text))
                continue
            kept.append(self._keyed(call, ask, run))
            made = _encode(Made("out", call.id, run.wall))
            takings.append(Taking(self.name, call.id, key, made, self._ttl(call.tool)))
        return self._decided(reply, tuple(kept), tuple(withheld), tuple(takings))

    def _decided(
        self, reply: Reply, kept: tuple[ToolCall, ...], withheld: tuple[Withheld, ...], takings: tuple[Taking, ...]
    ) -> Reply:
        turn = reply.turns[0]
        same = len(kept) == len(turn.calls) and all(a is b for a, b in zip(kept, turn.calls, strict=True))
        turns = reply.turns if same else (replace(turn, calls=kept),)
        notes = [
            Note(self.name, "replayed", {"call": one.call.id, "tool": one.call.tool, "result": one.result})
            for one in withheld
        ]
        given = [call.id for call in kept if all(call is not old for old in turn.calls)]
        notes += [Note(self.name, "rewrote", {"keys_given_to": given})] if given else []
        return replace(reply, turns=turns, withheld=reply.withheld + withheld, takings=reply.takings + takings).noting(
            *notes
        )

    def _told(self, call: ToolCall, key: str, ask: Ask, run: Run) -> str:
        """What the model is told in place of the call; empty: it may be made."""
        lost = next((run.known[one] for one in run.known if isinstance(one, Claim) and one.key == key), None)
        stored = lost or run.known.get(Read(key))
        made = _decode(stored) if stored else self._in_history(call, ask, run)
        if made is None:
            return ""
        return _replayed(made.result, run.language) if made.state == "done" else _unknown(call.tool, run.language)

    def _in_history(self, call: ToolCall, ask: Ask, run: Run) -> Made | None:
        """An equal call of this run that stands in the request, if the store does not know of it."""
        if run.wall - run.started > self._ttl(call.tool):
            return None
        found = None
        for earlier, result in self._equal(call, self._steps(ask.source or ask), ask):
            state = {Outcome.OK: "done", Outcome.UNKNOWN: "unknown"}.get(self._came(earlier, result))
            found = Made(state, earlier.id, run.wall, result.text if result else "") if state else None
        return found

    # ------------------------------------------------------------ keys

    def _effect(self, call: ToolCall) -> bool:
        return call.kind != "builtin" and self._pack.tool(call.tool).side_effect

    def _ttl(self, tool: str) -> float:
        return self._pack.tool(tool).expires_s or self._expires

    def _steps(self, ask: Ask) -> Sequence[Step]:
        return task.own_steps(ask.history, self._tasks.last_task(ask.history), ask.memory)

    def _equal(self, call: ToolCall, steps: Sequence[Step], ask: Ask) -> Iterator[tuple[ToolCall, ToolResult | None]]:
        """Equal calls of these steps, and what came back."""
        wanted = self._form(call, ask)
        for step in steps:
            for earlier, result in zip(step.calls, step.results, strict=True):
                if earlier.tool == call.tool and self._form(earlier, ask) == wanted:
                    yield earlier, result

    def _came(self, call: ToolCall, result: ToolResult | None) -> Outcome:
        return Outcome.UNKNOWN if result is None else outcome(call, result, results_of(self._pack, call.tool))

    def _form(self, call: ToolCall, ask: Ask) -> bytes:
        return form(self._plain(call), ask)

    def _key(self, call: ToolCall, before: Sequence[Step], ask: Ask, run: Run) -> str:
        """Where a call is claimed. After a failure it is another place: what failed need not be let go of."""
        equal = self._equal(call, before, ask)
        failed = [one.id for one, result in equal if self._came(one, result) == Outcome.FAILED]
        scope = (run.credential, run.id, *failed[-1:])
        return "once:" + digest(*scope, call.tool, self._form(call, ask).hex())

    def _keyed(self, call: ToolCall, ask: Ask, run: Run) -> ToolCall:
        """The call with its idempotency key, where the pack names an argument for it."""
        declared = self._pack.tool(call.tool).idempotency_key
        if declared is None or call.kind != "function":
            return call
        key = dump(self._idempotency_key(declared, call, ask, run))
        return replace(call, args=_with(call.args or "{}", {declared.argument: key}))

    def _idempotency_key(self, declared: IdempotencyKey, call: ToolCall, ask: Ask, run: Run) -> str:
        if declared.form == "step":
            scope = (run.thread or run.id, str(len(task.own_steps((ask.source or ask).turns, memory=ask.memory))))
        else:
            scope = (run.id, call.tool)
        parts = "\x00".join((run.credential, *scope, self._form(call, ask).hex()))
        return "hr_" + hashlib.sha256(parts.encode()).hexdigest()[:32]


def _with(args: str, changes: dict[str, bytes | None]) -> str:
    """Arguments with some members set or taken out; as they are, where they are no JSON object."""
    try:
        return edit(args.encode("utf-8", "surrogatepass"), changes).decode("utf-8", "surrogatepass")
    except UnreadableError:
        return args


def _schema_without(schema: bytes, name: str) -> bytes:
    members = fields(schema)
    changes: dict[str, Any] = {}
    if "properties" in members:
        changes["properties"] = obj({key: raw for key, raw in fields(members["properties"]).items() if key != name})
    if "required" in members:
        left = [raw for raw in items(members["required"]) if value(raw) != name]
        changes["required"] = b"[" + b",".join(map(bytes, left)) + b"]"
    return edit(schema, changes)


def _replayed(result: str, language: str) -> str:
    note = (
        "这个调用在本次任务中已执行过,没有再次执行;以下是当时的结果。"
        if language == "zh"
        else "This exact call was already made in this task. It was not made again; this is its result."
    )
    return _json({"status": "ok", "replayed": True, "note": note, "result": result})


def _unknown(tool: str, language: str) -> str:
    message = (
        f"{tool} 的同一调用已发出,但结果未知(超时或应答丢失)。没有再次执行。"
        if language == "zh"
        else f"The same call of {tool} was already made, and its outcome is not known (timeout or lost answer)."
        " It was not made again."
    )
    action = (
        "先用查询类工具确认该操作是否已生效;无法确认时,请人工处理。"
        if language == "zh"
        else "Check with a reading tool whether it took effect; if you cannot, ask a human. Do not repeat it."
    )
    return _json(
        {
            "status": "error",
            "code": "OUTCOME_UNKNOWN",
            "type": "conflict",
            "message": message,
            "retryable": False,
            "retry": "no",
            "suggested_action": action,
        }
    )


def _twice(first: str, language: str) -> str:
    note = (
        f"与同一轮中的调用 {first} 完全相同,只执行一次;结果见该调用。"
        if language == "zh"
        else f"Equal to call {first} of the same turn; it is made once. See the result of that call."
    )
    return _json({"status": "ok", "replayed": True, "note": note})


def _json(value: Mapping[str, Any]) -> str:
    return dump(dict(value)).decode()
