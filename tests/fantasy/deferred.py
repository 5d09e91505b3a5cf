"""What PostgreSQL has of a gameweek under way, and what it would have with every sheet written."""

from __future__ import annotations

from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine import footballers, sheet_points
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import league_scores, places

Rows = dict[tuple[int, int], tuple[int, int, int]]


def rows(*leagues: int) -> Rows:
    """Points, held points and total by league and member, as PostgreSQL has them."""
    scores = db.session.execute(
        text("""
            SELECT m.league_id, m.member_id, coalesce(s.points, 0), coalesce(s.held, 0),
              m.total_points
            FROM league_members m LEFT JOIN league_scores s USING (league_id, member_id)
            WHERE m.league_id = ANY(:leagues)
        """),
        {"leagues": list(leagues)},
    ).all()
    return {(row[0], row[1]): (row[2], row[3], row[4]) for row in scores}


def written(*leagues: int) -> Rows:
    """The same if every sheet were written now; nothing is."""
    season = db.session.scalars(db.select(Gameweek.season_id)).first()
    assert season is not None
    db.session.commit()
    footballers.note_all(1)
    sheet_points.rescore(1, None)
    league_scores.score_leagues(1, season, None)
    places.stand_all(leagues)
    scores = rows(*leagues)
    db.session.rollback()
    return scores
