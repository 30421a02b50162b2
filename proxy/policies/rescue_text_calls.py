"""Tool calls that a model wrote as text become real calls.

Only where nothing else can be meant: the turn has no real call, its text ends with calls in a known form and with
nothing behind them, each names a tool that is offered, and the arguments of each are right by the tool's schema (or
become so by what `repair_arguments` does next). Everything else stays the text that it is. On a stream only what
begins like such a call waits; what turns out to be none leaves as it came.
"""

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import ClassVar

from proxy.model import Ask, Note, Reply, Run, Tool, ToolCall, Turn, replace
from proxy.repair.arguments import Fine, Repaired, repair
from proxy.repair.schema import compile_schema
from proxy.repair.text_calls import TextCall, found
from proxy.repair.text_watch import Watch
from proxy.settings import Pack
from proxy.settings.policies import RescueTextCallsSettings

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class RescueTextCalls:
    """`rescue_text_calls` of a pack."""

    name: ClassVar[str] = "rescue_text_calls"
    guards_replies = True
    minds_plain_asks = False
    minds_openings = minds_words = True

    def __init__(self, settings: RescueTextCallsSettings, pack: Pack) -> None:
        del settings
        self._pack = pack
        self._repairs = pack.effective_mode("repair_arguments") == "enforce"

    def on_ask(self, ask: Ask, run: Run) -> Ask:
        """The ask with a watch for the text of its reply."""
        del run
        return replace(ask, watcher=Watch) if _is_callable(ask) else ask

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply:
        if not _is_callable(ask):
            return reply
        names = {ask.upstream(tool.name): tool for tool in ask.tools if tool.kind == "function"}
        turns = tuple(self._rescued(turn, names, ask, run) for turn in reply.turns)
        calls = [
            {"call": call.id, "tool": call.tool}
            for new, old in zip(turns, reply.turns, strict=True)
            for call in new.calls[len(old.calls) :]
        ]
        return replace(reply, turns=turns).noting(Note(self.name, "repaired", {"calls": calls})) if calls else reply

    def _rescued(self, turn: Turn, names: Mapping[str, Tool], ask: Ask, run: Run) -> Turn:
        """The turn with its calls in words as calls; the same object where there are none, or not certainly."""
        if turn.calls or turn.cut or not turn.texts:
            return turn
        read = found(turn.texts[-1], names)
        if read is None or not all(self._is_right(call, names[call.name]) for call in read.calls):
            return turn
        taken = {call.id for earlier in ask.turns for call in earlier.calls}
        calls = []
        for at, call in enumerate(read.calls):
            made = _id((run.id, str(len(ask.turns)), str(turn.choice), str(at), call.name, call.args), taken)
            taken.add(made)
            calls.append(ToolCall(made, call.name, call.args, names[call.name].name, call.args))
        return replace(turn, texts=(*turn.texts[:-1], read.before.rstrip()), calls=tuple(calls))

    def _is_right(self, call: TextCall, tool: Tool) -> bool:
        verdict = repair(call.args, compile_schema(tool.schema), overlays=self._pack.tool(tool.name).parameters)
        return isinstance(verdict, Fine) or (self._repairs and isinstance(verdict, Repaired))


def _is_callable(ask: Ask) -> bool:
    return ask.tool_choice != "none" and any(tool.kind == "function" for tool in ask.tools)


def _id(parts: Sequence[str], taken: Collection[str]) -> str:
    """9 letters and digits, the same each time that this reply is looked at, and of no call of this conversation."""
    for salt in range(1000):
        seed = "\x00".join((*parts, str(salt))).encode("utf-8", "surrogatepass")
        number = int.from_bytes(blake2b(seed, digest_size=8).digest(), "big")
        made = "".join(_ALPHABET[number // 62**place % 62] for place in range(9))
        if made not in taken:
            return made
    raise AssertionError("a thousand ids are taken")
