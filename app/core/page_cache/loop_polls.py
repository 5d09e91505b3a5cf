"""Polls in the web server's event loop: they share round trips to Redis and rendered pages.

If a page has changed, one of the polls for it asks the application, and the others wait without a
thread for the page that it rendered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

import redis.asyncio

from app.core import clock
from app.core.page_cache.conditional_get import (
    RENDERED,
    CachedAnswer,
    Environ,
    PageOfPoll,
    PollCache,
)
from app.core.page_cache.own_parts import fill_own_parts
from app.core.page_cache.placeholders import RenderedPage
from app.core.page_cache.tags import OwnData, PollLookup

WAIT_SECONDS = 5.0  # for another poll's flight
RESTS, MOST_REST_SECONDS = 3, 0.5
BATCH = 100  # lookups in one round trip

Item = TypeVar("Item")
Result = TypeVar("Result")
Poll = tuple[str, str]  # the key of its entry, and the version that the browser shows
Viewer = tuple[str, str]  # the key of the own parts, and the member's id


class LoopPolls:
    """Answers polls from the page cache. Belongs to one event loop."""

    def __init__(self, poll_cache: PollCache) -> None:
        self._poll_cache = poll_cache
        self._client: redis.asyncio.Redis = poll_cache.tag_store.connect_loop()
        self._polls = Batches(self._look_up_polls)
        self._own_data = Batches(self._look_up_own_data)
        self._flights = PageFlights()

    async def look_up(self, environ: Environ) -> CachedAnswer | PageOfPoll | None:
        """Return the response to this poll, or its page if that has to be rendered.

        None if neither is known.
        """

        async def look_up(key: str, shown_version: str) -> PollLookup | None:
            return await self._polls.run((key, shown_version))

        answer = await self._poll_cache.look_up(look_up, environ)
        if isinstance(answer, PageOfPoll) and answer.page is not None:
            return await self._answer(answer, answer.page, environ)
        return answer

    async def share(
        self, changed: PageOfPoll, environ: Environ, ask: Callable[[], Awaitable[None]]
    ) -> tuple[bool, CachedAnswer | None]:
        """Let one of all polls for this page ask the application.

        Args:
            changed: what `look_up` returned.
            environ: of the request.
            ask: asks the application. Its response is sent after the flight, so that nobody waits
                for this request's client.

        Returns:
            Whether `ask` was called for this request; and if not, its response, or None if the
            other poll did not get the page.
        """

        async def lead() -> RenderedPage | None:
            await ask()
            key, page = environ.get(RENDERED, ("", None))
            return page if key == changed.page_key else None

        has_asked, page = await self._flights.run(changed.page_key, lead)
        if has_asked or page is None:
            return has_asked, None
        return False, await self._answer(changed, page, environ)

    async def close(self) -> None:
        """Release the connection."""
        await self._client.aclose()

    async def _answer(
        self, poll: PageOfPoll, page: RenderedPage, environ: Environ
    ) -> CachedAnswer | None:
        poll = poll._replace(page=page)
        if page.own_parts is None or page.body is None:
            return poll.answer(environ, {})
        own_data = None
        if page.own_parts.data_of is None:
            own_data = await self._own_data.run((page.own_parts.key, poll.member_id))
        makers = self._poll_cache.own_parts
        fillings = fill_own_parts(makers, page.own_parts, own_data, poll.member_id)
        return None if fillings is None else poll.answer(environ, fillings)

    async def _look_up_polls(self, polls: Sequence[Poll]) -> Sequence[PollLookup | None]:
        now = clock.to_ms(clock.now())
        store = self._poll_cache.tag_store
        lookups = await store.lookup_polls_in_loop(self._client, polls, now)
        return [None] * len(polls) if lookups is None else lookups

    async def _look_up_own_data(self, viewers: Sequence[Viewer]) -> Sequence[OwnData | None]:
        store = self._poll_cache.tag_store
        try:
            return await store.own_data_in_loop(self._client, viewers)
        except redis.RedisError:
            return [None] * len(viewers)  # the application has to answer, and logs what it meets


class Batches(Generic[Item, Result]):
    """Looks up in one round trip at a time: what is asked meanwhile forms the next batch.

    Args:
        look_up: returns the result of each item, in their order.
    """

    def __init__(self, look_up: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        self._look_up = look_up
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._task: asyncio.Task[None] | None = None

    async def run(self, item: Item) -> Result:
        """Return the result of the item. Raises what the look-up raises."""
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, result))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        return await result

    async def _run(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                # a request that the server aborted no longer waits
                await self._run_batch([asked for asked in batch if not asked[1].done()])
        finally:
            self._task = None

    async def _run_batch(self, batch: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        futures = [future for _, future in batch]
        try:
            results = await self._look_up([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 (raised to each of the requests)
            for future in futures:
                if not future.done():
                    future.set_exception(error)
            return
        for future, result in zip(futures, results, strict=True):
            if not future.done():
                future.set_result(result)


class _Flight:
    """One rendering. `may_start` is set when the previous one has ended, `ended` when this has."""

    __slots__ = ("ended", "may_start", "page")

    def __init__(self) -> None:
        self.may_start = asyncio.Event()
        self.ended = asyncio.Event()
        self.page: RenderedPage | None = None


class PageFlights:
    """The renderings of changed pages that are under way or waiting, by the key of the page.

    As in single_flight.py, a poll that arrives during a flight waits for the next one, because the
    current flight may have read its data before a commit that this poll must see. After each flight
    the page rests RESTS times as long as it took, so that a page which changes faster than it can
    be rendered leaves most of the time to other requests.
    """

    def __init__(self) -> None:
        self._next: dict[str, _Flight | None] = {}  # has a key for each flight under way

    async def run(
        self, key: str, lead: Callable[[], Awaitable[RenderedPage | None]]
    ) -> tuple[bool, RenderedPage | None]:
        """Call `lead`, or wait for another poll that does so after this call.

        Returns:
            Whether `lead` was called here; and if not, what it returned there, which is None if it
            failed or took too long.
        """
        following = self._next.get(key)
        if following is not None:
            return False, await _page_of(following)
        flight = _Flight()
        is_first = key not in self._next
        self._next[key] = None if is_first else flight
        began = time.monotonic()
        try:
            if not is_first and not await _has_happened(flight.may_start):
                return False, None
            began = time.monotonic()
            flight.page = await lead()
        finally:
            self._end(key, flight, time.monotonic() - began)
        return True, None

    def _end(self, key: str, flight: _Flight, took: float) -> None:
        flight.ended.set()
        if self._next[key] is flight:  # it has not started
            self._next[key] = None
        else:
            seconds = min(RESTS * took, MOST_REST_SECONDS)
            asyncio.get_running_loop().call_later(seconds, self._start_next, key)

    def _start_next(self, key: str) -> None:
        following = self._next[key]
        if following is None:
            del self._next[key]
        else:
            self._next[key] = None
            following.may_start.set()


async def _page_of(flight: _Flight) -> RenderedPage | None:
    return flight.page if await _has_happened(flight.ended) else None


async def _has_happened(event: asyncio.Event) -> bool:
    """Wait for the event. Returns False if it took more than WAIT_SECONDS."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            return await event.wait()
    except TimeoutError:
        return False
