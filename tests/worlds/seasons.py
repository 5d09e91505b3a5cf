"""NFL seasons with gameweeks a week apart. What is played in them is up to the other worlds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from app.core.db import db
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.market.seasons import NewSeason, ensure_gameweek, ensure_season, set_deadlines
from tests.worlds.games import KICKOFF

STILL_TO_COME = KICKOFF.replace(year=2099)


def make_weekly_season(
    weeks: int, first: datetime = KICKOFF, year: int = 2026, **values: Any
) -> tuple[Season, list[Gameweek]]:
    """Make a season and its gameweeks; nothing is committed.

    Args:
        weeks: The number of gameweeks.
        first: The deadline of the first gameweek.
        year: The season's year.
        values: What `ensure_season` takes by name.
    """
    season = ensure_season(
        NewSeason("nfl", year, "REG", **({"name": f"Season {year}", "time_zone": "UTC"} | values))
    )
    gameweeks = [
        ensure_gameweek(season, week, first + timedelta(weeks=week - 1))
        for week in range(1, weeks + 1)
    ]
    set_deadlines(season.id)
    return season, gameweeks


def make_open_season(deadline: datetime = STILL_TO_COME, **values: Any) -> Season:
    """The season 2099, with one gameweek that is open by the real clock."""
    season, _ = make_weekly_season(1, deadline, 2099, **values)
    db.session.commit()
    return season
