"""Tells, while a text is still coming, whether its end may be the beginning of a tool call (`text_calls`).

Text that begins like one must wait, all other text must not: so a form is followed as far as what has come of it fits,
with a tool that is known (`text_heads`). It must never let go of what `text_calls.found` takes for a call in the end:
to hold a little too long costs a moment, to let half a call go costs the call. The work for a piece of text does not
grow with what is held.
"""

import re
from collections.abc import Collection, Iterator
from typing import Literal

from proxy.repair.text_calls import ENDINGS, MAX_TEXT, OPENERS, TAGS
from proxy.repair.text_heads import MAYBE, Look, look

HEAD = 600
"""Characters of a call that are looked at for the tool's name; if it is not in them, the text waits all the same."""
# The first character of an opener, with the second where it is there.
_CANDIDATE = re.compile(r"<(?=[tf|]|\Z)|\[(?=T|\Z)|(?<!`)`")
_CLOSERS = (*(tag.replace("<", "</") for tag in TAGS), "</function>", "```", *ENDINGS, ";", ",")
_FENCE = re.compile(r"```[a-z]")


class Watch:
    """Follows the text of one choice. `names`: tools as the model knows them."""

    __slots__ = ("_begins", "_candidate", "_fresh", "_held", "_names")

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._begins = self._fresh = True
        self._held = ""
        self._candidate: _Candidate | None = None

    def waits(self, text: str) -> bool:
        """Takes more text; whether what came last must wait. Once it need not, all that waited may go."""
        if self._candidate is None:
            return self._search(text, 0)
        self._held += text
        if self._candidate.feed(text):
            return True
        rest, self._held, self._candidate = self._held, "", None
        return self._search(rest, 1)

    def _search(self, rest: str, start: int) -> bool:
        first = len(rest) - len(rest.lstrip())
        for at in self._places(rest, start):
            candidate = _Candidate(self._names, begins=self._begins and at <= first, fresh=rest[at] == "`")
            if candidate.looks_right(rest[at : at + HEAD]) and candidate.feed(rest[at:]):
                self._note(rest[:at])
                self._held, self._candidate = rest[at:], candidate
                return True
        self._note(rest)
        return False

    def _places(self, rest: str, start: int) -> Iterator[int]:
        """Where a call may begin, in order."""
        first = len(rest) - len(rest.lstrip())
        if self._begins and start <= first and rest[first : first + 1] in ("{", "["):
            yield first
        for match in _CANDIDATE.finditer(rest, start):
            if match[0] != "`" or self._is_fresh(rest, match.start()):
                yield match.start()

    def _is_fresh(self, rest: str, at: int) -> bool:
        """Whether nothing but blanks stands before it in its line."""
        line = rest.rfind("\n", 0, at) + 1
        return not rest[line:at].strip(" \t") and (line > 0 or self._fresh)

    def _note(self, gone: str) -> None:
        """Keeps of text that has left what matters for the text behind it."""
        self._begins = self._begins and not gone.strip()
        self._fresh = self._is_fresh(gone, len(gone))


class _Candidate:
    """A place where a call may have begun. `begins`, `fresh`: as in `look`."""

    __slots__ = ("_begins", "_behind", "_brackets", "_fresh", "_head", "_look", "_names", "_size")

    def __init__(self, names: Collection[str], *, begins: bool, fresh: bool) -> None:
        self._names, self._begins, self._fresh = names, begins, fresh
        self._head = self._behind = ""
        self._size = 0
        self._look: Look = MAYBE
        self._brackets: _Brackets | None = None

    def looks_right(self, head: str) -> bool:
        return self._looked(head).verdict != "no"

    def feed(self, new: str) -> bool:
        """Takes what comes next; whether it may still be a call."""
        self._size += len(new)
        if self._size > MAX_TEXT:
            return False
        if self._look.verdict == "sure":
            return self._goes_on(new)
        if len(self._head) >= HEAD:
            return True
        whole = self._head + new
        self._head = whole[:HEAD]
        self._look = self._looked(self._head)
        if self._look.verdict != "sure":
            return self._look.verdict == "maybe"
        if self._look.payload is not None:
            self._brackets = _Brackets(self._look.quotes)
        return self._goes_on(whole[self._look.payload or 0 :])

    def _looked(self, head: str) -> Look:
        return look(head, self._names, begins=self._begins, fresh=self._fresh)

    def _goes_on(self, new: str) -> bool:
        """Whether what comes behind the call may follow one."""
        if self._brackets is None:
            return True
        if not self._brackets.closed:
            end = self._brackets.feed(new)
            if end is None:
                return True
            new = new[end:]
        self._behind += new
        follows = _follows(self._behind)
        if follows == "another":
            self._brackets = None
        return follows != "no"


class _Brackets:
    """Counts brackets outside of strings, up to where the first one closes."""

    __slots__ = ("_depth", "_escaped", "_marks", "_quote", "closed")

    def __init__(self, quotes: str) -> None:
        self._marks = re.compile(rf"\\|[{quotes}{{}}\[\]()]")
        self._depth = 0
        self._quote = ""
        self._escaped = -1
        self.closed = False

    def feed(self, text: str) -> int | None:
        """Where in the text the first bracket closes; None: not yet."""
        for match in self._marks.finditer(text):
            mark, at = match[0], match.start()
            if at == self._escaped:
                continue
            if mark == "\\":
                self._escaped = at + 1 if self._quote else -1
            elif self._quote:
                self._quote = "" if mark == self._quote else self._quote
            elif mark in "\"'":
                self._quote = mark
            else:
                self._depth += 1 if mark in "{[(" else -1
                if self._depth <= 0:
                    self.closed = True
                    return match.end()
        # an escape at the very end is for the first character of what comes next
        self._escaped = 0 if self._escaped == len(text) else -1
        return None


def _follows(behind: str) -> Literal["no", "maybe", "another"]:
    """Whether a text may stand behind a call: closing marks, or another call."""
    while True:
        behind = behind.lstrip()
        if not behind or any(one.startswith(behind) for one in (*_CLOSERS, *OPENERS)):
            return "maybe"
        if behind[0] in "{[" or behind.startswith(OPENERS) or _FENCE.match(behind):
            return "another"
        closer = next((one for one in _CLOSERS if behind.startswith(one)), None)
        if closer is None:
            return "no"
        behind = behind[len(closer) :]
