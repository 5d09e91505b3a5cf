"""Refreshes a gameweek after a play: what players count, versions, notices and boards.

While the gameweek is under way nothing else is stored: its points are team sheets times what was
noted of their players (standings/live_scores.py). In a settled gameweek the points that a
correction moves are stored again, with standings and results.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import select, text

from app.core.db import db
from app.core.postgres.advisory_locks import Lock
from app.fantasy.engine import footballers, sheet_points
from app.fantasy.gameweeks import (
    correction_notices,
    large_tables,
    live_corrections,
    refreshing,
)
from app.fantasy.market import seasons
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import news
from app.fantasy.scoring import season_totals
from app.fantasy.standings import league_scores, places, results, versions
from app.fantasy.standings.boards import publish_boards, publish_changes, publish_live
from app.fantasy.standings.league_scores import Moved
from app.fantasy.standings.models import League

NOT_BEGUN = {"", "scheduled", "postponed", "cancelled", "forfeited"}  # statuses of games

_GAMEWEEK_OF = text(
    "SELECT w.id FROM gameweeks w JOIN games g USING (competition, season, season_type, week) "
    "WHERE g.id = :game"
)


def refresh_game(game_id: str, now: datetime) -> list[int]:
    """Bring tables and boards up to date after a change in a game.

    Running it again changes nothing, and neither does a game that belongs to no gameweek.

    Returns:
        The leagues that moved.
    """
    gameweek_id = db.session.scalar(_GAMEWEEK_OF, {"game": game_id})
    if gameweek_id is None:
        return []
    gameweek = locked(gameweek_id)
    states = [game for game in refreshing.seen(gameweek_id) if game.game_id == game_id]
    return _refresh(gameweek, states, [game_id], now)


def refresh_gameweek(gameweek_id: int, now: datetime) -> list[int]:
    """As `refresh_game`, for all games of the gameweek."""
    gameweek = locked(gameweek_id)
    return _refresh(gameweek, refreshing.seen(gameweek_id), None, now)


def refresh_behind(gameweek_id: int, now: datetime) -> list[int]:
    """As `refresh_game`, for the games that changed since the last refresh of the gameweek."""
    gameweek = locked(gameweek_id)
    behind = [game for game in refreshing.seen(gameweek_id) if game.is_behind]
    return _refresh(gameweek, behind, [game.game_id for game in behind], now)


def _refresh(
    gameweek: Gameweek,
    states: Sequence[refreshing.Seen],
    games: Collection[str] | None,
    now: datetime,
) -> list[int]:
    """`games`: those whose footballers may count otherwise; None: all sheets are added up."""
    # Read before the totals: a version whose statuses say that a game is over has that game's last
    # points, even when the game's own refresh is still to come.
    statuses = versions.game_statuses(gameweek.id)
    in_games = None if games is None else season_totals.footballers_in(games)
    season_totals.add_up(gameweek.season_id, in_games)
    refreshing.note(states)
    if gameweek.settled_at is None:
        return _refresh_live(gameweek, statuses, now)
    return _refresh_settled(gameweek, statuses, now, everything=games is None)


def _refresh_settled(
    gameweek: Gameweek, statuses: str, now: datetime, *, everything: bool
) -> list[int]:
    touched = footballers.note_all(gameweek.id)
    changed = sheet_points.rescore(gameweek.id, None if everything else touched)
    moved = league_scores.write_scores(gameweek.id, sheets=changed)
    leagues = sorted({score.league_id for score in moved})
    reversals = results.write_results(gameweek, leagues)
    correction_notices.notify_corrections(gameweek, moved, reversals, now)
    places.stand({(score.league_id, score.member_id) for score in moved} | reversals)
    news.note(news.CORRECTED, leagues, gameweek.id, now)
    return finish(gameweek, moved, leagues, statuses, now)


def _refresh_live(gameweek: Gameweek, statuses: str, now: datetime) -> list[int]:
    corrections = correction_notices.waiting(gameweek)
    points_before = live_corrections.points_before_games(gameweek, corrections)
    touched = footballers.note_all(gameweek.id)
    if points_before is not None:
        live_corrections.notify_with_games(gameweek, corrections, points_before, now)
    leagues = versions.with_owners(gameweek.id, touched)
    others = versions.under_other_statuses(gameweek, statuses)
    raised = versions.bump(gameweek.id, leagues | others, statuses, now)
    is_next = _is_under_way(gameweek, statuses) and large_tables.raise_version(
        gameweek.id, touched, statuses
    )
    db.session.commit()
    large_tables.show(gameweek.id, touched if is_next else {}, now)
    publish_live(gameweek.id, raised)
    if corrections and not live_corrections.notify_all(now, live_corrections.REFRESH_SECONDS):
        live_corrections.ask()
    return sorted(raised)


def _is_under_way(gameweek: Gameweek, statuses: str) -> bool:
    """Whether sheets are locked or a game has begun.

    Until then nobody sees what sheets count, not even the cost of their transfers.
    """
    return gameweek.locked_at is not None or not NOT_BEGUN.issuperset(statuses.split(","))


def refresh_league(league_id: int, now: datetime) -> None:
    """Add up again every gameweek that the league counts.

    This follows a change of its rules, an adjustment, or a new member. What the league has of
    gameweeks that it does not count (any more) is deleted.

    The points of footballers under its rules must be stored (points.store_points_of). Commits, with
    what the caller did before.
    """
    league = db.session.get_one(League, league_id)
    uncounted = league_scores.uncounted(league_id)
    for gameweek_id in uncounted:
        locked(gameweek_id)
        league_scores.forget(league_id, gameweek_id)
        versions.bump(gameweek_id, {league_id}, versions.game_statuses(gameweek_id), now)
    begun = seasons.begun(league.season_id, now, league.first_week)
    gameweeks = [gameweek.id for gameweek in begun]
    for gameweek_id in gameweeks:
        gameweek = locked(gameweek_id)
        statuses = versions.game_statuses(gameweek_id)
        score_league(gameweek, league_id)
        results.write_results(gameweek, [league_id])
        versions.bump(gameweek_id, {league_id}, statuses, now)
    places.stand_all([league_id])
    db.session.commit()
    for gameweek_id in (*uncounted, *gameweeks):
        publish_boards(gameweek_id)


def score_league(gameweek: Gameweek, league_id: int) -> None:
    """Store the league's points of a settled gameweek anew. Only the caller commits.

    Of a gameweek under way nothing is stored but what footballers count under the league's rules,
    if that was never noted.
    """
    if gameweek.settled_at is None:
        footballers.note_missing(gameweek.id, league_id)
        return
    sheet_points.rescore(gameweek.id, league_id=league_id)
    league_scores.write_scores(gameweek.id, leagues=[league_id])


def locked(gameweek_id: int) -> Gameweek:
    """Load the gameweek and lock it until the transaction ends.

    Two refreshes at once could each miss the other's points.
    """
    db.session.execute(
        text("SELECT pg_advisory_xact_lock(:lock, :gameweek)"),
        {"lock": Lock.GAMEWEEK, "gameweek": gameweek_id},
    )
    return db.session.scalars(
        select(Gameweek).where(Gameweek.id == gameweek_id),
        execution_options={"populate_existing": True},
    ).one()


def finish(
    gameweek: Gameweek,
    moved: Sequence[Moved],
    leagues: Collection[int],
    statuses: str,
    now: datetime,
) -> list[int]:
    """Write versions and boards of a settled gameweek. Commits.

    Args:
        gameweek: The gameweek.
        moved: The scores that changed.
        leagues: Those whose results changed.
        statuses: The statuses of the games, read before the points.
        now: The time of the new versions.

    Returns:
        The leagues that moved.
    """
    others = versions.under_other_statuses(gameweek, statuses)
    raised = versions.bump(gameweek.id, others.union(leagues), statuses, now)
    db.session.commit()
    publish_changes(gameweek.id, moved, raised)
    return sorted(raised)
