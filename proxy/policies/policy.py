"""What a policy is: a small pure object with two hooks.

A policy sees the model and the run, and answers with a verdict. It knows no other policy, no dialect, no store; it
reads no clock. When a hook needs something that is stored, it returns `Need` and is called again with the answers.
"""

from typing import ClassVar, Protocol

from proxy.model import Ask, Reply, Run
from proxy.verdicts import Halt, Need, Reask


class Policy(Protocol):
    """One concern. The file's name is the key in a pack, the name in the log, and the name of its test."""

    name: ClassVar[str]

    @property
    def guards_replies(self) -> bool:
        """Whether it may change a reply: then calls are held until the reply is whole."""

    @property
    def minds_plain_asks(self) -> bool:
        """Whether it acts on asks that have nothing to do with tools, too."""

    @property
    def minds_openings(self) -> bool:
        """Whether it acts on asks with tools whose history, all on the wire, holds no call and no result yet."""

    @property
    def minds_words(self) -> bool:
        """Whether it acts on replies without a call."""

    def on_ask(self, ask: Ask, run: Run) -> Ask | Halt | Need:
        """The ask as it should go upstream."""

    def on_reply(self, reply: Reply, ask: Ask, run: Run) -> Reply | Reask | Halt | Need:
        """The reply as the agent should get it. `ask` is what went upstream, without rejected attempts."""
