"""Slots of the web server: who goes next."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

from tests.loops import run_in_thread
from tests.waiting import patience
from workers.web.request_pool import CROWD, RequestPool


def in_loop(story: Callable[[RequestPool], Awaitable[None]]) -> None:
    """Run the story with a pool of one slot."""

    async def run() -> None:
        pool = RequestPool("test", 1)
        await asyncio.wait_for(story(pool), patience(30))
        pool.close()

    run_in_thread(run())


def test_who_waited_longest_goes_first() -> None:
    async def story(pool: RequestPool) -> None:
        order: list[int] = []
        await asyncio.gather(
            *(pool.run(lambda number=number: order.append(number)) for number in range(5))
        )
        assert order == [0, 1, 2, 3, 4]

    in_loop(story)


def test_a_request_that_waits_lets_the_next_one_work() -> None:
    async def story(pool: RequestPool) -> None:
        others_are_done = threading.Event()

        def wait() -> str:
            pool.release()
            assert others_are_done.wait(patience(30))
            pool.reacquire()
            return "goes on"

        waiting = asyncio.create_task(pool.run(wait))
        for _ in range(3):
            assert await pool.run(lambda: "worked") == "worked"
        others_are_done.set()
        assert await waiting == "goes on"
        assert pool.waiting == 0

    in_loop(story)


def test_a_request_that_fails_gives_its_slot_back() -> None:
    async def story(pool: RequestPool) -> None:
        def fail() -> None:
            raise ValueError("no")

        results = await asyncio.gather(pool.run(fail), pool.run(fail), return_exceptions=True)
        assert [str(result) for result in results] == ["no", "no"]
        assert await pool.run(lambda: 1) == 1

    in_loop(story)


def test_a_pool_is_crowded_while_many_wait() -> None:
    async def story(pool: RequestPool) -> None:
        go_on = threading.Event()
        requests = [
            asyncio.create_task(pool.run(lambda: go_on.wait(patience(30))))
            for _ in range(1 + CROWD)
        ]
        await asyncio.sleep(0)  # lets each of them begin to wait
        assert pool.is_crowded
        go_on.set()
        assert all(await asyncio.gather(*requests))
        assert not pool.is_crowded

    in_loop(story)
