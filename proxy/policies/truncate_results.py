"""Cuts tool results that are too long, and lets the model read on with `read_more`, which Handrail answers itself.

What a cut looks like and what a page holds is `paging`'s matter. Here: which results are cut (not what the agent cut
itself, not tools declared exempt, never a page), that the first form of each cut stays the same bytes in every later
ask, when `read_more` is offered (never where it can't be called), and where the original is found: in the agent's own
request, or in the store when earlier turns are kept by the provider.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from proxy import late
from proxy.frozen import Frozen
from proxy.identity import DAY, digest
from proxy.memo import Memo, along, mark
from proxy.model import Ask, Note, Put, Reply, Run, ToolCall, ToolResult, Turn, Withheld, replace
from proxy.paging.already_cut import already_cut
from proxy.paging.body import Limits
from proxy.paging.cursors import Invalid, check, make
from proxy.paging.cursors import ref as ref_of
from proxy.paging.tool import free_name, read_more
from proxy.rawjson import dump
from proxy.repair.text import Parsed, parse
from proxy.settings import Pack
from proxy.settings.policies import TruncateResultsSettings
from proxy.verdicts import Need, Read

_WEEK = 7 * DAY


class TruncateResults:
    """`truncate_results` of a pack."""

    name: ClassVar[str] = "truncate_results"
    minds_plain_asks = minds_words = False
    guards_replies = True

    def __init__(self, settings: TruncateResultsSettings, pack: Pack) -> None:
        self.minds_openings = settings.offer == "always"
        self._settings = settings
        self._pack = pack
        self._frozen = Frozen("cut")
        self._left: Memo[bool] = Memo()
        """Texts that stay as they are, though they are over the smaller limit."""

    # ------------------------------------------------------------ asks

    def on_ask(self, ask: Ask, run: Run) -> Ask | Need:
        tool = free_name([one.name for one in ask.tools])
        callable_ = bool(ask.tools) and ask.tool_choice != "none" and ask.n == 1
        longs = along(ask.memory, self, ask.turns, lambda at: tuple(self._long(ask.turns[at], tool)), tool)
        long = [one for some in longs for one in some]
        form = "" if callable_ else "#not callable"  # where nothing can be called, nothing is promised
        reads = tuple(self._frozen.read(run, call_id + form, text) for _, _, call_id, text in long)
        offered = _offered(run)  # what was cut earlier is not on the wire where the provider keeps it
        wanted = (*reads, offered) if ask.chained else reads
        if unknown := tuple(read for read in wanted if read not in run.known):
            return Need(unknown)
        results: dict[int, ToolResult] = {}
        puts: list[Put] = []
        notes: list[Note] = []
        for (result, part, call_id, text), read in zip(long, reads, strict=True):
            stored = run.known[read]
            if stored is None:
                made = self._cut(text, call_id, self._limits(result.tool), run, tool if callable_ else "")
                if made is None:
                    continue
                shown, note = made
                puts.append(self._frozen.put(read, shown))
                if ask.chained:
                    puts += [Put(_original(run, call_id), text.encode(), _WEEK), Put(offered.key, b"1", _WEEK)]
                notes.append(note)
            else:
                shown = stored.decode()
            current = results.get(id(result), result)
            texts = tuple(shown if at == part else one for at, one in enumerate(current.texts))
            results[id(result)] = replace(current, texts=texts)
        kept = [call_id for (_, _, call_id, _), read in zip(long, reads, strict=True) if run.known[read] is not None]
        notes += [Note(self.name, "found", {"kept": kept})] if kept else []
        changed = replace(ask, turns=_with_results(ask.turns, results)) if results else ask
        if callable_ and (results or run.known.get(offered) is not None or self._settings.offer == "always"):
            changed = replace(changed, tools=(*ask.tools, read_more(run.language, [one.name for one in ask.tools])))
        return replace(changed, puts=changed.puts + tuple(puts)).noting(*notes) if notes else changed

    def _long(self, turn: Turn, tool: str) -> Iterator[tuple[ToolResult, int, str, str]]:
        """Texts that are over a limit: the result, the part, the id that names it, the text."""
        for result in turn.results:
            facts = self._pack.tool(result.tool)
            if facts.exempt or turn.kept or result.kept or result.tool == tool:
                continue
            limits = self._limits(result.tool)
            least = min(limits.bytes, limits.text_bytes)
            for part, text in enumerate(result.texts):
                over = len(text) > least or (len(text) * 4 > least and len(text.encode()) > least)
                if over and not self._left.get((limits, *mark(text)), partial(_stays, text, limits)):
                    yield result, part, result.call_id if part == 0 else f"{result.call_id}#{part}", text

    def _limits(self, tool: str) -> Limits:
        facts, settings = self._pack.tool(tool), self._settings
        rows = facts.bytes or settings.bytes
        return Limits(rows, facts.text_bytes or settings.text_bytes or rows)

    def _cut(self, text: str, call_id: str, limits: Limits, run: Run, tool: str) -> tuple[str, Note] | None:
        """The first part, and what is told of it; None: it is under the limit for its kind. `tool` may be called."""
        cursor = _cursors(run, call_id) if tool else None
        first = late.cut(text, limits, cursor=cursor, lang=run.language, tool=tool or "read_more")
        if first is None:
            return None
        detail = {"call": call_id, "kind": first.kind, "bytes": first.original_bytes, "rows": first.total_rows}
        return first.text, Note(self.name, "rewrote", detail)

    # ------------------------------------------------------------ replies

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply | Need:
        if len(reply.turns) != 1 or not reply.calls:
            return reply
        source = ask.source or ask
        tool = free_name([one.name for one in source.tools])
        asked = [call for call in reply.calls if call.tool == tool and source.tool(tool) is None]
        if not asked or ask.tool(tool) is None:
            return reply
        wanted = {call.id: self._place(call, run) for call in asked}
        if source.chained:
            reads = tuple(Read(_original(run, place[0])) for place in wanted.values() if not isinstance(place, Invalid))
            if any(read not in run.known for read in reads):
                return Need(reads)
        turn = reply.turns[0]
        answers = tuple(Withheld(call, self._page(wanted[call.id], source, run, tool)) for call in asked)
        left = tuple(call for call in turn.calls if call not in asked)
        notes = tuple(
            Note(self.name, "replayed", {"call": one.call.id, "bytes": len(one.result.encode())}) for one in answers
        )
        return replace(reply, turns=(replace(turn, calls=left),), withheld=reply.withheld + answers).noting(*notes)

    @staticmethod
    def _place(call: ToolCall, run: Run) -> tuple[str, int] | Invalid:
        read = parse(call.args)
        value = read.value.get("cursor") if isinstance(read, Parsed) and isinstance(read.value, dict) else None
        if not isinstance(value, str):
            return Invalid("malformed")
        return check(run.secret, value.strip(), run.thread, run.credential)

    def _page(self, place: tuple[str, int] | Invalid, ask: Ask, run: Run, tool: str) -> str:
        if isinstance(place, Invalid):
            return _refused(run.language)
        ref, offset = place
        found = self._found(ref, ask, run)
        if found is None:
            return _gone(run.language)
        name, call_id, text = found
        limits = self._limits(name)
        return late.page(text, offset, limits, cursor=_cursors(run, call_id), lang=run.language, tool=tool).text

    def _found(self, ref: str, ask: Ask, run: Run) -> tuple[str, str, str] | None:
        """Tool, id and text of the original that a cursor names: the latest with that id that is long enough."""
        if ask.chained:
            stored = run.known.get(Read(_original(run, ref)))
            return ("", ref, stored.decode()) if stored else None
        for turn in reversed(ask.turns):
            for result in reversed(turn.results):
                for part, text in enumerate(result.texts):
                    call_id = result.call_id if part == 0 else f"{result.call_id}#{part}"
                    if ref_of(call_id) == ref and len(text) > self._limits(result.tool).bytes // 4:
                        return result.tool, call_id, text
        return None


def _stays(text: str, limits: Limits) -> bool:
    """Whether a text is left alone: the agent cut it itself, or it is within the limit of its kind."""
    return already_cut(text) or late.cut(text, limits, cursor=None) is None


def _cursors(run: Run, call_id: str) -> Callable[[int], str]:
    return lambda offset: make(run.secret, run.thread, call_id, offset, run.credential)


def _original(run: Run, call_id: str) -> str:
    return "o:" + digest(run.credential, run.thread, ref_of(call_id))


def _offered(run: Run) -> Read:
    """Whether something was cut in this conversation, so that the model may read on."""
    return Read("m:" + digest(run.credential, run.thread))


def _with_results(turns: tuple[Turn, ...], results: dict[int, ToolResult]) -> tuple[Turn, ...]:
    return tuple(
        replace(turn, results=tuple(results.get(id(result), result) for result in turn.results))
        if any(id(result) in results for result in turn.results)
        else turn
        for turn in turns
    )


_REFUSED = {
    "en": ("This cursor is not valid here.", "Copy the cursor of a truncated result exactly as it stands."),
    "zh": ("该 cursor 无效或不属于本次对话。", "请原样复制截断结果中给出的 cursor。"),
}
_GONE = {
    "en": ("The original result is not there any more.", "Call its tool again, with a narrower query."),
    "zh": ("原始结果已不可用。", "请重新调用原来的工具,并缩小查询范围。"),
}


def _refused(language: str) -> str:
    return _error("UNKNOWN_CURSOR", "validation", *_REFUSED[language])


def _gone(language: str) -> str:
    return _error("RESULT_GONE", "not_found", *_GONE[language])


def _error(code: str, kind: str, message: str, action: str) -> str:
    error = {"status": "error", "code": code, "type": kind, "message": message, "retryable": True}
    return dump({**error, "retry": "with_changes", "suggested_action": action}).decode()
