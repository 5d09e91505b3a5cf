"""Notifies members of the results of a settled gameweek, in the transaction that settles it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Match, Result
from app.fantasy.standings.results import averages

_RESULTS = text("""
    SELECT l.id AS league_id, l.slug, l.name, s.member_id, s.points, s.total, s.rank,
      count(*) OVER (PARTITION BY l.id) AS members,
      h.home_id IS NOT NULL AS plays, o.team_name AS other, coalesce(o.points, 0) AS theirs,
      h.home_id IS NOT NULL AND h.away_id IS NULL AS against_average
    FROM league_scores s JOIN leagues l ON l.id = s.league_id
    JOIN league_members m ON (m.league_id, m.member_id) = (s.league_id, s.member_id)
    LEFT JOIN matchups h ON (h.league_id, h.gameweek_id) = (s.league_id, s.gameweek_id)
      AND s.member_id IN (h.home_id, h.away_id) AND l.mode = 'head_to_head'
    LEFT JOIN league_scores o ON (o.league_id, o.gameweek_id) = (s.league_id, s.gameweek_id)
      AND o.member_id = CASE s.member_id WHEN h.home_id THEN h.away_id ELSE h.home_id END
    WHERE s.gameweek_id = :gameweek AND s.rank IS NOT NULL
    ORDER BY l.id, s.member_id
""")


def notify_results(gameweek: Gameweek, now: datetime) -> int:
    """Send one notice per member and league; returns how many are new."""
    results = db.session.execute(_RESULTS, {"gameweek": gameweek.id}).all()
    average = averages(
        gameweek.id, sorted({row.league_id for row in results if row.against_average})
    )
    rows = []
    for row in results:
        match = None
        if row.against_average:
            match = Match("the average", row.points, average[row.league_id])
        elif row.plays:
            match = Match(row.other or "a former member", row.points, row.theirs)
        settled = Result(row.points, row.total, row.rank, row.members, match)
        words = notice_words.result(row.name, gameweek.name, settled)
        path = f"/leagues/{row.slug}/teams/{row.member_id}?week={gameweek.week}"
        rows.append(
            NewNotice.of(
                row.member_id, "result", f"result:{row.league_id}:{gameweek.id}", words, path
            )
        )
    return notify(rows, now)
