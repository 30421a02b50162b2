"""The tools of the demo's agent: a small shop. They fail as real tools do, with an exception and its traceback."""

import traceback
from collections.abc import Callable
from datetime import date
from typing import Any

ORDERS = [
    {"id": f"A-{number}", "customer": customer, "status": status, "placed": placed, "total": total}
    for number, (customer, status, placed, total) in enumerate(
        [
            ("Acme", "open", "2024-03-07", 120.5),
            ("Acme", "open", "2024-03-19", 89.0),
            ("Acme", "shipped", "2024-03-20", 45.9),
            ("Bolt", "open", "2024-04-02", 310.0),
        ],
        start=101,
    )
]


class Shop:
    """The tools, and what they did."""

    def __init__(self) -> None:
        self.outbox: list[tuple[str, str]] = []
        self.made = 0
        """Calls that were really executed."""
        self._tools: dict[str, Callable[..., Any]] = {
            "query_orders": self._query_orders,
            "track_parcel": self._track_parcel,
            "send_email": self._send_email,
            "exchange_rate": self._exchange_rate,
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """What goes into the tool message; a failure is its traceback, as most frameworks send it."""
        self.made += 1
        try:
            return str(self._tools[name](**arguments))
        except Exception:  # noqa: BLE001 - that is what agent frameworks do
            return traceback.format_exc()

    def _query_orders(self, customer: str, status: str, since: str, limit: int = 10) -> list[dict[str, Any]]:
        if status not in ("open", "shipped", "cancelled"):
            raise ValueError(f"unknown status {status!r}")
        first = date.fromisoformat(since)
        found = [o for o in ORDERS if o["customer"] == customer and o["status"] == status]
        return [o for o in found if date.fromisoformat(str(o["placed"])) >= first][: limit + 0]

    @staticmethod
    def _track_parcel(parcel: str) -> str:
        return f"{parcel}: no scan yet"

    def _send_email(self, to: str, subject: str, body: str) -> str:
        del body
        self.outbox.append((to, subject))
        return f"sent to {to}"

    @staticmethod
    def _exchange_rate(pair: str) -> str:
        raise TimeoutError(f"rates.internal did not answer within 10 s ({pair})")


def _tool(name: str, description: str, properties: dict[str, Any], *optional: str) -> dict[str, Any]:
    required = [key for key in properties if key not in optional]
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


_TEXT = {"type": "string"}
TOOLS = [
    _tool(
        "query_orders",
        "Orders of a customer.",
        {
            "customer": {"type": "string", "description": "Name of the customer."},
            "status": {"type": "string", "enum": ["open", "shipped", "cancelled"]},
            "since": {"type": "string", "format": "date", "description": "First day."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Most rows."},
        },
        "limit",
    ),
    _tool("track_parcel", "Where a parcel is.", {"parcel": _TEXT}),
    _tool("send_email", "Sends an e-mail.", {"to": _TEXT, "subject": _TEXT, "body": _TEXT}),
    _tool("exchange_rate", "Rate of a currency pair.", {"pair": _TEXT}),
]
