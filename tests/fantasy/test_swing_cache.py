"""The latest swings under many readers and fast versions (scoring/swings/cache.py)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from flask import Flask

from app.core.page_cache import single_flight
from app.fantasy.scoring.league_gameweek import LeagueGameweek
from app.fantasy.scoring.swings import cache, swings
from app.fantasy.scoring.swings.swings import Swing
from app.fantasy.standings.models import League
from tests.fantasy.test_balance import PENDING, seen
from tests.fantasy.test_swings import PLACE, gameweek_for, latest
from tests.waiting import patience
from tests.worlds.games import (
    DRIVE,
    ingest,
    ingest_and_refresh,
    messages,
    timed_messages,
    touchdown_drive,
)


def test_a_call_under_review_is_worked_out_once_for_all_and_each_sees_their_own_row_first(
    league: League,
) -> None:
    ingest(messages(DRIVE[:9]))
    ingest_and_refresh(messages([PENDING], first=10, play=3))
    read: list[LeagueGameweek] = []

    def read_gameweek() -> LeagueGameweek:
        read.append(gameweek_for(league, 1))
        return read[-1]

    for me in (1, 2, 3):
        expected = seen(league, me)
        assert expected is not None
        assert cache.latest(PLACE, "1-1-1", me, read_gameweek).balance == expected
    assert len(read) == 1


def test_what_several_want_at_once_is_worked_out_for_all_who_wait(
    app: Flask, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_and_refresh(timed_messages(touchdown_drive()))
    ann = league.commissioner_id
    assert ann is not None
    gameweek = gameweek_for(league, ann)
    expected = latest(gameweek, ann)
    waits, begun, real, worked_out = (
        threading.Semaphore(0),
        threading.Event(),
        swings.latest_of_all,
        list[int](),
    )

    @contextmanager
    def released() -> Iterator[None]:
        waits.release()
        yield

    def latest_of_all(gameweek: LeagueGameweek) -> object:
        worked_out.append(1)
        if len(worked_out) == 1:
            begun.set()
            assert waits.acquire(timeout=patience(30))
            assert waits.acquire(timeout=patience(30))
        return real(gameweek)

    def look(version: int) -> list[Swing]:
        with app.app_context():
            return cache.latest(PLACE, f"1-1-{version}", ann, lambda: gameweek).swings

    for wait in ("slot_released", "nullcontext"):
        monkeypatch.setattr(single_flight, wait, released)
    monkeypatch.setattr(swings, "latest_of_all", latest_of_all)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(look, 1)
        assert begun.wait(patience(30))
        others = [pool.submit(look, version) for version in (2, 3)]
        assert [future.result(patience(60)) for future in (first, *others)] == [expected] * 3
    assert len(worked_out) == 2
