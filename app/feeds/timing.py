"""When a feed is due again. The times of games come from the database; the rules are pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import func, select

from app.core.db import db
from app.record.models import Game, GameState

OFTEN, HOURLY, NIGHTLY = timedelta(minutes=5), timedelta(hours=1), timedelta(days=1)
LONGEST_BACK_OFF = timedelta(hours=6)
# A night's data are awaited this long after a kickoff, and a season's corrections this long after
# its last one. Rosters change this long before its first one.
AWAITED, AFTER, AHEAD = timedelta(hours=36), timedelta(days=7), timedelta(days=60)
EASTERN = ZoneInfo("America/New_York")
_HOURLY_KINDS = ("rosters", "injuries", "player_weeks")
_EARLIER_SEASONS = ("player_weeks",)  # kinds of seasons whose games are often not stored


@dataclass(frozen=True)
class Played:
    """A game's kickoff, and whether its record has a final score."""

    kickoff: datetime
    is_final: bool


def back_off(failures: int) -> timedelta:
    """Return the pause after this many failures in a row: 5, 10, 20 minutes, ... 6 hours."""
    doublings: int = min(max(failures - 1, 0), 10)
    return min(OFTEN * (1 << doublings), LONGEST_BACK_OFF)


def pause(kind: str, games: Sequence[Played], now: datetime) -> timedelta:
    """Return how long to wait before the publisher is asked again.

    Five minutes on days with games (Eastern time) and until the data of the games that have begun
    are in, an hour in the rest of the season, a day out of season. Files that are published once a
    day are asked for every hour at most, and weekly statistics of a season without games here
    every day.
    """
    if not games:
        return NIGHTLY if kind in _EARLIER_SEASONS else HOURLY
    kickoffs = [game.kickoff for game in games]
    if not min(kickoffs) - AHEAD <= now <= max(kickoffs) + AFTER:
        return NIGHTLY
    if kind in _HOURLY_KINDS:
        return HOURLY
    today = now.astimezone(EASTERN).date()
    is_game_day = any(kickoff.astimezone(EASTERN).date() == today for kickoff in kickoffs)
    is_awaited = any(
        not game.is_final and game.kickoff <= now <= game.kickoff + AWAITED for game in games
    )
    return OFTEN if is_game_day or is_awaited else HOURLY


def is_season_over(games: Sequence[Played], now: datetime) -> bool:
    """Whether all games are final, and the last corrections have come."""
    if not games or not all(game.is_final for game in games):
        return False
    return now > max(game.kickoff for game in games) + AFTER


def games_of(competition: str, season: int) -> list[Played]:
    """The games of a season."""
    rows = db.session.execute(
        select(Game.kickoff, func.coalesce(GameState.status, "") == "final")
        .outerjoin(GameState, GameState.game_id == Game.id)
        .where(Game.competition == competition, Game.season == season)
    )
    return [Played(*row) for row in rows]
