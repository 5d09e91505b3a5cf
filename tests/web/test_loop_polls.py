"""Polls in the event loop: one round trip for all who ask meanwhile, one rendering for all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from app.core.page_cache import loop_polls
from app.core.page_cache.loop_polls import Batches, PageFlights
from app.core.page_cache.placeholders import RenderedPage
from tests.waiting import patience

KEY = "page"


def run_in_loop(main: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run in a thread, because a browser's loop may run in this one."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: asyncio.run(main())).result(patience(60))


def rendered(number: int) -> RenderedPage:
    return RenderedPage(b"", str(number), False, {}, (), None, {})


class Renderings:
    """Numbers the renderings; each waits for `go`."""

    def __init__(self) -> None:
        self.flights = PageFlights()
        self.count = 0
        self.go = asyncio.Event()
        self.fails = False

    async def lead(self) -> RenderedPage | None:
        self.count += 1
        number = self.count
        await self.go.wait()
        if self.fails:
            raise RuntimeError(f"{number} failed")
        return rendered(number)

    def poll(self) -> asyncio.Task[tuple[bool, RenderedPage | None]]:
        return asyncio.create_task(self.flights.run(KEY, self.lead))


async def begun(renderings: Renderings) -> None:
    while not renderings.count:
        await asyncio.sleep(0)


def test_polls_of_a_flight_share_the_next_one() -> None:
    """The first rendering may have read its data before a commit that the others must see."""

    async def run() -> None:
        renderings = Renderings()
        first = renderings.poll()
        await begun(renderings)
        others = [renderings.poll() for _ in range(5)]
        await asyncio.sleep(0)
        renderings.go.set()
        assert await first == (True, None)
        led, *waited = await asyncio.gather(*others)
        assert led == (True, None)
        assert waited == [(False, rendered(2))] * 4
        assert renderings.count == 2

    run_in_loop(run)


def test_a_page_rests_after_each_rendering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_polls, "RESTS", 1_000_000)
    monkeypatch.setattr(loop_polls, "MOST_REST_SECONDS", 0.05)

    async def run() -> None:
        renderings = Renderings()
        renderings.go.set()
        await renderings.poll()
        began = asyncio.get_running_loop().time()
        await renderings.poll()
        assert asyncio.get_running_loop().time() - began >= 0.049

    run_in_loop(run)


def test_who_waited_for_a_rendering_that_failed_gets_none_and_the_next_one_goes_on() -> None:
    async def run() -> None:
        renderings = Renderings()
        first = renderings.poll()
        await begun(renderings)
        second, third = renderings.poll(), renderings.poll()
        renderings.fails = True
        await asyncio.sleep(0)
        renderings.go.set()
        failures = await asyncio.gather(first, second, return_exceptions=True)
        assert [str(failure) for failure in failures] == ["1 failed", "2 failed"]
        assert await third == (False, None)
        renderings.fails = False
        assert await renderings.poll() == (True, None)

    run_in_loop(run)


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_polls, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(loop_polls, "RESTS", 0)

    async def run() -> None:
        renderings = Renderings()
        first = renderings.poll()
        await begun(renderings)
        others = [renderings.poll(), renderings.poll()]
        assert [await other for other in others] == [(False, None)] * 2
        renderings.go.set()
        assert await first == (True, None)
        assert await renderings.poll() == (True, None)

    run_in_loop(run)


def test_an_aborted_poll_leaves_the_others_their_turn() -> None:
    async def run() -> None:
        renderings = Renderings()
        first = renderings.poll()
        await begun(renderings)
        second, third = renderings.poll(), renderings.poll()
        await asyncio.sleep(0)
        second.cancel()
        assert await third == (False, None)
        fourth = renderings.poll()
        renderings.go.set()
        assert await first == (True, None)
        assert await fourth == (True, None)

    run_in_loop(run)


def test_who_asks_during_a_round_trip_shares_the_next_one() -> None:
    async def run() -> None:
        go, batches = asyncio.Event(), list[list[int]]()

        async def look_up(items: Sequence[int]) -> list[int]:
            batches.append([*items])
            await go.wait()
            return [item * 10 for item in items]

        shared = Batches(look_up)
        tasks = [asyncio.create_task(shared.run(1))]
        while not batches:
            await asyncio.sleep(0)
        tasks += [asyncio.create_task(shared.run(number)) for number in (2, 3, 4)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        go.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [results[0], results[1], results[3]] == [10, 20, 40]
        assert batches == [[1], [2, 4]]

    run_in_loop(run)


def test_an_error_reaches_each_of_those_who_asked() -> None:
    async def run() -> None:
        async def look_up(_: Sequence[int]) -> list[int]:
            raise redis.ConnectionError("away")

        shared = Batches(look_up)
        asked = [shared.run(1), shared.run(2)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert [str(result) for result in results] == ["away", "away"]

    run_in_loop(run)
