"""Large leagues without a table in Redis: it is lost, or they do not rank by total points alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core.db import db
from app.core.redis.clients import boards_redis
from app.fantasy.standings import large_table
from app.fantasy.standings.models import League, Matchup
from app.fantasy.standings.season_places import season_places
from tests.fantasy.test_league_page import TABLE
from tests.worlds.games import DRIVE, ingest_and_refresh, messages


@pytest.fixture
def bob(
    league: League, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> FlaskClient:
    """Bob's browser, where more than two members are many."""
    monkeypatch.setitem(large_table.LIMIT, "large", 2)
    return sign_in(username="bob")


def week_card(browser: FlaskClient) -> str:
    """What the front page says of the week in the league."""
    return " ".join(browser.get("/").text.split('id="live-row"')[1].split("</a>")[0].split())


def test_their_table_is_in_the_order_of_the_points(league: League, bob: FlaskClient) -> None:
    league.ties = "fewest_transfers"
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    places = season_places(league.id) or {}
    assert {who: place.rank for who, place in places.items()} == {1: 1, 2: 2, 3: 3}
    rows = bob.get(TABLE).text
    assert rows.index("Team ann") < rows.index("Team bob") < rows.index("Team cat")
    assert "Rank 2" in week_card(bob)


def test_a_matchup_on_the_front_page_has_both_totals(league: League, bob: FlaskClient) -> None:
    league.mode = "head_to_head"
    db.session.add(Matchup(league_id=league.id, gameweek_id=1, home_id=1, away_id=2))
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    assert "You trail by 1.70" in week_card(bob)


def test_nobody_is_first_because_redis_lost_the_table(league: League, bob: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    assert "Rank 2" in week_card(bob)
    boards_redis().delete(large_table.shown_key(league.id))
    db.session.execute(text("UPDATE league_versions SET version = version + 1"))
    db.session.commit()
    assert "Rank" not in week_card(bob)
