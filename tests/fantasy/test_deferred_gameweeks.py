"""Gameweeks whose sheets are not written after each play (decision 54).

What anybody looks at is as if they were.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine import write_policy
from app.fantasy.gameweeks import catching_up, settlement
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import League
from app.record import events as ev
from tests.fantasy.deferred import rows, written
from tests.fantasy.test_league_page import TABLE, poll
from tests.polling import is_fast, remembered
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, messages


@pytest.fixture(autouse=True)
def deferred(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_policy, "SHEETS_WRITTEN", 0)


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def test_a_play_writes_no_sheet_and_whoever_looks_finds_every_row_right(
    league: League, ann: FlaskClient
) -> None:
    for end in range(3, len(DRIVE) + 1):
        before = rows(league.id)
        ingest_and_refresh(messages(DRIVE)[end - 3 : end])
        assert rows(league.id) == before, "nobody looked"
        assert ann.get(TABLE).status_code == 200
        assert rows(league.id) == written(league.id)
    assert any(points for points, _, _ in rows(league.id).values())


def test_looking_again_changes_nothing(league: League, ann: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    tag = poll(ann).headers["ETag"]
    assert poll(ann, shows=tag).status_code == 304
    assert ann.get(TABLE).status_code == 200
    assert poll(ann, shows=tag).status_code == 304


def test_a_play_without_points_leaves_the_table_as_it_is(league: League, ann: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    tag = poll(ann).headers["ETag"]
    version = db.session.scalar(text("SELECT version FROM deferred_gameweeks"))
    refresh_game("g1", NOW)
    assert db.session.scalar(text("SELECT version FROM deferred_gameweeks")) == version
    assert poll(ann, shows=tag).status_code == 304


def test_a_remembered_poll_ends_with_the_refresh_of_a_play(
    league: League, ann: FlaskClient
) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    tag = remembered(ann, TABLE)
    ingest(messages(DRIVE)[6:])
    between = remembered(ann, TABLE)
    assert between != tag, "the game moved on"
    refresh_game("g1", NOW)
    assert not is_fast(ann, TABLE, between)
    assert poll(ann, shows=between).status_code == 200


@pytest.mark.parametrize(
    ("url", "points"),
    [
        ("/", "14.20"),
        ("/leagues", "14.20"),
        ("/gamers/1", "14.20"),
        (f"{TABLE}/teams/1", "14.20"),
        (f"{TABLE}?table=week", "14.20"),
        (f"{TABLE}/members", "14.20"),
        (f"{TABLE}/history/1", "14.20"),
        (f"{TABLE}/export.json", "14200"),
    ],
)
def test_every_page_of_it_shows_the_points(ann: FlaskClient, url: str, points: str) -> None:
    ingest_and_refresh(messages(DRIVE))
    assert points in ann.get(url).text


def test_a_page_that_is_opened_while_a_refresh_holds_the_gameweek_does_not_wait(
    league: League, ann: FlaskClient, app: Flask
) -> None:
    ingest_and_refresh(messages(DRIVE))
    with db.engine.connect() as other:
        other.execute(text("SELECT pg_advisory_lock(7001, 1)"))
        assert ann.get(TABLE).status_code == 200
        assert rows(league.id)[league.id, 1] == (0, 0, 0)
        other.execute(text("SELECT pg_advisory_unlock(7001, 1)"))
    assert ann.get(TABLE).status_code == 200
    assert rows(league.id) == written(league.id)


def test_the_settlement_writes_everything_and_ends_it(league: League) -> None:
    gameweek = db.session.get_one(Gameweek, 1)
    gameweek.locked_at = KICKOFF
    db.session.commit()
    ingest_and_refresh(messages([*DRIVE, ev.GameEnded()]))
    expected = written(league.id)
    assert settlement.settle(1, NOW)
    assert rows(league.id) == expected
    assert db.session.scalar(text("SELECT count(*) FROM deferred_gameweeks")) == 0


def test_while_redis_is_away_a_league_is_caught_up_all_the_same(
    league: League, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_and_refresh(messages(DRIVE))

    def away(*_: object) -> None:
        raise redis.ConnectionError("away")

    with monkeypatch.context() as without_redis:
        without_redis.setattr(catching_up, "publish_changes", away)
        assert "14.20" in ann.get(f"{TABLE}?table=week").text
    assert rows(league.id) == written(league.id)
