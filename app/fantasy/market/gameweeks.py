"""Which gameweek is meant: reads for pages, as frozen rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from app.core.db import db
from app.fantasy.market import seasons
from app.fantasy.market.models import Gameweek


@dataclass(frozen=True)
class GameweekRow:
    """A gameweek, as the pages and the engine read it."""

    id: int
    competition: str
    season: int
    season_type: str
    week: int
    name: str
    deadline: datetime
    is_settled: bool


def current_gameweek(season_id: int, now: datetime) -> GameweekRow | None:
    """The gameweek that is played now or was played last; before the season its first."""
    found = seasons.current_gameweek(season_id, now)
    return None if found is None else gameweek_row(found)


def gameweek_of(season_id: int, week: int) -> GameweekRow | None:
    """None when the season has no such gameweek."""
    found = db.session.scalars(
        select(Gameweek).where(Gameweek.season_id == season_id, Gameweek.week == week)
    ).first()
    return None if found is None else gameweek_row(found)


def gameweek_row(found: Gameweek) -> GameweekRow:
    """Return the gameweek as a row."""
    return GameweekRow(
        found.id,
        found.competition,
        found.season,
        found.season_type,
        found.week,
        found.name,
        found.deadline,
        found.settled_at is not None,
    )
