"""Gameweeks under way, of which no points are stored: everybody sees what the settlement stores."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import current_app
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core.db import db
from app.core.db.repeatable_read import begin_snapshot
from app.fantasy.gameweeks import settlement
from app.fantasy.gameweeks.live import refresh_game, refresh_gameweek
from app.fantasy.leagues import services as league_services
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import places as league_places
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League
from app.fantasy.standings.season_places import season_places
from app.record import events as ev
from tests.fantasy.live_rows import settled, shown, stored
from tests.fantasy.test_league_page import TABLE, poll
from tests.polling import is_fast, remembered
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, messages


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def test_a_play_stores_no_points_and_everybody_sees_what_the_settlement_stores(
    league: League, ann: FlaskClient
) -> None:
    before = stored(league.id)
    for end in range(3, len(DRIVE) + 1):
        ingest_and_refresh(messages(DRIVE)[end - 3 : end])
        assert ann.get(TABLE).status_code == 200
        assert stored(league.id) == before
        assert shown(league.id) == settled(league.id)
    assert any(points for points, _, _ in shown(league.id).values())


def test_looking_again_changes_nothing(league: League, ann: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    tag = poll(ann).headers["ETag"]
    assert poll(ann, shows=tag).status_code == 304
    assert ann.get(TABLE).status_code == 200
    assert poll(ann, shows=tag).status_code == 304


def test_a_play_without_points_leaves_the_table_as_it_is(league: League, ann: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    tag = poll(ann).headers["ETag"]
    version = db.session.scalar(text("SELECT version FROM live_gameweeks"))
    refresh_game("g1", NOW)
    assert db.session.scalar(text("SELECT version FROM live_gameweeks")) == version
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
    league: League, ann: FlaskClient
) -> None:
    ingest_and_refresh(messages(DRIVE))
    with db.engine.connect() as other:
        other.execute(text("SELECT pg_advisory_lock(7001, 1)"))
        assert "14.20" in ann.get(TABLE).text
        other.execute(text("SELECT pg_advisory_unlock(7001, 1)"))


def test_the_settlement_stores_everything_and_ends_it(league: League) -> None:
    gameweek = db.session.get_one(Gameweek, 1)
    gameweek.locked_at = KICKOFF
    db.session.commit()
    ingest_and_refresh(messages([*DRIVE, ev.GameEnded()]))
    expected = settled(league.id)
    assert settlement.settle(1, NOW)
    assert stored(league.id) == expected
    assert db.session.scalar(text("SELECT count(*) FROM live_gameweeks")) == 0


def test_who_leaves_and_comes_back_is_where_they_were(league: League) -> None:
    gameweek = db.session.get_one(Gameweek, 1)
    gameweek.locked_at = KICKOFF
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    places = season_places(league.id)
    assert league_services.leave(2, league.id, NOW) is None
    assert league_services.join(2, league.id, "Bobs again", NOW) is None
    assert season_places(league.id) == places
    ingest_and_refresh(messages([ev.GameEnded()], first=12))
    assert settlement.settle(1, NOW)
    assert season_places(league.id) == places
    names = db.session.scalars(text("SELECT team_name FROM league_scores WHERE member_id = 2"))
    assert names.all() == ["Bobs again"]


def test_totals_are_of_settled_gameweeks_alone(league: League) -> None:
    ingest_and_refresh(messages(DRIVE))
    assert league_services.leave(2, league.id, NOW) is None
    assert db.session.scalar(text("SELECT count(*) FROM league_scores WHERE points > 0")) == 1
    db.session.execute(text("INSERT INTO league_members SELECT 1, 2, 'Bobs'"))
    league_places.stand_all([league.id])
    assert stored(league.id)[league.id, 2] == (12_500, 0, 0)


def test_before_the_deadline_nobody_sees_what_transfers_cost(league: League) -> None:
    db.session.execute(text("UPDATE team_sheets SET transfers = 2, transfer_cost = 4000"))
    db.session.commit()
    ingest_and_refresh(messages([ev.GameStatus(status="cancelled")]))
    assert live_scores([league.id]) == []
    db.session.get_one(Gameweek, 1).locked_at = KICKOFF
    db.session.commit()
    refresh_gameweek(1, NOW)
    assert [score.points for score in live_scores([league.id])] == [-4_000, -4_000]


def test_a_play_in_the_middle_of_a_request_is_shown_by_the_next_one(league: League) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    assert season_places(league.id)
    with current_app.test_request_context():
        begin_snapshot()
        db.session.execute(text("SELECT FROM leagues"))
        with current_app.app_context():
            ingest_and_refresh(messages(DRIVE)[6:])
            db.session.remove()
        assert [place.total for place in (season_places(league.id) or {}).values()] == [1_000, 0, 0]
        db.session.rollback()
    assert [place.total for place in (season_places(league.id) or {}).values()] == [
        14_200,
        12_500,
        0,
    ]
