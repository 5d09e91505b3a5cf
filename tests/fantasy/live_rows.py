"""What members see of a gameweek under way, and what its settlement would store of it."""

from __future__ import annotations

from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine import footballers, sheet_points
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import league_scores, places
from app.fantasy.standings.live_scores import live_scores
from tests.worlds.games import NOW

# Points, held points and total by league and member.
Rows = dict[tuple[int, int], tuple[int, int, int]]


def stored(*leagues: int) -> Rows:
    """What PostgreSQL has."""
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


def shown(*leagues: int) -> Rows:
    """What members see: what PostgreSQL has, and the scores of the gameweek under way."""
    rows = stored(*leagues)
    for score in live_scores(leagues):
        key = (score.league_id, score.member_id)
        rows[key] = (score.points, score.held, rows[key][2] + score.points)
    return rows


def settled(*leagues: int) -> Rows:
    """What PostgreSQL would have if the gameweek were settled now; nothing is written."""
    db.session.commit()
    footballers.note_all(1)
    sheet_points.rescore(1)
    league_scores.write_scores(1)
    db.session.get_one(Gameweek, 1).settled_at = NOW
    db.session.flush()
    places.stand_all(leagues)
    rows = stored(*leagues)
    db.session.rollback()
    return rows
