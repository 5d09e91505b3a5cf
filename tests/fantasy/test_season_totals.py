"""Season totals of footballers: what they cost."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.core.db import db
from app.fantasy.scoring import season_totals
from tests.owner import owner_without_triggers
from tests.worlds.footballers import make_footballers

FOOTBALLERS, WEEKS, RULES = 700, 17, 12


@pytest.mark.breadth("a whole season of points")
@pytest.mark.parametrize("analyzed", ["", "before the points", "after them"])
@pytest.mark.usefixtures("app")
def test_a_whole_season_is_added_up_whatever_postgresql_knows_of_it(analyzed: str) -> None:
    """Comparing each total with each footballer's week takes minutes, and ends with a timeout.

    PostgreSQL chose that without statistics, and again when it knew how many points there are.
    """
    season = make_footballers(begun=2, weeks=WEEKS)
    with owner_without_triggers().begin() as connection:
        if analyzed == "before the points":
            connection.execute(text("ANALYZE"))
        connection.execute(
            text("""
            INSERT INTO footballers SELECT (jsonb_populate_record(f, jsonb_build_object('id', n))).*
            FROM footballers f, generate_series(1, :footballers) n WHERE f.id = 'H1'
            """),
            {"footballers": FOOTBALLERS},
        )
        connection.execute(
            text("""
            INSERT INTO player_points (game_id, player_id, rules, points)
            SELECT 'g' || w, n, 'r' || r, n * w * r
            FROM generate_series(1, :footballers) n, generate_series(1, :weeks) w,
              generate_series(1, :rules) r
            """),
            {"footballers": FOOTBALLERS, "weeks": WEEKS, "rules": RULES},
        )
        connection.execute(
            text("""
            INSERT INTO stat_lines SELECT (jsonb_populate_record(
              l, jsonb_build_object('game_id', 'g' || w, 'player_id', n))).*
            FROM stat_lines l, generate_series(1, :footballers) n, generate_series(1, :weeks) w
            WHERE l.player_id = 'H1' AND l.game_id = 'g1'
            """),
            {"footballers": FOOTBALLERS, "weeks": WEEKS},
        )
        if analyzed == "after them":
            connection.execute(text("ANALYZE"))
    db.session.execute(text("SET LOCAL statement_timeout = '20s'"))

    season_totals.add_up(season.id, None)
    season_totals.add_up(season.id, None)

    totals = text("""
        SELECT count(*), sum(total_points) FROM footballer_totals
        WHERE season_id = :season AND rules LIKE 'r%'
    """)
    points = sum(range(FOOTBALLERS + 1)) * sum(range(WEEKS + 1)) * sum(range(RULES + 1))
    counted = db.session.execute(totals, {"season": season.id}).one()
    assert counted == (FOOTBALLERS * RULES, points)
    games = text("SELECT count(*) FROM footballer_statistics WHERE games = :weeks")
    assert db.session.scalar(games, {"weeks": WEEKS}) == FOOTBALLERS
