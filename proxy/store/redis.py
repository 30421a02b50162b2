"""The store on Redis or Valkey, for replicas that share runs.

One round trip per `settle`, in a transaction; claims and counters are scripts, so they are atomic between replicas.
Nothing is remembered here: another replica may have written since. Whether a write outlives the server's loss of power
is the server's setting (`appendfsync`). After a broken connection only reads and plain writes are sent again: a claim
or an addition may have been carried out the first time.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from proxy.model import Put, replace
from proxy.store import StoreError, fit
from proxy.verdicts import Add, Claim, Read

_PREFIX = "handrail:"
_CONNECTIONS = 32
"""Open at most; more that ask at once wait for each other."""
_CONNECT_SECONDS = 2.0
_ANSWER_SECONDS = 5.0
_BROKEN = (redis.exceptions.ConnectionError, ConnectionError)
_ERRORS = (RedisError, OSError, TimeoutError)

_CLAIM = """
local standing = redis.call('GET', KEYS[1])
if standing then return standing end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false
"""
_ADD = """
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
if ARGV[2] ~= '' and tonumber(ARGV[1]) > 0 and total > tonumber(ARGV[2]) then
  total = redis.call('DECRBY', KEYS[1], ARGV[1])
  if total == 0 and redis.call('PTTL', KEYS[1]) < 0 then redis.call('DEL', KEYS[1]) end
  return false
end
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return total
"""


class RedisStore:
    """A `Store` at an address: `redis://`, `rediss://`, `unix://`, or the same with `valkey`. Raises ValueError."""

    def __init__(self, url: str) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self.failed = 0
        self.error = ""
        self._closing: asyncio.Task[None] | None = None
        pool = redis.asyncio.BlockingConnectionPool.from_url(
            url.replace("valkey", "redis", 1) if url.startswith("valkey") else url,
            max_connections=_CONNECTIONS,
            timeout=_ANSWER_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=30,
        )
        self._client = redis.asyncio.Redis.from_pool(pool)

    def try_settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any] | None:
        """Only where there is nothing to ask."""
        return None if puts or any(isinstance(request, Read | Claim | Add) for request in requests) else {}

    async def settle(self, requests: Sequence[Any], puts: Sequence[Put]) -> Mapping[Any, Any]:
        own = [request for request in requests if isinstance(request, Read | Claim | Add)]
        if not own and not puts:
            return {}
        try:
            answers = await self._sent(own, puts)
        except _ERRORS as error:
            self.failed += 1
            self.error = f"{type(error).__name__}: {error}"[:200]
            raise StoreError(self.error) from None
        self.error = ""
        return dict(zip(own, answers, strict=False))

    def later(self, adds: Sequence[Add]) -> None:
        """In a task of its own; what fails is counted."""
        task = asyncio.get_running_loop().create_task(self._added(tuple(adds)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _added(self, adds: Sequence[Add]) -> None:
        with contextlib.suppress(StoreError):
            await self.settle([replace(add, limit=None) for add in adds], ())

    async def _sent(self, requests: Sequence[Read | Claim | Add], puts: Sequence[Put]) -> list[Any]:
        try:
            return await self._transaction(requests, puts)
        except _BROKEN:
            if not all(isinstance(request, Read) for request in requests):
                raise
        return await self._transaction(requests, puts)

    async def _transaction(self, requests: Sequence[Read | Claim | Add], puts: Sequence[Put]) -> list[Any]:
        async with self._client.pipeline(transaction=True) as pipe:
            for request in requests:
                _ask(pipe, request)
            for put in puts:
                key = _PREFIX + fit(put.key)
                if put.value is None:
                    pipe.delete(key)
                else:
                    pipe.set(key, put.value, px=_milliseconds(put.ttl))
            return list(await pipe.execute())

    def close(self) -> None:
        """Breaks off the connections, as soon as the event loop gets to it."""
        self._closing = asyncio.get_running_loop().create_task(self.aclose())

    async def aclose(self) -> None:
        await self._client.aclose()


def _ask(pipe: Any, request: Read | Claim | Add) -> None:
    key = _PREFIX + fit(request.key)
    match request:
        case Read():
            pipe.get(key)
        case Claim():
            pipe.eval(_CLAIM, 1, key, request.value, _milliseconds(request.ttl))
        case Add():
            limit = "" if request.limit is None else request.limit
            pipe.eval(_ADD, 1, key, request.amount, limit, _milliseconds(request.ttl))


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
