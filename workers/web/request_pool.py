"""The threads that answer requests, and how many of them work at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

WAITING_THREADS = 64  # for requests that have released their slot
CROWD = 4  # a pool is crowded when this many requests per slot are waiting


class RequestPool:
    """Threads of which at most `count` work at once. Each pool belongs to one event loop.

    There are more threads than slots, because a request that waits for another one's rendering
    releases its slot. A slot goes to whoever has waited longest.
    """

    def __init__(self, name: str, count: int) -> None:
        self.waiting = 0  # requests without a slot
        self._count = count
        self._slots = asyncio.Semaphore(count)
        self._threads = ThreadPoolExecutor(count + WAITING_THREADS, thread_name_prefix=name)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def is_crowded(self) -> bool:
        """Whether so many requests are waiting that polls should be shed."""
        return self.waiting >= CROWD * self._count

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run `call` in a thread of the pool once a slot is free, and return its result."""
        self._loop = asyncio.get_running_loop()
        await self._acquire()
        try:
            return await self._loop.run_in_executor(self._threads, call)
        finally:
            self._slots.release()

    def release(self) -> None:
        """Give the slot of this thread's request to the next one."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._slots.release)

    def reacquire(self) -> None:
        """Wait for a slot after this thread's request has released its own."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._acquire(), self._loop).result()

    def close(self) -> None:
        """Take no more requests. Threads end with their current request."""
        self._threads.shutdown(wait=False)

    async def _acquire(self) -> None:
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
