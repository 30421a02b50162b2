"""The three wire APIs as tests build and read them, and a fourth way to use one of them."""

from tests.apis.chat import Chat
from tests.apis.messages import Messages
from tests.apis.neutral import Api, Asked, Call, Results, Said, Seen, System, Tool, Turn, User
from tests.apis.responses import Responses

CHAT: Api = Chat()
RESPONSES: Api = Responses()
CHAINED: Api = Responses(chained=True)
MESSAGES: Api = Messages()
APIS: tuple[Api, ...] = (CHAT, RESPONSES, MESSAGES)

__all__ = [
    "APIS",
    "CHAINED",
    "CHAT",
    "MESSAGES",
    "RESPONSES",
    "Api",
    "Asked",
    "Call",
    "Results",
    "Said",
    "Seen",
    "System",
    "Tool",
    "Turn",
    "User",
]
