"""What the agent of `make test-llama` asks: ordinary tools, not one of them strict, and four tasks for each.

The schemas differ in what makes arguments go wrong: enums, bounds, dates, optional and nullable properties, nested
objects, arrays of objects, properties with Chinese names.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One task, and the tool that is to be called for it."""

    tool: Mapping[str, Any]
    task: str
    named: bool
    """`tool_choice` names the tool; else it is `required`, with this tool alone."""

    @property
    def name(self) -> str:
        return str(self.tool["name"])

    @property
    def schema(self) -> Schema:
        return dict(self.tool["parameters"])

    def body(self, model: str, *, stream: bool = False, max_tokens: int = 112) -> dict[str, Any]:
        """The request of an agent that knows nothing of `strict`."""
        choice = {"type": "function", "function": {"name": self.name}} if self.named else "required"
        return {
            "model": model,
            "messages": [{"role": "user", "content": self.task}],
            "tools": [{"type": "function", "function": dict(self.tool)}],
            "tool_choice": choice,
            "temperature": 0,
            "max_tokens": max_tokens,
            **({"stream": True} if stream else {}),
        }


def _tool(name: str, description: str, required: str, **properties: Schema) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return {"name": name, "description": description, "parameters": schema}


_STRING: Schema = {"type": "string"}
_DATE: Schema = {"type": "string", "format": "date"}

_TOOLS: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    (
        _tool(
            "query_orders",
            "Lists orders of a customer.",
            "customer status",
            customer=_STRING,
            status={"type": "string", "enum": ["open", "shipped", "cancelled"]},
            since={**_DATE, "description": "first day"},
            limit={"type": "integer", "minimum": 1, "maximum": 100},
        ),
        (
            "Show me the open orders of Acme since 5 March 2024.",
            "Which orders of Miller Ltd have been shipped? The first twenty will do.",
            "List all orders that Jane Doe cancelled last year, at most 500.",
            "What is still on its way to us from Globex?",
        ),
    ),
    (
        _tool(
            "set_thermostat",
            "Sets the temperature of a room.",
            "room temperature unit",
            room={"type": "string", "enum": ["living_room", "bedroom", "bath", "office"]},
            temperature={"type": "number"},
            unit={"type": "string", "enum": ["celsius", "fahrenheit"]},
        ),
        (
            "Make the living room 21 degrees.",
            "The bathroom should have 75 °F.",
            "It is too cold in the office, set it to twenty-two and a half.",
            "Bedroom: 18 C tonight.",
        ),
    ),
    (
        _tool(
            "create_event",
            "Puts an event into the calendar.",
            "title start",
            title=_STRING,
            start={
                "type": "object",
                "properties": {"date": _DATE, "hour": {"type": "integer"}, "all_day": {"type": "boolean"}},
                "required": ["date"],
            },
            attendees={"type": "array", "items": _STRING},
            repeat={"type": "string", "enum": ["daily", "weekly", "monthly"]},
        ),
        (
            "Plan the board meeting on 14 May 2025 at 10 with Ann and Bob.",
            "My holiday begins on 2025-07-01, the whole day.",
            "A weekly stand-up with the team, first on Monday 3 February 2025, 9 o'clock.",
            "Dentist, 12/11/2025, 3 pm.",
        ),
    ),
    (
        _tool(
            "create_invoice",
            "Writes an invoice.",
            "customer lines currency",
            customer={
                "type": "object",
                "properties": {"name": _STRING, "vat_number": _STRING},
                "required": ["name"],
            },
            lines={
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"sku": _STRING, "quantity": {"type": "integer", "minimum": 1}},
                    "required": ["sku", "quantity"],
                },
            },
            currency={"type": "string", "enum": ["EUR", "USD", "GBP"]},
        ),
        (
            "Invoice Acme for 3 pieces of A-100 and one B-7, in euros.",
            "Bill Globex (VAT DE123456789) for two dozen X9 in US dollars.",
            "One SKU-1 for Jane Doe, please, paid in pounds.",
            "Write an invoice to Initech: 5 × T-800.",
        ),
    ),
    (
        _tool(
            "book_table",
            "Books a table in a restaurant.",
            "date party_size",
            date=_DATE,
            party_size={"type": "integer", "minimum": 1, "maximum": 20},
            seating={"type": "string", "enum": ["inside", "terrace", "bar"]},
            note=_STRING,
        ),
        (
            "A table for two on 24 December 2025.",
            "We are six and come on 2025-08-15; we would like to sit outside.",
            "Book the bar for thirty people on New Year's Eve 2025.",
            "Four people on 9 June 2025, one of us is allergic to nuts.",
        ),
    ),
    (
        _tool(
            "create_ticket",
            "Opens a ticket in the issue tracker.",
            "title priority assignee",
            title=_STRING,
            priority={"type": "string", "enum": ["P0", "P1", "P2", "P3"]},
            labels={"type": "array", "items": {"type": "string", "enum": ["bug", "feature", "docs"]}},
            assignee={"type": ["string", "null"], "description": "null: nobody yet"},
            due=_DATE,
        ),
        (
            "The login page crashes for everybody! Lee must fix it at once.",
            "Somebody should document the export some day.",
            "Feature request with normal priority for Kim, due 1 October 2025: dark mode.",
            "There is a small typo in the docs.",
        ),
    ),
    (
        _tool(
            "search_flights",
            "Searches flights.",
            "origin destination depart",
            origin={"type": "string", "description": "IATA code"},
            destination={"type": "string", "description": "IATA code"},
            depart=_DATE,
            passengers={
                "type": "object",
                "properties": {"adults": {"type": "integer"}, "children": {"type": "integer"}},
                "required": ["adults"],
            },
            cabin={"type": "string", "enum": ["economy", "business"]},
        ),
        (
            "Fly me from Berlin to London on 3 April 2025.",
            "Two adults and a child, JFK to SFO, 2025-12-20, business class.",
            "The cheapest flight from Paris to Rome on the first of May 2025.",
            "I need to be in Tokyo on 11 November 2025, I start in Zurich.",
        ),
    ),
    (
        _tool(
            "find_room",
            "Finds a room for the night.",
            "city nights",
            city=_STRING,
            nights={"type": "integer"},
            balcony={"type": "boolean"},
            max_price={"type": "number"},
        ),
        (
            "A room with a balcony in Oslo for two nights.",
            "I need to sleep in Lyon tonight.",
            "Five nights in Porto, 90 euros a night at most.",
            "Find something in Graz for a week.",
        ),
    ),
    (
        _tool(
            "query_weather",
            "查询某个城市某一天的天气。",
            "城市 单位",
            城市={"type": "string", "description": "城市名称"},
            日期={**_DATE, "description": "日期"},
            单位={"type": "string", "enum": ["摄氏", "华氏"]},
        ),
        (
            "北京今天的天气怎么样？",
            "请查一下上海2025年5月1日的天气，用摄氏度。",
            "广州明天多少华氏度？",
            "深圳2025年10月1日会下雨吗？",
        ),
    ),
)


def cases() -> Iterator[Case]:
    """All of them, tool by tool, so that the server's cache of prefixes is of use."""
    for tool, tasks in _TOOLS:
        for at, task in enumerate(tasks):
            yield Case(tool, task, named=at % 2 == 0)
