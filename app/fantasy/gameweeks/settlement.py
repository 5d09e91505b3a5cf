"""Settles a gameweek when its games are over: points become results, with ranks and match points.

A later correction reopens only what it touches: live.refresh_game writes the results whose points
moved again.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.engine import footballers, sheet_points
from app.fantasy.gameweeks import (
    correction_notices,
    large_tables,
    live,
    live_corrections,
    refreshing,
)
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import news
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Match, Result
from app.fantasy.scoring import season_totals
from app.fantasy.standings import league_scores, places, results, versions
from app.fantasy.standings.models import League
from app.record.rules.state import NOT_AWAITED

# Sheets are locked and carried over, there are games, and none of them is still to end. Games that
# are cancelled, postponed or moved away are not awaited, so that a gameweek that has lost all of
# its games is settled too.
_DUE = text("""
    SELECT w.id FROM gameweeks w
    JOIN games g ON (g.competition, g.season, g.season_type) = (w.competition, w.season,
      w.season_type)
      AND w.week IN (g.week, g.planned_week)
    LEFT JOIN game_states s ON s.game_id = g.id
    WHERE w.locked_at IS NOT NULL AND w.settled_at IS NULL
    GROUP BY w.id HAVING bool_and(coalesce(s.status, 'scheduled') = ANY(:done) OR g.week <> w.week)
    ORDER BY w.season_id, w.week
""")


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


def settle_due(now: datetime) -> list[int]:
    """Settle every gameweek whose games are over; returns their ids.

    Running it again changes nothing.
    """
    due = db.session.scalars(_DUE, {"done": list(NOT_AWAITED)}).all()
    return [gameweek_id for gameweek_id in due if settle(gameweek_id, now)]


def settle(gameweek_id: int, now: datetime) -> bool:
    """Settle the gameweek in one transaction: store its points, results and ranks.

    Returns:
        False if it is settled already, or cannot be yet: games are not over, or owners have still
        to be notified of a correction.
    """
    if any(game.is_behind for game in refreshing.seen(gameweek_id)):
        live.refresh_behind(gameweek_id, now)  # its own refresh may have died
    live_corrections.notify_all(now)
    gameweek = live.locked(gameweek_id)
    if (
        gameweek.settled_at is not None
        or gameweek_id not in db.session.scalars(_DUE, {"done": list(NOT_AWAITED)}).all()
    ):
        db.session.rollback()
        return False
    if correction_notices.waiting(gameweek):
        db.session.rollback()
        live_corrections.ask()
        return False
    statuses = versions.game_statuses(gameweek_id)
    season_totals.add_up(gameweek.season_id, None)
    footballers.note_all(gameweek_id)
    sheet_points.rescore(gameweek_id)
    moved = league_scores.write_scores(gameweek_id, with_zeros=True)
    gameweek.settled_at = now
    leagues = db.session.scalars(
        select(League.id).where(League.season_id == gameweek.season_id)
    ).all()
    db.session.flush()
    large_tables.end(gameweek_id)
    results.write_results(gameweek, sorted(leagues))
    places.stand_all(leagues)
    _notify_results(gameweek, now)
    news.note(news.RESULT, leagues, gameweek.id, now)
    live.finish(gameweek, moved, leagues, statuses, now)
    large_tables.forget(gameweek_id)
    return True


def _notify_results(gameweek: Gameweek, now: datetime) -> None:
    """Send one notice per member and league."""
    rows = db.session.execute(_RESULTS, {"gameweek": gameweek.id}).all()
    average = results.averages(
        gameweek.id, sorted({row.league_id for row in rows if row.against_average})
    )
    new_notices = []
    for row in rows:
        match = None
        if row.against_average:
            match = Match("the average", row.points, average[row.league_id])
        elif row.plays:
            match = Match(row.other or "a former member", row.points, row.theirs)
        settled = Result(row.points, row.total, row.rank, row.members, match)
        words = notice_words.result(row.name, gameweek.name, settled)
        path = f"/leagues/{row.slug}/teams/{row.member_id}?week={gameweek.week}"
        new_notices.append(
            NewNotice.of(
                row.member_id, "result", f"result:{row.league_id}:{gameweek.id}", words, path
            )
        )
    notify(new_notices, now)


def settled(season_id: int) -> list[Gameweek]:
    """The season's settled gameweeks, in order."""
    return list(
        db.session.scalars(
            select(Gameweek)
            .where(Gameweek.season_id == season_id, Gameweek.settled_at.is_not(None))
            .order_by(Gameweek.week)
        )
    )
