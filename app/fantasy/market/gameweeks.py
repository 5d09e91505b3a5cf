"""Reads a season's gameweeks for pages, as frozen rows, and the games of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value
from app.fantasy.market import seasons
from app.fantasy.market.models import Gameweek, Season
from app.record import queries as record
from app.record.queries import GameRow

GAMES_TAGS = ("games", "clubs", "gameweeks")


@dataclass(frozen=True)
class GameweekRow:
    """A gameweek, as the pages and the engine read it."""

    id: int
    season_id: int
    competition: str
    season: int
    season_type: str
    week: int
    name: str
    deadline: datetime
    is_settled: bool


def current_gameweek(season_id: int, now: datetime) -> GameweekRow | None:
    """The gameweek that is played now or was played last; before the season its first."""
    gameweek = seasons.current_gameweek(season_id, now)
    return None if gameweek is None else gameweek_row(gameweek)


def gameweek_of(season_id: int, week: int) -> GameweekRow | None:
    """The gameweek of this number; None if the season has no such gameweek."""
    gameweek = db.session.scalars(
        select(Gameweek).where(Gameweek.season_id == season_id, Gameweek.week == week)
    ).first()
    return None if gameweek is None else gameweek_row(gameweek)


def shared_gameweeks(season_id: int) -> list[GameweekRow]:
    """The gameweeks of the season in their order, from the page cache."""

    def load() -> CachedValue[list[GameweekRow]]:
        query = select(Gameweek).where(Gameweek.season_id == season_id).order_by(Gameweek.week)
        rows = [gameweek_row(gameweek) for gameweek in db.session.scalars(query)]
        return CachedValue(rows, ("gameweeks",))

    return cached_value(f"gameweeks:{season_id}", list[GameweekRow], load)


def shared_gameweek(season_id: int, now: datetime) -> GameweekRow | None:
    """The same as `current_gameweek`, from the page cache."""
    gameweeks = shared_gameweeks(season_id)
    passed = [gameweek for gameweek in gameweeks if gameweek.deadline <= now]
    return passed[-1] if passed else next(iter(gameweeks), None)


def next_deadline(season_id: int, now: datetime) -> datetime | None:
    """When the next gameweek becomes the current one; None in the season's last."""
    deadlines = (gameweek.deadline for gameweek in shared_gameweeks(season_id))
    return min((deadline for deadline in deadlines if deadline > now), default=None)


def next_to_lock(now: datetime) -> datetime | None:
    """The next deadline of all seasons but the simulated ones, which have a clock of their own."""
    query = (
        select(func.min(Gameweek.deadline))
        .join(Season, Season.id == Gameweek.season_id)
        .where(Gameweek.deadline > now, Season.is_simulated.is_(False))
    )
    deadline: datetime | None = db.session.scalar(query)
    return deadline


def games_of(gameweek: GameweekRow | Gameweek) -> list[GameRow]:
    """The games of the gameweek by kickoff, then id."""
    return record.gameweek_games(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )


def shared_games_of(gameweek: GameweekRow | Gameweek) -> list[GameRow]:
    """The games of the gameweek by kickoff, then id, from the page cache."""
    return cached_value(
        f"gameweek-games:{gameweek.id}",
        list[GameRow],
        lambda: CachedValue(games_of(gameweek), GAMES_TAGS),
    )


def gameweek_row(gameweek: Gameweek) -> GameweekRow:
    """Return the gameweek as a row."""
    return GameweekRow(
        gameweek.id,
        gameweek.season_id,
        gameweek.competition,
        gameweek.season,
        gameweek.season_type,
        gameweek.week,
        gameweek.name,
        gameweek.deadline,
        gameweek.settled_at is not None,
    )
