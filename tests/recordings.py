"""What real providers sent and were sent, ready to be replayed: requests as bytes, answers as they came.

The recordings are third-party data beside the checkout; nothing of them is kept here. Recorded requests are JSON
values, so each is written in one of the styles that clients use, always the same one for the same recording.
"""

import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "shared" / "recordings"
FILES = ("chat_completions", "responses", "messages")
_STYLES: tuple[Mapping[str, Any], ...] = (
    {"separators": (",", ":"), "ensure_ascii": False},
    {"separators": (",", ":")},
    {},
    {"ensure_ascii": False},
    {"indent": 2},
)
_NAMED = re.compile(r'"(?:name)"\s*:\s*"([\w.-]{1,64})"')
_TELLING_NAMES = 5


@dataclass(frozen=True)
class Recorded:
    """One exchange. `answer` is the body as it came; `stream`: as events."""

    id: str
    file: str
    target: str
    body: bytes
    status: int
    headers: tuple[tuple[str, str], ...]
    """Of the answer."""
    answer: bytes
    stream: bool
    minimal: bool
    """Nobody recorded the request; this one offers the tools that the answer calls."""

    @property
    def dice(self) -> random.Random:
        """The same ones for each run."""
        return random.Random(self.id)

    def pieces(self) -> list[bytes]:
        """The answer in several writes, cut at odd places: within characters, events, line ends."""
        dice, size = self.dice, len(self.answer)
        most = 12 if self.stream else 3
        cuts = sorted({dice.randrange(1, size) for _ in range(dice.randint(1, most))}) if size > 1 else []
        return [self.answer[at:to] for at, to in zip([0, *cuts], [*cuts, size], strict=True) if to > at]


def recordings(file: str) -> Iterator[Recorded]:
    """Those of one file, in its order."""
    with gzip.open(FOLDER / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _recorded(file, json.loads(line))


def chains(known: Mapping[str, Recorded]) -> Iterator[list[Recorded]]:
    """Exchanges that follow each other in one conversation."""
    for chain in json.loads((FOLDER / "chains.json").read_text(encoding="utf-8")):
        yield [known[one] for one in chain["ids"]]


def _recorded(file: str, line: Mapping[str, Any]) -> Recorded:
    request, response = line["request"] or {}, line["response"]
    body = request.get("body")
    text = response["body_text"] or ""
    headers = tuple((response["headers"] or {}).items())
    return Recorded(
        line["id"],
        file,
        "/" + (request.get("path") or line["endpoint"]).lstrip("/"),
        _written(line["id"], _minimal(file, text, stream=response["stream"]) if body is None else body),
        response["status"],
        headers or (("content-type", "application/json"),),
        text.encode("utf-8", "surrogatepass"),
        response["stream"],
        body is None,
    )


def _written(known_as: str, body: Any) -> bytes:
    style = _STYLES[hashlib.sha256(known_as.encode()).digest()[0] % len(_STYLES)]
    try:
        return json.dumps(body, **style).encode()
    except UnicodeEncodeError:
        return json.dumps(body).encode()


def _minimal(file: str, answer: str, *, stream: bool) -> dict[str, Any]:
    """A request that this answer could be one to: it offers whatever is named in it."""
    names = list(dict.fromkeys(_NAMED.findall(answer)))[:_TELLING_NAMES] or ["lookup"]
    schema = {"type": "object", "properties": {}}
    body: dict[str, Any] = {"model": "m", "stream": stream}
    if file == "responses":
        tools = [{"type": "function", "name": name, "parameters": schema} for name in names]
        return body | {"input": "Go.", "tools": tools}
    messages = [{"role": "user", "content": "Go."}]
    if file == "messages":
        used = [{"name": name, "input_schema": schema} for name in names]
        return body | {"messages": messages, "max_tokens": 100, "tools": used}
    functions = [{"type": "function", "function": {"name": name, "parameters": schema}} for name in names]
    return body | {"messages": messages, "tools": functions}
