"""A restore begins a new timeline, whose versions are newer than every one of the timelines before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from flask import Flask

from app.boards.board import held_versions
from app.core import timeline
from app.core.redis import boards_redis
from app.fantasy.standings.boards import league_board
from app.scores import reconcile
from tests.worlds.boards import NOW


@pytest.fixture
def later(app: Flask) -> Iterator[None]:
    app.extensions["timeline"] = 7
    yield
    app.extensions.pop("timeline", None)


def test_each_timeline_is_later_than_the_one_that_it_replaced(app: Flask) -> None:
    """The backup that is restored does not know of a restore after it was made: the clock tells them apart."""
    with psycopg.connect(app.config["PRESSBOX"].owner_url) as connection:
        first = timeline.begin(connection, NOW)
        assert timeline.begin(connection, NOW) == first + 1
        connection.execute("DELETE FROM timeline")
        assert timeline.begin(connection, NOW + timedelta(minutes=2)) == first + 2
        connection.rollback()


def test_a_lower_version_of_a_later_timeline_replaces_a_higher_one(app: Flask, later: None) -> None:
    table = league_board(1, 1)
    table.publish(900, {"1": 5000})
    assert table.publish(timeline.stamp(3), {"1": 1000})
    assert not table.publish(900, {"1": 5000})
    assert held_versions([table]) == [timeline.stamp(3)]
    assert timeline.stamp(2**28 - 1) < 2**53


def test_boards_of_another_timeline_are_filled_anew(app: Flask, later: None, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = []
    monkeypatch.setattr(reconcile, "mark_all_stale", lambda now: marked.append(now) or 0)
    boards_redis().set(reconcile.FILLED, NOW.isoformat())
    reconcile.reconcile(NOW)
    reconcile.reconcile(NOW)
    assert marked == [NOW], "once"
